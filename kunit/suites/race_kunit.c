// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MAC, its interrupt and NAPI on one CPU, the stack and the administrator on
 * the other: pages go round between them, rings are shared. With one CPU the same
 * cases take turns as the seed chooses.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "lab.h"

/* Enough to meet in the middle of anything, when there are two to meet. */
static unsigned int rounds(struct lab_nic *nic, unsigned int alone)
{
	return lab_races(nic) ? 8 * alone : alone;
}

/* What receives, transmits and resets lose at most: all rings, full. */
static u64 rings(const struct lab_nic *nic, unsigned int resets)
{
	return (u64)resets * 3 * (nic->soc->ring ?: 512);
}

#define BATCH	32

/* Up to BATCH skbs that the stack was given, looked at. */
static unsigned int take_some(struct lab_nic *nic, struct lab_flow *flows, unsigned int nr,
			      struct sk_buff **skbs)
{
	unsigned int n = 0;
	u32 len;

	while (n < BATCH && (skbs[n] = lab_take_skb(nic))) {
		len = min_t(u32, skbs[n]->len, LAB_MAX_FRAME);
		KUNIT_EXPECT_EQ(nic->test, skb_copy_bits(skbs[n], 0, nic->frame, len), 0);
		lab_flow_check(nic, flows, nr, nic->frame, len);
		n++;
	}
	return n;
}

/* As the stack frees what it has read: in softirq context. */
static void free_all(struct sk_buff **skbs, unsigned int n)
{
	local_bh_disable();
	while (n)
		consume_skb(skbs[--n]);
	local_bh_enable();
}

/*
 * The stack frees skbs on one CPU while the other takes pages from the pool for
 * the frames that arrive: each page has one owner, and comes back.
 */
static void pages_of_skbs_come_back_from_another_cpu(struct kunit *test)
{
	/* long enough to be no copies */
	struct lab_flow flow = { .id = 1, .min = 300, .max = 700 };
	struct lab_nic *nic = lab_nic_take(test);
	struct sk_buff *skbs[BATCH];
	unsigned int i, j, n, have;

	lab_up(nic);
	lab_keep_skbs(nic, true);
	lab_run_free(nic);
	n = rounds(nic, 40);
	for (i = 0; i < n && test->status != KUNIT_FAILURE; i++) {
		have = take_some(nic, &flow, 1, skbs);
		for (j = 0; j < BATCH; j++)
			lab_flow_send(nic, &flow, 0);
		free_all(skbs, have);
	}
	lab_pump(nic);
	while ((have = take_some(nic, &flow, 1, skbs)))
		while (have)
			consume_skb(skbs[--have]);
	lab_flow_complete(nic, &flow);
}

/* Frames long enough to be no copies, freed on the other CPU, batch by batch. */
static void go_round(struct lab_nic *nic, struct lab_flow *flows, unsigned int nr, unsigned int n)
{
	struct sk_buff *skbs[BATCH];
	unsigned int i;

	while (n-- && nic->test->status != KUNIT_FAILURE) {
		for (i = 0; i < BATCH; i++)
			lab_flow_send(nic, &flows[i % nr], i % nr % nic->soc->queues);
		lab_pump(nic);
		while ((i = take_some(nic, flows, nr, skbs)))
			free_all(skbs, i);
	}
}

/* Once pages go round, all come from where they went: the page allocator is left alone. */
static void no_page_is_allocated(struct kunit *test, unsigned int nr)
{
	struct lab_flow flows[] = {
		{ .id = 1, .min = 600, .max = 1500 },
		{ .id = 2, .min = 600, .max = 1500 },
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts warm, after;
	unsigned int i;

	lab_up(nic);
	lab_keep_skbs(nic, true);
	lab_run_free(nic);
	/* each descriptor was used, and each buffer has been away */
	go_round(nic, flows, nr, 2 * nr * 512 / BATCH);
	lab_counts(nic, &warm);
	go_round(nic, flows, nr, rounds(nic, 2 * nr * 512 / BATCH));
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.pages, warm.pages);
	KUNIT_EXPECT_GT(test, after.recycled, warm.recycled);
	for (i = 0; i < nr; i++)
		lab_flow_complete(nic, &flows[i]);
}

static void one_flow_allocates_no_page(struct kunit *test)
{
	no_page_is_allocated(test, 1);
}

static void two_flows_allocate_no_page(struct kunit *test)
{
	no_page_is_allocated(test, 2);
}

/* Sends as often as there is room; the queue of the interface does the waiting. */
static void transmit_some(struct lab_nic *nic, struct lab_flow *out, unsigned int n)
{
	struct netdev_queue *queue = netdev_get_tx_queue(nic->ndev, 0);

	while (n-- && !netif_tx_queue_stopped(queue))
		KUNIT_ASSERT_EQ(nic->test, lab_flow_xmit(nic, out, lab_roll(nic, 3)), 0);
}

