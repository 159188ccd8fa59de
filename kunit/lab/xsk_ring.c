// SPDX-License-Identifier: GPL-2.0-only
/*
 * The four rings of an AF_XDP socket from the application's side. It owns the
 * producer of the fill and transmit ring and the consumer of the other two; see
 * the head of net/xdp/xsk_queue.h for the barriers.
 */
#include <linux/bottom_half.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <linux/socket.h>

#include "xsk.h"

/* What a program may redirect to, by queue; one NIC at a time is taken. */
static struct lab_xsk *steered[8];

/* The kernel's index of a ring. */
static u32 look(const u32 *index)
{
	/* (C), or the control dependency (A), of net/xdp/xsk_queue.h */
	return smp_load_acquire(index);
}

/* The application's index of a ring. */
static void publish(u32 *index, u32 value)
{
	/* (B) or (D) of net/xdp/xsk_queue.h: entries first */
	smp_store_release(index, value);
}

static u32 chunk_of(struct lab_xsk *xsk, u64 addr)
{
	return div_u64(addr, xsk->setup.chunk_size);
}

/* A free chunk, marked as given away; negative when the application has none. */
static int take_chunk(struct lab_xsk *xsk, enum lab_chunk to)
{
	unsigned int i, chunks = xsk->setup.chunks;

	for (i = 0; i < chunks; i++) {
		unsigned int at = xsk->next;

		xsk->next = (at + 1) % chunks;
		if (xsk->chunk[at] == LAB_CHUNK_OURS) {
			xsk->chunk[at] = to;
			return at;
		}
	}
	return -ENOBUFS;
}

/* The kernel gave a chunk back, which it must have had. */
static bool give_back(struct lab_xsk *xsk, u64 addr, enum lab_chunk from)
{
	u32 at = chunk_of(xsk, addr);

	if (at < xsk->setup.chunks && xsk->chunk[at] == from) {
		xsk->chunk[at] = LAB_CHUNK_OURS;
		return true;
	}
	KUNIT_FAIL(xsk->nic->test, "chunk %u came back from %s, where it was not", at,
		   from == LAB_CHUNK_RX ? "reception" : "transmission");
	return false;
}

/* ---- transmission ------------------------------------------------------- */

u32 lab_xsk_completed(struct lab_xsk *xsk)
{
	struct xdp_umem_ring *ring = (struct xdp_umem_ring *)lab_xs(xsk)->pool->cq->ring;
	u32 producer = look(&ring->ptrs.producer);

	while (xsk->completed != producer) {
		give_back(xsk, ring->desc[xsk->completed % xsk->setup.ring], LAB_CHUNK_TX);
		xsk->completed++;
	}
	publish(&ring->ptrs.consumer, xsk->completed);
	return xsk->completed;
}

void lab_xsk_send(struct lab_xsk *xsk, const u8 *frame, u32 len)
{
	struct xdp_sock *xs = lab_xs(xsk);
	struct xdp_rxtx_ring *ring = (struct xdp_rxtx_ring *)xs->tx->ring;
	u32 used = xsk->sent - look(&ring->ptrs.consumer);
	int chunk;
	u64 addr;

	KUNIT_ASSERT_LE(xsk->nic->test, len, xsk->setup.chunk_size);
	KUNIT_ASSERT_LT_MSG(xsk->nic->test, used, xsk->setup.ring, "the transmit ring is full");
	chunk = take_chunk(xsk, LAB_CHUNK_TX);
	if (chunk < 0) {
		lab_xsk_completed(xsk);
		chunk = take_chunk(xsk, LAB_CHUNK_TX);
	}
	KUNIT_ASSERT_GE_MSG(xsk->nic->test, chunk, 0, "no chunk for transmission");
	addr = (u64)chunk * xsk->setup.chunk_size;
	memcpy(xs->umem->addrs + addr, frame, len);
	ring->desc[xsk->sent % xsk->setup.ring] = (struct xdp_desc){ .addr = addr, .len = len };
	publish(&ring->ptrs.producer, ++xsk->sent);
}

/* The poll that a call scheduled runs now, not when ksoftirqd does. */
static void run_softirqs(void)
{
	local_bh_disable();
	local_bh_enable();
}

int lab_xsk_kick(struct lab_xsk *xsk)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	int ret;

	ret = kernel_sendmsg(xsk->sock, &msg, NULL, 0, 0);
	run_softirqs();
	return ret;
}

bool lab_xsk_wants_kick(struct lab_xsk *xsk)
{
	return READ_ONCE(lab_xs(xsk)->tx->ring->flags) & XDP_RING_NEED_WAKEUP;
}

/* ---- reception ---------------------------------------------------------- */

static struct xsk_queue *fill_queue(struct lab_xsk *xsk)
{
	struct xdp_sock *xs = lab_xs(xsk);

