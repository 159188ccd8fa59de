// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DMA API of a device of the lab, and the device's own accesses.
 *
 * The operations have to be in place before the driver calls dma_set_mask():
 * that call decides once whether the device needs syncs at all.
 */
#include <linux/dma-map-ops.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "dma.h"

static LIST_HEAD(lab_dma_list);

static struct lab_dma *dma_of(struct device *dev)
{
	struct lab_dma *dma;

	list_for_each_entry(dma, &lab_dma_list, node)
		if (dma->dev == dev)
			return dma;
	/* the operations were set for no other device */
	WARN(1, "poolstack: %s is no device of the lab\n", dev_name(dev));
	return NULL;
}

static const char * const violation_names[LAB_V_MAX] = {
	[LAB_V_DEVICE_WRITE_DIRTY] = "device wrote to a dirty line",
	[LAB_V_DEVICE_READ_STALE] = "device read bytes not cleaned",
	[LAB_V_DIRTY_LOST] = "sync_for_cpu lost what the CPU wrote",
	[LAB_V_CPU_STALE] = "CPU reads a stale line",
	[LAB_V_DIRECTION] = "device access against the direction",
	[LAB_V_UNMAPPED] = "device given an address not mapped",
	[LAB_V_SYNC_DIRECTION] = "sync or unmap with another direction",
	[LAB_V_SYNC_RANGE] = "sync outside a mapping",
	[LAB_V_UNMAP] = "unmap of what is not mapped",
	[LAB_V_DOORBELL] = "doorbell against an erratum",
	[LAB_V_DESCRIPTOR] = "descriptor the controller cannot use",
	[LAB_V_PAGE] = "page given to the controller has another owner",
};

const char *lab_violation_name(enum lab_violation which)
{
	return violation_names[which];
}

/**
 * lab_dma_violation() - note that a rule was broken
 * @dma: the device's memory.
 * @type: which rule.
 * @map: the mapping concerned, or NULL.
 * @off: first bad byte of it, or of the address.
 * @len: bad bytes.
 * @dir: direction of the access.
 */
void lab_dma_violation(struct lab_dma *dma, enum lab_violation type,
		       const struct lab_map *map, u32 off, u32 len,
		       enum dma_data_direction dir)
{
	unsigned long flags;

	spin_lock_irqsave(&dma->event_lock, flags);
	dma->violations[type]++;
	if (dma->events < LAB_DMA_EVENTS)
		dma->event[dma->events++] = (struct lab_dma_event){
			.type = type,
			.addr = map ? map->iova : 0,
			.off = off,
			.len = len,
			.map_dir = map ? map->dir : DMA_NONE,
			.dir = dir,
		};
	spin_unlock_irqrestore(&dma->event_lock, flags);
}

/* ---- the DMA API -------------------------------------------------------- */

static void *op_alloc(struct device *dev, size_t size, dma_addr_t *handle, gfp_t gfp,
		      unsigned long attrs)
{
	struct lab_dma *dma = dma_of(dev);
	struct lab_map *map;
	void *cpu;

	cpu = alloc_pages_exact(size, gfp | __GFP_ZERO);
	if (!cpu)
		return NULL;
	map = lab_map_new(dma, cpu, size, DMA_BIDIRECTIONAL, true, gfp);
	if (!map) {
		free_pages_exact(cpu, size);
		return NULL;
	}
	*handle = map->iova;
	return cpu;
}

static void op_free(struct device *dev, size_t size, void *cpu, dma_addr_t handle,
		    unsigned long attrs)
{
	struct lab_dma *dma = dma_of(dev);
	struct lab_map *map;
	unsigned long flags;

	spin_lock_irqsave(&dma->lock, flags);
	map = lab_map_find(dma, handle, size);
	if (map && map->coherent && map->cpu == cpu && map->size == size)
		lab_map_del(dma, map);
	else
		lab_dma_violation(dma, LAB_V_UNMAP, map, 0, size, DMA_NONE);
	spin_unlock_irqrestore(&dma->lock, flags);
	free_pages_exact(cpu, size);
}

static dma_addr_t op_map(struct device *dev, phys_addr_t phys, size_t size,
			 enum dma_data_direction dir, unsigned long attrs)
{
	struct lab_dma *dma = dma_of(dev);
	unsigned long flags;
	struct lab_map *map;

	if (lab_map_refused())
		return DMA_MAPPING_ERROR;
	map = lab_map_new(dma, phys_to_virt(phys), size, dir, false, GFP_ATOMIC);
	if (!map)
		return DMA_MAPPING_ERROR;

	spin_lock_irqsave(&dma->lock, flags);
	dma->stats.maps++;
	if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC)) {
		dma->stats.lines_for_device += lab_cache_lines(map, 0, size);
		lab_cache_for_device(dma, map, 0, size, dir);
	}
	spin_unlock_irqrestore(&dma->lock, flags);
	return map->iova;
}

