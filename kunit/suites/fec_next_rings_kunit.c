// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes of the rings (ethtool -g, -G) and what each queue counts. Skipped where
 * the driver has neither.
 */
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <net/netdev_queues.h>

#include "lab.h"

#define LEN	300

static int ring(struct lab_nic *nic, u32 cmd, struct ethtool_ringparam *ring)
{
	ring->cmd = cmd;
	return lab_ethtool(nic, ring, sizeof(*ring));
}

static int set(struct lab_nic *nic, u32 rx, u32 tx)
{
	struct ethtool_ringparam want = { .rx_pending = rx, .tx_pending = tx };

	return ring(nic, ETHTOOL_SRINGPARAM, &want);
}

static struct ethtool_ringparam get(struct lab_nic *nic)
{
	struct ethtool_ringparam now = {};

	KUNIT_ASSERT_EQ(nic->test, ring(nic, ETHTOOL_GRINGPARAM, &now), 0);
	return now;
}

static struct lab_nic *take(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct ethtool_ringparam now = {};

	if (ring(nic, ETHTOOL_GRINGPARAM, &now) == -EOPNOTSUPP)
		kunit_skip(test, "the driver's rings have one size");
	return nic;
}

static u8 *numbered(struct lab_nic *nic, u32 i)
{
	lab_fill(nic->frame, LEN, i);
	return nic->frame;
}

/* Both ways through each queue, more often around than any ring is long; every other frame not aligned. */
static void exchange(struct lab_nic *nic, unsigned int n)
{
	unsigned int q, i;
	int ret;

	for (q = 0; q < nic->soc->queues; q++) {
		for (i = 0; i < n && nic->test->status != KUNIT_FAILURE; i++) {
			lab_send(nic, q, numbered(nic, i), LEN);
			ret = i % 2 ? lab_stack_xmit(nic, nic->frame, LEN, i % 3) :
				      lab_stack_xmit_call(nic, nic->frame, LEN, NULL);
			KUNIT_EXPECT_EQ(nic->test, ret, 0);
			if (i % 16 != 15)
				continue;
			lab_pump(nic);
			for (unsigned int j = i - 15; j <= i; j++) {
				lab_expect_delivered(nic, numbered(nic, j), LEN);
				lab_expect_transmitted(nic, nic->frame, LEN);
			}
		}
	}
	lab_expect_silence(nic);
}

static void expect_sizes(struct lab_nic *nic, u32 rx, u32 tx)
{
	struct ethtool_ringparam now = get(nic);
	u64 bytes, descriptors;

	KUNIT_EXPECT_EQ(nic->test, now.rx_pending, rx);
	KUNIT_EXPECT_EQ(nic->test, now.tx_pending, tx);
	if (!netif_running(nic->ndev))
		return;
	lab_ring_memory(nic, &bytes, &descriptors);
	KUNIT_EXPECT_EQ(nic->test, descriptors, rx * nic->soc->queues);
}

/* Every size, set on a closed and on an open interface, is the ring's. */
static void sizes_are_set_and_kept(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct ethtool_ringparam max = get(nic);
	const u32 rx[] = { 64, 65, 100, max.rx_max_pending, 256 };
	const u32 tx[] = { 512, 1000, max.tx_max_pending, 513, 1024 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rx); i++) {
		KUNIT_ASSERT_EQ(test, set(nic, rx[i], tx[i]), 0);
		expect_sizes(nic, rx[i], tx[i]);
		lab_up(nic);
		expect_sizes(nic, rx[i], tx[i]);
		exchange(nic, 32);
		KUNIT_ASSERT_EQ(test, set(nic, rx[4 - i], tx[4 - i]), 0);
		expect_sizes(nic, rx[4 - i], tx[4 - i]);
		exchange(nic, 1200);
		lab_down(nic);
		expect_sizes(nic, rx[4 - i], tx[4 - i]);
	}
}

/* Sizes that the rings have already: nothing stops, and what waits in them arrives. */
static void sizes_that_are_there_change_nothing(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct ethtool_ringparam now;
	u32 i;

	lab_up(nic);
	now = get(nic);
	for (i = 0; i < 8; i++) {
		lab_send(nic, 0, numbered(nic, i), LEN);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, LEN, 0), 0);
	}
	KUNIT_ASSERT_EQ(test, set(nic, now.rx_pending, now.tx_pending), 0);
	lab_pump(nic);
	for (i = 0; i < 8; i++) {
		lab_expect_delivered(nic, numbered(nic, i), LEN);
		lab_expect_transmitted(nic, nic->frame, LEN);
	}
	lab_expect_silence(nic);
}

/* A size that no ring can have is refused, and nothing changes. */
static void wrong_sizes_are_refused(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct ethtool_ringparam was = get(nic);
	const u32 wrong[][2] = {
		{ 0, was.tx_pending }, { was.rx_pending, 0 }, { 1, 1 },
		{ was.rx_max_pending + 1, was.tx_pending },
		{ was.rx_pending, was.tx_max_pending + 1 },
	};
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		KUNIT_EXPECT_EQ(test, set(nic, wrong[i][0], wrong[i][1]), -EINVAL);
		expect_sizes(nic, was.rx_pending, was.tx_pending);
	}
	exchange(nic, 32);
}