	/* bind() moves it from the socket to the pool */
	return xs->pool ? xs->pool->fq : xs->fq_tmp;
}

unsigned int lab_xsk_fill(struct lab_xsk *xsk, unsigned int chunks)
{
	struct xdp_umem_ring *ring = (struct xdp_umem_ring *)fill_queue(xsk)->ring;
	u32 room = xsk->setup.ring - (xsk->filled - look(&ring->ptrs.consumer));
	unsigned int i;
	int chunk;

	for (i = 0; i < chunks && i < room; i++) {
		chunk = take_chunk(xsk, LAB_CHUNK_RX);
		if (chunk < 0)
			break;
		ring->desc[xsk->filled % xsk->setup.ring] = (u64)chunk * xsk->setup.chunk_size;
		xsk->filled++;
	}
	publish(&ring->ptrs.producer, xsk->filled);
	return i;
}

int lab_xsk_wake(struct lab_xsk *xsk)
{
	struct msghdr msg = {};
	int ret;

	ret = kernel_recvmsg(xsk->sock, &msg, NULL, 0, 0, MSG_DONTWAIT);
	run_softirqs();
	return ret;
}

bool lab_xsk_wants_wake(struct lab_xsk *xsk)
{
	return READ_ONCE(fill_queue(xsk)->ring->flags) & XDP_RING_NEED_WAKEUP;
}

struct lab_frame *lab_xsk_take(struct lab_xsk *xsk)
{
	struct xdp_sock *xs = lab_xs(xsk);
	struct xdp_rxtx_ring *ring = (struct xdp_rxtx_ring *)xs->rx->ring;
	struct lab_frame *frame;
	struct xdp_desc desc;

	if (look(&ring->ptrs.producer) == xsk->taken)
		return NULL;
	desc = ring->desc[xsk->taken & xs->rx->ring_mask];
	xsk->taken++;
	if (!give_back(xsk, desc.addr, LAB_CHUNK_RX) ||
	    desc.addr % xsk->setup.chunk_size + desc.len > xsk->setup.chunk_size) {
		KUNIT_FAIL(xsk->nic->test, "a frame of %u at %#llx lies in no chunk", desc.len,
			   desc.addr);
		return NULL;
	}
	frame = kmalloc_flex(*frame, data, desc.len);
	if (frame) {
		frame->len = desc.len;
		frame->queue = xsk->setup.queue;
		memcpy(frame->data, xs->umem->addrs + desc.addr, desc.len);
	}
	publish(&ring->ptrs.consumer, xsk->taken);
	return frame;
}

void lab_xsk_expect(struct lab_xsk *xsk, const u8 *frame, u32 len)
{
	struct lab_frame *got = lab_xsk_take(xsk);

	KUNIT_ASSERT_NOT_NULL_MSG(xsk->nic->test, got, "the socket received no frame");
	if (got->len != len || memcmp(got->data, frame, len))
		KUNIT_FAIL(xsk->nic->test, "the socket received another frame, of %u instead of %u",
			   got->len, len);
	kfree(got);
}

/* ---- redirect ----------------------------------------------------------- */

void lab_xsk_steer_to(struct lab_xsk *xsk)
{
	if (xsk->setup.queue < ARRAY_SIZE(steered))
		WRITE_ONCE(steered[xsk->setup.queue], xsk);
}

void lab_xsk_steer_away(struct lab_xsk *xsk)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steered); i++)
		if (steered[i] == xsk)
			WRITE_ONCE(steered[i], NULL);
	/* the driver's NAPI may be in the program */
	synchronize_net();
}

/*
 * A helper for programs, with the calling convention of BPF: what
 * bpf_redirect_map() does on an XSKMAP indexed by rx_queue_index.
 */
u64 lab_xsk_steer_frame(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5);
u64 lab_xsk_steer_frame(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	const struct xdp_buff *xdp = (void *)(unsigned long)ctx;
	u8 verdict = ((const u8 *)xdp->data)[ETH_HLEN];
	u32 queue = xdp->rxq->queue_index;
	struct bpf_redirect_info *ri;
	struct lab_xsk *xsk;

	if (verdict < XDP_REDIRECT)
		return verdict;
	xsk = queue < ARRAY_SIZE(steered) ? READ_ONCE(steered[queue]) : NULL;
	if (!xsk)
		return XDP_PASS;
	ri = bpf_net_ctx_get_ri();
	ri->tgt_index = queue;
	ri->tgt_value = lab_xs(xsk);
	ri->map_id = INT_MAX;
	ri->map_type = BPF_MAP_TYPE_XSKMAP;
	return XDP_REDIRECT;
}

struct bpf_prog *lab_xsk_steer(struct lab_nic *nic)
{
	return LAB_PROG(nic,
			BPF_EMIT_CALL(lab_xsk_steer_frame),
			BPF_EXIT_INSN());
}
