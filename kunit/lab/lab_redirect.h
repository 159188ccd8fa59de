/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: XDP_REDIRECT, out of the NIC to another interface and into it.
 * Part of lab.h, which includes it.
 *
 * Who owns a frame decides who must return it, and when. Out: pages of the
 * NIC's own pools are with a peer until the case lets it complete them. In:
 * pages of somebody else are with the NIC, and the lab counts for each frame
 * how often it was returned: exactly once is right.
 */
#ifndef POOLSTACK_LAB_REDIRECT_H
#define POOLSTACK_LAB_REDIRECT_H

#include "lab.h"

/* DEV_MAP_BULK_SIZE of kernel/bpf/devmap.c: most frames in one ndo_xdp_xmit() */
#define LAB_BULK_MAX	16

/* ---- out ---------------------------------------------------------------- */

/**
 * enum lab_return - the ways in which a driver returns frames it was given
 * @LAB_RETURN: xdp_return_frame(), in a task.
 * @LAB_RETURN_NAPI: xdp_return_frame(), in a softirq.
 * @LAB_RETURN_BULK: xdp_return_frame_bulk(), many at a time.
 *
 * Not xdp_return_frame_rx_napi(), which is for the receiver that owns the pool.
 */
enum lab_return {
	LAB_RETURN,
	LAB_RETURN_NAPI,
	LAB_RETURN_BULK,
};

struct lab_peer;

/**
 * lab_peer_take() - another interface, which is up and takes redirected frames
 * @nic: the NIC whose programs will redirect.
 *
 * It keeps the frames that it was given until lab_peer_complete(), as a ring
 * for transmission does. What it still has when the case ends is returned
 * before the NIC is closed.
 *
 * Return: the peer, owned by the case.
 */
struct lab_peer *lab_peer_take(struct lab_nic *nic);

