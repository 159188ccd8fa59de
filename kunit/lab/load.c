// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of another interface, handed to the NIC through ndo_xdp_xmit().
 *
 * A page of its own carries references of the lab beside that of the frame:
 * the page survives a frame that is returned twice, and the number left tells
 * how often it was.
 */
#include <linux/bottom_half.h>
#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/page_pool/helpers.h>

#include "nic.h"

#define SPARE	8	/* references of the lab on each page */

struct load_frame {
	struct xdp_frame *xdpf;		/* at the start of its page */
	bool taken;			/* by the driver */
};

/**
 * struct lab_load - frames of another interface
 * @node: of the NIC.
 * @nic: where they are to go.
 * @origin: whose memory.
 * @pool: of LAB_ORIGIN_POOL until it has ended, else NULL.
 * @n: frames.
 * @len: of each.
 * @seed: of the first.
 * @frame: the frames.
 */
struct lab_load {
	struct list_head node;
	struct lab_nic *nic;
	enum lab_origin origin;
	struct page_pool *pool;
	unsigned int n;
	u32 len, seed;
	struct load_frame frame[] __counted_by(n);
};

static unsigned int taken(const struct lab_load *load)
{
	unsigned int i, n = 0;

	for (i = 0; i < load->n; i++)
		n += load->frame[i].taken;
	return n;
}

/* Pages that came back to the other driver's pool, whichever way. */
static unsigned int pool_returns(const struct lab_load *load)
{
	struct page_pool_stats stats = {};

	page_pool_get_stats(load->pool, &stats);
	return stats.recycle_stats.ring + stats.recycle_stats.cached +
	       stats.recycle_stats.ring_full + stats.recycle_stats.released_refcnt;
}

int lab_load_returns(struct lab_load *load, unsigned int i)
{
	return SPARE + 1 - page_ref_count(virt_to_page(load->frame[i].xdpf));
}

/**
 * lab_loads_owed() - redirected frames that were not returned exactly once
 * @nic: the NIC, closed.
 * @twice: of these, how many more often than once.
 *
 * Return: their number.
 */
unsigned int lab_loads_owed(struct nic *nic, unsigned int *twice)
{
	unsigned int i, owed = 0;
	struct lab_load *load;

	*twice = 0;
	list_for_each_entry(load, &nic->loads, node) {
		int want, got;

		if (load->origin == LAB_ORIGIN_POOL) {
			if (!load->pool)
				continue;
			want = taken(load);
			got = pool_returns(load);
			owed += abs(want - got);
			*twice += max(0, got - want);
			continue;
		}
		for (i = 0; i < load->n; i++) {
			want = load->frame[i].taken;
			got = lab_load_returns(load, i);
			owed += want != got;
			*twice += got > want;
		}
	}
	return owed;
}

static void free_load(struct lab_load *load)
{
	unsigned int i, refs;

	for (i = 0; i < load->n; i++) {
		struct load_frame *frame = &load->frame[i];

		if (load->origin == LAB_ORIGIN_POOL) {
			if (!frame->taken)
				xdp_return_frame(frame->xdpf);
			continue;
		}
		/* one that was taken and never returned keeps its own */
		refs = min_t(unsigned int, SPARE + !frame->taken,
			     page_ref_count(virt_to_page(frame->xdpf)));
		while (refs--)
			put_page(virt_to_page(frame->xdpf));
	}
	if (load->pool && load->pool->disconnect)
		load->pool->disconnect = NULL;	/* never ended: others' pages stay */
	else if (load->pool)
		page_pool_destroy(load->pool);
	kvfree(load);
}

/* After the driver is gone, which may have kept frames until then. */
void lab_loads_free(struct nic *nic)
{
	struct lab_load *load, *tmp;

	list_for_each_entry_safe(load, tmp, &nic->loads, node)
		free_load(load);
}

static bool add_frame(struct lab_load *load, unsigned int i)
{
	struct xdp_frame *xdpf;
	struct page *page;

	page = load->pool ? page_pool_dev_alloc_pages(load->pool) : alloc_page(GFP_KERNEL);
	if (!page)
		return false;
	if (!load->pool)
		page_ref_add(page, SPARE);
	xdpf = page_address(page);
	*xdpf = (struct xdp_frame){
		.data = page_address(page) + XDP_PACKET_HEADROOM,
		.len = load->len,
		.headroom = XDP_PACKET_HEADROOM - sizeof(*xdpf),
		.frame_sz = PAGE_SIZE,
		.mem_type = load->pool ? MEM_TYPE_PAGE_POOL : MEM_TYPE_PAGE_ORDER0,
	};
	lab_fill(xdpf->data, load->len, load->seed + i);
	load->frame[i].xdpf = xdpf;
	return true;
}

