// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that do not get out: each is counted as an error and given back to
 * whoever owns it, once, as if it had been sent; and the ring goes on.
 */
#include "lab.h"

#define FRAMES	40
#define LEN	200

static u64 errors(struct lab_nic *nic)
{
	struct rtnl_link_stats64 stats;

	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(nic->test, stats.tx_fifo_errors, stats.tx_errors);
	return stats.tx_errors;
}

/* All of FRAMES frames fail on their way out. */
static void fail_all(struct lab_nic *nic)
{
	u64 before = errors(nic);

	lab_spoil(nic, FRAMES);
	lab_pump(nic);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(nic->test, errors(nic) - before, FRAMES);
}

static void queue_frames(struct lab_nic *nic)
{
	unsigned int i;

	for (i = 0; i < FRAMES; i++) {
		lab_fill(nic->frame, LEN, i);
		KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, LEN, i % 4), 0);
	}
}

static void expect_frames(struct lab_nic *nic)
{
	unsigned int i;

	for (i = 0; i < FRAMES; i++) {
		lab_fill(nic->frame, LEN, i);
		lab_expect_transmitted(nic, nic->frame, LEN);
	}
}

/* Of the stack: freed and unmapped; around the ring, so that old errors would show. */
static void frames_of_the_stack_are_freed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int maps, round;
	u64 before;

	lab_up(nic);
	maps = lab_live_mappings(nic);
	for (round = 0; round < 30; round++) {
		queue_frames(nic);
		if (round % 2) {
			fail_all(nic);
		} else {
			before = errors(nic);
			lab_pump(nic);
			expect_frames(nic);
			KUNIT_EXPECT_EQ(test, errors(nic), before);
		}
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), maps);
	}
}

/* Sent back by a program: the pages go round. */
static void pages_of_reflected_frames_go_round(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts warm, after;
	unsigned int round, i;

	lab_up_with(nic, lab_reflect(nic));
	for (round = 0; round < 40; round++) {
		if (round == 20)
			lab_counts(nic, &warm);
		for (i = 0; i < FRAMES; i++) {
			lab_fill(nic->frame, LEN, i);
			lab_send(nic, 0, nic->frame, LEN);
		}
		fail_all(nic);
	}
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.pages, warm.pages);
	KUNIT_EXPECT_EQ(test, after.dma_maps, warm.dma_maps);
}

/* Redirected here: returned once, like those that were sent. */
static void redirected_frames_are_returned(struct kunit *test)
{
	static const enum lab_origin origins[] = { LAB_ORIGIN_PAGES, LAB_ORIGIN_POOL };
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int i;

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	for (i = 0; i < 2 * ARRAY_SIZE(origins); i++) {
		load = lab_load_take(nic, origins[i % 2], FRAMES, LEN, i);
		KUNIT_ASSERT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), FRAMES);
		fail_all(nic);
		lab_load_expect(load, 0, FRAMES, 1);
	}
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, FRAMES, LEN, 9);
	KUNIT_ASSERT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), FRAMES);
	lab_pump(nic);
	lab_load_expect_wire(load, 0, FRAMES);
	lab_load_expect(load, 0, FRAMES, 1);
}

/* Of an AF_XDP socket: completed, the application may use the chunks again. */
static void chunks_of_a_socket_are_completed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_pump(nic);
	for (i = 0; i < FRAMES; i++) {
		lab_fill(nic->frame, LEN, i);
		lab_xsk_send(xsk, nic->frame, LEN);
	}
	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	fail_all(nic);
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), FRAMES);
	lab_xsk_exchange(xsk, 1);
}

static struct kunit_case cases[] = {
	LAB_CASE(frames_of_the_stack_are_freed, lab_each_fec),
	LAB_CASE(pages_of_reflected_frames_go_round, lab_each_fec_xdp),
	LAB_CASE(redirected_frames_are_returned, lab_each_fec_xdp),
	LAB_CASE(chunks_of_a_socket_are_completed, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_tx_err",
	.test_cases = cases,
};

kunit_test_suite(suite);