/* net/core/filter.c makes these global, no header of the kernel has it. */
u64 bpf_xdp_redirect(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 bpf_xdp_adjust_meta(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

/* Number of the peer's interface, as a program knows it. */
int lab_peer_ifindex(struct lab_peer *peer);

/* A program that redirects every frame to the peer with bpf_redirect(). */
struct bpf_prog *lab_redirect(struct lab_nic *nic, struct lab_peer *peer);

/**
 * lab_peer_room() - how much of each bulk the peer takes from here on
 * @peer: the peer.
 * @room: frames of a bulk; a negative error instead of a number refuses the
 *	bulk. LAB_BULK_MAX, as at the beginning, takes all.
 */
void lab_peer_room(struct lab_peer *peer, int room);

/* Frames that the peer has; bulks it was called with; the largest of those. */
unsigned int lab_peer_held(struct lab_peer *peer);
unsigned int lab_peer_calls(struct lab_peer *peer);
unsigned int lab_peer_largest(struct lab_peer *peer);

/* The oldest frame taken by the peer and not yet looked at is these bytes. */
void lab_peer_expect(struct lab_peer *peer, const u8 *frame, u32 len);

/* Frame @i of those that the peer has, counted from the oldest, still is. */
void lab_peer_expect_held(struct lab_peer *peer, unsigned int i, const u8 *frame, u32 len);

/**
 * lab_peer_complete() - return the oldest frames to where their pages came from
 * @peer: the peer.
 * @n: how many, at most all.
 * @how: by which call.
 *
 * Context: task; the case's, while the NIC is up, closed or has another
 * program by now.
 */
void lab_peer_complete(struct lab_peer *peer, unsigned int n, enum lab_return how);

/* ---- in ----------------------------------------------------------------- */

/**
 * enum lab_origin - whose memory redirected frames are in
 * @LAB_ORIGIN_PAGES: pages of their own (MEM_TYPE_PAGE_ORDER0). Returns are
 *	counted for each frame.
 * @LAB_ORIGIN_POOL: pages of another driver's page_pool (MEM_TYPE_PAGE_POOL).
 *	Returns are counted together.
 */
enum lab_origin {
	LAB_ORIGIN_PAGES,
	LAB_ORIGIN_POOL,
};

struct lab_load;

/**
 * lab_load_take() - frames that another interface redirects to the NIC
 * @nic: the NIC.
 * @origin: whose memory.
 * @n: frames, any number.
 * @len: length of each, from 14 to 1514.
 * @seed: frame i is lab_fill() with @seed + i.
 *
 * Owned by the case. Once the NIC is closed, the gate holds that every frame
 * which the driver took was returned exactly once.
 *
 * Return: the frames, which nobody was given yet.
 */
struct lab_load *lab_load_take(struct lab_nic *nic, enum lab_origin origin, unsigned int n,
			       u32 len, u32 seed);

/**
 * lab_load_take_frags() - the same in fragments
 * @nic: the NIC.
 * @origin: whose memory.
 * @n: frames, any number.
 * @len: length of each, from 14 to 1514, 2 or more for each fragment.
 * @frags: fragments of each behind its beginning, at most MAX_SKB_FRAGS, each in
 *	a page of its own, all about as long.
 * @seed: frame i is lab_fill() with @seed + i.
 *
 * For an interface with NETDEV_XDP_ACT_NDO_XMIT_SG. A frame is returned when
 * each of its pages is.
 *
 * Return: see lab_load_take().
 */
struct lab_load *lab_load_take_frags(struct lab_nic *nic, enum lab_origin origin,
				     unsigned int n, u32 len, unsigned int frags, u32 seed);

/**
 * lab_load_xmit() - call ndo_xdp_xmit() as xdp_do_flush() does
 * @load: the frames.
 * @first: index of the first.
 * @n: how many, at most LAB_BULK_MAX.
 *
 * What is not taken stays with the caller, as in the kernel, and may be given
 * again; what is taken must not be.
 *
 * Return: what the driver returned: frames taken, or a negative error.
 */
int lab_load_xmit(struct lab_load *load, unsigned int first, unsigned int n);

/* The same in bulks of @bulk until a frame is not taken; returns frames taken. */
unsigned int lab_load_xmit_all(struct lab_load *load, unsigned int bulk);

/**
 * lab_load_xmit_both() - two CPUs redirect to the NIC at once
 * @here: frames of the CPU of the case.
 * @other: those of the second one.
 * @bulk: frames of a call.
 *
 * Each as lab_load_xmit_all(). With one CPU, first @here, then @other.
 *
 * Context: task, may sleep; the frames of each are taken in their order.
 */
void lab_load_xmit_both(struct lab_load *here, struct lab_load *other, unsigned int bulk);

/* Frames of it that the driver took. */
unsigned int lab_load_taken(const struct lab_load *load);

/* What was taken came back, once, and can be given again (LAB_ORIGIN_PAGES only). */
void lab_load_again(struct lab_load *load);

/**
 * lab_load_end() - the other driver closes while its frames are away
 * @load: LAB_ORIGIN_POOL, all frames taken.
 *
 * Its pool lives on until the last page is back, and no longer.
 */
void lab_load_end(struct lab_load *load);

/* Whether that pool has ended. Context: task, may sleep. */
bool lab_load_ended(struct lab_load *load);

/* Returns so far that went to the cache which only the pool's own NAPI may touch. */
unsigned int lab_load_cached(struct lab_load *load);

/* How often frame @i was returned (LAB_ORIGIN_PAGES only); -1: its pages not equally often. */
int lab_load_returns(struct lab_load *load, unsigned int i);

/* Of frames [first, first + n) each was returned @times; all of them together. */
void lab_load_expect(struct lab_load *load, unsigned int first, unsigned int n, int times);

/* The oldest transmitted frames are frames [first, first + n), in this order. */
void lab_load_expect_wire(struct lab_load *load, unsigned int first, unsigned int n);

#endif
