// SPDX-License-Identifier: GPL-2.0-only
/*
 * What cache maintenance does to the bytes of a mapping.
 *
 * A line is dirty when one of its bytes is: written by the CPU since the last
 * clean or invalidate, or in unknown state. Lines are those of CPU memory, cut
 * off at the ends of the mapping.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "dma.h"

/*
 * Buffers are long and mostly clean, and each byte is looked at many times a
 * frame: eight are looked at in one go where they are all alike.
 */
#define EACH(byte)	((byte) * 0x0101010101010101ULL)

static u64 eight(const u8 *at)
{
	return get_unaligned((const u64 *)at);
}

static bool byte_dirty(const struct lab_map *map, size_t i)
{
	return !(map->state[i] & LAB_BYTE_KNOWN) || map->cpu[i] != map->snap[i];
}

/* Dirty, or saved by luck: no sync has given it to the device. */
static bool byte_owed(const struct lab_map *map, size_t i)
{
	return map->state[i] & LAB_BYTE_SPILLED || byte_dirty(map, i);
}

/*
 * How many of the @len bytes from @i on, a multiple of eight, are neither dirty
 * nor have one of @flags.
 */
static size_t plain_bytes(const struct lab_map *map, size_t i, size_t len, u8 flags)
{
	u64 mask = EACH(LAB_BYTE_KNOWN | flags), known = EACH(LAB_BYTE_KNOWN);
	size_t n;

	for (n = 0; n + 8 <= len; n += 8)
		if ((eight(map->state + i + n) & mask) != known ||
		    eight(map->cpu + i + n) != eight(map->snap + i + n))
			break;
	return n;
}

/* The line that byte @i lies in. */
struct lab_span lab_line_at(const struct lab_dma *dma, const struct lab_map *map, size_t i)
{
	unsigned long base = (unsigned long)map->cpu;
	unsigned long s = max(rounddown(base + i, dma->line), base);
	unsigned long e = min(roundup(base + i + 1, dma->line), base + map->size);

	return (struct lab_span){ s - base, e - s };
}

static struct lab_span whole_lines(const struct lab_dma *dma, const struct lab_map *map,
				   size_t off, size_t len)
{
	struct lab_span first = lab_line_at(dma, map, off);
	struct lab_span last = lab_line_at(dma, map, off + len - 1);

	return (struct lab_span){ first.off, last.off + last.len - first.off };
}

/* Whether the CPU wrote to the line since it was last in memory. */
bool lab_line_dirty(const struct lab_map *map, struct lab_span line)
{
	size_t i = line.off + plain_bytes(map, line.off, line.len, 0);

	for (; i < line.off + line.len; i++)
		if (byte_dirty(map, i))
			return true;
	return false;
}

static void set_state(struct lab_map *map, struct lab_span s, u8 set, u8 clear)
{
	u8 *at = map->state + s.off, *end = at + s.len;

	for (; at + 8 <= end; at += 8)
		put_unaligned((eight(at) & ~EACH(clear)) | EACH(set), (u64 *)at);
	for (; at < end; at++)
		*at = (*at & ~clear) | set;
}

/* The cache's line goes to memory, whole, over what the device wrote there. */
static void write_back(struct lab_map *map, struct lab_span line)
{
	memcpy(map->dram + line.off, map->cpu + line.off, line.len);
	memcpy(map->snap + line.off, map->dram + line.off, line.len);
	set_state(map, line, LAB_BYTE_KNOWN, LAB_BYTE_SPILLED);
}

/**
 * lab_line_spill() - the cache needs room: a dirty line goes to memory
 * @map: the mapping.
 * @line: the line.
 *
 * What was dirty stays owed to the device: a sync must still name it. Memory
 * goes to ->snap, not the cache once more: a CPU that writes meanwhile has
 * written after the eviction.
 */
