// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a device and the addresses they are given.
 *
 * Each mapping has 64 KiB slots of its own and slots are handed out round
 * robin: an access past the end, or after the unmap, meets no mapping instead
 * of somebody else's. A device that has more than 32 address bits gets buffers
 * all over them, so that a wrong high part meets none, too.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "dma.h"

#define SLOT_SHIFT	16
#define SLOT_SIZE	BIT(SLOT_SHIFT)
#define FIRST_SLOT	0x1000		/* addresses start at 256 MiB */
#define NR_SLOTS	0x10000		/* and end below 4 GiB, in each of these: */
#define NR_HIGH		16		/* address bits 32 to 35, by turns */

/* Whether the mapping holds page_pool memory: a page in flight when it stays. */
static bool is_pool_memory(const struct lab_map *map)
{
	return !map->coherent && page_pool_page_is_pp(virt_to_head_page(map->cpu));
}

static void free_map(struct lab_map *map)
{
	if (!map->coherent) {
		kfree(map->dram);
		kfree(map->snap);
		kfree(map->state);
	}
	kfree(map);
}

static struct lab_map *alloc_map(void *cpu, size_t size, bool coherent, gfp_t gfp)
{
	struct lab_map *map;

	map = kzalloc_obj(*map, gfp);
	if (!map)
		return NULL;
	map->cpu = cpu;
	map->size = size;
	map->coherent = coherent;
	if (coherent) {
		map->dram = cpu;
		return map;
	}
	map->dram = kmalloc(size, gfp);
	map->snap = kmalloc(size, gfp);
	map->state = kmalloc(size, gfp);
	if (!map->dram || !map->snap || !map->state) {
		free_map(map);
		return NULL;
	}
	/* whoever had the memory before may have left any line dirty */
	memset(map->state, LAB_BYTE_HELD, size);
	memset(map->dram, 0xa5, size);
	return map;
}

static unsigned int slot_of(dma_addr_t addr)
{
	return lower_32_bits(addr) >> SLOT_SHIFT;
}

/* The part of an address above 32 bits. */
static dma_addr_t high_part(const struct lab_dma *dma, unsigned int slot, bool coherent)
{
	u64 mask;

	if (!dma->dev)
		return 0;
	mask = coherent ? dma->dev->coherent_dma_mask : dma_get_mask(dma->dev);
	return (dma_addr_t)(slot % NR_HIGH) << 32 & mask;
}

/* First slot of a free run of @want, 0 if there is none. */
static unsigned int find_slots(struct lab_dma *dma, unsigned int want)
{
	unsigned int first = dma->next_slot, run = 0, seen;

	for (seen = 0; seen < NR_SLOTS; seen++) {
		if (first + run >= NR_SLOTS) {
			first = FIRST_SLOT;
			run = 0;
		}
		if (dma->slot[first + run]) {
			first += run + 1;
			run = 0;
		} else if (++run == want) {
			return first;
		}
	}
	return 0;
}

/**
 * lab_map_new() - map CPU memory for the device
 * @dma: the device's memory.
 * @cpu: memory in the direct map.
 * @size: bytes.
 * @dir: direction it may be accessed in.
 * @coherent: the device sees what the CPU writes, nothing is ever dirty.
 * @gfp: how to allocate the shadow.
 *
 * Return: the mapping, its bytes in unknown state, or NULL without memory or
 * addresses.
 */
struct lab_map *lab_map_new(struct lab_dma *dma, void *cpu, size_t size,
			    enum dma_data_direction dir, bool coherent, gfp_t gfp)
{
	size_t low = offset_in_page(cpu);
	unsigned int first, i;
	struct lab_map *map;
	unsigned long flags;

	map = alloc_map(cpu, size, coherent, gfp);
	if (!map)
		return NULL;
	map->dir = dir;
	map->slots = DIV_ROUND_UP(low + size, SLOT_SIZE);

	spin_lock_irqsave(&dma->lock, flags);
	first = find_slots(dma, map->slots);
	if (first) {
		for (i = 0; i < map->slots; i++)
			dma->slot[first + i] = map;
		dma->next_slot = first + map->slots;
		map->iova = ((dma_addr_t)first << SLOT_SHIFT) + low +
			    high_part(dma, first, coherent);
		if (coherent)
			dma->live_coherent++;
		else
			dma->live++;
	}
	spin_unlock_irqrestore(&dma->lock, flags);

	if (!first) {
		free_map(map);
		return NULL;
	}
	return map;
}

/* Take a mapping away; its addresses are not used again for a while. */
void lab_map_del(struct lab_dma *dma, struct lab_map *map)
{
	unsigned int first = slot_of(map->iova), i;

	for (i = 0; i < map->slots; i++)
		dma->slot[first + i] = NULL;
	if (map->coherent)
		dma->live_coherent--;
	else
		dma->live--;
	free_map(map);
}

/* The mapping that holds all of [addr, addr + len), or NULL. */
struct lab_map *lab_map_find(struct lab_dma *dma, dma_addr_t addr, size_t len)
{
	struct lab_map *map;

	map = dma->slot[slot_of(addr)];
	if (!map || addr < map->iova || addr + len > map->iova + map->size)
		return NULL;
	return map;
}

/* Count the live mappings of page_pool memory. */
unsigned int lab_map_live_pool(struct lab_dma *dma)
{
	unsigned int i, n = 0;

	for (i = FIRST_SLOT; i < NR_SLOTS && dma->live; i++) {
		struct lab_map *map = dma->slot[i];

		if (map && slot_of(map->iova) == i && is_pool_memory(map))
			n++;
	}
	return n;
}

/* Bytes of page_pool memory that are mapped. */
u64 lab_map_pool_bytes(struct lab_dma *dma)
{
	u64 bytes = 0;
	unsigned int i;

	for (i = FIRST_SLOT; i < NR_SLOTS; i++) {
		struct lab_map *map = dma->slot[i];

		if (map && slot_of(map->iova) == i && is_pool_memory(map))
			bytes += map->size;
	}
	return bytes;
}

/* Slots of a device that is gone, all empty: to make them takes longer than many a case. */
static struct lab_map **spare;

int lab_map_init(struct lab_dma *dma)
{
	dma->next_slot = FIRST_SLOT;
	dma->slot = xchg(&spare, NULL);
	if (!dma->slot)
		dma->slot = vcalloc(NR_SLOTS, sizeof(*dma->slot));
	return dma->slot ? 0 : -ENOMEM;
}

/* Forget all mappings, also those that a driver left behind. */
void lab_map_exit(struct lab_dma *dma)
{
	unsigned int i;

	for (i = FIRST_SLOT; i < NR_SLOTS && dma->live + dma->live_coherent; i++)
		if (dma->slot[i])
			lab_map_del(dma, dma->slot[i]);
	vfree(xchg(&spare, dma->slot));
}
