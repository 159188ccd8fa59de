// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of the device's page_pools: who owns them, and when a pool ends.
 *
 * A pool is noticed when the controller is first given a page of it. Its end
 * is seen through the callback that it makes for its XDP memory model.
 */
#include <linux/mm.h>
#include <linux/workqueue.h>
#include <net/page_pool/helpers.h>

#include "nic.h"

#define POOLS	512	/* also those that a wrong driver never lets end */

struct watched {
	struct lab_dma *dma;		/* NULL: of a NIC that is gone */
	struct page_pool *pool;		/* NULL: free */
	void (*disconnect)(void *pool);
};

static struct watched watched[POOLS];
static DEFINE_SPINLOCK(watched_lock);	/* the table, any context */

/* The pool is about to be freed: all its pages are back. */
static void on_end(void *pool)
{
	void (*disconnect)(void *pool) = NULL;
	unsigned long flags;
	int i;

	spin_lock_irqsave(&watched_lock, flags);
	for (i = 0; i < POOLS; i++) {
		if (watched[i].pool != pool)
			continue;
		disconnect = watched[i].disconnect;
		watched[i] = (struct watched){};
	}
	spin_unlock_irqrestore(&watched_lock, flags);
	if (disconnect)
		disconnect(pool);
}

static void watch(struct lab_dma *dma, struct page_pool *pool)
{
	struct watched *free = NULL;
	unsigned long flags;
	int i;

	if (pool->disconnect == on_end)
		return;
	spin_lock_irqsave(&watched_lock, flags);
	for (i = 0; i < POOLS && !free; i++)
		if (!watched[i].pool)
			free = &watched[i];
	if (free) {
		*free = (struct watched){ dma, pool, pool->disconnect };
		pool->disconnect = on_end;
	}
	spin_unlock_irqrestore(&watched_lock, flags);
	WARN_ONCE(!free, "poolstack: more than %d page_pools at a time\n", POOLS);
}

/*
 * How many buffers like this one fit into its page: slots of a power of two,
 * each with the same room in front and with what build_skb() needs behind.
 */
static unsigned int slots(const struct lab_map *map, size_t off, size_t len)
{
	size_t room = SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	size_t slot = 1024;

	while (slot < map->size && off % slot + len + room > slot)
		slot *= 2;
	return max(map->size / slot, 1);
}

/**
 * lab_page_armed() - look at the page of a buffer that the device is given
 * @dma: the device's memory, locked.
 * @map: the mapping the buffer lies in.
 * @off: where in the mapping it starts.
 * @len: how much of it the device may write.
 *
 * A page that two parties own is corrupted by one and read by the other; each
 * would find it in order. So that it is seen where it begins: at this moment
 * the page must be the pool's, with one reference, or one for each buffer that it
 * has room for. That no other descriptor has it the model sees.
 *
 * Where the stack delivers to programs (labwire.c) it takes references that the
 * pool does not count, when it cuts a merged frame into pieces: they may be about
 * the page's other buffers. No case's frames go there.
 */
void lab_page_armed(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len)
{
	struct page *page = virt_to_head_page(map->cpu);
	struct netmem_desc *desc = pp_page_to_nmdesc(page);
	long refs = atomic_long_read(&desc->pp_ref_count);
	long room = slots(map, off, len);
	bool shared = room > 1 && dma->stack_holds;

	if (!page_pool_page_is_pp(page)) {
		/* memory of a socket, or a page its pool gave away mapped */
		if (map->pool)
			lab_dma_violation(dma, LAB_V_PAGE, map, 0, map->size, DMA_FROM_DEVICE);
		return;
	}
	map->pool = true;
	watch(dma, desc->pp);
	if (refs < 1 || refs > room || (!shared && page_ref_count(page) != 1))
		lab_dma_violation(dma, LAB_V_PAGE, map, 0, map->size, DMA_FROM_DEVICE);
}

/* One pool after another: looking for more may end it, which takes the lock. */
static struct page_pool *next_pool(struct lab_dma *dma, int *at)
{
	struct page_pool *pool = NULL;
	unsigned long flags;

	spin_lock_irqsave(&watched_lock, flags);
	for (; *at < POOLS && !pool; ++*at)
		if (watched[*at].pool && watched[*at].dma == dma)
			pool = watched[*at].pool;
	spin_unlock_irqrestore(&watched_lock, flags);
	return pool;
}

/* A pool that was destroyed with pages in flight waits for its next look. */
static void look_again(struct lab_dma *dma)
{
	struct page_pool *pool;
	int at = 0;

	while ((pool = next_pool(dma, &at)))
		if (READ_ONCE(pool->destroy_cnt))
			flush_delayed_work(&pool->release_dw);
}

unsigned int lab_pools(struct lab_nic *nic)
{
	unsigned int n = 0;
	int at = 0;

	look_again(nic->dma);
	while (next_pool(nic->dma, &at))
		n++;
	return n;
}

unsigned int lab_pages_in_flight(struct lab_nic *nic)
{
	struct page_pool *pool;
	unsigned int n = 0;
	int at = 0;

	look_again(nic->dma);
	while ((pool = next_pool(nic->dma, &at)))
		if (READ_ONCE(pool->destroy_cnt))
			n += READ_ONCE(pool->pages_state_hold_cnt) -
			     atomic_read(&pool->pages_state_release_cnt);
	return n;
}

/* The NIC goes; a pool of it that never ends is nobody's any more. */
void lab_pools_forget(struct lab_dma *dma)
{
	unsigned long flags;
	int i;

	spin_lock_irqsave(&watched_lock, flags);
	for (i = 0; i < POOLS; i++)
		if (watched[i].dma == dma)
			watched[i].dma = NULL;
	spin_unlock_irqrestore(&watched_lock, flags);
}
