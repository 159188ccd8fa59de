// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program may move both ends of a frame, write to it and put metadata in
 * front: whatever it left is on the wire, in the skb and with the interface it
 * was redirected to.
 */
#include <linux/etherdevice.h>
#include <linux/filter.h>
#include <linux/skbuff.h>

#include "lab.h"

/* more than any frame of these cases becomes */
#define ROOM	2048

static const int heads[] = { -192, -64, -14, -4, -1, 0, 1, 4, 14, 18, 33, 64 };
static const int tails[] = { -65, -14, -1, 0, 1, 14, 130 };
static const u32 lengths[] = { 60, 61, 63, 64, 65, 95, 128, 500, 1337, 1514 };

/*
 * What the program of these cases, a function, does to the next frame, and the
 * frame that it left.
 */
static struct {
	enum xdp_action verdict;
	int head, tail, peer;
	int ret;
	u8 left[ROOM];
	u32 len;
} plan;

static u64 finish(struct xdp_buff *xdp)
{
	u32 len = xdp->data_end - xdp->data;

	plan.len = len;
	memcpy(plan.left, xdp->data, min(len, ROOM));
	if (plan.verdict == XDP_REDIRECT)
		return bpf_xdp_redirect(plan.peer, 0, 0, 0, 0);
	return plan.verdict;
}

/* A program in C: moves the ends, and makes a new frame of what there is. */
static u64 move_and_write(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct xdp_buff *xdp = (struct xdp_buff *)(unsigned long)ctx;
	u8 *data, *end;

	plan.ret = bpf_xdp_adjust_head(ctx, plan.head, 0, 0, 0);
	plan.ret = plan.ret ?: bpf_xdp_adjust_tail(ctx, plan.tail, 0, 0, 0);
	data = xdp->data;
	end = xdp->data_end;
	/* a header that a receiver takes, then both ends marked */
	eth_broadcast_addr(data);
	memset(data + ETH_ALEN, 0x02, ETH_ALEN);
	data[12] = LAB_ETHERTYPE >> 8;
	data[13] = LAB_ETHERTYPE & 0xff;
	end[-1] ^= 0x5a;
	return finish(xdp);
}

static struct bpf_prog *program(struct lab_nic *nic,
				u64 (*fn)(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5))
{
	return LAB_PROG(nic, BPF_EMIT_CALL(fn), BPF_EXIT_INSN());
}

static void expect_left(struct lab_nic *nic, struct lab_peer *peer)
{
	switch (plan.verdict) {
	case XDP_PASS:
		lab_expect_delivered(nic, plan.left, plan.len);
		break;
	case XDP_TX:
		lab_expect_transmitted(nic, plan.left, plan.len);
		break;
	case XDP_REDIRECT:
		lab_peer_expect(peer, plan.left, plan.len);
		lab_peer_complete(peer, 1, LAB_RETURN_NAPI);
		break;
	default:
		break;
	}
	lab_expect_silence(nic);
}

/* Every move of the ends with every length: one verdict. */
static void all_moves(struct kunit *test, enum xdp_action verdict)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = lab_peer_take(nic);
	unsigned int h, t, l, seed = 0;

	lab_up_with(nic, program(nic, move_and_write));
	plan.verdict = verdict;
	plan.peer = lab_peer_ifindex(peer);
	for (h = 0; h < ARRAY_SIZE(heads); h++) {
		for (t = 0; t < ARRAY_SIZE(tails); t++) {
			for (l = 0; l < ARRAY_SIZE(lengths); l++) {
				plan.head = heads[h];
				plan.tail = tails[t];
				/* no frame shorter than Ethernet has, nor in between */
				if ((int)lengths[l] - plan.head + min(plan.tail, 0) < ETH_ZLEN)
					continue;
				lab_fill(nic->frame, lengths[l], ++seed);
				lab_rx(nic, seed % nic->soc->queues, nic->frame, lengths[l]);
				KUNIT_ASSERT_EQ_MSG(test, plan.ret, 0, "head %d tail %d of %u",
						    plan.head, plan.tail, lengths[l]);
				expect_left(nic, peer);
				if (test->status == KUNIT_FAILURE)
					return;
			}
		}
	}
}

static void moved_ends_pass(struct kunit *test)
{
	all_moves(test, XDP_PASS);
}

static void moved_ends_are_transmitted(struct kunit *test)
{
	all_moves(test, XDP_TX);
}

static void moved_ends_are_dropped(struct kunit *test)
{
	all_moves(test, XDP_DROP);
}

static void moved_ends_are_redirected(struct kunit *test)
{
	all_moves(test, XDP_REDIRECT);
}

