// SPDX-License-Identifier: GPL-2.0-only
/*
 * netpoll, which netconsole prints through: polled with budget 0, maybe in an
 * interrupt, the driver may give back what the stack sent and nothing else.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/filter.h>
#include <linux/slab.h>

#include "lab.h"

static void up_with_program(struct lab_nic *nic)
{
	lab_up_with(nic, lab_reflect(nic));
	lab_netpoll_start(nic);
}

/* Descriptors of a ring for transmission, or a little more. */
static unsigned int ring(const struct lab_nic *nic)
{
	return nic->soc->ring ?: 512;
}

/* Frames of the stack that were sent are given back, from a full ring as well. */
static void frames_of_the_stack_are_reclaimed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int most = 2 * ring(nic), live, i, n;

	lab_up(nic);
	lab_netpoll_start(nic);
	live = lab_live_mappings(nic);
	for (n = 1; n <= most; n = n < most ? min(n * 10, most) : n + 1) {
		lab_fill(nic->frame, 100, n);
		for (i = 0; i < n && !lab_queue_stopped(nic, 0); i++)
			lab_stack_xmit(nic, nic->frame, 100, i % 3);
		lab_transmit_only(nic);
		KUNIT_EXPECT_GT(test, lab_live_mappings(nic), live);
		lab_netpoll_poll(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live);
		KUNIT_EXPECT_FALSE(test, lab_queue_stopped(nic, 0));
		lab_pump(nic);
		lab_discard(nic);
	}
}

/* Nothing is received: no page is taken from a pool, none given back. */
static void nothing_is_received(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;
	unsigned int i;

	lab_up(nic);
	lab_netpoll_start(nic);
	for (i = 0; i < 100; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_send(nic, 0, nic->frame, 60 + i);
	}
	lab_counts(nic, &before);
	/* what it leaves to NAPI happens later */
	local_bh_disable();
	for (i = 0; i < 10; i++)
		lab_netpoll_poll(nic);
	lab_counts(nic, &after);
	lab_expect_silence(nic);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, after.dma_sync_calls, before.dma_sync_calls);
	KUNIT_EXPECT_EQ(test, after.pages, before.pages);
	KUNIT_EXPECT_EQ(test, after.recycled, before.recycled);
	lab_pump(nic);
	for (i = 0; i < 100; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_expect_delivered(nic, nic->frame, 60 + i);
	}
}

static unsigned int runs;

static u64 count_run(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	runs++;
	return XDP_DROP;
}

/* No program runs. */
static void no_program_runs(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	runs = 0;
	lab_up_with(nic, LAB_PROG(nic, BPF_EMIT_CALL(count_run), BPF_EXIT_INSN()));
	lab_netpoll_start(nic);
	lab_fill(nic->frame, 60, 1);
	lab_send(nic, 0, nic->frame, 60);
	local_bh_disable();
	lab_netpoll_poll(nic);
	KUNIT_EXPECT_EQ(test, runs, 0);
	local_bh_enable();
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, runs, 1);
	lab_expect_silence(nic);
}

/* Pages of frames that a program sent back wait for NAPI. */
static void reflected_frames_are_not_reclaimed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct rtnl_link_stats64 sent, stats;
	struct lab_counts before, after;
	unsigned int i;

	up_with_program(nic);
	for (i = 0; i < 40; i++) {
		lab_fill(nic->frame, 200, i);
		lab_send(nic, 0, nic->frame, 200);
	}
	lab_receive_only(nic);
	lab_transmit_only(nic);
	/* counted by the driver when it completes them, or by the MAC */
	dev_get_stats(nic->ndev, &sent);
	lab_counts(nic, &before);
	lab_netpoll_poll(nic);
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.recycled, before.recycled);
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, stats.tx_packets, sent.tx_packets);
	lab_pump(nic);
	/* to the pool, or back into the ring without it */
	lab_counts(nic, &after);
	KUNIT_EXPECT_LE(test, after.recycled, before.recycled + 40);
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, stats.tx_packets, 40);
	lab_discard(nic);
}