/* Memory runs out on the way: the old rings go on. */
static void without_memory_nothing_changes(struct kunit *test)
{
	static const unsigned int left[] = { 0, 1, 100, 128, 200 };
	struct lab_nic *nic = take(test);
	struct ethtool_ringparam was = get(nic);
	unsigned int i;
	int ret;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		lab_maps_left(nic, left[i]);
		ret = set(nic, was.rx_max_pending, was.tx_pending);
		lab_maps_plenty(nic);
		if (left[i] * 2 < was.rx_max_pending)
			KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		expect_sizes(nic, ret ? was.rx_pending : was.rx_max_pending, was.tx_pending);
		exchange(nic, 32);
		KUNIT_ASSERT_EQ(test, set(nic, was.rx_pending, was.tx_pending), 0);
	}
}

static int resize(struct lab_nic *nic)
{
	return set(nic, 128, 1024);
}

static void new_or_old_rings_work(struct lab_nic *nic, int ret, bool failed)
{
	expect_sizes(nic, ret ? 256 : 128, ret ? 512 : 1024);
	exchange(nic, 32);
}

static void usual_sizes(struct lab_nic *nic)
{
	KUNIT_ASSERT_EQ(nic->test, set(nic, 256, 512), 0);
}

/* Whatever is missing for new rings, the old ones go on, whole. */
static void a_resize_fails_whole(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "resize", .prepare = usual_sizes, .run = resize,
		.check = new_or_old_rings_work, .sites = 3,
	};
	struct lab_nic *nic = take(test);

	lab_up(nic);
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

/* A ring for transmission takes frames without fragments up to its last descriptor. */
static void a_ring_is_filled_to_its_end(struct kunit *test)
{
	static const u32 sizes[] = { 512, 700, 1024 };
	struct lab_nic *nic = take(test);
	struct lab_load *load;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_verdict(nic, XDP_PASS)), 0);
	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_ASSERT_EQ(test, set(nic, 256, sizes[i]), 0);
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, 1100, 60, i);
		/* one stays free, or a full ring would look like an empty one */
		KUNIT_EXPECT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), sizes[i] - 2);
		lab_pump(nic);
		lab_load_expect_wire(load, 0, sizes[i] - 2);
	}
}

/* Each queue counts its own frames; together they are those of the interface. */
static void queues_count_their_frames(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	const struct netdev_stat_ops *ops = nic->ndev->stat_ops;
	u64 rx_packets = 0, rx_bytes = 0, tx_packets = 0, tx_bytes = 0;
	struct netdev_queue_stats_rx rx, base_rx;
	struct netdev_queue_stats_tx tx, base_tx;
	struct rtnl_link_stats64 stats;
	unsigned int q, i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	lab_up(nic);
	for (q = 0; q < nic->soc->queues; q++)
		for (i = 0; i < 10 * (q + 1); i++) {
			lab_rx(nic, q, numbered(nic, i), LEN);
			lab_expect_delivered(nic, nic->frame, LEN);
		}
	exchange(nic, 16);
	if (nic->soc->has_xdp) {
		/* the queue stays the queue when its ring is another one */
		KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
		exchange(nic, 16);
	}
	KUNIT_ASSERT_EQ(test, set(nic, 100, 600), 0);

	rtnl_lock();
	for (q = 0; q < nic->soc->queues; q++) {
		ops->get_queue_stats_rx(nic->ndev, q, &rx);
		ops->get_queue_stats_tx(nic->ndev, q, &tx);
		KUNIT_EXPECT_EQ(test, rx.packets, 10 * (q + 1) + (nic->soc->has_xdp ? 32 : 16));
		rx_packets += rx.packets;
		rx_bytes += rx.bytes;
		tx_packets += tx.packets;
		tx_bytes += tx.bytes;
	}
	ops->get_base_stats(nic->ndev, &base_rx, &base_tx);
	rtnl_unlock();
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, rx_packets + base_rx.packets, stats.rx_packets);
	KUNIT_EXPECT_EQ(test, rx_bytes + base_rx.bytes, stats.rx_bytes);
	KUNIT_EXPECT_EQ(test, tx_packets + base_tx.packets, stats.tx_packets);
	KUNIT_EXPECT_EQ(test, tx_bytes + base_tx.bytes, stats.tx_bytes);
}

static struct kunit_case cases[] = {
	LAB_CASE(sizes_are_set_and_kept, lab_each_fec),
	LAB_CASE(sizes_that_are_there_change_nothing, lab_each_fec),
	LAB_CASE(wrong_sizes_are_refused, lab_each_fec),
	LAB_CASE(without_memory_nothing_changes, lab_each_fec),
	LAB_CASE(a_resize_fails_whole, lab_each_fec),
	LAB_CASE(a_ring_is_filled_to_its_end, lab_each_fec_xdp),
	LAB_CASE(queues_count_their_frames, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_next_rings",
	.test_cases = cases,
};

kunit_test_suite(suite);