static void op_unmap(struct device *dev, dma_addr_t addr, size_t size,
		     enum dma_data_direction dir, unsigned long attrs)
{
	struct lab_dma *dma = dma_of(dev);
	struct lab_map *map;
	unsigned long flags;

	lab_buffer_released(dma, addr, size);
	spin_lock_irqsave(&dma->lock, flags);
	dma->stats.unmaps++;
	map = lab_map_find(dma, addr, size);
	if (!map || map->coherent || map->iova != addr || map->size != size) {
		lab_dma_violation(dma, LAB_V_UNMAP, map, lower_32_bits(addr), size, dir);
		goto out;
	}
	if (map->dir != dir)
		lab_dma_violation(dma, LAB_V_SYNC_DIRECTION, map, 0, size, dir);
	if (!(attrs & DMA_ATTR_SKIP_CPU_SYNC) && dir != DMA_TO_DEVICE) {
		dma->stats.lines_for_cpu += lab_cache_lines(map, 0, size);
		lab_cache_for_cpu(dma, map, 0, size, dir);
	}
	lab_map_del(dma, map);
out:
	spin_unlock_irqrestore(&dma->lock, flags);
}

/* The mapping that a sync names, or NULL after noting what is wrong with it. */
static struct lab_map *sync_target(struct lab_dma *dma, dma_addr_t addr, size_t size,
				   enum dma_data_direction dir)
{
	struct lab_map *map = lab_map_find(dma, addr, size);

	if (!map || map->coherent) {
		lab_dma_violation(dma, LAB_V_SYNC_RANGE, map, lower_32_bits(addr), size, dir);
		return NULL;
	}
	/* the rule of check_sync() in kernel/dma/debug.c */
	if (map->dir != DMA_BIDIRECTIONAL && map->dir != dir)
		lab_dma_violation(dma, LAB_V_SYNC_DIRECTION, map, addr - map->iova, size, dir);
	return map;
}

static void do_sync(struct device *dev, dma_addr_t addr, size_t size,
		    enum dma_data_direction dir, bool for_device)
{
	struct lab_dma *dma = dma_of(dev);
	struct lab_map *map;
	unsigned long flags;
	size_t off;

	spin_lock_irqsave(&dma->lock, flags);
	dma->stats.sync_calls++;
	dma->stats.empty_syncs += !size;
	map = sync_target(dma, addr, size, dir);
	if (!map || !size)
		goto unlock;

	off = addr - map->iova;
	if (for_device) {
		dma->stats.lines_for_device += lab_cache_lines(map, off, size);
		lab_cache_for_device(dma, map, off, size, dir);
	} else {
		dma->stats.lines_for_cpu += lab_cache_lines(map, off, size);
		lab_cache_for_cpu(dma, map, off, size, dir);
	}
unlock:
	spin_unlock_irqrestore(&dma->lock, flags);
}

static void op_sync_for_cpu(struct device *dev, dma_addr_t addr, size_t size,
			    enum dma_data_direction dir)
{
	do_sync(dev, addr, size, dir, false);
}

static void op_sync_for_device(struct device *dev, dma_addr_t addr, size_t size,
			       enum dma_data_direction dir)
{
	do_sync(dev, addr, size, dir, true);
}

static int op_map_sg(struct device *dev, struct scatterlist *sgl, int nents,
		     enum dma_data_direction dir, unsigned long attrs)
{
	return -EOPNOTSUPP;	/* no Ethernet driver of the lab asks for it */
}

static int op_supported(struct device *dev, u64 mask)
{
	return mask >= DMA_BIT_MASK(32);
}

static const struct dma_map_ops lab_dma_ops = {
	.alloc = op_alloc,
	.free = op_free,
	.map_phys = op_map,
	.unmap_phys = op_unmap,
	.map_sg = op_map_sg,
	.sync_single_for_cpu = op_sync_for_cpu,
	.sync_single_for_device = op_sync_for_device,
	.dma_supported = op_supported,
};

/* ---- the device --------------------------------------------------------- */

/*
 * The mapping that the device accesses, or NULL. Notes what is wrong with it;
 * an access against the direction still takes place.
 */
static struct lab_map *device_target(struct lab_dma *dma, dma_addr_t addr, size_t len,
				     enum dma_data_direction dir)
{
	struct lab_map *map = lab_map_find(dma, addr, len);

	if (!map)
		lab_dma_violation(dma, LAB_V_UNMAPPED, NULL, lower_32_bits(addr), len, dir);
	else if (map->dir != DMA_BIDIRECTIONAL && map->dir != dir)
		lab_dma_violation(dma, LAB_V_DIRECTION, map, addr - map->iova, len, dir);
	return map;
}

/**
 * lab_dma_write() - the device writes
 * @dma: the device's memory.
 * @addr: address as the driver gave it to the device.
 * @buf: what it writes.
 * @len: bytes, 1 or more.
 *
 * Return: 0, -EFAULT when the range is not mapped (nothing is written).
 */
