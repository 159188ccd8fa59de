// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receiving without a program: the stack gets what was on the wire.
 */
#include <linux/etherdevice.h>

#include "lab.h"

/* One frame per interrupt, of every length: all residues, all last lines. */
static void frames_of_every_length_arrive_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;

	lab_up(nic);
	for (len = ETH_ZLEN; len <= nic->soc->max_frame; len++) {
		lab_fill(nic->frame, len, len);
		lab_rx(nic, len % nic->soc->queues, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

/* The same with nothing hidden behind the rounding to lines. */
static void synced_ranges_are_exact_to_the_byte(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;

	lab_cache_line(nic, 1);
	lab_up(nic);
	for (len = ETH_ZLEN; len <= nic->soc->max_frame; len += 3) {
		lab_fill(nic->frame, len, len);
		lab_rx(nic, len % nic->soc->queues, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

/* Many frames before the interrupt: all arrive, in order. */
static void batches_arrive_in_order(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 batch, i, seed = 0;

	lab_up(nic);
	for (batch = 2; batch <= 128; batch *= 2) {
		for (i = 0; i < batch; i++) {
			lab_fill(nic->frame, 60 + 11 * i, seed + i);
			lab_send(nic, 0, nic->frame, 60 + 11 * i);
		}
		lab_pump(nic);
		for (i = 0; i < batch; i++) {
			lab_fill(nic->frame, 60 + 11 * i, seed + i);
			lab_expect_delivered(nic, nic->frame, 60 + 11 * i);
		}
		seed += batch;
	}
}

/* A frame keeps the number of the queue it came in on. */
static void every_queue_receives(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_frame *frame;
	unsigned int q, i;

	lab_up(nic);
	for (i = 0; i < 600; i++) {
		q = i % nic->soc->queues;
		lab_fill(nic->frame, 64 + i, i);
		lab_rx(nic, q, nic->frame, 64 + i);
		frame = lab_take_delivered(nic);
		KUNIT_ASSERT_NOT_NULL(test, frame);
		KUNIT_EXPECT_EQ(test, frame->queue, q);
		KUNIT_EXPECT_EQ(test, frame->len, 64 + i);
		kfree(frame);
	}
}

/* Equal frames, more than the ring holds: no old buffer is taken for a new. */
static void equal_frames_are_all_received_anew(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	lab_fill(nic->frame, 1000, 7);
	for (i = 0; i < 600; i++) {
		lab_rx(nic, 0, nic->frame, 1000);
		lab_expect_delivered(nic, nic->frame, 1000);
	}
}

/* Dirty lines evicted at the worst moment corrupt nothing. */
static void evictions_do_no_harm(struct kunit *test)
{
	static const u32 lengths[] = { 60, 1514, 64, 512 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_cache_evict(nic, true);
	lab_up(nic);
	for (i = 0; i < 1200; i++) {
		u32 len = lengths[(i / 3) % ARRAY_SIZE(lengths)];

		lab_fill(nic->frame, len, i);
		lab_rx(nic, 0, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

/* No descriptor left: frames are lost on the wire, and it goes on after. */
static void a_full_ring_recovers(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int taken = 0, i;

	lab_up(nic);
	lab_fill(nic->frame, 60, 0);
	while (!lab_try_send(nic, 0, nic->frame, 60))
		lab_fill(nic->frame, 60, ++taken);
	KUNIT_EXPECT_GT(test, taken, 1);
	KUNIT_EXPECT_EQ(test, lab_try_send(nic, 0, nic->frame, 60), -ENOBUFS);
	lab_pump(nic);
	for (i = 0; i < taken; i++) {
		lab_fill(nic->frame, 60, i);
		lab_expect_delivered(nic, nic->frame, 60);
	}
	lab_rx(nic, 0, nic->frame, 60);
	lab_expect_delivered(nic, nic->frame, 60);
}

/* A frame above the limit is an error that the driver counts, no more. */
static void a_frame_too_long_is_counted_and_survived(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len = nic->soc->max_frame + 1;

	lab_up(nic);
	lab_fill(nic->frame, len, 1);
	lab_rx(nic, 0, nic->frame, len);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, nic->ndev->stats.rx_errors, 1);
	lab_fill(nic->frame, 60, 2);
	lab_rx(nic, 0, nic->frame, 60);
	lab_expect_delivered(nic, nic->frame, 60);
}

/* A tag comes up with the frame, in the data or beside it. */
static void a_tagged_frame_keeps_its_tag(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up(nic);
	for (i = 0; i < 50; i++) {
		lab_fill_tagged(nic->frame, 64 + i, 0x6000 | (i + 1), i);
		lab_rx(nic, 0, nic->frame, 64 + i);
		lab_expect_delivered(nic, nic->frame, 64 + i);
	}
}

/* Up to the MTU, in buffers of several pages. */
static void jumbo_frames_arrive_whole(struct kunit *test)
{
	static const unsigned int mtus[] = { 2000, 4000, 9000 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;
	u32 len;

	for (i = 0; i < ARRAY_SIZE(mtus); i++) {
		lab_set_mtu(nic, mtus[i]);
		lab_up(nic);
		for (len = ETH_ZLEN; len <= mtus[i] + ETH_HLEN; len += 61) {
			lab_fill(nic->frame, len, len);
			lab_rx(nic, len % nic->soc->queues, nic->frame, len);
			lab_expect_delivered(nic, nic->frame, len);
		}
		lab_down(nic);
	}
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(frames_of_every_length_arrive_whole, lab_each_fec),
	LAB_CASE(synced_ranges_are_exact_to_the_byte, lab_each_fec),
	LAB_CASE(batches_arrive_in_order, lab_each_fec),
	LAB_CASE(every_queue_receives, lab_each_fec_queues),
	LAB_CASE(equal_frames_are_all_received_anew, lab_each_fec),
	LAB_CASE(evictions_do_no_harm, lab_each_fec),
	LAB_CASE(a_full_ring_recovers, lab_each_fec),
	LAB_CASE(a_frame_too_long_is_counted_and_survived, lab_each_fec),
	LAB_CASE(a_tagged_frame_keeps_its_tag, lab_each_fec),
	LAB_CASE(jumbo_frames_arrive_whole, lab_each_fec_jumbo),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_rx",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(frames_of_every_length_arrive_whole, lab_each_mtk),
	LAB_CASE(synced_ranges_are_exact_to_the_byte, lab_each_mtk),
	LAB_CASE(batches_arrive_in_order, lab_each_mtk),
	LAB_CASE(equal_frames_are_all_received_anew, lab_each_mtk),
	LAB_CASE(evictions_do_no_harm, lab_each_mtk),
	LAB_CASE(a_full_ring_recovers, lab_each_mtk),
	LAB_CASE(a_tagged_frame_keeps_its_tag, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_rx",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