struct lab_load *lab_load_take(struct lab_nic *nic, enum lab_origin origin, unsigned int n,
			       u32 len, u32 seed)
{
	struct page_pool_params params = {
		.pool_size = roundup_pow_of_two(n), .nid = NUMA_NO_NODE,
	};
	struct kunit *test = nic->test;
	struct lab_load *load;
	unsigned int i;

	KUNIT_ASSERT_LE(test, XDP_PACKET_HEADROOM + len, PAGE_SIZE);
	load = kvzalloc_flex(*load, frame, n, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, load);
	load->n = 0;
	load->nic = nic;
	load->origin = origin;
	load->len = len;
	load->seed = seed;
	list_add(&load->node, &to_nic(nic)->loads);
	if (origin == LAB_ORIGIN_POOL) {
		load->pool = page_pool_create(&params);
		if (IS_ERR(load->pool))
			load->pool = NULL;
		KUNIT_ASSERT_NOT_NULL(test, load->pool);
	}
	for (i = 0; i < n; i++) {
		load->n = i + 1;
		if (add_frame(load, i))
			continue;
		load->n = i;
		KUNIT_FAIL_AND_ABORT(test, "no page for a frame");
	}
	return load;
}

int lab_load_xmit(struct lab_load *load, unsigned int first, unsigned int n)
{
	struct net_device *ndev = load->nic->ndev;
	struct bpf_net_context context, *ours;
	struct xdp_frame *bulk[LAB_BULK_MAX];
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++)
		bulk[i] = load->frame[first + i].xdpf;
	local_bh_disable();
	ours = bpf_net_ctx_set(&context);
	ret = ndev->netdev_ops->ndo_xdp_xmit(ndev, n, bulk, XDP_XMIT_FLUSH);
	bpf_net_ctx_clear(ours);
	local_bh_enable();
	for (i = 0; ret > 0 && i < ret; i++)
		load->frame[first + i].taken = true;
	return ret;
}

unsigned int lab_load_xmit_all(struct lab_load *load, unsigned int bulk)
{
	unsigned int done = 0, n;
	int ret;

	while (done < load->n) {
		n = min(bulk, load->n - done);
		ret = lab_load_xmit(load, done, n);
		if (ret > 0)
			done += ret;
		if (ret != n)
			break;
	}
	return done;
}

/* One at a time ends. */
static struct lab_load *ending;

static void on_end(void *pool)
{
	ending->pool = NULL;
}

void lab_load_end(struct lab_load *load)
{
	struct page_pool *pool = load->pool;

	KUNIT_ASSERT_NOT_NULL(load->nic->test, pool);
	KUNIT_ASSERT_EQ(load->nic->test, taken(load), load->n);
	ending = load;
	pool->disconnect = on_end;
	page_pool_destroy(pool);
}

bool lab_load_ended(struct lab_load *load)
{
	if (load->pool)
		flush_delayed_work(&load->pool->release_dw);
	return !load->pool;
}

unsigned int lab_load_cached(struct lab_load *load)
{
	struct page_pool_stats stats = {};

	page_pool_get_stats(load->pool, &stats);
	return stats.recycle_stats.cached;
}

void lab_load_expect(struct lab_load *load, unsigned int first, unsigned int n, int times)
{
	struct kunit *test = load->nic->test;
	unsigned int i, wrong = 0, at = 0;

	if (load->origin == LAB_ORIGIN_POOL) {
		KUNIT_EXPECT_EQ(test, pool_returns(load), n * times);
		return;
	}
	for (i = n; i-- > 0;) {
		if (lab_load_returns(load, first + i) == times)
			continue;
		wrong++;
		at = first + i;
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "frame %u was returned %d times, not %d",
			    at, lab_load_returns(load, at), times);
}

void lab_load_expect_wire(struct lab_load *load, unsigned int first, unsigned int n)
{
	struct lab_nic *nic = load->nic;
	unsigned int i;

	for (i = first; i < first + n; i++) {
		lab_fill(nic->frame, load->len, load->seed + i);
		lab_expect_transmitted(nic, nic->frame, load->len);
	}
}
