// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small frames are copied, their buffers stay in the ring (rx-copybreak of
 * ethtool). Skipped where the driver has no such tunable.
 */
#include <linux/etherdevice.h>
#include <linux/skbuff.h>

#include "lab.h"

struct copybreak {
	struct ethtool_tunable tuna;
	u32 len;
};

static int tune(struct lab_nic *nic, u32 cmd, struct copybreak *c)
{
	c->tuna = (struct ethtool_tunable){
		.cmd = cmd, .id = ETHTOOL_RX_COPYBREAK,
		.type_id = ETHTOOL_TUNABLE_U32, .len = sizeof(c->len),
	};
	return lab_ethtool(nic, c, sizeof(*c));
}

static void set(struct lab_nic *nic, u32 len)
{
	struct copybreak c = { .len = len };

	KUNIT_ASSERT_EQ(nic->test, tune(nic, ETHTOOL_STUNABLE, &c), 0);
}

static u32 get(struct lab_nic *nic)
{
	struct copybreak c = {};

	KUNIT_ASSERT_EQ(nic->test, tune(nic, ETHTOOL_GTUNABLE, &c), 0);
	return c.len;
}

static struct lab_nic *take(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct copybreak c;

	if (tune(nic, ETHTOOL_GTUNABLE, &c) == -EOPNOTSUPP)
		kunit_skip(test, "the driver copies no frames");
	return nic;
}

/* What is set is what is read, on a closed and an open interface, and stays. */
static void the_limit_is_set_and_kept(struct kunit *test)
{
	static const u32 limits[] = { 0, 60, 256, 1518, U32_MAX };
	struct lab_nic *nic = take(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		set(nic, limits[i]);
		KUNIT_EXPECT_EQ(test, get(nic), limits[i]);
		lab_up(nic);
		KUNIT_EXPECT_EQ(test, get(nic), limits[i]);
		set(nic, limits[i] / 2);
		lab_receive(nic, 4, 200, i);
		lab_down(nic);
		KUNIT_EXPECT_EQ(test, get(nic), limits[i] / 2);
	}
}

/* Frames of every length, copied or not, with nothing hidden by a line. */
static void frames_of_every_length_arrive_whole(struct kunit *test)
{
	static const u32 limits[] = { 0, 61, 256, 1518 };
	struct lab_nic *nic = take(test);
	unsigned int i;
	u32 len;

	lab_up(nic);
	lab_cache_line(nic, 1);
	lab_cache_evict(nic, true);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		set(nic, limits[i]);
		for (len = ETH_ZLEN; len <= 1518 && test->status != KUNIT_FAILURE;
		     len += len < 300 ? 1 : 17) {
			lab_fill(nic->frame, len, len + i);
			lab_rx(nic, len % nic->soc->queues, nic->frame, len);
			lab_expect_delivered(nic, nic->frame, len);
		}
	}
}

/* A copied frame gives back the lines that the CPU saw, and no more. */
static void a_copy_costs_what_was_seen(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct lab_counts a, b;
	u32 len;

	set(nic, 1518);
	lab_up(nic);
	for (len = 60; len <= 1500; len += 240) {
		lab_receive(nic, 8, len, len);
		lab_counts(nic, &a);
		lab_receive(nic, 64, len, len);
		lab_counts(nic, &b);
		KUNIT_EXPECT_LE(test, b.dma_lines_for_device - a.dma_lines_for_device,
				64 * DIV_ROUND_UP(2 + len, 64));
		KUNIT_EXPECT_GT(test, b.dma_lines_for_device, a.dma_lines_for_device);
		KUNIT_EXPECT_EQ(test, b.pages, a.pages);
		KUNIT_EXPECT_EQ(test, b.recycled, a.recycled);
	}
}

/* Frames that are kept for long are no reason to keep buffers. */
static void a_parked_copy_holds_no_buffer(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct sk_buff *skb;
	unsigned int i;

	lab_up(nic);
	lab_keep_skbs(nic, true);
	for (i = 0; i < 600; i++) {
		lab_fill(nic->frame, 60, i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, 60);
	}
	lab_down(nic);
	KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	for (i = 0; i < 600; i++) {
		skb = lab_take_skb(nic);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		lab_fill(nic->frame, 60, i);
		KUNIT_EXPECT_EQ(test, skb->len, 60);
		KUNIT_EXPECT_MEMEQ(test, skb->data, nic->frame, 60);
		consume_skb(skb);
	}
}

/* No memory for a copy: that frame is counted as dropped, no other is. */
static void a_copy_without_memory_is_counted(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct rtnl_link_stats64 stats;
	unsigned int i, nth;

	lab_up(nic);
	for (nth = 1; nth <= 20; nth++) {
		lab_inject_nth(nic, "napi_alloc_skb", "fec_copy_skb", nth);
		for (i = 1; i <= 24; i++) {
			lab_fill(nic->frame, 100, i);
			lab_rx(nic, 0, nic->frame, 100);
			if (i == nth)
				lab_expect_silence(nic);
			else
				lab_expect_delivered(nic, nic->frame, 100);
		}
		KUNIT_EXPECT_EQ(test, lab_inject_stop(nic), 1);
		dev_get_stats(nic->ndev, &stats);
		KUNIT_EXPECT_EQ(test, stats.rx_dropped, nth);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(the_limit_is_set_and_kept, lab_each_fec),
	LAB_CASE(frames_of_every_length_arrive_whole, lab_each_fec),
	LAB_CASE(a_copy_costs_what_was_seen, lab_each_fec),
	LAB_CASE(a_parked_copy_holds_no_buffer, lab_each_fec),
	LAB_CASE(a_copy_without_memory_is_counted, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_next_copy",
	.test_cases = cases,
};

kunit_test_suite(suite);
