// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP_REDIRECT out of the interface: who has a page gives it back once.
 */
#include <linux/if_ether.h>

#include "lab.h"

static struct lab_peer *up_with_peer(struct lab_nic *nic)
{
	struct lab_peer *peer = lab_peer_take(nic);

	lab_up_with(nic, lab_redirect(nic, peer));
	return peer;
}

/* @n frames for one interrupt, seeds from @seed on. */
static void receive(struct lab_nic *nic, unsigned int n, u32 len, u32 seed)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, len, seed + i);
		lab_send(nic, 0, nic->frame, len);
	}
	lab_pump(nic);
}

static void expect(struct lab_nic *nic, struct lab_peer *peer, unsigned int n, u32 len, u32 seed)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, len, seed + i);
		lab_peer_expect(peer, nic->frame, len);
	}
}

/* Frames of every length reach the other interface whole. */
static void redirected_frames_arrive_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	u32 len;

	for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len++) {
		lab_fill(nic->frame, len, len);
		lab_rx(nic, len % nic->soc->queues, nic->frame, len);
		lab_peer_expect(peer, nic->frame, len);
		lab_peer_complete(peer, 1, LAB_RETURN_NAPI);
	}
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_redirect"), ETH_FRAME_LEN - ETH_ZLEN + 1);
}

/* Frames of one interrupt are handed over in bulks, all of them, in order. */
static void one_interrupt_is_handed_over_in_bulks(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	unsigned int n, calls;

	for (n = 1; n <= 3 * LAB_BULK_MAX; n++) {
		calls = lab_peer_calls(peer);
		receive(nic, n, 100, n);
		expect(nic, peer, n, 100, n);
		KUNIT_EXPECT_EQ(test, lab_peer_calls(peer) - calls, DIV_ROUND_UP(n, LAB_BULK_MAX));
		lab_peer_complete(peer, n, LAB_RETURN_BULK);
	}
	KUNIT_EXPECT_EQ(test, lab_peer_largest(peer), LAB_BULK_MAX);
}

/* Returned in whichever way, pages go round: none is allocated after a while. */
static void returned_pages_go_round(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	struct lab_counts warm, after;
	unsigned int round;

	for (round = 0; round < 120; round++) {
		if (round == 60)
			lab_counts(nic, &warm);
		receive(nic, 20, 60 + round, round);
		expect(nic, peer, 20, 60 + round, round);
		lab_peer_complete(peer, 20, round % 3);
	}
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.pages, warm.pages);
	KUNIT_EXPECT_EQ(test, after.dma_maps, warm.dma_maps);
	KUNIT_EXPECT_EQ(test, after.recycled - warm.recycled, 60 * 20);
}

/* While the other interface has a page nobody writes to it. */
static void a_page_away_is_left_alone(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	unsigned int i;

	receive(nic, 64, 500, 7);
	KUNIT_ASSERT_EQ(test, lab_peer_held(peer), 64);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	for (i = 0; i < 420; i++) {
		lab_fill(nic->frame, 1514, i);
		lab_rx(nic, 0, nic->frame, 1514);
		lab_expect_delivered(nic, nic->frame, 1514);
	}
	for (i = 0; i < 64; i++) {
		lab_fill(nic->frame, 500, 7 + i);
		lab_peer_expect_held(peer, i, nic->frame, 500);
	}
}

/* What the other interface does not take is dropped, and its pages go round. */
static void what_is_not_taken_is_dropped(struct kunit *test)
{
	static const int rooms[] = { 0, 1, LAB_BULK_MAX - 1, -EBUSY, -ENETDOWN };
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	struct lab_counts warm, after;
	unsigned int i, round, want;

	receive(nic, 100, 60, 0);
	lab_peer_complete(peer, 100, LAB_RETURN);
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		lab_peer_room(peer, rooms[i]);
		for (round = 0; round < 40; round++) {
			if (round == 20)
				lab_counts(nic, &warm);
			want = 2 * max(0, rooms[i]);
			receive(nic, 2 * LAB_BULK_MAX, 60, round);
			KUNIT_ASSERT_EQ(test, lab_peer_held(peer), want);
			lab_peer_complete(peer, want, LAB_RETURN_NAPI);
		}
		lab_counts(nic, &after);
		KUNIT_EXPECT_EQ(test, after.pages, warm.pages);
	}
	lab_expect_silence(nic);
}

