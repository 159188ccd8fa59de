// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chance in the memory model: it spares correct use, and wrong use breaks its
 * rule every time and shows in the bytes often. Behind lab.h, like lab_selftest.
 */
#include <linux/dma-mapping.h>
#include <linux/jhash.h>

#include "dma.h"
#include "nic.h"

#define SIZE	2048
#define ROUNDS	60

struct bench {
	struct lab_nic *nic;
	struct kunit *test;
	u8 *cpu, *device;
	dma_addr_t addr;
};

static struct bench *map(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->test = test;
	b->nic = lab_nic_take(test);
	b->cpu = kunit_kzalloc(test, SIZE, GFP_KERNEL);
	b->device = kunit_kzalloc(test, SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->cpu);
	KUNIT_ASSERT_NOT_NULL(test, b->device);
	b->addr = dma_map_single(b->nic->dev, b->cpu, SIZE, DMA_FROM_DEVICE);
	KUNIT_ASSERT_FALSE(test, dma_mapping_error(b->nic->dev, b->addr));
	lab_adversary(b->nic, true);
	return b;
}

static void unmap(struct bench *b)
{
	dma_unmap_single(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	lab_violations_forget(b->nic);
}

/* The buffer is armed and a frame of @len written into it. */
static void receive(struct bench *b, u32 len, u32 seed)
{
	lab_dma_hand_over(b->nic->dma, b->addr, SIZE);
	lab_adversary_idle(b->nic->dma);
	lab_fill(b->device, len, seed);
	lab_dma_write(b->nic->dma, b->addr, b->device, len);
	lab_adversary_idle(b->nic->dma);
}

static void to_cpu(struct bench *b, u32 len)
{
	dma_sync_single_for_cpu(b->nic->dev, b->addr, len, DMA_FROM_DEVICE);
}

static void to_device(struct bench *b, u32 len)
{
	dma_sync_single_for_device(b->nic->dev, b->addr, len, DMA_FROM_DEVICE);
}

static bool intact(struct bench *b, u32 len)
{
	return !memcmp(b->cpu, b->device, len);
}

/* Every frame is intact, every write of the CPU harmless, no rule broken. */
static void correct_use_is_spared(struct kunit *test)
{
	struct bench *b = map(test);
	u32 i, len;

	for (i = 0; i < 4 * ROUNDS; i++) {
		len = 60 + lab_roll(b->nic, SIZE - 59);
		receive(b, len, i);
		to_cpu(b, len);
		KUNIT_EXPECT_TRUE(test, intact(b, len));
		b->cpu[lab_roll(b->nic, len)] ^= 0xff;
		lab_adversary_idle(b->nic->dma);
		to_device(b, len);
	}
	KUNIT_EXPECT_EQ(test, lab_violations(b->nic, LAB_V_MAX), 0);
	unmap(b);
}

/* Bytes left dirty: each time a broken rule, often a corrupted frame. */
static void a_dirty_line_is_a_broken_rule_and_a_wrong_frame(struct kunit *test)
{
	struct bench *b = map(test);
	u32 i, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		b->cpu[lab_roll(b->nic, 600)] ^= 0xff;
		receive(b, 600, i);
		to_cpu(b, 600);
		bad += !intact(b, 600);
		KUNIT_EXPECT_GE(test, lab_violations(b->nic, LAB_V_DEVICE_WRITE_DIRTY), 1);
		lab_violations_forget(b->nic);
		to_device(b, SIZE);
	}
	KUNIT_EXPECT_GT(test, bad, ROUNDS / 8);
	unmap(b);
}

/* A sync for the device that is short: the same behind its end. */
static void a_short_sync_is_a_broken_rule_and_a_wrong_frame(struct kunit *test)
{
	struct bench *b = map(test);
	u32 line = max(b->nic->target->line, 1u), i, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		receive(b, 512, i);
		to_cpu(b, 512);
		bad += !intact(b, 512);
		b->cpu[512 - line] += 0x35;	/* never what it was */
		to_device(b, 512 - line);
	}
	KUNIT_EXPECT_GE(test, lab_violations(b->nic, LAB_V_DEVICE_WRITE_DIRTY), ROUNDS - 1);
	KUNIT_EXPECT_GT(test, bad, ROUNDS / 8);
	unmap(b);
}

/* Without sync_for_cpu: old bytes, or where the CPU speculates old and new. */
static void a_missing_sync_for_cpu_reads_a_mixture(struct kunit *test)
{
	struct bench *b = map(test);
	u32 i, j, fresh, whole = 0, mixed = 0;

	for (i = 0; i < ROUNDS; i++) {
		receive(b, 600, i);
		for (fresh = 0, j = 0; j < 600; j++)
			fresh += b->cpu[j] == b->device[j];
		whole += fresh == 600;
		/* a few bytes are equal by accident */
		mixed += fresh < 600 && fresh >= 30;
		to_cpu(b, 600);
		to_device(b, SIZE);
	}
	KUNIT_EXPECT_LT(test, whole, ROUNDS / 4);
	if (!lab_cache_speculates(b->nic->target->cache))
		KUNIT_EXPECT_EQ(test, mixed, 0);
	else
		KUNIT_EXPECT_GT(test, mixed, ROUNDS / 8);
	unmap(b);
}