void lab_line_spill(struct lab_map *map, struct lab_span line)
{
	size_t i;

	for (i = line.off; i < line.off + line.len; i++)
		if (byte_dirty(map, i))
			map->state[i] |= LAB_BYTE_SPILLED;
	memcpy(map->dram + line.off, map->cpu + line.off, line.len);
	memcpy(map->snap + line.off, map->dram + line.off, line.len);
	set_state(map, line, LAB_BYTE_KNOWN, LAB_BYTE_HELD);
}

/**
 * lab_line_fetch() - the CPU speculates: a clean line comes from memory anew
 * @map: the mapping.
 * @line: the line, not dirty.
 *
 * Looks at each byte of the CPU once: another CPU may own the line, and then
 * nothing may be stored that was not read from memory.
 */
void lab_line_fetch(struct lab_map *map, struct lab_span line)
{
	size_t i;
	u8 now;

	for (i = line.off; i < line.off + line.len; i++) {
		now = READ_ONCE(map->cpu[i]);
		if (now != map->snap[i] || now == map->dram[i])
			continue;
		map->cpu[i] = map->dram[i];
		map->snap[i] = map->dram[i];
	}
}

/* The cache forgets lines; the CPU sees memory again. */
static void drop(struct lab_map *map, struct lab_span line)
{
	memcpy(map->cpu + line.off, map->dram + line.off, line.len);
	memcpy(map->snap + line.off, map->dram + line.off, line.len);
	set_state(map, line, LAB_BYTE_KNOWN, LAB_BYTE_HELD | LAB_BYTE_SPILLED);
}

static void clean(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len)
{
	struct lab_span line, all = whole_lines(dma, map, off, len);
	size_t i;

	if (!lab_line_dirty(map, all)) {
		set_state(map, all, 0, LAB_BYTE_SPILLED);
		return;
	}
	for (i = all.off; i < all.off + all.len; i += line.len) {
		line = lab_line_at(dma, map, i);
		/* cleaning a clean line writes nothing, however stale it is */
		if (lab_line_dirty(map, line))
			write_back(map, line);
		else
			set_state(map, line, 0, LAB_BYTE_SPILLED);
	}
}

/* Lines only partly in the range are cleaned first, on all three classes. */
static void invalidate(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len)
{
	struct lab_span all = whole_lines(dma, map, off, len);
	struct lab_span first = lab_line_at(dma, map, off);
	struct lab_span last = lab_line_at(dma, map, off + len - 1);

	if (first.off < off && lab_line_dirty(map, first))
		write_back(map, first);
	if (last.off + last.len > off + len && lab_line_dirty(map, last))
		write_back(map, last);
	drop(map, all);
}

/* One violation per access for all bytes owed in the lines it touches. */
static void report_dirty(struct lab_dma *dma, enum lab_violation type,
			 const struct lab_map *map, struct lab_span s,
			 enum dma_data_direction dir)
{
	size_t i, bad = 0, first = 0;

	for (i = s.off; i < s.off + s.len; i++) {
		i += plain_bytes(map, i, s.off + s.len - i, LAB_BYTE_SPILLED);
		if (i == s.off + s.len || !byte_owed(map, i))
			continue;
		if (!bad++)
			first = i;
	}
	if (bad)
		lab_dma_violation(dma, type, map, first, bad, dir);
}

/*
 * ARMv5 sync_for_cpu: nothing. From here on the CPU may read the bytes. Lines
 * it does not hold come from memory, lines it still holds, or wrote to, are what
 * they were.
 */
static void become_readable(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len)
{
	struct lab_span all = whole_lines(dma, map, off, len);
	size_t i, bad = 0, first = 0;

	for (i = all.off; i < all.off + all.len; i++) {
		if (!(map->state[i] & LAB_BYTE_HELD) && !byte_dirty(map, i)) {
			map->cpu[i] = map->dram[i];
			map->snap[i] = map->dram[i];
		} else if (i >= off && i < off + len && map->cpu[i] != map->dram[i]) {
			if (!bad++)
				first = i;
		}
	}
	set_state(map, all, LAB_BYTE_KNOWN | LAB_BYTE_HELD, 0);
	if (bad)
		lab_dma_violation(dma, LAB_V_CPU_STALE, map, first, bad, DMA_FROM_DEVICE);
}

