// SPDX-License-Identifier: GPL-2.0-only
/*
 * A controller that is restarted under load, by the watchdog or by the link:
 * what was queued is freed and unmapped once, and it transmits again.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/rtnetlink.h>

#include "lab.h"

#define QUEUED	60	/* frames of each kind */

enum kind { LINEAR, FRAGMENTS, REFLECTED, REDIRECTED, KINDS };

static void up_with_program(struct lab_nic *nic)
{
	lab_up_with(nic, lab_reflect(nic));
}

/* Frames of one kind, queued and not sent. Returns the redirected ones. */
static struct lab_load *queue(struct lab_nic *nic, enum kind kind, u32 seed)
{
	struct lab_load *load = NULL;
	unsigned int i;

	if (kind == REDIRECTED) {
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, QUEUED, 200, seed);
		KUNIT_ASSERT_EQ(nic->test, lab_load_xmit_all(load, LAB_BULK_MAX), QUEUED);
		return load;
	}
	for (i = 0; i < QUEUED; i++) {
		lab_fill(nic->frame, 200, seed + i);
		if (kind == REFLECTED)
			lab_send(nic, 0, nic->frame, 200);
		else
			lab_stack_xmit(nic, nic->frame, 200, kind == FRAGMENTS ? 1 + i % 3 : 0);
	}
	if (kind == REFLECTED)
		lab_receive_only(nic);
	return load;
}

static void expect_wire(struct lab_nic *nic, enum kind kind, u32 seed)
{
	unsigned int i;

	for (i = 0; i < QUEUED; i++) {
		lab_fill(nic->frame, 200, seed + i);
		if (kind == REFLECTED)
			nic->frame[0] = LAB_REFLECT_MARK;
		lab_expect_transmitted(nic, nic->frame, 200);
	}
}

/* All kinds are sent: nothing of what was before is left in the ring. */
static void expect_all_kinds_work(struct lab_nic *nic, u32 seed)
{
	struct lab_load *load;
	enum kind kind;

	for (kind = LINEAR; kind < KINDS; kind++) {
		load = queue(nic, kind, seed);
		lab_pump(nic);
		expect_wire(nic, kind, seed);
		if (load)
			lab_load_expect(load, 0, QUEUED, 1);
	}
	lab_expect_silence(nic);
}

enum restart { TIMEOUT, LINK, SPEED, RESTARTS };

static void restart(struct lab_nic *nic, enum restart how, unsigned int round)
{
	if (how == TIMEOUT) {
		lab_tx_timeout(nic, 0);
	} else if (how == LINK) {
		lab_link(nic, 0, true);
		lab_pump(nic);
		lab_link(nic, 100, true);
	} else {
		lab_link(nic, round % 2 ? 10 : 100, round % 3);
	}
}

/* Each kind of frame is queued when the controller is restarted in each way. */
static void restart_under_load(struct kunit *test, enum restart how)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int live;
	enum kind kind;

	up_with_program(nic);
	expect_all_kinds_work(nic, 1);
	live = lab_live_mappings(nic);
	for (kind = LINEAR; kind < KINDS; kind++) {
		load = queue(nic, kind, 100 * kind);
		restart(nic, how, kind);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live);
		if (load)
			lab_load_expect(load, 0, QUEUED, 1);
		lab_pump(nic);
		lab_expect_silence(nic);
	}
	expect_all_kinds_work(nic, 1000);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live);
}

/* The watchdog finds a stuck queue. */
static void a_timeout_frees_what_was_queued(struct kunit *test)
{
	restart_under_load(test, TIMEOUT);
}

/* The link goes and comes back. */
static void a_link_flap_frees_what_was_queued(struct kunit *test)
{
	restart_under_load(test, LINK);
}

/* The link changes its speed and duplex. */
static void another_speed_frees_what_was_queued(struct kunit *test)
{
	restart_under_load(test, SPEED);
}

