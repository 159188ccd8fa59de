// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frame engine hangs, with descriptors of both directions in its hands, and
 * the driver resets it; rings for LRO.
 */
#include <linux/etherdevice.h>

#include "lab.h"

/* Frames in both rings, none of which goes on. */
static void fill_rings(struct lab_nic *nic, unsigned int sent, unsigned int received)
{
	unsigned int i;

	for (i = 0; i < sent; i++) {
		lab_fill(nic->frame, 400, i);
		KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, 400, i % 3), 0);
	}
	for (i = 0; i < received; i++) {
		lab_fill(nic->frame, 300, i);
		lab_send(nic, 0, nic->frame, 300);
	}
}

static void exchange(struct lab_nic *nic, u32 seed)
{
	lab_wait_link(nic);
	lab_exchange(nic, seed);
	lab_expect_silence(nic);
}

/* What was in the rings may be lost; nothing stays mapped, and it goes on. */
static void a_reset_frees_what_was_in_flight(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round;
	u64 armed;

	lab_up(nic);
	exchange(nic, 1);
	armed = lab_armed(nic);
	for (round = 0; round < 4; round++) {
		fill_rings(nic, 60 * round, 20 * round);
		KUNIT_ASSERT_TRUE(test, lab_hang(nic));
		lab_pump(nic);
		lab_discard(nic);
		lab_account_lost(nic, 60 * round + 20 * round);
		exchange(nic, round);
		KUNIT_EXPECT_EQ(test, lab_armed(nic), armed);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
	}
}

/* The same with every descriptor of the receive ring filled. */
static void a_reset_with_a_full_ring(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int taken = 0;
	u64 armed;

	lab_up(nic);
	armed = lab_armed(nic);
	lab_fill(nic->frame, 60, 0);
	while (!lab_try_send(nic, 0, nic->frame, 60))
		taken++;
	KUNIT_ASSERT_TRUE(test, lab_hang(nic));
	lab_pump(nic);
	lab_discard(nic);
	lab_account_lost(nic, taken);
	exchange(nic, 1);
	KUNIT_EXPECT_EQ(test, lab_armed(nic), armed);
	KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
}

/* A program outlives the reset, and its pages come back. */
static void a_program_outlives_the_reset(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up_with(nic, lab_reflect(nic));
	for (i = 0; i < 100; i++) {
		lab_fill(nic->frame, 300, i);
		lab_send(nic, 0, nic->frame, 300);
	}
	lab_receive_only(nic);
	KUNIT_ASSERT_TRUE(test, lab_hang(nic));
	lab_wait_link(nic);
	lab_pump(nic);
	lab_discard(nic);
	lab_account_lost(nic, 200);
	KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
	for (i = 0; i < 20; i++) {
		lab_fill(nic->frame, 300, i);
		lab_rx(nic, 0, nic->frame, 300);
		nic->frame[0] = LAB_REFLECT_MARK;
		lab_expect_transmitted(nic, nic->frame, 300);
	}
}

/* No memory for new rings: the interface is closed, and can be opened again. */
static void a_reset_without_memory_closes_the_interface(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	exchange(nic, 1);
	lab_inject_every(nic, 1);
	KUNIT_EXPECT_TRUE(test, lab_hang(nic));
	KUNIT_EXPECT_GT(test, lab_inject_stop(nic), 0);
	KUNIT_EXPECT_FALSE(test, netif_running(nic->ndev));
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	lab_discard(nic);
	lab_up(nic);
	exchange(nic, 2);
}

/* An attach that finds no memory leaves an interface that works, or can be opened. */
static void an_attach_without_memory_is_no_end(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog = lab_verdict(nic, XDP_PASS);
	unsigned int i;

	lab_up(nic);
	for (i = 1; i <= 3; i++) {
		lab_inject_nth(nic, "page_pool_create", NULL, i % 2 + 1);
		KUNIT_EXPECT_NE(test, lab_attach(nic, prog), 0);
		KUNIT_EXPECT_EQ(test, lab_inject_stop(nic), 1);
		KUNIT_ASSERT_TRUE(test, netif_running(nic->ndev));
		exchange(nic, i);
	}
	/* as long as there is none the interface is closed */
	lab_inject_every(nic, 1);
	KUNIT_EXPECT_NE(test, lab_attach(nic, prog), 0);
	lab_inject_stop(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	lab_discard(nic);
	lab_up(nic);
	exchange(nic, 9);
	KUNIT_EXPECT_EQ(test, lab_attach(nic, prog), 0);
	exchange(nic, 10);
}

/* Rings for LRO deliver frames as long as their buffers, which are freed as they were made. */
static void rings_for_lro_deliver(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 round, len;

	for (round = 0; round < 2; round++) {
		lab_up(nic);
		for (len = ETH_ZLEN; len <= nic->soc->lro_frame; len += 97) {
			lab_fill(nic->frame, len, len);
			lab_rx(nic, len / 97 % 4, nic->frame, len / 97 % 4 ? len : ETH_ZLEN);
			lab_expect_delivered(nic, nic->frame, len / 97 % 4 ? len : ETH_ZLEN);
		}
		lab_down(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(a_reset_frees_what_was_in_flight, lab_each_mtk_macs),
	LAB_CASE(a_reset_with_a_full_ring, lab_each_mtk_macs),
	LAB_CASE(a_program_outlives_the_reset, lab_each_mtk_xdp),
	LAB_CASE(a_reset_without_memory_closes_the_interface, lab_each_mtk_macs),
	LAB_CASE(an_attach_without_memory_is_no_end, lab_each_mtk_xdp),
	LAB_CASE(rings_for_lro_deliver, lab_each_mtk_lro),
	{}
};

static struct kunit_suite suite = {
	.name = "mtk_reset",
	.test_cases = cases,
};

kunit_test_suite(suite);