/* An eviction before the device reads does not excuse the missing sync. */
static void bytes_not_cleaned_are_owed_all_the_same(struct kunit *test)
{
	struct bench *b = map(test);
	u32 i, stale = 0;
	u8 back[64];

	unmap(b);
	b->addr = dma_map_single(b->nic->dev, b->cpu, SIZE, DMA_TO_DEVICE);
	KUNIT_ASSERT_FALSE(test, dma_mapping_error(b->nic->dev, b->addr));
	for (i = 0; i < ROUNDS; i++) {
		memset(b->cpu, 0x80 + i, 64);
		lab_dma_read(b->nic->dma, b->addr, back, 64);
		stale += back[0] != (u8)(0x80 + i);
		KUNIT_EXPECT_EQ(test, lab_violations(b->nic, LAB_V_DEVICE_READ_STALE), 1);
		lab_violations_forget(b->nic);
	}
	KUNIT_EXPECT_GT(test, stale, ROUNDS / 8);
	KUNIT_EXPECT_LT(test, stale, ROUNDS);
	dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_TO_DEVICE);
	lab_dma_read(b->nic->dma, b->addr, back, 64);
	KUNIT_EXPECT_EQ(test, lab_violations(b->nic, LAB_V_MAX), 0);
	dma_unmap_single(b->nic->dev, b->addr, SIZE, DMA_TO_DEVICE);
}

static u32 outcome(struct bench *b, const struct lab_rand *from)
{
	u32 i, hash = 0;

	b->nic->dma->rand = *from;
	memset(b->nic->dma->recent, 0, sizeof(b->nic->dma->recent));
	for (i = 0; i < ROUNDS; i++) {
		to_device(b, SIZE);
		b->cpu[i * 7] ^= 0xff;
		receive(b, 600, i);
		to_cpu(b, 600);
		hash = jhash(b->cpu, 600, hash);
	}
	return hash;
}

/* From the same number on, the same happens; from another, something else. */
static void the_same_numbers_give_the_same_run(struct kunit *test)
{
	struct bench *b = map(test);
	struct lab_rand from = b->nic->dma->rand, other;
	u32 first;

	lab_rand_init(&other, 12345);
	outcome(b, &from);
	b->nic->dma->slot[b->addr >> 16]->generation = 0;
	first = outcome(b, &from);
	b->nic->dma->slot[b->addr >> 16]->generation = 0;
	KUNIT_EXPECT_EQ(test, outcome(b, &from), first);
	b->nic->dma->slot[b->addr >> 16]->generation = 0;
	KUNIT_EXPECT_NE(test, outcome(b, &other), first);
	unmap(b);
}

/* Frames of one queue keep their order; those of different queues do not. */
static void late_frames_keep_the_order_of_their_queue(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int q, i, turned = 0, next[8] = {};
	struct lab_frame *frame;

	lab_up(nic);
	lab_adversary(nic, true);
	for (i = 0; i < 150; i++) {
		lab_fill(nic->frame, 64, i);
		nic->frame[20] = i;
		KUNIT_ASSERT_EQ(test, lab_try_send(nic, i % nic->soc->queues, nic->frame, 64), 0);
		if (i % 6 == 5)
			lab_pump(nic);
	}
	for (i = 0; i < 150; i++) {
		frame = lab_take_delivered(nic);
		KUNIT_ASSERT_NOT_NULL(test, frame);
		q = frame->queue;
		KUNIT_EXPECT_EQ(test, frame->data[20], next[q] * nic->soc->queues + q);
		next[q]++;
		turned += frame->data[20] != i;
		kfree(frame);
	}
	if (nic->soc->queues > 1)
		KUNIT_EXPECT_GT(test, turned, 10);
	else
		KUNIT_EXPECT_EQ(test, turned, 0);
}

static struct kunit_case cases[] = {
	LAB_CASE(correct_use_is_spared, lab_each_fec),
	LAB_CASE(a_dirty_line_is_a_broken_rule_and_a_wrong_frame, lab_each_fec),
	LAB_CASE(a_short_sync_is_a_broken_rule_and_a_wrong_frame, lab_each_fec),
	LAB_CASE(a_missing_sync_for_cpu_reads_a_mixture, lab_each_fec),
	LAB_CASE(bytes_not_cleaned_are_owed_all_the_same, lab_each_fec),
	LAB_CASE(the_same_numbers_give_the_same_run, lab_each_fec),
	LAB_CASE(late_frames_keep_the_order_of_their_queue, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "lab_selftest_adversary",
	.test_cases = cases,
};

kunit_test_suite(suite);
