// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory over time: who holds a page, how long, and what is left after many
 * rounds of what interfaces and programs go through.
 */
#include <linux/etherdevice.h>
#include <linux/filter.h>
#include <linux/if_vlan.h>
#include <linux/mm.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/vmstat.h>

#include "lab.h"

/* One target of each kind of cache is enough where rounds are many. */
static const void *one_per_cache_of(struct kunit *test, const void *prev, char *desc,
				    const void *(*each)(struct kunit *test, const void *prev,
							char *desc))
{
	const struct lab_target *target, *last = prev;
	u32 seen = last ? BIT(last->cache) : 0;

	for (target = last ? each(test, NULL, desc) : NULL; target != last;
	     target = each(test, target, desc))
		seen |= BIT(target->cache);
	for (target = each(test, prev, desc); target && seen & BIT(target->cache);
	     target = each(test, target, desc))
		;
	return target;
}

static const void *one_per_cache(struct kunit *test, const void *prev, char *desc)
{
	return one_per_cache_of(test, prev, desc, lab_each_fec);
}

static const void *one_mtk_per_cache(struct kunit *test, const void *prev, char *desc)
{
	return one_per_cache_of(test, prev, desc, lab_each_mtk);
}

/* Rounds of open and close, a thousand in a long run: free memory is flat. */
static void many_rounds_leak_no_memory(struct kunit *test)
{
	unsigned int rounds = lab_long() ? 1000 : 16, i;
	struct lab_nic *nic;
	long free = 0;

	if (IS_ENABLED(CONFIG_KASAN))
		kunit_skip(test, "KASAN keeps freed memory for a while");
	nic = lab_nic_take(test);
	for (i = 0; i < rounds; i++) {
		lab_up(nic);
		lab_receive(nic, 8, 60 + i, i);
		lab_down(nic);
		KUNIT_ASSERT_EQ(test, lab_live_mappings(nic), 0);
		KUNIT_ASSERT_EQ(test, lab_pools(nic), 0);
		if (i == 5)
			free = global_zone_page_state(NR_FREE_PAGES);
	}
	/* and what the other CPU still has to free */
	rcu_barrier();
	/* a page lost in each fourth round would be more */
	KUNIT_EXPECT_LT(test, free - (long)global_zone_page_state(NR_FREE_PAGES),
			(long)max(rounds / 4, 100));
}

/* A socket that nobody reads: the skbs that it holds, of frames of @len. */
struct socket_queue {
	struct sk_buff_head skbs;
	u32 len, seed;
};

static void park(struct lab_nic *nic, struct socket_queue *sock, unsigned int n, u32 len, u32 seed)
{
	unsigned int i;

	skb_queue_head_init(&sock->skbs);
	sock->len = len;
	sock->seed = seed;
	lab_keep_skbs(nic, true);
	for (i = 0; i < n; i++) {
		struct sk_buff *skb;

		lab_fill(nic->frame, len, seed + i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, len);
		skb = lab_take_skb(nic);
		KUNIT_ASSERT_NOT_NULL(nic->test, skb);
		skb_queue_tail(&sock->skbs, skb);
	}
	lab_keep_skbs(nic, false);
}

/* The reader comes after all, or the socket is closed: all is as it was. */
static void unpark(struct lab_nic *nic, struct socket_queue *sock)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&sock->skbs))) {
		lab_fill(nic->frame, sock->len, sock->seed++);
		KUNIT_EXPECT_EQ(nic->test, skb->len, sock->len);
		KUNIT_EXPECT_MEMEQ(nic->test, skb->data, nic->frame, sock->len);
		consume_skb(skb);
	}
}

