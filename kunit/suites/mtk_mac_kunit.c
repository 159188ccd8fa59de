// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two and three MACs on the same rings: whose frame it is, whose program, and
 * that one does not care when another comes or goes.
 */
#include <linux/etherdevice.h>
#include <linux/filter.h>

#include "lab.h"

/* A frame in and a frame out. */
static void exchange(struct lab_nic *nic, unsigned int mac, u32 seed)
{
	lab_fill(nic->frame, 300 + seed % 1000, seed);
	lab_mac_rx(nic, mac, nic->frame, 300 + seed % 1000);
	lab_mac_expect_delivered(nic, mac, nic->frame, 300 + seed % 1000);
	lab_fill(nic->frame, 200 + seed % 1000, seed + 7);
	KUNIT_ASSERT_EQ(nic->test, lab_mac_xmit(nic, mac, nic->frame, 200 + seed % 1000), 0);
	lab_pump(nic);
	lab_mac_expect_transmitted(nic, mac, nic->frame, 200 + seed % 1000);
	lab_expect_silence(nic);
}

/* A frame belongs to the interface of the MAC it came in at, and leaves at its own. */
static void frames_keep_to_their_mac(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_macs_up(nic);
	for (i = 0; i < 300; i++)
		exchange(nic, i % nic->soc->macs, i);
	lab_macs_down(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

/* Closing one leaves the ring to the others; with the last one it goes. */
static void closing_one_keeps_the_others(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int gone, mac;
	u32 i = 0;

	for (gone = 0; gone < nic->soc->macs; gone++) {
		lab_macs_up(nic);
		lab_mac_down(nic, gone);
		for (mac = 0; mac < nic->soc->macs; mac++) {
			if (mac != gone)
				exchange(nic, mac, i++);
		}
		lab_mac_up(nic, gone);
		exchange(nic, gone, i++);
		lab_macs_down(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	}
}

/* A MAC that is closed takes no frame and lets none out, whoever else is open. */
static void a_closed_mac_is_silent(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int gone, mac;
	u32 i = 0;

	for (gone = 0; gone < nic->soc->macs; gone++) {
		/* never open, then closed again */
		for (mac = 0; mac < nic->soc->macs; mac++)
			if (mac != gone)
				lab_mac_up(nic, mac);
		lab_fill(nic->frame, 200, gone);
		KUNIT_EXPECT_EQ(test, lab_mac_try_send(nic, gone, nic->frame, 200), -ENETDOWN);
		lab_mac_up(nic, gone);
		exchange(nic, gone, i++);
		lab_mac_down(nic, gone);
		KUNIT_EXPECT_EQ(test, lab_mac_try_send(nic, gone, nic->frame, 200), -ENETDOWN);
		lab_mac_xmit(nic, gone, nic->frame, 200);
		lab_pump(nic);
		lab_expect_silence(nic);
		for (mac = 0; mac < nic->soc->macs; mac++)
			if (mac != gone)
				exchange(nic, mac, i++);
		lab_mac_up(nic, gone);
		for (mac = 0; mac < nic->soc->macs; mac++)
			exchange(nic, mac, i++);
		lab_macs_down(nic);
		for (mac = 0; mac < nic->soc->macs; mac++)
			KUNIT_EXPECT_EQ(test, lab_mac_try_send(nic, mac, nic->frame, 200),
					-ENETDOWN);
	}
}

/* Frames of all in one interrupt. */
static void all_share_an_interrupt(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 round, i;

	lab_macs_up(nic);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 60; i++) {
			lab_fill(nic->frame, 60 + i, round + i);
			KUNIT_ASSERT_EQ(test, lab_mac_try_send(nic, i % nic->soc->macs, nic->frame,
							       60 + i), 0);
			KUNIT_ASSERT_EQ(test, lab_mac_xmit(nic, i % nic->soc->macs, nic->frame,
							   60 + i), 0);
		}
		lab_pump(nic);
		/* in the order of the ring, but by interface */
		for (i = 0; i < 60; i++) {
			lab_fill(nic->frame, 60 + i, round + i);
			lab_mac_expect_transmitted(nic, i % nic->soc->macs, nic->frame, 60 + i);
			lab_mac_expect_delivered(nic, i % nic->soc->macs, nic->frame, 60 + i);
		}
	}
	lab_macs_down(nic);
}

/* A program sees the frames of the interface it was attached to, and no others. */
static void a_program_has_one_interface(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *drop = lab_verdict(nic, XDP_DROP);
	unsigned int at, mac;

	lab_macs_up(nic);
	for (at = 0; at < nic->soc->macs; at++) {
		KUNIT_ASSERT_EQ(test, lab_mac_attach(nic, at, drop), 0);
		for (mac = 0; mac < nic->soc->macs; mac++) {
			lab_fill(nic->frame, 200, mac);
			lab_mac_rx(nic, mac, nic->frame, 200);
			if (mac != at)
				lab_mac_expect_delivered(nic, mac, nic->frame, 200);
			lab_expect_silence(nic);
		}
		KUNIT_ASSERT_EQ(test, lab_mac_attach(nic, at, NULL), 0);
		exchange(nic, at, at);
	}
	lab_macs_down(nic);
}

/* Buffers become readable when a program comes, whoever else is up. */
static void a_program_may_send_while_another_is_up(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *reflect = lab_reflect(nic);
	unsigned int at;
	u32 i;

	lab_macs_up(nic);
	for (at = 0; at < nic->soc->macs; at++) {
		KUNIT_ASSERT_EQ(test, lab_mac_attach(nic, at, reflect), 0);
		KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, 0), DMA_BIDIRECTIONAL);
		for (i = 0; i < 50; i++) {
			lab_fill(nic->frame, 200, i);
			lab_mac_rx(nic, at, nic->frame, 200);
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_mac_expect_transmitted(nic, at, nic->frame, 200);
		}
		KUNIT_ASSERT_EQ(test, lab_mac_attach(nic, at, NULL), 0);
		KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, 0), DMA_FROM_DEVICE);
	}
	lab_macs_down(nic);
}

