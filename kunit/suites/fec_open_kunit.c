// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and closing: what an interface takes it gives back.
 */
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "lab.h"

#define ROUNDS		12

/* frames of a few lengths through every queue, each delivered whole */
static void exchange(struct lab_nic *nic, u32 seed)
{
	static const u32 lengths[] = { 60, 61, 590, 1514 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		lab_fill(nic->frame, lengths[i], seed + i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, lengths[i]);
		lab_expect_delivered(nic, nic->frame, lengths[i]);
	}
}

/* A closed interface holds no mapping; an open one buffers for every queue. */
static void close_gives_back_what_open_took(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, q;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
		lab_up(nic);
		for (q = 0; q < nic->soc->queues; q++)
			KUNIT_EXPECT_NE(test, lab_buffer_direction(nic, q), DMA_NONE);
		exchange(nic, i);
		lab_down(nic);
	}
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

/* Free memory is where it was after many rounds. */
static void rounds_of_open_and_close_leak_no_memory(struct kunit *test)
{
	long before = 0, after, ring_pages;
	u64 bytes, descriptors;
	struct lab_nic *nic;
	unsigned int i;

	if (IS_ENABLED(CONFIG_KASAN))
		kunit_skip(test, "KASAN keeps freed memory for a while");
	nic = lab_nic_take(test);
	for (i = 0; i < ROUNDS; i++) {
		lab_up(nic);
		lab_ring_memory(nic, &bytes, &descriptors);
		exchange(nic, i);
		lab_down(nic);
		/* caches of the allocator are warm after two rounds */
		if (i == 1)
			before = global_zone_page_state(NR_FREE_PAGES);
	}
	/* and what the other CPU still has to free */
	rcu_barrier();
	after = global_zone_page_state(NR_FREE_PAGES);
	/* a ring lost in each round would be ten times that */
	ring_pages = bytes >> PAGE_SHIFT;
	KUNIT_EXPECT_LT_MSG(test, before - after, ring_pages / 2,
			    "free pages: %ld, then %ld", before, after);
}

/* Every descriptor is armed after open and again after traffic. */
static void the_ring_stays_fully_armed(struct kunit *test)
{
	u64 bytes, at_open, after_traffic;
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	lab_ring_memory(nic, &bytes, &at_open);
	KUNIT_EXPECT_GT(test, at_open, 0);
	KUNIT_EXPECT_GT(test, bytes, 0);
	for (i = 0; i < 150; i++)
		exchange(nic, i);
	lab_ring_memory(nic, &bytes, &after_traffic);
	KUNIT_EXPECT_EQ(test, after_traffic, at_open);
}

/* A program attached to a closed interface runs once it is open. */
static void a_program_attached_while_down_runs_after_open(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	lab_fill(nic->frame, 60, 1);
	lab_rx(nic, 0, nic->frame, 60);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 1);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	exchange(nic, 2);
}

/* A program attached to an open interface is still there after the next open. */
static void a_program_survives_close_and_open(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_DROP)), 0);
	lab_down(nic);
	lab_up(nic);
	lab_fill(nic->frame, 1514, 1);
	lab_rx(nic, 0, nic->frame, 1514);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 1);
}

/* Closed for a while, the driver lets its clocks go and touches nothing. */
static void a_closed_interface_sleeps(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;

	lab_up(nic);
	exchange(nic, 1);
	lab_down(nic);
	lab_wait_asleep(nic);
	lab_counts(nic, &before);
	KUNIT_EXPECT_NE(test, lab_try_send(nic, 0, nic->frame, 60), 0);
	lab_pump(nic);
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.mmio_reads + after.mmio_writes,
			before.mmio_reads + before.mmio_writes);
	lab_up(nic);
	exchange(nic, 2);
}

static struct kunit_case cases[] = {
	LAB_CASE(close_gives_back_what_open_took, lab_each_fec),
	LAB_CASE(rounds_of_open_and_close_leak_no_memory, lab_each_fec),
	LAB_CASE(the_ring_stays_fully_armed, lab_each_fec),
	LAB_CASE(a_program_attached_while_down_runs_after_open, lab_each_fec_xdp),
	LAB_CASE(a_program_survives_close_and_open, lab_each_fec_xdp),
	LAB_CASE(a_closed_interface_sleeps, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_open",
	.test_cases = cases,
};

kunit_test_suite(suite);