/**
 * lab_cache_lines() - 64-byte lines that a range touches
 * @map: the mapping.
 * @off: first byte.
 * @len: bytes, 0 is no line.
 *
 * The unit of all counts, whatever line size the checker works with.
 *
 * Return: the number of lines.
 */
u64 lab_cache_lines(const struct lab_map *map, size_t off, size_t len)
{
	unsigned long first = (unsigned long)map->cpu + off;

	return len ? ((first + len - 1) >> 6) - (first >> 6) + 1 : 0;
}

/**
 * lab_cache_for_device() - the device owns the range next
 * @dma: the device's memory, locked.
 * @map: the mapping.
 * @off: first byte.
 * @len: bytes, 1 or more.
 * @dir: direction named in the call.
 */
void lab_cache_for_device(struct lab_dma *dma, struct lab_map *map, size_t off,
			  size_t len, enum dma_data_direction dir)
{
	if (dma->cache == LAB_CACHE_ARM64) {
		clean(dma, map, off, len);
		return;
	}
	if (dir != DMA_FROM_DEVICE)
		clean(dma, map, off, len);
	if (dir == DMA_FROM_DEVICE ||
	    (dir == DMA_BIDIRECTIONAL && !lab_cache_speculates(dma->cache)))
		invalidate(dma, map, off, len);
}

/**
 * lab_cache_for_cpu() - the CPU owns the range next
 * @dma: the device's memory, locked.
 * @map: the mapping.
 * @off: first byte.
 * @len: bytes, 1 or more.
 * @dir: direction named in the call.
 */
void lab_cache_for_cpu(struct lab_dma *dma, struct lab_map *map, size_t off,
		       size_t len, enum dma_data_direction dir)
{
	if (dir == DMA_TO_DEVICE)
		return;
	if (!lab_cache_speculates(dma->cache)) {
		/* what is evicted after this call is evicted before the read */
		lab_adversary_moment(dma, map, off, len, LAB_MOMENT_FOR_CPU);
		become_readable(dma, map, off, len);
		return;
	}
	report_dirty(dma, LAB_V_DIRTY_LOST, map, whole_lines(dma, map, off, len), dir);
	invalidate(dma, map, off, len);
	lab_adversary_moment(dma, map, off, len, LAB_MOMENT_FOR_CPU);
}

/**
 * lab_cache_device_write() - the device writes to memory
 * @dma: the device's memory, locked.
 * @map: the mapping.
 * @off: first byte.
 * @buf: what it writes.
 * @len: bytes, 1 or more.
 */
void lab_cache_device_write(struct lab_dma *dma, struct lab_map *map, size_t off,
			    const void *buf, size_t len)
{
	struct lab_span line, all = whole_lines(dma, map, off, len);
	size_t i, first = lab_adversary_cut(dma, map, off, len);

	report_dirty(dma, LAB_V_DEVICE_WRITE_DIRTY, map, all, DMA_FROM_DEVICE);
	lab_adversary_moment(dma, map, off, len, LAB_MOMENT_BEFORE_WRITE);
	memcpy(map->dram + off, buf, first);
	lab_adversary_moment(dma, map, off, len, LAB_MOMENT_AMID_WRITE);
	memcpy(map->dram + off + first, buf + first, len - first);
	lab_adversary_moment(dma, map, off, len, LAB_MOMENT_AFTER_WRITE);
	if (!dma->evict)
		return;
	for (i = all.off; i < all.off + all.len; i += line.len) {
		line = lab_line_at(dma, map, i);
		if (lab_line_dirty(map, line))
			write_back(map, line);
	}
}

