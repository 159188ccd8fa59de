// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is not there while frames pass: a frame may be lost, and is
 * counted; the ring stays armed, the next frame passes.
 */
#include <linux/bottom_half.h>
#include <linux/mm.h>

#include "lab.h"

#define FRAMES	24

/* Frame @i of a case, in nic->frame; returns its length. */
static u32 frame_of(struct lab_nic *nic, unsigned int i)
{
	u32 len = 60 + i * 61 % 1400;

	lab_fill(nic->frame, len, i);
	return len;
}

static u64 dropped(struct lab_nic *nic)
{
	struct rtnl_link_stats64 stats;

	dev_get_stats(nic->ndev, &stats);
	return stats.rx_dropped;
}

static u64 armed_at_start, dropped_at_start;

static void note_start(struct lab_nic *nic)
{
	armed_at_start = lab_armed(nic);
	dropped_at_start = dropped(nic);
}

static int receive(struct lab_nic *nic)
{
	unsigned int i;

	dropped_at_start = dropped(nic);
	for (i = 0; i < FRAMES; i++) {
		u32 len = frame_of(nic, i);

		lab_send(nic, i % nic->soc->queues, nic->frame, len);
		/* bursts of one, of two and of three */
		if (i % 6 != 1 && i % 6 != 3 && i % 6 != 4)
			lab_pump(nic);
	}
	lab_pump(nic);
	return 0;
}

/* The oldest frame on a side is frame @i: take it. */
static bool take(struct lab_nic *nic, struct lab_frame *(*from)(struct lab_nic *nic),
		 struct lab_frame **next, unsigned int i, bool mark)
{
	u32 len = frame_of(nic, i);

	if (mark)
		nic->frame[0] = LAB_REFLECT_MARK;
	if (!*next)
		*next = from(nic);
	if (!*next || (*next)->len != len || memcmp((*next)->data, nic->frame, len))
		return false;
	kfree(*next);
	*next = NULL;
	return true;
}

/* Frames of a burst come queue by queue: look for each until a round finds none. */
static void account(struct lab_nic *nic, struct lab_frame *(*from)(struct lab_nic *nic),
		    bool mark, u64 lost, bool failed)
{
	struct lab_frame *next = NULL;
	unsigned int i, seen = 0;
	bool had[FRAMES] = {}, more = true;

	while (more) {
		more = false;
		for (i = 0; i < FRAMES; i++) {
			if (had[i] || !take(nic, from, &next, i, mark))
				continue;
			had[i] = true;
			more = true;
			seen++;
		}
	}
	KUNIT_EXPECT_NULL_MSG(nic->test, next, "a frame that nobody sent, or not with these bytes");
	kfree(next);
	KUNIT_EXPECT_EQ(nic->test, seen + lost, FRAMES);
	KUNIT_EXPECT_EQ(nic->test, lost, failed ? 1 : 0);
	KUNIT_EXPECT_EQ_MSG(nic->test, lab_armed(nic), armed_at_start, "descriptors armed");
}

static void delivered(struct lab_nic *nic, int ret, bool failed)
{
	account(nic, lab_take_delivered, false, dropped(nic) - dropped_at_start, failed);
}

static const struct lab_inject reception = {
	.name = "reception", .run = receive, .check = delivered, .sites = 2, .tolerates = true,
};

/* To the stack: the one frame is counted as dropped, the others arrive. */
static void a_frame_without_memory_is_counted(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	note_start(nic);
	lab_inject_each(nic, &reception);
}

/* Passed by a program: the same. */
static void a_passed_frame_without_memory_is_counted(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	note_start(nic);
	lab_inject_each(nic, &reception);
}

static void transmitted(struct lab_nic *nic, int ret, bool failed)
{
	account(nic, lab_take_transmitted, true, dropped(nic) - dropped_at_start, failed);
}

/* A ring that has just been filled has no buffers to spare. */
static void fresh_rings(struct lab_nic *nic)
{
	lab_up(nic);
	note_start(nic);
}

/* Sent back by a program: the same. */
static void a_reflected_frame_without_memory_is_counted(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "reflection", .run = receive, .check = transmitted,
		.prepare = fresh_rings, .undo = lab_down,
		.sites = 1, .tolerates = true,
	};
	struct lab_nic *nic = lab_nic_take(test);

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_reflect(nic)), 0);
	lab_inject_each(nic, &op);
}

/*
 * No page for a refill, at the first, second and last frame of a ring's round.
 * How many frames a page serves is the driver's choice.
 */
