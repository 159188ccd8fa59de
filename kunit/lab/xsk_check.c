// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the chunks of an AF_XDP socket are. What the kernel was given lies in a
 * ring, on the pool's list of buffers that came back unused, or with the MAC.
 * The last is asked of the model, so that what a driver believes to own does
 * not count.
 */
#include <linux/slab.h>

#include "xsk.h"

/* Count the chunks that a ring of addresses holds from @from up to its producer. */
static void count_addrs(struct lab_xsk *xsk, struct xsk_queue *q, u32 from, u8 *places)
{
	struct xdp_umem_ring *ring = (struct xdp_umem_ring *)q->ring;

	for (; from != READ_ONCE(ring->ptrs.producer); from++) {
		u64 chunk = div_u64(ring->desc[from & q->ring_mask], xsk->setup.chunk_size);

		if (chunk < xsk->setup.chunks)
			places[chunk]++;
	}
}

/* The same for a ring of descriptors. */
static void count_descs(struct lab_xsk *xsk, struct xsk_queue *q, u32 from, u8 *places)
{
	struct xdp_rxtx_ring *ring = (struct xdp_rxtx_ring *)q->ring;

	for (; from != READ_ONCE(ring->ptrs.producer); from++) {
		u64 chunk = div_u64(ring->desc[from & q->ring_mask].addr, xsk->setup.chunk_size);

		if (chunk < xsk->setup.chunks)
			places[chunk]++;
	}
}

static void count_free(struct xsk_buff_pool *pool, u8 *places)
{
	struct xdp_buff_xsk *xskb;

	list_for_each_entry(xskb, &pool->free_list, list_node)
		places[xskb - pool->heads]++;
}

/* What the MAC may still write to. */
static void count_armed(struct lab_xsk *xsk, struct xsk_buff_pool *pool, u8 *places)
{
	struct lab_ctrl *ctrl = to_nic(xsk->nic)->ctrl;
	unsigned int i;

	for (i = 0; i < xsk->setup.chunks && pool->dma_pages; i++) {
		u64 addr = (u64)i * xsk->setup.chunk_size;

		if (xsk->chunk[i] != LAB_CHUNK_TX &&
		    lab_ctrl_holds(ctrl, xp_raw_get_dma(pool, addr), xsk->setup.chunk_size))
			places[i]++;
	}
}

static void complain(struct lab_xsk *xsk, const u8 *places)
{
	static const char * const whose[] = { "the application", "reception", "transmission" };
	unsigned int i, bad = 0, first = 0;

	for (i = 0; i < xsk->setup.chunks; i++) {
		unsigned int want = xsk->chunk[i] == LAB_CHUNK_OURS ? 0 : 1;

		if (places[i] != want && !bad++)
			first = i;
	}
	if (bad)
		KUNIT_FAIL(xsk->nic->test, "%u chunks are not in one place: %u, with %s, is in %u places of the kernel",
			   bad, first, whose[xsk->chunk[first]], places[first]);
}

/* What the MAC was told it may write must have room in the chunk. */
static void check_window(struct lab_xsk *xsk)
{
	struct lab_ctrl *ctrl = to_nic(xsk->nic)->ctrl;
	unsigned int off, size = xsk->setup.chunk_size;
	struct lab_buffer buf;

	if (lab_ctrl_next_buffer(ctrl, xsk->setup.queue, &buf))
		return;
	/* a page is a mapping of its own, and chunks divide it */
	off = buf.addr & (size - 1);
	KUNIT_EXPECT_LE_MSG(xsk->nic->test, buf.len, size - off,
			    "the controller may write %u bytes where a chunk of %u has room for %u",
			    buf.len, size, size - off);
}

void lab_xsk_check(struct lab_xsk *xsk)
{
	struct net_device *ndev = xsk->nic->ndev;
	struct xdp_sock *xs = lab_xs(xsk);
	struct xsk_buff_pool *pool = xs->pool;
	u8 *places;

	/* without a link the driver keeps buffers which the MAC does not hold */
	if (!pool || (netif_running(ndev) && !netif_carrier_ok(ndev)))
		return;
	places = kcalloc(xsk->setup.chunks, 1, GFP_KERNEL);
	if (!places)
		return;
	/* ->consumer is published late, the kernel goes by ->cached_cons */
	count_addrs(xsk, pool->fq, pool->fq->cached_cons, places);
	count_addrs(xsk, pool->cq, xsk->completed, places);
	count_descs(xsk, xs->rx, xsk->taken, places);
	count_descs(xsk, xs->tx, xs->tx->cached_cons, places);
	count_free(pool, places);
	count_armed(xsk, pool, places);
	complain(xsk, places);
	check_window(xsk);
	kfree(places);
}