/**
 * lab_cache_device_read() - the device reads from memory
 * @dma: the device's memory, locked.
 * @map: the mapping.
 * @off: first byte.
 * @buf: where it goes.
 * @len: bytes, 1 or more.
 *
 * Only the bytes read count: a dirty neighbour in the line does no harm.
 */
void lab_cache_device_read(struct lab_dma *dma, struct lab_map *map, size_t off,
			   void *buf, size_t len)
{
	report_dirty(dma, LAB_V_DEVICE_READ_STALE, map, (struct lab_span){ off, len },
		     DMA_TO_DEVICE);
	lab_adversary_moment(dma, map, off, len, LAB_MOMENT_BEFORE_READ);
	memcpy(buf, map->dram + off, len);
}

/* What byte @i of a buffer gets. */
static u8 content(u8 seed, size_t i)
{
	return seed + i * 37 + (i >> 8) * 11;
}

/* Eight sums of bytes that do not carry over. */
static u64 add_eight(u64 a, u64 b)
{
	const u64 low = EACH(0x7f);

	return ((a & low) + (b & low)) ^ ((a ^ b) & ~low);
}

/*
 * Give @len clean bytes of one 256 new contents, a multiple of eight.
 * @memory_only: the CPU keeps what it has of them.
 */
static void fill_plain(struct lab_map *map, size_t i, size_t len, u8 seed, bool memory_only)
{
	u64 word = add_eight(EACH((u64)content(seed, i)), 0x03deb9946f4a2500ULL);
	size_t end = i + len;

	for (; i < end; i += 8) {
		put_unaligned(word, (u64 *)(map->dram + i));
		if (!memory_only) {
			put_unaligned(word, (u64 *)(map->cpu + i));
			put_unaligned(word, (u64 *)(map->snap + i));
		}
		word = add_eight(word, EACH(8 * 37 & 0xff));
	}
}

/* How many of the @len bytes from @i on, a multiple of eight, the CPU holds as the first. */
static size_t alike_held(const struct lab_map *map, size_t i, size_t len)
{
	u64 first = EACH((u64)(map->state[i] & LAB_BYTE_HELD));
	size_t n;

	for (n = 0; n + 8 <= len; n += 8)
		if ((eight(map->state + i + n) & EACH(LAB_BYTE_HELD)) != first)
			break;
	return n;
}

static void fill_byte(struct lab_map *map, size_t i, u8 seed, bool stays)
{
	if (byte_owed(map, i))
		return;
	map->dram[i] = content(seed, i);
	if (stays && map->state[i] & LAB_BYTE_HELD)
		return;
	map->cpu[i] = map->dram[i];
	map->snap[i] = map->dram[i];
}

/**
 * lab_cache_fill() - give a buffer that the device was handed new contents
 * @dma: the device's memory, locked.
 * @map: the mapping.
 * @off: first byte.
 * @len: bytes.
 *
 * Nobody may rely on what a buffer holds once the device may write it, so the
 * clean bytes get values that they did not have at the last hand-over. With
 * that a CPU write is seen even if it repeats what an earlier round left, and
 * a missing sync_for_cpu even if every frame is the same. Lines that the CPU
 * still holds on a class without invalidation in sync_for_cpu stay as the CPU
 * has them.
 */
void lab_cache_fill(struct lab_dma *dma, struct lab_map *map, size_t off, size_t len)
{
	bool stays = !lab_cache_speculates(dma->cache);
	u8 seed = ++map->generation * 0x9d;
	size_t i, n;

	for (i = off; i < off + len; i += n) {
		n = min(off + len - i, 256 - (i & 0xff));
		n = plain_bytes(map, i, n, LAB_BYTE_SPILLED);
		if (stays)
			n = alike_held(map, i, n);
		if (n) {
			fill_plain(map, i, n, seed, stays && map->state[i] & LAB_BYTE_HELD);
		} else {
			fill_byte(map, i, seed, stays);
			n = 1;
		}
	}
	lab_adversary_moment(dma, map, off, len, LAB_MOMENT_ARMED);
}