/* An skb that stays parked keeps its pool, until it is freed and no longer. */
static void a_parked_skb_keeps_its_pool(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct socket_queue sock;
	unsigned int n, held;

	for (n = 1; n <= 100; n *= 10) {
		lab_up(nic);
		park(nic, &sock, n, 400, n);
		lab_down(nic);
		/* frames may share a page */
		held = lab_pages_in_flight(nic);
		KUNIT_EXPECT_GE(test, held, DIV_ROUND_UP(n, 2));
		KUNIT_EXPECT_LE(test, held, n);

		/* the interface lives on with other pools */
		lab_up(nic);
		lab_receive(nic, 420, 1000, 1);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), held);
		unpark(nic, &sock);
		KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
		KUNIT_EXPECT_EQ(test, lab_pools(nic), lab_pools_due(nic));
		lab_down(nic);
		KUNIT_EXPECT_EQ(test, lab_pools(nic), 0);
	}
}

/* Nobody writes to the page of a parked skb while rings go round and change. */
static void a_parked_skb_is_left_alone(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct socket_queue sock[3];
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(sock); i++) {
		park(nic, &sock[i], 40, 600 + i, 50 * i);
		if (nic->soc->has_xdp)
			KUNIT_ASSERT_EQ(test, lab_attach(nic, i ? NULL : lab_verdict(nic, XDP_PASS)),
					0);
		lab_receive(nic, 420, 1514, i);
	}
	for (i = 0; i < ARRAY_SIZE(sock); i++)
		unpark(nic, &sock[i]);
	KUNIT_EXPECT_EQ(test, lab_pages_in_flight(nic), 0);
}

/* Which of the frames of 300 with seeds 0 to 7 it is. */
static unsigned int which(struct lab_nic *nic, const struct lab_frame *frame)
{
	unsigned int k;

	for (k = 0; k < 8; k++) {
		lab_fill(nic->frame, 300, k);
		if (frame->len == 300 && !memcmp(frame->data, nic->frame, 300))
			return k;
	}
	KUNIT_FAIL(nic->test, "a frame of %u with wrong bytes was delivered", frame->len);
	return k;
}

/*
 * Attached and detached with frames waiting on both sides: frames that wait in
 * the ring may be lost, none is wrong, none comes twice, and no page stays.
 */
static void attach_with_frames_waiting(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *reflect = lab_reflect(nic);
	struct bpf_prog *pass = lab_verdict(nic, XDP_PASS);
	struct bpf_prog *turn[] = { reflect, pass, NULL, pass, reflect, NULL };
	struct lab_frame *frame;
	unsigned int i, k;
	u32 seen;

	lab_up(nic);
	for (i = 0; i < 24; i++) {
		for (k = 0; k < 8; k++) {
			lab_fill(nic->frame, 300, 100 + k);
			lab_stack_xmit(nic, nic->frame, 300, k % 3);
		}
		for (k = 0; k < 8; k++) {
			lab_fill(nic->frame, 300, k);
			lab_send(nic, k % nic->soc->queues, nic->frame, 300);
		}
		KUNIT_ASSERT_EQ(test, lab_attach(nic, turn[i % ARRAY_SIZE(turn)]), 0);
		lab_pump(nic);
		seen = 0;
		while ((frame = lab_take_delivered(nic))) {
			k = which(nic, frame);
			KUNIT_EXPECT_FALSE_MSG(test, seen & BIT(k), "frame %u came twice", k);
			seen |= BIT(k);
			kfree(frame);
		}
		/* by the driver, or by nobody */
		lab_account_lost(nic, 8 - hweight32(seen));
		lab_discard(nic);
		/* what comes next meets the program of the moment */
		lab_fill(nic->frame, 500, i);
		lab_rx(nic, 0, nic->frame, 500);
		if (turn[i % ARRAY_SIZE(turn)] == reflect) {
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, 500);
		} else {
			lab_expect_delivered(nic, nic->frame, 500);
		}
		KUNIT_ASSERT_EQ(test, lab_pages_in_flight(nic), 0);
		KUNIT_ASSERT_EQ(test, lab_pools(nic), lab_pools_due(nic));
	}
}