/* A program that names an interface which is not there: dropped, recycled. */
static void a_redirect_to_nowhere_is_a_drop(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts warm, after;
	struct bpf_prog *prog = LAB_PROG(nic,
					 BPF_MOV64_IMM(BPF_REG_1, 12345),
					 BPF_MOV64_IMM(BPF_REG_2, 0),
					 BPF_EMIT_CALL(bpf_xdp_redirect),
					 BPF_EXIT_INSN());
	unsigned int round;

	lab_up_with(nic, prog);
	for (round = 0; round < 40; round++) {
		if (round == 20)
			lab_counts(nic, &warm);
		receive(nic, 32, 60 + round, round);
	}
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.pages, warm.pages);
	/* what it is called differs */
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_redirect") + lab_stat(nic, "rx_xdp_drop"),
			40 * 32);
	lab_expect_silence(nic);
}

/* Pages that come back after the interface was closed end their pool, then. */
static void pages_may_come_back_after_close(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	unsigned int how;

	for (how = LAB_RETURN; how <= LAB_RETURN_BULK; how++) {
		receive(nic, 40, 300, how);
		lab_down(nic);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 40);
		/* open again meanwhile: other pools, other pages */
		if (how == LAB_RETURN_NAPI) {
			lab_up(nic);
			receive(nic, 1, 300, 99);
		}
		lab_peer_complete(peer, 39, how);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 1);
		lab_peer_complete(peer, 1, how);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
		lab_peer_complete(peer, lab_peer_held(peer), how);
		if (how != LAB_RETURN_NAPI)
			lab_up(nic);
	}
}

/* The same after the program was taken away, and the ring may be another one. */
static void pages_may_come_back_after_detach(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = up_with_peer(nic);
	struct bpf_prog *redirect = lab_redirect(nic, peer);
	unsigned int round, i;

	for (round = 0; round < 6; round++) {
		receive(nic, 50, 200, round);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
		for (i = 0; i < 20; i++) {
			lab_fill(nic->frame, 200, i);
			lab_rx(nic, 0, nic->frame, 200);
			lab_expect_delivered(nic, nic->frame, 200);
		}
		lab_peer_complete(peer, 50, round % 3);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, redirect), 0);
	}
	KUNIT_EXPECT_EQ(test, lab_pools(nic), lab_pools_due(nic));
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(redirected_frames_arrive_whole, lab_each_fec_xdp),
	LAB_CASE(one_interrupt_is_handed_over_in_bulks, lab_each_fec_xdp),
	LAB_CASE(returned_pages_go_round, lab_each_fec_xdp),
	LAB_CASE(a_page_away_is_left_alone, lab_each_fec_xdp),
	LAB_CASE(what_is_not_taken_is_dropped, lab_each_fec_xdp),
	LAB_CASE(a_redirect_to_nowhere_is_a_drop, lab_each_fec_xdp),
	LAB_CASE(pages_may_come_back_after_close, lab_each_fec_xdp),
	LAB_CASE(pages_may_come_back_after_detach, lab_each_fec_xdp),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_redirect",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(redirected_frames_arrive_whole, lab_each_mtk_xdp),
	LAB_CASE(one_interrupt_is_handed_over_in_bulks, lab_each_mtk_xdp),
	LAB_CASE(returned_pages_go_round, lab_each_mtk_xdp),
	LAB_CASE(a_page_away_is_left_alone, lab_each_mtk_xdp),
	LAB_CASE(what_is_not_taken_is_dropped, lab_each_mtk_xdp),
	LAB_CASE(a_redirect_to_nowhere_is_a_drop, lab_each_mtk_xdp),
	LAB_CASE(pages_may_come_back_after_close, lab_each_mtk_xdp),
	LAB_CASE(pages_may_come_back_after_detach, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_redirect",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
