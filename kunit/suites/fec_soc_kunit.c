// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every SoC of the table, for what is its own: it works at all, frames keep
 * their byte order, and programs are refused where the CPU swaps frames.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>

#include "lab.h"

static void receive(struct lab_nic *nic, unsigned int queue, u32 len, u32 seed)
{
	lab_fill(nic->frame, len, seed);
	lab_rx(nic, queue, nic->frame, len);
	lab_expect_delivered(nic, nic->frame, len);
}

static void transmit(struct lab_nic *nic, u32 len, u32 seed)
{
	lab_fill(nic->frame, len, seed);
	KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, len, 0), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, len);
}

/* Opened, received on by every queue, transmitted from, closed; twice. */
static void the_interface_works(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round, q;

	for (round = 0; round < 2; round++) {
		lab_up(nic);
		for (q = 0; q < nic->soc->queues; q++)
			receive(nic, q, 60 + q, q);
		transmit(nic, 60, round);
		transmit(nic, ETH_FRAME_LEN, round);
		lab_down(nic);
	}
}

/*
 * Each byte in its place, whatever part of the last word is left over, and
 * neither side reaches beyond its buffer: the cache is exact to the byte.
 */
static void bytes_keep_their_order(struct kunit *test)
{
	static const u32 bases[] = { 60, 124, 508, 1500 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_cache_line(nic, 1);
	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(bases) * 8; i++) {
		u32 len = bases[i / 8] + i % 8;

		receive(nic, 0, len, i);
		transmit(nic, len, i);
	}
}

/* What the interface says of programs is what happens. */
static void programs_are_announced_where_they_run(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	bool basic = nic->ndev->xdp_features & NETDEV_XDP_ACT_BASIC;

	KUNIT_EXPECT_EQ(test, basic, nic->soc->has_xdp);
	if (!basic)
		KUNIT_EXPECT_EQ(test, nic->ndev->xdp_features, 0);
	lab_up(nic);
	KUNIT_EXPECT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_DROP)),
			basic ? 0 : -EOPNOTSUPP);
	if (basic)
		KUNIT_EXPECT_EQ(test, lab_attach(nic, NULL), 0);
	receive(nic, 0, 200, 1);
	transmit(nic, 200, 2);
}

/* The longest frame that the largest MTU lets through, with a tag, arrives. */
static void the_longest_frame_arrives(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len = nic->ndev->max_mtu + VLAN_ETH_HLEN;
	unsigned int i;

	lab_set_mtu(nic, nic->ndev->max_mtu);
	lab_up(nic);
	for (i = 0; i < 3; i++) {
		lab_fill_tagged(nic->frame, len, 7, i);
		lab_rx(nic, 0, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(the_interface_works, lab_each_fec),
	LAB_CASE(bytes_keep_their_order, lab_each_fec),
	LAB_CASE(programs_are_announced_where_they_run, lab_each_fec),
	LAB_CASE(the_longest_frame_arrives, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_soc",
	.test_cases = cases,
};

kunit_test_suite(suite);
