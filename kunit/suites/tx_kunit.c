// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmitting what the stack hands down.
 */
#include <linux/etherdevice.h>

#include "lab.h"

static void xmit(struct lab_nic *nic, u32 len, u32 seed, unsigned int frags)
{
	lab_fill(nic->frame, len, seed);
	KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, len, frags), 0);
}

static void expect(struct lab_nic *nic, u32 len, u32 seed)
{
	lab_fill(nic->frame, len, seed);
	lab_expect_transmitted(nic, nic->frame, len);
}

/* Frames of every length leave as the stack made them. */
static void frames_of_every_length_leave_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;

	lab_up(nic);
	for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len++) {
		xmit(nic, len, len, 0);
		lab_pump(nic);
		expect(nic, len, len);
	}
}

/* More frames than the ring has descriptors, one by one. */
static void the_ring_wraps(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up(nic);
	for (i = 0; i < 2500; i++) {
		xmit(nic, 60 + i % 200, i, 0);
		lab_pump(nic);
		expect(nic, 60 + i % 200, i);
	}
}

/* Frames handed down before any completes leave in order. */
static void batches_leave_in_order(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 batch, i;

	lab_up(nic);
	for (batch = 2; batch <= 256; batch *= 4) {
		for (i = 0; i < batch; i++)
			xmit(nic, 60 + i, i, 0);
		lab_pump(nic);
		for (i = 0; i < batch; i++)
			expect(nic, 60 + i, i);
	}
}

/* A frame in fragments is one frame on the wire. */
static void fragments_leave_as_one_frame(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;
	int n;

	lab_up(nic);
	for (n = 1; n <= MAX_SKB_FRAGS; n++) {
		for (len = 300; len <= ETH_FRAME_LEN; len += 101) {
			xmit(nic, len, len + n, n);
			lab_pump(nic);
			expect(nic, len, len + n);
		}
	}
}

/* Each buffer is mapped once and unmapped once. */
static void mappings_are_balanced(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;
	unsigned int live;
	u32 i;

	lab_up(nic);
	live = lab_live_mappings(nic);
	lab_counts(nic, &before);
	for (i = 0; i < 200; i++) {
		xmit(nic, 60 + i, i, 0);
		lab_pump(nic);
		expect(nic, 60 + i, i);
	}
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.dma_maps - before.dma_maps, 200);
	KUNIT_EXPECT_EQ(test, after.dma_unmaps - before.dma_unmaps, 200);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live);
}

/* A full ring stops the queue; completions start it again; nothing is lost. */
static void a_full_ring_stops_and_wakes_the_queue(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i, total;

	lab_up(nic);
	for (total = 0; total < 4096 && !lab_queue_stopped(nic, 0); total++)
		xmit(nic, 60, total, 0);
	KUNIT_EXPECT_TRUE(test, lab_queue_stopped(nic, 0));
	/* the qdisc keeps what comes now */
	for (i = 0; i < 400; i++)
		xmit(nic, 60, total++, 0);
	lab_pump(nic);
	for (i = 0; i < total; i++)
		expect(nic, 60, i);
	KUNIT_EXPECT_FALSE(test, lab_queue_stopped(nic, 0));
}

static unsigned int freed;

static void count_freed(struct sk_buff *skb)
{
	freed++;
}

/* What was sent is freed, wherever the ring was when the interface was closed. */
static void sent_frames_are_freed_after_each_open(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round, i;

	for (round = 0; round < 4; round++) {
		lab_up(nic);
		freed = 0;
		for (i = 0; i < 5; i++) {
			lab_fill(nic->frame, 100, i);
			KUNIT_ASSERT_EQ(test, lab_stack_xmit_call(nic, nic->frame, 100,
								  count_freed), 0);
			lab_pump(nic);
			expect(nic, 100, i);
			KUNIT_EXPECT_EQ(test, freed, i + 1);
		}
		lab_down(nic);
	}
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(frames_of_every_length_leave_whole, lab_each_fec),
	LAB_CASE(the_ring_wraps, lab_each_fec),
	LAB_CASE(batches_leave_in_order, lab_each_fec),
	LAB_CASE(fragments_leave_as_one_frame, lab_each_fec),
	LAB_CASE(mappings_are_balanced, lab_each_fec),
	LAB_CASE(a_full_ring_stops_and_wakes_the_queue, lab_each_fec),
	LAB_CASE(sent_frames_are_freed_after_each_open, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_tx",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(frames_of_every_length_leave_whole, lab_each_mtk),
	LAB_CASE(the_ring_wraps, lab_each_mtk),
	LAB_CASE(batches_leave_in_order, lab_each_mtk),
	LAB_CASE(fragments_leave_as_one_frame, lab_each_mtk),
	LAB_CASE(mappings_are_balanced, lab_each_mtk),
	LAB_CASE(a_full_ring_stops_and_wakes_the_queue, lab_each_mtk),
	LAB_CASE(sent_frames_are_freed_after_each_open, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_tx",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