static int seen_ifindex;

static u64 look_at_ifindex(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct xdp_buff *xdp = (struct xdp_buff *)(unsigned long)ctx;

	seen_ifindex = xdp->rxq->dev->ifindex;
	return XDP_DROP;
}

/* A program is told its interface: AF_XDP sockets, too, are found by it. */
static void a_program_is_told_its_interface(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog = LAB_PROG(nic, BPF_EMIT_CALL(look_at_ifindex), BPF_EXIT_INSN());
	unsigned int mac;

	lab_macs_up(nic);
	for (mac = 0; mac < nic->soc->macs; mac++) {
		KUNIT_ASSERT_EQ(test, lab_mac_attach(nic, mac, prog), 0);
		lab_fill(nic->frame, 200, mac);
		lab_mac_rx(nic, mac, nic->frame, 200);
		KUNIT_EXPECT_EQ(test, seen_ifindex, lab_mac_ndev(nic, mac)->ifindex);
		KUNIT_ASSERT_EQ(test, lab_mac_attach(nic, mac, NULL), 0);
	}
	lab_expect_silence(nic);
	lab_macs_down(nic);
}

static struct kunit_case cases[] = {
	LAB_CASE(frames_keep_to_their_mac, lab_each_mtk_macs),
	LAB_CASE(closing_one_keeps_the_others, lab_each_mtk_macs),
	LAB_CASE(a_closed_mac_is_silent, lab_each_mtk_macs),
	LAB_CASE(all_share_an_interrupt, lab_each_mtk_macs),
	LAB_CASE(a_program_has_one_interface, lab_each_mtk_xdp),
	LAB_CASE(a_program_may_send_while_another_is_up, lab_each_mtk_xdp),
	LAB_CASE(a_program_is_told_its_interface, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "mtk_mac",
	.test_cases = cases,
};

kunit_test_suite(suite);