/* The stack transmits on one CPU, completions and frames come in on the other. */
static void completions_meet_transmissions(struct kunit *test)
{
	struct lab_flow in = { .id = 1, .min = 60, .max = 1514 };
	struct lab_flow out = { .id = 2, .min = 60, .max = 1514 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, n;

	lab_up(nic);
	lab_run_free(nic);
	n = rounds(nic, 100);
	for (i = 0; i < n && test->status != KUNIT_FAILURE; i++) {
		transmit_some(nic, &out, 4);
		lab_flow_send(nic, &in, 0);
		lab_flow_transmitted(nic, &out, 1);
		lab_flow_delivered(nic, &in, 1);
	}
	lab_pump(nic);
	lab_flow_transmitted(nic, &out, 1);
	lab_flow_delivered(nic, &in, 1);
	lab_flow_complete(nic, &in);
	lab_flow_complete(nic, &out);
}

/* A program sends back on the ring that the stack transmits on. */
static void reflected_frames_meet_transmissions(struct kunit *test)
{
	struct lab_flow flows[] = {
		{ .id = 1, .min = 508, .max = 508, .mark = true, .lossy = true },
		{ .id = 2, .min = 60, .max = 1514 },
	};
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, n;

	lab_up_with(nic, lab_flow_prog(nic, &flows[0], XDP_TX));
	lab_run_free(nic);
	n = rounds(nic, 100);
	for (i = 0; i < n && test->status != KUNIT_FAILURE; i++) {
		lab_flow_send(nic, &flows[0], 0);
		transmit_some(nic, &flows[1], 2);
		lab_flow_send(nic, &flows[0], 0);
		lab_flow_transmitted(nic, flows, 2);
	}
	lab_pump(nic);
	lab_flow_transmitted(nic, flows, 2);
	/* what finds the ring full of the stack's frames is dropped, and counted */
	lab_flow_complete_but(nic, &flows[0], lab_stat(nic, "rx_xdp_tx_errors"));
	lab_flow_complete(nic, &flows[1]);
}

/* Programs come and go while frames come in, are sent back and completed. */
static void programs_come_and_go_under_fire(struct kunit *test)
{
	struct lab_flow back = { .id = 1, .min = 508, .max = 508, .mark = true, .lossy = true };
	struct lab_flow up = { .id = 2, .min = 60, .max = 1514, .lossy = true };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, n, resets = 0;
	struct bpf_prog *reflect, *turn[3];

	reflect = lab_flow_prog(nic, &back, XDP_TX);
	turn[0] = reflect;
	turn[1] = lab_verdict(nic, XDP_PASS);
	turn[2] = lab_verdict(nic, XDP_DROP);
	lab_up_with(nic, reflect);
	lab_run_free(nic);
	for (i = 0; i < 12 && test->status != KUNIT_FAILURE; i++) {
		struct bpf_prog *now = turn[i % 3];
		struct lab_flow *flow = now == reflect ? &back : &up;

		/* no frame waits for the next program: the ring goes with the last one */
		KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, now), 0);
		resets += 2;
		for (n = rounds(nic, 30); n; n--) {
			lab_flow_send(nic, flow, 0);
			if (now == reflect)
				lab_flow_transmitted(nic, &back, 1);
			else
				lab_flow_delivered(nic, &up, 1);
		}
		/* half of the time the ring is full of what this program leaves */
		if (lab_roll(nic, 2))
			lab_pump(nic);
		lab_flow_transmitted(nic, &back, 1);
		lab_flow_delivered(nic, &up, 1);
	}
	lab_pump(nic);
	lab_flow_transmitted(nic, &back, 1);
	lab_flow_delivered(nic, &up, 1);
	lab_account_lost(nic, rings(nic, resets));
}

/* Closed in the middle of traffic in both directions: nothing stays behind. */
static void closing_meets_traffic(struct kunit *test)
{
	struct lab_flow in = { .id = 1, .min = 60, .max = 1514, .lossy = true };
	struct lab_flow out = { .id = 2, .min = 60, .max = 1514, .lossy = true };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, n;

	for (i = 0; i < 3 && test->status != KUNIT_FAILURE; i++) {
		lab_up(nic);
		lab_run_free(nic);
		for (n = rounds(nic, 40); n; n--) {
			transmit_some(nic, &out, 2);
			lab_flow_send(nic, &in, 0);
			lab_flow_send(nic, &in, 0);
		}
		/* the last of these is with the MAC, whatever chance does */
		transmit_some(nic, &out, 4);
		lab_cut(nic);
		lab_run_stop(nic);
		lab_flow_transmitted(nic, &out, 1);
		lab_flow_delivered(nic, &in, 1);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
		lab_account_lost(nic, rings(nic, 1));
	}
}