/* The pools have the direction of the moment, on every queue, after each turn. */
static void pools_have_the_direction_of_the_moment(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog[] = { lab_verdict(nic, XDP_DROP), lab_verdict(nic, XDP_PASS) };
	unsigned int i, q;
	bool on = false;

	lab_up(nic);
	for (i = 0; i < 30; i++) {
		/* on, exchanged, off; off once more is nothing */
		on = i % 3 != 2;
		KUNIT_ASSERT_EQ(test, lab_attach(nic, on ? prog[i % 2] : NULL), 0);
		for (q = 0; q < nic->soc->queues; q++)
			KUNIT_ASSERT_EQ(test, lab_buffer_direction(nic, q),
					on ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE);
	}
}

/* A program, in C, for a frame of any length: touches both its ends. */
static enum xdp_action verdict;
static int redirect_to;

static u64 touch_both_ends(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	struct xdp_buff *xdp = (struct xdp_buff *)(unsigned long)ctx;
	u8 *first = xdp->data, *last = xdp->data_end;

	first[0] ^= 0x80;
	last[-1] ^= 0x80;
	if (verdict == XDP_REDIRECT)
		return bpf_xdp_redirect(redirect_to, 0, 0, 0, 0);
	return verdict;
}

static void every_length(struct lab_nic *nic, struct lab_peer *peer, u32 from, u32 to, u32 step)
{
	u32 len;

	for (len = from; len <= to && nic->test->status != KUNIT_FAILURE; len += step) {
		lab_fill(nic->frame, len, len + verdict);
		lab_rx(nic, len / step % nic->soc->queues, nic->frame, len);
		nic->frame[0] ^= 0x80;
		nic->frame[len - 1] ^= 0x80;
		if (verdict == XDP_PASS)
			lab_expect_delivered(nic, nic->frame, len);
		else if (verdict == XDP_TX)
			lab_expect_transmitted(nic, nic->frame, len);
		else if (verdict == XDP_REDIRECT)
			lab_peer_expect(peer, nic->frame, len);
		lab_peer_complete(peer, 1, LAB_RETURN_NAPI);
	}
	lab_expect_silence(nic);
}

static void all_verdicts(struct lab_nic *nic, u32 to, u32 step)
{
	static const enum xdp_action verdicts[] = { XDP_PASS, XDP_TX, XDP_DROP, XDP_REDIRECT };
	struct bpf_prog *prog = LAB_PROG(nic, BPF_EMIT_CALL(touch_both_ends), BPF_EXIT_INSN());
	struct lab_peer *peer = lab_peer_take(nic);
	unsigned int i;

	redirect_to = lab_peer_ifindex(peer);
	lab_up_with(nic, prog);
	for (i = 0; i < ARRAY_SIZE(verdicts); i++) {
		verdict = verdicts[i];
		every_length(nic, peer, ETH_ZLEN, to, step);
	}
}

/* Both ends touched, every length, every verdict: all bytes right, all lines synced. */
static void both_ends_of_every_frame_are_synced(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	all_verdicts(nic, nic->soc->max_frame, 5);
}

/* The same to the byte, dirty lines evicted at once: nothing hides in a line. */
static void synced_windows_are_exact_to_the_byte(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_cache_line(nic, 1);
	lab_cache_evict(nic, true);
	all_verdicts(nic, nic->soc->max_frame, 13);
}

/* The same in buffers of several pages. */
static void windows_of_jumbo_buffers_are_synced(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_set_mtu(nic, 9000);
	all_verdicts(nic, 9000 + ETH_HLEN, 149);
}

static int try_mtu(struct lab_nic *nic, int mtu)
{
	int ret;

	rtnl_lock();
	ret = dev_set_mtu(nic->ndev, mtu);
	rtnl_unlock();
	return ret;
}

