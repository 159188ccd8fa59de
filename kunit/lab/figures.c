// SPDX-License-Identifier: GPL-2.0-only
/*
 * What traffic cost: counts of the lab, of page_pool and of the driver.
 */
#include <linux/ethtool.h>
#include <linux/mm.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/page_pool/helpers.h>

#include "nic.h"

struct page_pool *lab_pool(struct lab_nic *pub, unsigned int queue)
{
	struct nic *nic = to_nic(pub);
	enum dma_data_direction dir;
	struct lab_buffer buf;
	struct page *page;
	void *cpu;

	if (lab_ctrl_next_buffer(nic->ctrl, queue, &buf))
		return NULL;
	cpu = lab_dma_cpu(pub->dma, buf.addr, &dir);
	if (!cpu)
		return NULL;
	page = virt_to_head_page(cpu);
	return page_pool_page_is_pp(page) ? pp_page_to_nmdesc(page)->pp : NULL;
}

enum dma_data_direction lab_buffer_direction(struct lab_nic *pub, unsigned int queue)
{
	enum dma_data_direction dir = DMA_NONE;
	struct nic *nic = to_nic(pub);
	struct lab_buffer buf;

	if (!lab_ctrl_next_buffer(nic->ctrl, queue, &buf))
		lab_dma_cpu(pub->dma, buf.addr, &dir);
	return dir;
}

void lab_ring_memory(struct lab_nic *pub, u64 *bytes, u64 *descriptors)
{
	struct nic *nic = to_nic(pub);
	struct lab_buffer buf;
	unsigned int q;

	*bytes = lab_map_pool_bytes(pub->dma);
	*descriptors = 0;
	for (q = 0; q < pub->soc->queues; q++)
		if (!lab_ctrl_next_buffer(nic->ctrl, q, &buf))
			*descriptors += buf.armed;
}

u64 lab_armed(struct lab_nic *nic)
{
	u64 bytes, descriptors;

	lab_ring_memory(nic, &bytes, &descriptors);
	return descriptors;
}

static void add_pools(struct lab_nic *nic, struct lab_counts *counts)
{
	struct page_pool_stats stats = {};
	struct page_pool *pool;
	unsigned int q;

	for (q = 0; q < nic->soc->queues; q++) {
		pool = lab_pool(nic, q);
		if (!pool)
			continue;
		page_pool_get_stats(pool, &stats);	/* adds up */
		counts->pages += READ_ONCE(pool->pages_state_hold_cnt);
	}
	counts->recycled_cached = stats.recycle_stats.cached;
	counts->recycled = stats.recycle_stats.cached + stats.recycle_stats.ring;
}

void lab_counts(struct lab_nic *pub, struct lab_counts *counts)
{
	const struct lab_dma_stats *dma = &pub->dma->stats;
	const struct lab_ctrl *ctrl = to_nic(pub)->ctrl;

	*counts = (struct lab_counts){
		.dma_lines_for_device = dma->lines_for_device,
		.dma_lines_for_cpu = dma->lines_for_cpu,
		.dma_sync_calls = dma->sync_calls,
		.dma_empty_syncs = dma->empty_syncs,
		.dma_maps = dma->maps,
		.dma_unmaps = dma->unmaps,
		.mmio_reads = ctrl->mmio->reads,
		.mmio_writes = ctrl->mmio->writes,
		.irqs = ctrl->irqs,
		.link_events = atomic_read(&pub->ndev->carrier_up_count) +
			       atomic_read(&pub->ndev->carrier_down_count),
		.gated = ctrl->mmio->gated,
	};
	add_pools(pub, counts);
}

void lab_figure(struct lab_nic *nic, const char *workload, unsigned int batch,
		const char *metric, u64 sum, u64 frames)
{
	const char *class = strchr(nic->target->name, '/') + 1;

	kunit_info(nic->test, "figure {\"soc\":\"%s\",\"class\":\"%s\",\"workload\":\"%s\",\"batch\":%u,\"metric\":\"%s\",\"sum\":%llu,\"frames\":%llu}\n",
		   nic->soc->name, class, workload, batch, metric, sum, frames);
}

/* One counter of ethtool -S; false when the driver has none of that name. */
bool lab_ethtool_stat(struct net_device *ndev, const char *name, u64 *value)
{
	const struct ethtool_ops *ops = ndev->ethtool_ops;
	bool found = false;
	u8 *names;
	u64 *data;
	int n, i;

	n = ops->get_sset_count(ndev, ETH_SS_STATS);
	if (n <= 0)
		return false;
	names = kcalloc(n, ETH_GSTRING_LEN, GFP_KERNEL);
	data = kcalloc(n, sizeof(*data), GFP_KERNEL);
	if (names && data) {
		rtnl_lock();
		ops->get_strings(ndev, ETH_SS_STATS, names);
		ops->get_ethtool_stats(ndev, NULL, data);
		rtnl_unlock();
		for (i = 0; i < n && !found; i++) {
			found = !strncmp(names + i * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN);
			*value = data[i];
		}
	}
	kfree(names);
	kfree(data);
	return found;
}

u64 lab_stat(struct lab_nic *nic, const char *name)
{
	u64 value = 0;

	KUNIT_ASSERT_TRUE_MSG(nic->test, lab_ethtool_stat(nic->ndev, name, &value),
			      "the driver has no counter %s", name);
	return value;
}