/* A timeout is an error that the driver counts, once. */
static void a_timeout_is_counted(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 1; i <= 3; i++) {
		lab_tx_timeout(nic, 0);
		KUNIT_EXPECT_EQ(test, nic->ndev->stats.tx_errors, i);
	}
}

/* The receiver comes back with its whole ring, and nothing old in it. */
static void the_receiver_survives_a_restart(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u64 bytes, armed, at_open;
	unsigned int i, q;

	lab_up(nic);
	lab_ring_memory(nic, &bytes, &at_open);
	for (i = 0; i < 2 * RESTARTS; i++) {
		for (q = 0; q < nic->soc->queues; q++) {
			lab_fill(nic->frame, 700, i + q);
			lab_rx(nic, q, nic->frame, 700);
			lab_expect_delivered(nic, nic->frame, 700);
		}
		restart(nic, i % RESTARTS, i);
		lab_ring_memory(nic, &bytes, &armed);
		KUNIT_EXPECT_EQ(test, armed, at_open);
	}
	for (i = 0; i < 600; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, 60 + i);
		lab_expect_delivered(nic, nic->frame, 60 + i);
	}
}

/* A frame that comes just as a restart ends reaches the stack, though none follows it. */
static void a_frame_at_the_end_of_a_restart_arrives(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < 2 * RESTARTS; i++) {
		lab_fill(nic->frame, 300, i);
		lab_send_early(nic, i % nic->soc->queues, nic->frame, 300);
		/* odd: the speed changes */
		restart(nic, i % RESTARTS, i | 1);
		KUNIT_ASSERT_TRUE(test, lab_came_early(nic));
		lab_pump(nic);
		lab_expect_delivered(nic, nic->frame, 300);
	}
	lab_expect_silence(nic);
}

/* Every queue: the stack stops it when full, completions and resets wake it. */
static void every_queue_stops_and_wakes(struct kunit *test)
{
	static const unsigned int priority[] = { 0, 2, 5 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int q, i;

	lab_up(nic);
	for (q = 0; q < nic->soc->queues; q++) {
		/* the stack sends on the queue of the priority */
		lab_fill_tagged(nic->frame, 100, priority[q] << VLAN_PRIO_SHIFT, q);
		for (i = 0; i < 1000 && !lab_queue_stopped(nic, q); i++)
			lab_stack_xmit(nic, nic->frame, 100, 0);
		KUNIT_ASSERT_TRUE(test, lab_queue_stopped(nic, q));
		lab_pump(nic);
		KUNIT_EXPECT_FALSE(test, lab_queue_stopped(nic, q));
		while (i--)
			lab_expect_transmitted(nic, nic->frame, 100);

		for (i = 0; i < 1000 && !lab_queue_stopped(nic, q); i++)
			lab_stack_xmit(nic, nic->frame, 100, 0);
		KUNIT_ASSERT_TRUE(test, lab_queue_stopped(nic, q));
		restart(nic, q % RESTARTS, q);
		KUNIT_EXPECT_FALSE(test, lab_queue_stopped(nic, q));
		lab_pump(nic);
		lab_expect_silence(nic);
	}
}

/* XDP that owns the queue moves the time the watchdog looks at. */
static void xdp_keeps_the_watchdog_away(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct netdev_queue *nq;
	struct lab_load *load;
	unsigned long long_ago;

	up_with_program(nic);
	nq = netdev_get_tx_queue(nic->ndev, 0);
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, 1, 60, 1);

	long_ago = jiffies - 100 * HZ;
	WRITE_ONCE(nq->trans_start, long_ago);
	lab_fill(nic->frame, 60, 1);
	lab_rx(nic, 0, nic->frame, 60);
	KUNIT_EXPECT_TRUE_MSG(test, time_after(nq->trans_start, jiffies - HZ), "XDP_TX");

	WRITE_ONCE(nq->trans_start, long_ago);
	KUNIT_EXPECT_EQ(test, lab_load_xmit(load, 0, 1), 1);
	KUNIT_EXPECT_TRUE_MSG(test, time_after(nq->trans_start, jiffies - HZ), "ndo_xdp_xmit");
	lab_pump(nic);
}