/* So do frames that were redirected here; those of the stack before them do not. */
static void redirected_frames_are_not_reclaimed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int live, i;

	up_with_program(nic);
	for (i = 0; i < 10; i++) {
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 100, i);
		lab_fill(nic->frame, 90, i);
		live = lab_live_mappings(nic);
		lab_stack_xmit(nic, nic->frame, 90, 0);
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 0, LAB_BULK_MAX), LAB_BULK_MAX);
		lab_stack_xmit(nic, nic->frame, 90, 0);
		lab_transmit_only(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live + LAB_BULK_MAX + 2);
		lab_netpoll_poll(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live + LAB_BULK_MAX + 1);
		lab_load_expect(load, 0, LAB_BULK_MAX, 0);
		lab_pump(nic);
		lab_load_expect(load, 0, LAB_BULK_MAX, 1);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live);
		lab_discard(nic);
	}
}

/* What netconsole prints is on the wire, more of it than the ring holds. */
static void printing_reaches_the_wire(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	lab_netpoll_start(nic);
	for (i = 0; i < 3 * ring(nic); i++) {
		lab_fill(nic->frame, 80 + i % 100, i);
		lab_netpoll_send(nic, nic->frame, 80 + i % 100);
		lab_transmit_only(nic);
		lab_expect_transmitted(nic, nic->frame, 80 + i % 100);
		/* only netpoll itself reclaims */
		if (i % 200 == 199)
			lab_netpoll_poll(nic);
	}
}

static void print(struct lab_nic *nic, void *arg)
{
	unsigned int *printed = arg;
	u8 line[80];

	lab_fill(line, sizeof(line), 1000 + (*printed)++);
	lab_netpoll_send(nic, line, sizeof(line));
}

/* Printed in the middle of a poll: it waits for the end of it, and is sent. */
static void printing_while_receiving_is_sent_later(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int printed = 0, i;
	struct lab_frame *frame;
	int ms;

	lab_up(nic);
	lab_netpoll_start(nic);
	lab_on_delivery(nic, print, &printed);
	for (i = 0; i < 20; i++) {
		lab_fill(nic->frame, 300, i);
		lab_send(nic, 0, nic->frame, 300);
	}
	lab_pump(nic);
	lab_on_delivery(nic, NULL, NULL);
	KUNIT_EXPECT_EQ(test, printed, 20);
	for (i = 0; i < 20; i++) {
		lab_fill(nic->frame, 300, i);
		lab_expect_delivered(nic, nic->frame, 300);
	}
	for (i = 0; i < 20; i++) {
		for (ms = 0, frame = NULL; ms < 1000 && !frame; ms += 10) {
			lab_pump(nic);
			frame = lab_take_transmitted(nic);
			if (!frame)
				msleep(10);
		}
		KUNIT_ASSERT_NOT_NULL_MSG(test, frame, "line %u was never sent", i);
		lab_fill(nic->frame, 80, 1000 + i);
		KUNIT_EXPECT_EQ(test, frame->len, 80);
		KUNIT_EXPECT_MEMEQ(test, frame->data, nic->frame, 80);
		kfree(frame);
	}
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(frames_of_the_stack_are_reclaimed, lab_each_fec),
	LAB_CASE(nothing_is_received, lab_each_fec),
	LAB_CASE(no_program_runs, lab_each_fec_xdp),
	LAB_CASE(reflected_frames_are_not_reclaimed, lab_each_fec_xdp),
	LAB_CASE(redirected_frames_are_not_reclaimed, lab_each_fec_xdp),
	LAB_CASE(printing_reaches_the_wire, lab_each_fec),
	LAB_CASE(printing_while_receiving_is_sent_later, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_netpoll",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(frames_of_the_stack_are_reclaimed, lab_each_mtk),
	LAB_CASE(nothing_is_received, lab_each_mtk),
	LAB_CASE(no_program_runs, lab_each_mtk_xdp),
	LAB_CASE(reflected_frames_are_not_reclaimed, lab_each_mtk_xdp),
	LAB_CASE(redirected_frames_are_not_reclaimed, lab_each_mtk_xdp),
	LAB_CASE(printing_reaches_the_wire, lab_each_mtk),
	LAB_CASE(printing_while_receiving_is_sent_later, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_netpoll",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
