// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching and detaching without a reset of the MAC: what the interface counts
 * goes on, the link stays, and frames that are lost meanwhile are counted.
 * Skipped where the driver resets the MAC for it.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "lab.h"

#define LEN	300

/* The driver that does without a reset is the one that has the tunable. */
static struct lab_nic *take(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct {
		struct ethtool_tunable tuna;
		u32 len;
	} c = { .tuna = {
		.cmd = ETHTOOL_GTUNABLE, .id = ETHTOOL_RX_COPYBREAK,
		.type_id = ETHTOOL_TUNABLE_U32, .len = sizeof(c.len),
	} };

	if (lab_ethtool(nic, &c, sizeof(c)) == -EOPNOTSUPP)
		kunit_skip(test, "the driver resets the MAC to attach");
	return nic;
}

static u8 *numbered(struct lab_nic *nic, u32 i)
{
	lab_fill(nic->frame, LEN, i);
	return nic->frame;
}

static void receive(struct lab_nic *nic, u32 seed, bool reflected)
{
	unsigned int q;

	for (q = 0; q < nic->soc->queues; q++) {
		numbered(nic, seed + q);
		lab_rx(nic, q, nic->frame, LEN);
		if (reflected) {
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, LEN);
		} else {
			lab_expect_delivered(nic, nic->frame, LEN);
		}
	}
}

/* Frames that waited in the rings are lost, each counted once; the gate adds up. */
static void waiting_frames_are_counted(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct bpf_prog *reflect = lab_reflect(nic);
	struct rtnl_link_stats64 a, b;
	struct lab_frame *frame;
	unsigned int round, i, sent;

	lab_up(nic);
	for (round = 0; round < 12; round++) {
		dev_get_stats(nic->ndev, &a);
		for (i = 0; i < 9; i++) {
			lab_send(nic, i % nic->soc->queues, numbered(nic, i), LEN);
			KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, LEN, i % 3), 0);
		}
		KUNIT_ASSERT_EQ(test, lab_attach(nic, round & 1 ? NULL : reflect), 0);
		lab_pump(nic);
		dev_get_stats(nic->ndev, &b);
		KUNIT_EXPECT_EQ(test, b.rx_dropped - a.rx_dropped, 9);
		KUNIT_EXPECT_EQ(test, b.tx_packets - a.tx_packets +
				b.tx_dropped - a.tx_dropped, 9);
		for (sent = 0; (frame = lab_take_transmitted(nic)); sent++)
			kfree(frame);
		KUNIT_EXPECT_EQ(test, b.tx_packets - a.tx_packets, sent);
		lab_expect_silence(nic);
		receive(nic, round, !(round & 1));
	}
}

/* Frames that were sent but not completed yet count as sent. */
static void completions_are_not_forgotten(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct rtnl_link_stats64 a, b;
	unsigned int i;

	lab_up(nic);
	dev_get_stats(nic->ndev, &a);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, numbered(nic, i), LEN, i % 4), 0);
	lab_transmit_only(nic);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	lab_pump(nic);
	dev_get_stats(nic->ndev, &b);
	KUNIT_EXPECT_EQ(test, b.tx_packets - a.tx_packets, 20);
	KUNIT_EXPECT_EQ(test, b.tx_bytes - a.tx_bytes, 20 * LEN);
	for (i = 0; i < 20; i++)
		lab_expect_transmitted(nic, numbered(nic, i), LEN);
}

/* The MAC's own counters go on, and so does the link. */
static void counters_and_link_stay(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct bpf_prog *reflect = lab_reflect(nic);
	struct lab_counts a, b;
	unsigned int round;

	lab_up(nic);
	receive(nic, 0, false);
	lab_counts(nic, &a);
	for (round = 1; round <= 8; round++) {
		KUNIT_ASSERT_EQ(test, lab_attach(nic, round & 1 ? reflect : NULL), 0);
		KUNIT_EXPECT_TRUE(test, netif_carrier_ok(nic->ndev));
		receive(nic, round, round & 1);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_packets"),
				(round + 1) * nic->soc->queues);
	}
	lab_counts(nic, &b);
	KUNIT_EXPECT_EQ(test, b.link_events, a.link_events);
}

/* One program for another: nothing stops, frames that wait meet the new one. */
static void an_exchange_loses_nothing(struct kunit *test)
{
	struct lab_nic *nic = take(test);
	struct bpf_prog *reflect = lab_reflect(nic);
	struct bpf_prog *pass = lab_verdict(nic, XDP_PASS);
	unsigned int round, i;

	lab_up(nic);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, pass), 0);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 9; i++)
			lab_send(nic, 0, numbered(nic, i), LEN);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, round & 1 ? pass : reflect), 0);
		lab_pump(nic);
		for (i = 0; i < 9; i++) {
			numbered(nic, i);
			if (round & 1) {
				lab_expect_delivered(nic, nic->frame, LEN);
			} else {
				nic->frame[0] = LAB_REFLECT_MARK;
				lab_expect_transmitted(nic, nic->frame, LEN);
			}
		}
	}
	lab_expect_silence(nic);
}

/* Without a link, too, and the link finds the program of the moment. */
static void a_cable_that_is_out_is_no_obstacle(struct kunit *test)
{
	struct lab_nic *nic = take(test);

	lab_up(nic);
	lab_cable(nic, false);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_reflect(nic)), 0);
	lab_cable(nic, true);
	lab_calm(nic);
	receive(nic, 1, true);
	lab_cable(nic, false);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	lab_cable(nic, true);
	lab_calm(nic);
	receive(nic, 2, false);
}

static struct kunit_case cases[] = {
	LAB_CASE(waiting_frames_are_counted, lab_each_fec_xdp),
	LAB_CASE(completions_are_not_forgotten, lab_each_fec_xdp),
	LAB_CASE(counters_and_link_stay, lab_each_fec_xdp),
	LAB_CASE(an_exchange_loses_nothing, lab_each_fec_xdp),
	LAB_CASE(a_cable_that_is_out_is_no_obstacle, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_next_attach",
	.test_cases = cases,
};

kunit_test_suite(suite);
