// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of another interface, handed to the NIC through ndo_xdp_xmit().
 *
 * A page of its own carries references of the lab beside that of the frame:
 * the page survives a frame that is returned twice, and the number left tells
 * how often it was. So does each page of a fragment.
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/etherdevice.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/page_pool/helpers.h>

#include "nic.h"

#define SPARE	8	/* references of the lab on each page */

struct load_frame {
	struct xdp_frame *xdpf;		/* at the start of its first page */
	bool taken;			/* by the driver */
};

/**
 * struct lab_load - frames of another interface
 * @node: of the NIC.
 * @nic: where they are to go.
 * @origin: whose memory.
 * @pool: of LAB_ORIGIN_POOL until it has ended, else NULL.
 * @n: frames.
 * @pages: of each: that of its beginning, then one for each fragment.
 * @len: of each.
 * @seed: of the first.
 * @frame: the frames.
 */
struct lab_load {
	struct list_head node;
	struct lab_nic *nic;
	enum lab_origin origin;
	struct page_pool *pool;
	unsigned int n, pages;
	u32 len, seed;
	struct load_frame frame[] __counted_by(n);
};

unsigned int lab_load_taken(const struct lab_load *load)
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

/* Page @k of a frame that is in pages of its own. */
static struct page *page_of(const struct lab_load *load, unsigned int i, unsigned int k)
{
	struct xdp_frame *xdpf = load->frame[i].xdpf;

	return k ? skb_frag_page(&xdp_get_shared_info_from_frame(xdpf)->frags[k - 1]) :
		   virt_to_page(xdpf);
}

static int page_returns(const struct lab_load *load, unsigned int i, unsigned int k)
{
	return SPARE + 1 - page_ref_count(page_of(load, i, k));
}

int lab_load_returns(struct lab_load *load, unsigned int i)
{
	int returns = page_returns(load, i, 0);
	unsigned int k;

	for (k = 1; k < load->pages; k++)
		if (page_returns(load, i, k) != returns)
			return -1;
	return returns;
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
	unsigned int i, k, owed = 0;
	struct lab_load *load;

	*twice = 0;
	list_for_each_entry(load, &nic->loads, node) {
		int want, got, most;

		if (load->origin == LAB_ORIGIN_POOL) {
			if (!load->pool)
				continue;
			want = lab_load_taken(load) * load->pages;
			got = pool_returns(load);
			owed += abs(want - got);
			*twice += max(0, got - want);
			continue;
		}
		for (i = 0; i < load->n; i++) {
			want = load->frame[i].taken;
			got = lab_load_returns(load, i);
			owed += want != got;
			for (k = 0, most = 0; k < load->pages; k++)
				most = max(most, page_returns(load, i, k));
			*twice += most > want;
		}
	}
	return owed;
}

/* A page for a frame, with the lab's own references if it is nobody's else. */
static struct page *get_page_for(struct lab_load *load)
{
	struct page *page;

	if (load->pool)
		return page_pool_dev_alloc_pages(load->pool);
	page = alloc_page(GFP_KERNEL);
	if (page)
		page_ref_add(page, SPARE);
	return page;
}

/* Drop so many references of a page, as far as they are there. */
static void put_pages(struct page *page, unsigned int refs)
{
	refs = min_t(unsigned int, refs, page_ref_count(page));
	while (refs--)
		put_page(page);
}

