// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chance: which lines move by themselves, and when the controller gets to it.
 *
 * ARM ARM (DDI 0406C B2.2, DDI 0487 B2.7): a line may be evicted at any time, and
 * any cacheable normal memory may be fetched speculatively. An ARM926EJ-S (DDI
 * 0198) fetches what an instruction asks for only.
 */
#include <linux/jhash.h>
#include <linux/slab.h>

#include "nic.h"
#include "param.h"

static bool adversary;
module_param(adversary, bool, 0444);
MODULE_PARM_DESC(adversary, "lab_adversary() for every case, for experiments");

/* Numbers for one purpose of one case, if there is one, on one target. */
static void rand_init(struct lab_rand *rand, struct lab_nic *nic, u32 purpose)
{
	const char *test = nic->test ? nic->test->name : "";
	u32 name = jhash(test, strlen(test), purpose);

	lab_rand_init(rand, jhash(nic->target->name, strlen(nic->target->name), name));
}

u32 lab_roll(struct lab_nic *nic, u32 n)
{
	return lab_rand_below(&to_nic(nic)->rand, n);
}

/* ---- lines -------------------------------------------------------------- */

/* in eighths */
static const struct {
	u8 spill, fetch;
} chances[LAB_MOMENTS] = {
	[LAB_MOMENT_ARMED]		= { 2, 2 },
	[LAB_MOMENT_BEFORE_WRITE]	= { 1, 0 },
	[LAB_MOMENT_AMID_WRITE]		= { 2, 3 },
	[LAB_MOMENT_AFTER_WRITE]	= { 5, 2 },
	[LAB_MOMENT_BEFORE_READ]	= { 4, 0 },
	[LAB_MOMENT_FOR_CPU]		= { 4, 4 },
	[LAB_MOMENT_IDLE]		= { 1, 1 },
};

/**
 * lab_adversary_moment() - lines may move
 * @dma: the device's memory, locked.
 * @map: a streaming mapping.
 * @off: first byte.
 * @len: bytes, 1 or more.
 * @moment: what is happening to these bytes.
 */
void lab_adversary_moment(struct lab_dma *dma, struct lab_map *map, size_t off,
			  size_t len, enum lab_moment moment)
{
	bool speculates = lab_cache_speculates(dma->cache);
	struct lab_span line;
	size_t i;
	u32 roll;

	if (!dma->adverse)
		return;
	if (moment == LAB_MOMENT_ARMED)
		dma->recent[lab_rand_below(&dma->rand, LAB_DMA_RECENT)] = map->iova;

	for (i = off; i < off + len; i = line.off + line.len) {
		line = lab_line_at(dma, map, i);
		roll = lab_rand_below(&dma->rand, 8);
		if (roll >= chances[moment].spill && roll >= chances[moment].fetch)
			continue;
		if (lab_line_dirty(map, line)) {
			if (roll < chances[moment].spill)
				lab_line_spill(map, line);
		} else if (speculates && roll < chances[moment].fetch) {
			lab_line_fetch(map, line);
		}
	}
}

/**
 * lab_adversary_cut() - how much of a write the device does first
 * @dma: the device's memory, locked.
 * @map: the mapping.
 * @off: first byte.
 * @len: bytes.
 *
 * Bursts end with a line (AXI: not over 4 KiB, and a master may well stop at
 * any beat; lines are what the CPU's cache can tell apart).
 *
 * Return: bytes up to the end of a line, or @len.
 */
size_t lab_adversary_cut(struct lab_dma *dma, const struct lab_map *map, size_t off,
			 size_t len)
{
	struct lab_span line;

	if (!dma->adverse)
		return len;
	line = lab_line_at(dma, map, off + lab_rand_below(&dma->rand, len));
	return min(line.off + line.len - off, len);
}

/**
 * lab_adversary_idle() - time passes
 * @dma: the device's memory, not locked.
 *
 * Looks at one of the buffers that were armed lately, wherever it is now: with
 * the device, with the CPU, or given back.
 */
void lab_adversary_idle(struct lab_dma *dma)
{
	unsigned long flags;
	struct lab_map *map;
	dma_addr_t addr;

	if (!dma->adverse)
		return;
	spin_lock_irqsave(&dma->lock, flags);
	addr = dma->recent[lab_rand_below(&dma->rand, LAB_DMA_RECENT)];
	map = lab_map_find(dma, addr, 1);
	if (map && !map->coherent)
		lab_adversary_moment(dma, map, 0, map->size, LAB_MOMENT_IDLE);
	spin_unlock_irqrestore(&dma->lock, flags);
}