/* What was sent back is completed on this CPU, while the other takes pages to receive. */
static void reflected_frames_return_from_another_cpu(struct kunit *test)
{
	struct lab_flow back = { .id = 1, .min = 508, .max = 508, .mark = true, .lossy = true };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, n;

	lab_up_with(nic, lab_flow_prog(nic, &back, XDP_TX));
	lab_run_free(nic);
	lab_take_transmit_irqs(nic, lab_races(nic));
	n = rounds(nic, lab_races(nic) ? 1500 : 400);
	for (i = 0; i < n && test->status != KUNIT_FAILURE; i++) {
		lab_flow_send(nic, &back, 0);
		lab_complete_here(nic);
		lab_flow_transmitted(nic, &back, 1);
	}
	lab_take_transmit_irqs(nic, false);
	lab_pump(nic);
	lab_flow_transmitted(nic, &back, 1);
	lab_flow_complete_but(nic, &back, lab_stat(nic, "rx_xdp_tx_errors"));
}

/* What left is all of both, in the order of each, whole. */
static void expect_wire_of_both(struct lab_nic *nic, struct lab_load **load, const u32 *seed,
				u32 len)
{
	unsigned int n[2] = {}, which;
	struct lab_frame *frame;

	while ((frame = lab_take_transmitted(nic))) {
		for (which = 0; which < 2; which++) {
			lab_fill(nic->frame, len, seed[which] + n[which]);
			if (frame->len == len && !memcmp(frame->data, nic->frame, len))
				break;
		}
		kfree(frame);
		KUNIT_ASSERT_LT_MSG(nic->test, which, 2, "after %u and %u frames, neither's next",
				    n[0], n[1]);
		n[which]++;
	}
	KUNIT_EXPECT_EQ(nic->test, n[0], lab_load_taken(load[0]));
	KUNIT_EXPECT_EQ(nic->test, n[1], lab_load_taken(load[1]));
}

/* More frames in fragments than there is room, from two CPUs: what was taken is sent. */
static void two_cpus_fill_the_ring_with_fragments(struct kunit *test)
{
	const u32 seed[] = { 1, 5001 }, len = 400;
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load[2];
	unsigned int i, j, taken;
	u8 other[ETH_ZLEN];

	lab_fill(other, sizeof(other), 1);
	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	for (i = 0; i < 2; i++)
		load[i] = lab_load_take_frags(nic, LAB_ORIGIN_PAGES, nic->soc->ring / 16, len,
					      MAX_SKB_FRAGS, seed[i]);
	for (i = 0; i < (num_online_cpus() > 1 ? 20 : 2) && test->status != KUNIT_FAILURE; i++) {
		lab_load_xmit_both(load[0], load[1], LAB_BULK_MAX);
		taken = lab_load_taken(load[0]) + lab_load_taken(load[1]);
		KUNIT_EXPECT_GT(test, taken, 0);
		KUNIT_EXPECT_LT(test, taken, nic->soc->ring / 8);
		lab_pump(nic);
		expect_wire_of_both(nic, load, seed, len);
		/* some drivers complete some now, and some with each frame that is sent (M13) */
		for (j = 0; j < 4; j++) {
			KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, other, sizeof(other), 0), 0);
			lab_pump(nic);
			lab_expect_transmitted(nic, other, sizeof(other));
		}
		for (j = 0; j < 2; j++)
			lab_load_expect(load[j], 0, lab_load_taken(load[j]), 1);
		if (test->status != KUNIT_FAILURE)
			for (j = 0; j < 2; j++)
				lab_load_again(load[j]);
	}
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(pages_of_skbs_come_back_from_another_cpu, lab_each_fec),
	LAB_CASE(one_flow_allocates_no_page, lab_each_fec),
	LAB_CASE(two_flows_allocate_no_page, lab_each_fec),
	LAB_CASE(completions_meet_transmissions, lab_each_fec),
	LAB_CASE(reflected_frames_meet_transmissions, lab_each_fec_xdp),
	LAB_CASE(programs_come_and_go_under_fire, lab_each_fec_xdp),
	LAB_CASE(closing_meets_traffic, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_race",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(pages_of_skbs_come_back_from_another_cpu, lab_each_mtk),
	LAB_CASE(completions_meet_transmissions, lab_each_mtk),
	LAB_CASE(reflected_frames_meet_transmissions, lab_each_mtk_xdp),
	LAB_CASE(programs_come_and_go_under_fire, lab_each_mtk_xdp),
	LAB_CASE(closing_meets_traffic, lab_each_mtk),
	LAB_CASE(reflected_frames_return_from_another_cpu, lab_each_mtk_xdp),
	LAB_CASE(two_cpus_fill_the_ring_with_fragments, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_race",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