static void free_load(struct lab_load *load)
{
	unsigned int i, k;

	for (i = 0; i < load->n; i++) {
		struct load_frame *frame = &load->frame[i];

		if (load->origin == LAB_ORIGIN_POOL) {
			if (!frame->taken)
				xdp_return_frame(frame->xdpf);
			continue;
		}
		/* one that was taken and never returned keeps its own */
		/* the first has the list of the others */
		for (k = load->pages; k--;)
			put_pages(page_of(load, i, k), SPARE + !frame->taken);
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

/* Bytes of each fragment; what does not divide is in the beginning. */
static u32 frag_len(const struct lab_load *load)
{
	return load->len / load->pages;
}

/* Where fragment @k is in its page: anywhere, and in no line of a cache alone. */
static u32 frag_off(unsigned int k)
{
	return 40 + 36 * k;
}

/* Move what is behind the beginning of a frame into its fragments. */
static void spread(struct lab_load *load, struct xdp_frame *xdpf, struct page **page)
{
	struct skb_shared_info *info = xdp_get_shared_info_from_frame(xdpf);
	u32 n = frag_len(load), at = load->len - (load->pages - 1) * n;
	unsigned int k;

	xdpf->len = at;
	xdpf->flags = XDP_FLAGS_HAS_FRAGS;
	memset(info, 0, sizeof(*info));
	for (k = 1; k < load->pages; k++, at += n) {
		memcpy(page_address(page[k]) + frag_off(k), xdpf->data + at, n);
		skb_frag_fill_page_desc(&info->frags[info->nr_frags++], page[k], frag_off(k), n);
	}
	info->xdp_frags_size = load->len - xdpf->len;
	info->xdp_frags_truesize = (load->pages - 1) * PAGE_SIZE;
	/* who sends it from here sends something else */
	memset(xdpf->data + xdpf->len, 0xee, load->len - xdpf->len);
}

static bool add_frame(struct lab_load *load, unsigned int i)
{
	struct page *page[1 + MAX_SKB_FRAGS];
	struct xdp_frame *xdpf;
	unsigned int k;

	for (k = 0; k < load->pages; k++) {
		page[k] = get_page_for(load);
		if (!page[k])
			goto undo;
	}
	xdpf = page_address(page[0]);
	*xdpf = (struct xdp_frame){
		.data = page_address(page[0]) + XDP_PACKET_HEADROOM,
		.len = load->len,
		.headroom = XDP_PACKET_HEADROOM - sizeof(*xdpf),
		.frame_sz = PAGE_SIZE,
		.mem_type = load->pool ? MEM_TYPE_PAGE_POOL : MEM_TYPE_PAGE_ORDER0,
	};
	lab_fill(xdpf->data, load->len, load->seed + i);
	if (load->pages > 1)
		spread(load, xdpf, page);
	load->frame[i].xdpf = xdpf;
	return true;
undo:
	while (k--) {
		if (load->pool)
			page_pool_put_full_page(load->pool, page[k], false);
		else
			put_pages(page[k], SPARE + 1);
	}
	return false;
}

struct lab_load *lab_load_take(struct lab_nic *nic, enum lab_origin origin, unsigned int n,
			       u32 len, u32 seed)
{
	return lab_load_take_frags(nic, origin, n, len, 0, seed);
}

struct lab_load *lab_load_take_frags(struct lab_nic *nic, enum lab_origin origin,
				     unsigned int n, u32 len, unsigned int frags, u32 seed)
{
	struct page_pool_params params = {
		.pool_size = roundup_pow_of_two(n * (1 + frags)), .nid = NUMA_NO_NODE,
	};
	struct kunit *test = nic->test;
	struct lab_load *load;
	unsigned int i;

	KUNIT_ASSERT_LE(test, frags, MAX_SKB_FRAGS);
	KUNIT_ASSERT_LE(test, frags, len / 2);
	KUNIT_ASSERT_LE(test, XDP_PACKET_HEADROOM + len,
			frags ? SKB_WITH_OVERHEAD(PAGE_SIZE) : PAGE_SIZE);
	load = kvzalloc_flex(*load, frame, n, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, load);
	load->n = 0;
	load->nic = nic;
	load->origin = origin;
	load->pages = 1 + frags;
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

/* What the second CPU gives, once both are there. */
struct there {
	struct lab_load *load;
	unsigned int bulk;
	bool ready, go;
};

static int xmit_there(void *data)
{
	struct there *there = data;

	/* pairs with lab_load_xmit_both() */
	smp_store_release(&there->ready, true);
	/* and this one, too */
	while (!smp_load_acquire(&there->go))
		cpu_relax();
	lab_load_xmit_all(there->load, there->bulk);
	return 0;
}

void lab_load_xmit_both(struct lab_load *here, struct lab_load *other, unsigned int bulk)
{
	struct there there = { .load = other, .bulk = bulk };
	struct task_struct *task;

	if (num_online_cpus() < 2) {
		lab_load_xmit_all(here, bulk);
		lab_load_xmit_all(other, bulk);
		return;
	}
	/* lab_nic_take() has put the case on the first one */
	task = kthread_create_on_cpu(xmit_there, &there, 1, "lab-load/%u");
	KUNIT_ASSERT_FALSE(here->nic->test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	/* pairs with xmit_there() */
	while (!smp_load_acquire(&there.ready))
		cond_resched();
	/* and this one, too */
	smp_store_release(&there.go, true);
	lab_load_xmit_all(here, bulk);
	kthread_stop_put(task);
}

void lab_load_again(struct lab_load *load)
{
	unsigned int i, k;

	KUNIT_ASSERT_EQ(load->nic->test, load->origin, LAB_ORIGIN_PAGES);
	for (i = 0; i < load->n; i++) {
		if (!load->frame[i].taken)
			continue;
		KUNIT_ASSERT_EQ(load->nic->test, lab_load_returns(load, i), 1);
		load->frame[i].taken = false;
		for (k = 0; k < load->pages; k++)
			page_ref_inc(page_of(load, i, k));
	}
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
	KUNIT_ASSERT_EQ(load->nic->test, lab_load_taken(load), load->n);
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
		KUNIT_EXPECT_EQ(test, pool_returns(load), n * load->pages * times);
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