/* ---- frames ------------------------------------------------------------- */

/*
 * A frame held back must find a buffer when it is let go, since the case was
 * told that it has been taken.
 */
static bool has_room(struct nic *nic, unsigned int queue, u32 len)
{
	struct lab_buffer buf;
	u32 each;

	if (lab_ctrl_next_buffer(nic->ctrl, queue, &buf) || !buf.len)
		return false;
	/* shift and FCS come on top of it, and other frames wait as well */
	each = DIV_ROUND_UP(LAB_MAX_FRAME, buf.len);
	return buf.armed > (nic->late.held[queue] + 1) * min(each, 16u);
}

/**
 * lab_late_hold() - whether a frame stays on the wire for now
 * @nic: the NIC.
 * @queue: its queue.
 * @frame: the frame, copied.
 * @len: its length.
 *
 * Context: the case's task.
 *
 * Return: true: it is kept, and lab_late_arrive() brings it.
 */
bool lab_late_hold(struct nic *nic, unsigned int queue, const u8 *frame, u32 len)
{
	struct lab_frame *late;

	if (!nic->late.on || queue >= LAB_LATE_QUEUES)
		return false;
	if (lab_rand_below(&nic->late.rand, 2) || !has_room(nic, queue, len)) {
		/* what came before goes first */
		while (lab_late_arrive(nic, queue))
			;
		return false;
	}
	late = kmalloc_flex(*late, data, len);
	if (!late)
		return false;
	late->len = len;
	late->queue = queue;
	memcpy(late->data, frame, len);
	list_add_tail(&late->node, &nic->late.frames);
	nic->late.held[queue]++;
	return true;
}

/**
 * lab_late_arrive() - a frame that was held back arrives
 * @nic: the NIC.
 * @queue: the oldest of this queue, or of one that chance names: -1.
 *
 * Context: the case's task.
 *
 * Return: false when there is none.
 */
bool lab_late_arrive(struct nic *nic, int queue)
{
	struct lab_frame *late, *chosen = NULL;
	unsigned int waiting = 0, q;

	if (queue < 0) {
		for (q = 0; q < LAB_LATE_QUEUES; q++)
			waiting += !!nic->late.held[q];
		if (!waiting)
			return false;
		waiting = lab_rand_below(&nic->late.rand, waiting);
		for (queue = 0; !nic->late.held[queue] || waiting--; queue++)
			;
	}
	list_for_each_entry(late, &nic->late.frames, node) {
		if (late->queue == queue) {
			chosen = late;
			break;
		}
	}
	if (!chosen)
		return false;
	list_del(&chosen->node);
	nic->late.held[queue]--;
	lab_arrive(nic, queue, chosen->data, chosen->len);
	kfree(chosen);
	return true;
}

/* The frames that are still on the wire get lost there. */
void lab_late_flush(struct nic *nic)
{
	struct lab_frame *late, *next;

	list_for_each_entry_safe(late, next, &nic->late.frames, node)
		kfree(late);
	INIT_LIST_HEAD(&nic->late.frames);
	memset(nic->late.held, 0, sizeof(nic->late.held));
}

/* ---- switch ------------------------------------------------------------- */

void lab_adversary(struct lab_nic *pub, bool on)
{
	struct nic *nic = to_nic(pub);
	unsigned long flags;

	if (!on)
		while (lab_late_arrive(nic, -1))
			;
	nic->late.on = on;
	spin_lock_irqsave(&pub->dma->lock, flags);
	pub->dma->adverse = on;
	spin_unlock_irqrestore(&pub->dma->lock, flags);
}

/* A NIC is taken: its numbers. */
void lab_adversary_init(struct nic *nic)
{
	static bool printed;

	if (!printed)
		pr_info("poolstack: seed %u, poolstack.seed=%u repeats it\n", lab_seed(),
			lab_seed());
	printed = true;
	INIT_LIST_HEAD(&nic->late.frames);
	rand_init(&nic->rand, &nic->pub, 1);
	rand_init(&nic->late.rand, &nic->pub, 2);
	rand_init(&nic->pub.dma->rand, &nic->pub, 3);
	rand_init(&nic->runner.rand, &nic->pub, 4);
	if (adversary)
		lab_adversary(&nic->pub, true);
}