/* one target is enough where seconds pass */
static const void *only_one(struct kunit *test, const void *prev, char *desc)
{
	return prev ? NULL : lab_each_fec_xdp(test, prev, desc);
}

/* The core's own watchdog: a queue that stays full is restarted by itself. */
static void the_watchdog_frees_a_stuck_queue(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;
	int ms;

	nic->ndev->watchdog_timeo = HZ / 10;
	lab_up(nic);
	/* not one frame more: what waits above the driver would leave in its own time */
	for (i = 0; i < 1000 && !lab_queue_stopped(nic, 0); i++)
		lab_stack_xmit(nic, nic->frame, 60, 0);
	KUNIT_ASSERT_TRUE(test, lab_queue_stopped(nic, 0));
	for (ms = 0; ms < 5000 && lab_queue_stopped(nic, 0); ms += 10)
		msleep(10);
	KUNIT_EXPECT_FALSE(test, lab_queue_stopped(nic, 0));
	/* the driver wakes its queues before it is done, which it does with the lock held */
	rtnl_lock();
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, nic->ndev->stats.tx_errors, 1);
	lab_pump(nic);
	lab_discard(nic);
	lab_fill(nic->frame, 100, 1);
	KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, 100, 0), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 100);
}

/* XDP_TX at full rate, the stack's queue stopped all the time: no timeout. */
static void xdp_at_full_rate_is_no_timeout(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct netdev_queue *nq;
	unsigned long until;
	unsigned int i;

	nic->ndev->watchdog_timeo = HZ / 10;
	up_with_program(nic);
	nq = netdev_get_tx_queue(nic->ndev, 0);
	lab_sink_frames(nic, false);
	until = jiffies + (lab_long() ? 10 * HZ : HZ / 2);
	while (time_before(jiffies, until)) {
		for (i = 0; i < 64; i++) {
			lab_fill(nic->frame, 60, i);
			lab_send(nic, 0, nic->frame, 60);
		}
		lab_receive_only(nic);
		/* a ping found the queue full long ago: netif_tx_stop_queue() would say now */
		set_bit(__QUEUE_STATE_DRV_XOFF, &nq->state);
		/* or the watchdog looks once a second */
		mod_timer(&nic->ndev->watchdog_timer, jiffies + 1);
		msleep(10);
		lab_pump(nic);
	}
	KUNIT_EXPECT_EQ(test, nic->ndev->stats.tx_errors, 0);
	lab_sink_frames(nic, true);
}

/* Closed before the driver gets round to a timeout: nothing is restarted. */
static void a_timeout_may_come_too_late(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;

	lab_up(nic);
	KUNIT_EXPECT_TRUE_MSG(test, lab_down_before_timeout(nic),
			      "the driver waits for ever, with the lock of all interfaces");
	lab_wait_asleep(nic);
	lab_counts(nic, &before);
	msleep(20);
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.mmio_writes, before.mmio_writes);
	lab_up(nic);
	lab_fill(nic->frame, 300, 1);
	lab_rx(nic, 0, nic->frame, 300);
	lab_expect_delivered(nic, nic->frame, 300);
}

static struct kunit_case cases[] = {
	LAB_CASE(a_timeout_frees_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(a_link_flap_frees_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(another_speed_frees_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(a_timeout_is_counted, lab_each_fec),
	LAB_CASE(the_receiver_survives_a_restart, lab_each_fec),
	LAB_CASE(a_frame_at_the_end_of_a_restart_arrives, lab_each_fec),
	LAB_CASE(every_queue_stops_and_wakes, lab_each_fec_queues),
	LAB_CASE(xdp_keeps_the_watchdog_away, lab_each_fec_xdp),
	LAB_CASE(a_timeout_may_come_too_late, lab_each_fec),
	LAB_CASE(the_watchdog_frees_a_stuck_queue, only_one),
	LAB_CASE(xdp_at_full_rate_is_no_timeout, only_one),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_watchdog",
	.test_cases = cases,
};

kunit_test_suite(suite);