static void the_ring_outlives_a_missing_page(struct kunit *test)
{
	static const unsigned int nth[] = { 1, 2, 511, 512 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, n, missing, after;
	struct lab_frame *frame;

	lab_up(nic);
	note_start(nic);
	for (i = 0; i < ARRAY_SIZE(nth); i++) {
		lab_inject_nth(nic, nic->soc->refill ?: "page_pool_dev_alloc_pages", NULL,
			       nth[i]);
		missing = 0;
		after = 0;
		for (n = 1; n <= 2 * nth[i] + 4 && after < 2; n++) {
			lab_fill(nic->frame, 1000, n);
			lab_rx(nic, 0, nic->frame, 1000);
			frame = lab_take_delivered(nic);
			if (frame) {
				KUNIT_EXPECT_EQ(test, frame->len, 1000);
				KUNIT_EXPECT_MEMEQ(test, frame->data, nic->frame, 1000);
				kfree(frame);
			} else {
				KUNIT_EXPECT_GE(test, n, nth[i]);
				missing++;
			}
			after += missing;
			if (test->status == KUNIT_FAILURE)
				return;
		}
		KUNIT_EXPECT_EQ(test, missing, 1);
		KUNIT_EXPECT_EQ(test, lab_inject_stop(nic), 1);
		KUNIT_EXPECT_EQ(test, dropped(nic), i + 1);
		KUNIT_EXPECT_EQ(test, lab_armed(nic), armed_at_start);
	}
}

/* No memory at all for a whole round of the ring, then enough again. */
static void the_ring_outlives_a_drought(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	note_start(nic);
	lab_inject_every(nic, 1);
	for (i = 0; i < 600; i++) {
		lab_fill(nic->frame, 60, i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, 60);
	}
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_inject_stop(nic), 600);
	KUNIT_EXPECT_EQ(test, dropped(nic), 600);
	KUNIT_EXPECT_EQ(test, lab_armed(nic), armed_at_start);
	receive(nic);
	delivered(nic, 0, false);
}

/* ---- transmission ------------------------------------------------------- */

#define SENT	6

static u32 sent_len(struct lab_nic *nic, unsigned int i)
{
	lab_fill(nic->frame, 200 + 100 * i, i);
	return 200 + 100 * i;
}

/* linear, and spread over one, two and three pages, more than one at a time */
static int transmit(struct lab_nic *nic)
{
	unsigned int i;
	u32 len;

	for (i = 0; i < SENT; i++) {
		len = sent_len(nic, i);
		lab_stack_xmit(nic, nic->frame, len, (i + 3) % 4);
		if (i % 3 == 2)
			lab_pump(nic);
	}
	lab_pump(nic);
	return 0;
}

/* All frames left whole and in order, or all but one. */
static void all_but_one(struct lab_nic *nic, int ret, bool failed)
{
	unsigned int i, missing = 0;
	struct lab_frame *frame;
	u32 len;

	frame = lab_take_transmitted(nic);
	for (i = 0; i < SENT; i++) {
		len = sent_len(nic, i);
		if (!frame || frame->len != len || memcmp(frame->data, nic->frame, len)) {
			missing++;
			continue;
		}
		kfree(frame);
		frame = lab_take_transmitted(nic);
	}
	KUNIT_EXPECT_NULL_MSG(nic->test, frame, "a frame that nobody sent, or not with these bytes");
	kfree(frame);
	KUNIT_EXPECT_EQ(nic->test, missing, failed ? 1 : 0);
	KUNIT_EXPECT_EQ_MSG(nic->test, lab_live_mappings(nic), armed_at_start,
			    "mappings beside those of the receive rings");
}

/* A frame that cannot be mapped is lost, and nothing else is. */
static void a_frame_that_cannot_be_mapped_is_lost_alone(struct kunit *test)
{
	struct lab_inject op = {
		.name = "transmission", .run = transmit, .check = all_but_one,
		.sites = 1, .tolerates = true,
	};
	struct lab_nic *nic = lab_nic_take(test);

	if (nic->ndev->features & NETIF_F_SG)
		op.sites = 2;
	lab_up(nic);
	armed_at_start = lab_live_mappings(nic);
	lab_inject_each(nic, &op);
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(a_frame_without_memory_is_counted, lab_each_fec),
	LAB_CASE(a_passed_frame_without_memory_is_counted, lab_each_fec_xdp),
	LAB_CASE(a_reflected_frame_without_memory_is_counted, lab_each_fec_xdp),
	LAB_CASE(the_ring_outlives_a_missing_page, lab_each_fec),
	LAB_CASE(the_ring_outlives_a_drought, lab_each_fec),
	LAB_CASE(a_frame_that_cannot_be_mapped_is_lost_alone, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_inject_traffic",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(a_frame_without_memory_is_counted, lab_each_mtk),
	LAB_CASE(a_passed_frame_without_memory_is_counted, lab_each_mtk_xdp),
	LAB_CASE(a_reflected_frame_without_memory_is_counted, lab_each_mtk_xdp),
	LAB_CASE(the_ring_outlives_a_missing_page, lab_each_mtk),
	LAB_CASE(the_ring_outlives_a_drought, lab_each_mtk),
	LAB_CASE(a_frame_that_cannot_be_mapped_is_lost_alone, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_inject_traffic",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