#define META	16

/* Asks for metadata, and fills it if there is any. */
static u64 ask_for_metadata(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct xdp_buff *xdp = (struct xdp_buff *)(unsigned long)ctx;

	plan.ret = bpf_xdp_adjust_meta(ctx, -META, 0, 0, 0);
	if (!plan.ret)
		memset(xdp->data_meta, 0xa7, META);
	return finish(xdp);
}

/* The skb of the frame that the program left, with its metadata if there is any. */
static void expect_skb(struct lab_nic *nic)
{
	struct kunit *test = nic->test;
	struct sk_buff *skb = lab_take_skb(nic);
	u8 want[META];

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, skb->len, plan.len);
	KUNIT_EXPECT_MEMEQ(test, skb->data, plan.left, plan.len);
	memset(want, 0xa7, META);
	if (plan.ret) {
		KUNIT_EXPECT_EQ(test, plan.ret, -ENOTSUPP);
		KUNIT_EXPECT_EQ(test, skb_metadata_len(skb), 0);
	} else {
		KUNIT_EXPECT_EQ(test, skb_metadata_len(skb), META);
		KUNIT_EXPECT_MEMEQ(test, skb_metadata_end(skb) - META, want, META);
	}
	consume_skb(skb);
}

/*
 * Metadata is refused, or else it arrives with the skb. In either case the
 * frame is untouched, whatever becomes of it.
 */
static void metadata_is_refused_or_arrives(struct kunit *test)
{
	static const enum xdp_action verdicts[] = { XDP_PASS, XDP_TX, XDP_DROP, XDP_REDIRECT };
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_peer *peer = lab_peer_take(nic);
	unsigned int i;

	plan.peer = lab_peer_ifindex(peer);
	lab_up_with(nic, program(nic, ask_for_metadata));
	lab_keep_skbs(nic, true);
	for (i = 0; i < 600; i++) {
		plan.verdict = verdicts[i % ARRAY_SIZE(verdicts)];
		lab_fill(nic->frame, 128, i);
		lab_rx(nic, 0, nic->frame, 128);
		KUNIT_EXPECT_EQ(test, plan.len, 128);
		KUNIT_EXPECT_MEMEQ(test, plan.left, nic->frame, 128);
		if (plan.verdict == XDP_PASS)
			expect_skb(nic);
		else
			expect_left(nic, peer);
	}
}

/* Moves that leave no frame are refused, and the frame is as it was. */
static u64 ask_for_too_much(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct xdp_buff *xdp = (struct xdp_buff *)(unsigned long)ctx;
	int len = xdp->data_end - xdp->data;

	plan.ret = bpf_xdp_adjust_head(ctx, len - ETH_HLEN + 1, 0, 0, 0) == -EINVAL &&
		   bpf_xdp_adjust_head(ctx, -XDP_PACKET_HEADROOM - 16, 0, 0, 0) == -EINVAL &&
		   bpf_xdp_adjust_tail(ctx, ETH_HLEN - 1 - len, 0, 0, 0) == -EINVAL &&
		   bpf_xdp_adjust_tail(ctx, PAGE_SIZE << 3, 0, 0, 0) == -EINVAL;
	return finish(xdp);
}

/* The limits of a frame hold: its buffer, and an Ethernet header. */
static void moves_past_the_buffer_are_refused(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;

	lab_up_with(nic, program(nic, ask_for_too_much));
	plan.verdict = XDP_PASS;
	for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len += 29) {
		lab_fill(nic->frame, len, len);
		lab_rx(nic, 0, nic->frame, len);
		KUNIT_EXPECT_EQ(test, plan.ret, 1);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(moved_ends_pass, lab_each_fec_xdp),
	LAB_CASE(moved_ends_are_transmitted, lab_each_fec_xdp),
	LAB_CASE(moved_ends_are_dropped, lab_each_fec_xdp),
	LAB_CASE(moved_ends_are_redirected, lab_each_fec_xdp),
	LAB_CASE(metadata_is_refused_or_arrives, lab_each_fec_xdp),
	LAB_CASE(moves_past_the_buffer_are_refused, lab_each_fec_xdp),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_meta",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(moved_ends_pass, lab_each_mtk_xdp),
	LAB_CASE(moved_ends_are_transmitted, lab_each_mtk_xdp),
	LAB_CASE(moved_ends_are_dropped, lab_each_mtk_xdp),
	LAB_CASE(moved_ends_are_redirected, lab_each_mtk_xdp),
	LAB_CASE(metadata_is_refused_or_arrives, lab_each_mtk_xdp),
	LAB_CASE(moves_past_the_buffer_are_refused, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_meta",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
