// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where receive buffers lie: whatever else is in the page of a frame, it and the
 * frame leave each other alone.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/math64.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "lab.h"

/* enough for several pages of each queue, and long enough to be no copies */
#define PARKED	48
#define LEN	700

static void park(struct lab_nic *nic, struct sk_buff **skbs, unsigned int n, u32 len)
{
	unsigned int i;

	lab_keep_skbs(nic, true);
	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, len, i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, len);
		skbs[i] = lab_take_skb(nic);
		KUNIT_ASSERT_NOT_NULL(nic->test, skbs[i]);
	}
	lab_keep_skbs(nic, false);
}

static void expect_parked(struct lab_nic *nic, const struct sk_buff *skb, u32 len, u32 seed)
{
	lab_fill(nic->frame, len, seed);
	KUNIT_EXPECT_EQ(nic->test, skb->len, len);
	KUNIT_EXPECT_MEMEQ(nic->test, skb->data, nic->frame, len);
}

/* All that belongs to an skb: room in front, frame, room behind. */
static void scribble(struct sk_buff *skb)
{
	memset(skb->head, 0xc5, skb_end_pointer(skb) - skb->head);
}

static void go_round(struct lab_nic *nic, u32 len)
{
	unsigned int i;

	for (i = 0; i < 600 && nic->test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, len, i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

/* Who owns an skb may write to all of it: no other frame changes. */
static void neighbours_are_left_alone(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct sk_buff *skbs[PARKED];
	unsigned int i, turn;

	lab_up(nic);
	lab_cache_evict(nic, true);
	for (turn = 0; turn < 2; turn++) {
		park(nic, skbs, PARKED, LEN);
		/* first one half of them, then the other: neighbours on both sides */
		for (i = turn; i < PARKED; i += 2)
			scribble(skbs[i]);
		for (i = !turn; i < PARKED; i += 2)
			expect_parked(nic, skbs[i], LEN, i);
		go_round(nic, 1514);
		for (i = !turn; i < PARKED; i += 2)
			expect_parked(nic, skbs[i], LEN, i);
		for (i = 0; i < PARKED; i++)
			consume_skb(skbs[i]);
		go_round(nic, LEN);
	}
}

/* Freed in any order, across a close as well, pages are given back whole. */
static void pages_come_back_in_any_order(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct sk_buff *skbs[PARKED];
	unsigned int i, turn;

	for (turn = 0; turn < 4; turn++) {
		lab_up(nic);
		park(nic, skbs, PARKED, LEN);
		for (i = turn & 1; i < PARKED; i += 2)
			consume_skb(skbs[i]);
		if (turn & 2)
			lab_down(nic);
		else
			go_round(nic, LEN);
		for (i = !(turn & 1); i < PARKED; i += 2) {
			expect_parked(nic, skbs[i], LEN, i);
			consume_skb(skbs[i]);
		}
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
		lab_down(nic);
		KUNIT_EXPECT_EQ(test, lab_pools(nic), 0);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	}
}

/* An skb accounts for the memory that it keeps from others. */
static void truesize_is_true(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct sk_buff *skbs[PARKED];
	u64 bytes, descriptors;
	unsigned int i;

	lab_up(nic);
	lab_ring_memory(nic, &bytes, &descriptors);
	park(nic, skbs, PARKED, LEN);
	for (i = 0; i < PARKED; i++) {
		KUNIT_EXPECT_GE(test, skbs[i]->truesize, div64_u64(bytes, descriptors));
		consume_skb(skbs[i]);
	}
}

/* At each MTU, those around a power of two above all, the longest frame fits. */
static void the_longest_frame_fits(struct kunit *test)
{
	static const int mtus[] = {
		1500, 1514, 1515, 1600, 1638, 1639, 1640, 1641, 1642, 1643, 1644,
		1700, 1706, 1770, 1900, 1940, 3000, 3496, 3498, 3500, 9000,
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct sk_buff *skbs[8];
	unsigned int i, j;
	u32 len;

	for (i = 0; i < ARRAY_SIZE(mtus); i++) {
		if (mtus[i] > nic->ndev->max_mtu)
			break;
		lab_set_mtu(nic, mtus[i]);
		lab_up(nic);
		len = mtus[i] + VLAN_ETH_HLEN;
		park(nic, skbs, ARRAY_SIZE(skbs), len);
		for (j = 0; j < ARRAY_SIZE(skbs); j++)
			expect_parked(nic, skbs[j], len, j);
		for (j = 0; j < ARRAY_SIZE(skbs); j++) {
			KUNIT_EXPECT_GE(test, skb_headroom(skbs[j]), NET_SKB_PAD);
			consume_skb(skbs[j]);
		}
		lab_down(nic);
	}
}

/* The program of a ring may use all the headroom that XDP promises. */
static void programs_have_their_headroom(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog = lab_adjust(nic, -(XDP_PACKET_HEADROOM - 64), 0, XDP_PASS);
	struct lab_frame *frame;
	unsigned int turn;

	lab_up(nic);
	for (turn = 0; turn < 6; turn++) {
		lab_fill(nic->frame, LEN, turn);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, turn & 1 ? NULL : prog), 0);
		lab_rx(nic, 0, nic->frame, LEN);
		frame = lab_take_delivered(nic);
		KUNIT_ASSERT_NOT_NULL(test, frame);
		KUNIT_EXPECT_EQ(test, frame->len, turn & 1 ? LEN : LEN + XDP_PACKET_HEADROOM - 64);
		KUNIT_EXPECT_MEMEQ(test, frame->data + frame->len - LEN, nic->frame, LEN);
		kfree(frame);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(neighbours_are_left_alone, lab_each_fec),
	LAB_CASE(pages_come_back_in_any_order, lab_each_fec),
	LAB_CASE(truesize_is_true, lab_each_fec),
	LAB_CASE(the_longest_frame_fits, lab_each_fec),
	LAB_CASE(programs_have_their_headroom, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_next_buffers",
	.test_cases = cases,
};

kunit_test_suite(suite);