int lab_dma_write(struct lab_dma *dma, dma_addr_t addr, const void *buf, size_t len)
{
	struct lab_map *map;
	unsigned long flags;

	spin_lock_irqsave(&dma->lock, flags);
	map = device_target(dma, addr, len, DMA_FROM_DEVICE);
	if (map && map->coherent)
		memcpy(map->cpu + (addr - map->iova), buf, len);
	else if (map)
		lab_cache_device_write(dma, map, addr - map->iova, buf, len);
	spin_unlock_irqrestore(&dma->lock, flags);
	return map ? 0 : -EFAULT;
}

/**
 * lab_dma_read() - the device reads
 * @dma: the device's memory.
 * @addr: address as the driver gave it to the device.
 * @buf: where it goes.
 * @len: bytes, 1 or more.
 *
 * Return: 0, -EFAULT when the range is not mapped (@buf is then filled).
 */
int lab_dma_read(struct lab_dma *dma, dma_addr_t addr, void *buf, size_t len)
{
	struct lab_map *map;
	unsigned long flags;

	spin_lock_irqsave(&dma->lock, flags);
	map = device_target(dma, addr, len, DMA_TO_DEVICE);
	if (!map)
		memset(buf, 0xee, len);
	else if (map->coherent)
		memcpy(buf, map->cpu + (addr - map->iova), len);
	else
		lab_cache_device_read(dma, map, addr - map->iova, buf, len);
	spin_unlock_irqrestore(&dma->lock, flags);
	return map ? 0 : -EFAULT;
}

/**
 * lab_dma_hand_over() - the device was given a buffer to write to
 * @dma: the device's memory.
 * @addr: start of the buffer.
 * @len: how many bytes the device may write there.
 *
 * The model calls it once for each time a buffer is armed.
 */
void lab_dma_hand_over(struct lab_dma *dma, dma_addr_t addr, size_t len)
{
	struct lab_map *map;
	unsigned long flags;

	spin_lock_irqsave(&dma->lock, flags);
	map = device_target(dma, addr, len, DMA_FROM_DEVICE);
	if (map && !map->coherent) {
		lab_page_armed(dma, map, addr - map->iova, len);
		lab_cache_fill(dma, map, addr - map->iova, len);
	}
	spin_unlock_irqrestore(&dma->lock, flags);
}

/* CPU pointer to coherent memory of the device, NULL when it is none. */
void *lab_dma_coherent(struct lab_dma *dma, dma_addr_t addr, size_t len)
{
	void *cpu = NULL;
	unsigned long flags;
	struct lab_map *map;

	spin_lock_irqsave(&dma->lock, flags);
	map = lab_map_find(dma, addr, len);
	if (map && map->coherent)
		cpu = map->cpu + (addr - map->iova);
	spin_unlock_irqrestore(&dma->lock, flags);
	return cpu;
}

/* CPU pointer and direction of a streaming mapping, NULL when it is none. */
void *lab_dma_cpu(struct lab_dma *dma, dma_addr_t addr, enum dma_data_direction *dir)
{
	void *cpu = NULL;
	unsigned long flags;
	struct lab_map *map;

	spin_lock_irqsave(&dma->lock, flags);
	map = lab_map_find(dma, addr, 1);
	if (map && !map->coherent) {
		cpu = map->cpu + (addr - map->iova);
		*dir = map->dir;
	}
	spin_unlock_irqrestore(&dma->lock, flags);
	return cpu;
}

/* ---- life --------------------------------------------------------------- */

struct lab_dma *lab_dma_create(enum lab_cache cache, unsigned int line)
{
	struct lab_dma *dma = kzalloc_obj(*dma);

	if (!dma)
		return NULL;
	spin_lock_init(&dma->lock);
	spin_lock_init(&dma->event_lock);
	dma->cache = cache;
	dma->line = line;
	if (lab_map_init(dma)) {
		kfree(dma);
		return NULL;
	}
	return dma;
}

/* Put the model between the device and its memory, before its driver probes. */
void lab_dma_attach(struct lab_dma *dma, struct device *dev)
{
	dma->dev = dev;
	dma->old_ops = get_dma_ops(dev);
	list_add(&dma->node, &lab_dma_list);
	set_dma_ops(dev, &lab_dma_ops);
}

/* Take it away again, after the driver is unbound and before the device goes. */
void lab_dma_detach(struct lab_dma *dma)
{
	set_dma_ops(dma->dev, dma->old_ops);
	list_del(&dma->node);
	dma->dev = NULL;
}

void lab_dma_destroy(struct lab_dma *dma)
{
	/* the device went without a case ever holding it */
	if (dma->dev)
		list_del(&dma->node);
	lab_pools_forget(dma);
	lab_map_exit(dma);
	kfree(dma);
}
