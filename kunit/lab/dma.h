/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory as one non-coherent device sees it.
 *
 * CPU memory plays the cache: it is what the CPU reads and writes. ->dram is
 * what the device reads and writes. ->snap is what the cache held after the
 * last clean or invalidate: a byte that differs from it was written by the CPU
 * since. Three files share this header: dma_map.c (mappings and addresses),
 * dma_cache.c (what maintenance does), dma.c (the DMA API and the device).
 */
#ifndef POOLSTACK_DMA_H
#define POOLSTACK_DMA_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "lab.h"

/* state of one byte of a mapping */
#define LAB_BYTE_KNOWN	BIT(0)	/* ->snap holds it: not dirty by default */
#define LAB_BYTE_HELD	BIT(1)	/* the CPU may have it in its cache */
#define LAB_BYTE_SPILLED BIT(2)	/* written back by chance, by no sync */

struct lab_map {
	dma_addr_t iova;
	size_t size;
	u8 *cpu;
	u8 *dram;			/* == cpu for coherent memory */
	u8 *snap;
	u8 *state;			/* LAB_BYTE_* */
	enum dma_data_direction dir;
	bool coherent;
	unsigned int slots;
	u32 generation;			/* of the fill, see lab_cache_fill() */
	bool pool;			/* of a page_pool when it was armed */
};

struct lab_dma_event {
	enum lab_violation type;
	dma_addr_t addr;		/* of the mapping, 0 if none */
	u32 off, len;
	enum dma_data_direction map_dir, dir;
};

#define LAB_DMA_EVENTS	16
#define LAB_DMA_RECENT	16

/* When lines move by themselves, see lab_adversary(). */
enum lab_moment {
	LAB_MOMENT_ARMED,		/* the device was given the buffer */
	LAB_MOMENT_BEFORE_WRITE,	/* the device is about to write */
	LAB_MOMENT_AMID_WRITE,		/* it has written the first lines */
	LAB_MOMENT_AFTER_WRITE,
	LAB_MOMENT_BEFORE_READ,		/* the device is about to read */
	LAB_MOMENT_FOR_CPU,		/* after sync_for_cpu, before the CPU reads */
	LAB_MOMENT_IDLE,		/* none of these */
	LAB_MOMENTS
};

/* A run of bytes of a mapping. */
struct lab_span {
	size_t off, len;
};

struct lab_dma_stats {
	u64 maps, unmaps;
	u64 sync_calls, empty_syncs;	/* the second are among the first */
	u64 lines_for_device, lines_for_cpu;
};

struct lab_dma {
	struct device *dev;
	const struct dma_map_ops *old_ops;
	struct list_head node;
	spinlock_t lock;		/* statistics and mappings, any context */
	enum lab_cache cache;
	unsigned int line;
	bool evict;
	bool stack_holds;		/* programs have the frames, see lab_page_armed() */
	bool adverse;			/* the next three, see adversary.c */
	struct lab_rand rand;
	dma_addr_t recent[LAB_DMA_RECENT];
	struct lab_dma_stats stats;
	spinlock_t event_lock;		/* the next three; nests in ->lock */
	u64 violations[LAB_V_MAX];
	struct lab_dma_event event[LAB_DMA_EVENTS];
	unsigned int events;
	unsigned int live, live_coherent;
	unsigned int next_slot;
	struct lab_map **slot;
};

/* dma_map.c; callers hold no lock for new, ->lock for find and del */
struct lab_map *lab_map_new(struct lab_dma *dma, void *cpu, size_t size,
			    enum dma_data_direction dir, bool coherent, gfp_t gfp);
void lab_map_del(struct lab_dma *dma, struct lab_map *map);
struct lab_map *lab_map_find(struct lab_dma *dma, dma_addr_t addr, size_t len);
unsigned int lab_map_live_pool(struct lab_dma *dma);
u64 lab_map_pool_bytes(struct lab_dma *dma);
int lab_map_init(struct lab_dma *dma);
void lab_map_exit(struct lab_dma *dma);

/* dma_cache.c; callers hold ->lock, [off, off + len) lies in the mapping */
u64 lab_cache_lines(const struct lab_map *map, size_t off, size_t len);
void lab_cache_for_device(struct lab_dma *dma, struct lab_map *map, size_t off,
			  size_t len, enum dma_data_direction dir);
void lab_cache_for_cpu(struct lab_dma *dma, struct lab_map *map, size_t off,
		       size_t len, enum dma_data_direction dir);
void lab_cache_device_write(struct lab_dma *dma, struct lab_map *map, size_t off,
			    const void *buf, size_t len);
void lab_cache_device_read(struct lab_dma *dma, struct lab_map *map, size_t off,
			   void *buf, size_t len);
void lab_cache_fill(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len);

/* the same, for one line */
struct lab_span lab_line_at(const struct lab_dma *dma, const struct lab_map *map, size_t i);
bool lab_line_dirty(const struct lab_map *map, struct lab_span line);
void lab_line_spill(struct lab_map *map, struct lab_span line);
void lab_line_fetch(struct lab_map *map, struct lab_span line);

/* adversary.c; callers hold ->lock, except for idle */
void lab_adversary_moment(struct lab_dma *dma, struct lab_map *map, size_t off,
			  size_t len, enum lab_moment moment);
size_t lab_adversary_cut(struct lab_dma *dma, const struct lab_map *map, size_t off,
			 size_t len);
void lab_adversary_idle(struct lab_dma *dma);

/* dma.c */
struct lab_dma *lab_dma_create(enum lab_cache cache, unsigned int line);
void lab_dma_destroy(struct lab_dma *dma);
void lab_dma_attach(struct lab_dma *dma, struct device *dev);
void lab_dma_detach(struct lab_dma *dma);
void lab_dma_violation(struct lab_dma *dma, enum lab_violation type,
		       const struct lab_map *map, u32 off, u32 len,
		       enum dma_data_direction dir);
const char *lab_violation_name(enum lab_violation which);

int lab_dma_write(struct lab_dma *dma, dma_addr_t addr, const void *buf, size_t len);
int lab_dma_read(struct lab_dma *dma, dma_addr_t addr, void *buf, size_t len);
void lab_dma_hand_over(struct lab_dma *dma, dma_addr_t addr, size_t len);
void *lab_dma_coherent(struct lab_dma *dma, dma_addr_t addr, size_t len);
void *lab_dma_cpu(struct lab_dma *dma, dma_addr_t addr, enum dma_data_direction *dir);

/* pools.c; the first with ->lock held */
void lab_page_armed(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len);
void lab_pools_forget(struct lab_dma *dma);

/* adverse.c */
bool lab_map_refused(void);
void lab_buffer_released(struct lab_dma *dma, dma_addr_t addr, size_t size);

#endif