/* An open interface keeps its MTU; a closed one gets buffers that fit. */
static void buffers_fit_the_mtu(struct kunit *test)
{
	static const int mtus[] = { 68, 1500, 1982, 3000, 4000, 7000, 9000, 15000 };
	struct lab_nic *nic = lab_nic_take(test);
	u64 bytes, descriptors, each;
	unsigned int i;
	u32 len;

	for (i = 0; i < ARRAY_SIZE(mtus); i++) {
		if (mtus[i] > nic->ndev->max_mtu)
			continue;
		lab_set_mtu(nic, mtus[i]);
		lab_up(nic);
		KUNIT_EXPECT_EQ(test, try_mtu(nic, 1500 + i), -EBUSY);
		KUNIT_EXPECT_EQ(test, nic->ndev->mtu, mtus[i]);
		lab_ring_memory(nic, &bytes, &descriptors);
		each = div64_u64(bytes, descriptors);
		len = mtus[i] + VLAN_ETH_HLEN;
		KUNIT_EXPECT_GE(test, each, len + ETH_FCS_LEN + XDP_PACKET_HEADROOM);
		/* not more than the next order */
		KUNIT_EXPECT_LE(test, each, PAGE_SIZE + 2 * (len + 2 * XDP_PACKET_HEADROOM + 512));
		lab_receive(nic, 20, max(len - 4, ETH_ZLEN), i);
		lab_down(nic);
	}
}

/* No memory for a ring of large buffers: open fails whole, and works next time. */
static void an_open_without_memory_fails_whole(struct kunit *test)
{
	static const unsigned int left[] = { 0, 1, 255, 256, 511 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, enough;
	int ret;

	if (nic->soc->has_jumbo)
		lab_set_mtu(nic, 9000);
	lab_up(nic);
	enough = lab_live_mappings(nic);
	lab_down(nic);
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		lab_maps_left(nic, left[i]);
		ret = lab_try_up(nic);
		lab_maps_plenty(nic);
		/* in between it depends on how many pages a pool keeps to spare */
		if (left[i] <= 1)
			KUNIT_EXPECT_NE(test, ret, 0);
		if (left[i] >= enough)
			KUNIT_EXPECT_EQ(test, ret, 0);
		if (!ret)
			lab_cut(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
		KUNIT_EXPECT_EQ(test, lab_pools(nic), 0);
	}
	lab_up(nic);
	lab_receive(nic, 20, 1000, 1);
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(many_rounds_leak_no_memory, one_per_cache),
	LAB_CASE(a_parked_skb_keeps_its_pool, lab_each_fec),
	LAB_CASE(a_parked_skb_is_left_alone, lab_each_fec),
	LAB_CASE(attach_with_frames_waiting, lab_each_fec_xdp),
	LAB_CASE(pools_have_the_direction_of_the_moment, lab_each_fec_xdp),
	LAB_CASE(both_ends_of_every_frame_are_synced, lab_each_fec_xdp),
	LAB_CASE(synced_windows_are_exact_to_the_byte, lab_each_fec_xdp),
	LAB_CASE(windows_of_jumbo_buffers_are_synced, lab_each_fec_jumbo),
	LAB_CASE(buffers_fit_the_mtu, lab_each_fec),
	LAB_CASE(an_open_without_memory_fails_whole, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_stress",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(many_rounds_leak_no_memory, one_mtk_per_cache),
	LAB_CASE(a_parked_skb_keeps_its_pool, lab_each_mtk_xdp),
	LAB_CASE(a_parked_skb_is_left_alone, lab_each_mtk),
	LAB_CASE(attach_with_frames_waiting, lab_each_mtk_xdp),
	LAB_CASE(pools_have_the_direction_of_the_moment, lab_each_mtk_xdp),
	LAB_CASE(both_ends_of_every_frame_are_synced, lab_each_mtk_xdp),
	LAB_CASE(synced_windows_are_exact_to_the_byte, lab_each_mtk_xdp),
	LAB_CASE(an_open_without_memory_fails_whole, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_stress",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
