// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lab itself: it sees what is wrong, and only that.
 *
 * The one suite that looks behind lab.h. A case plays both the driver, through
 * the DMA API, and the device; broken rules are counted and forgotten, so that
 * the gate at its end must find nothing.
 */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/slab.h>

#include "dma.h"
#include "fec.h"
#include "nic.h"

#define SIZE	512

/* A NIC and memory of its own, cache-line aligned, mapped for the device. */
struct bench {
	struct lab_nic *nic;
	struct kunit *test;
	u8 *cpu;
	dma_addr_t addr;
	enum dma_data_direction dir;
	u8 device[SIZE];
};

static struct bench *map(struct kunit *test, enum dma_data_direction dir)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->test = test;
	b->nic = lab_nic_take(test);
	b->cpu = kunit_kzalloc(test, SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->cpu);
	KUNIT_ASSERT_TRUE(test, IS_ALIGNED((unsigned long)b->cpu, 64));
	b->dir = dir;
	memset(b->cpu, 0x11, SIZE);
	memset(b->device, 0x77, SIZE);
	b->addr = dma_map_single(b->nic->dev, b->cpu, SIZE, dir);
	KUNIT_ASSERT_FALSE(test, dma_mapping_error(b->nic->dev, b->addr));
	return b;
}

static void unmap(struct bench *b)
{
	dma_unmap_single(b->nic->dev, b->addr, SIZE, b->dir);
	lab_violations_forget(b->nic);
}

static void expect_only(struct bench *b, enum lab_violation which, u64 times)
{
	KUNIT_EXPECT_EQ(b->test, lab_violations(b->nic, which), times);
	KUNIT_EXPECT_EQ(b->test, lab_violations(b->nic, LAB_V_MAX), times);
	lab_violations_forget(b->nic);
}

static bool class_is(struct bench *b, enum lab_cache cache)
{
	return b->nic->target->cache == cache;
}

/* The kernel's own checks would call what such a case does a splat. */
static void skip_with_dma_debug(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_DMA_API_DEBUG))
		kunit_skip(test, "misuses the DMA API");
}

/* Correct use breaks no rule, and the bytes arrive on either side. */
static void correct_use_is_silent(struct kunit *test)
{
	struct bench *b = map(test, DMA_BIDIRECTIONAL);
	u8 back[SIZE];

	KUNIT_EXPECT_EQ(test, lab_dma_read(b->nic->dma, b->addr, back, SIZE), 0);
	KUNIT_EXPECT_MEMEQ(test, back, b->cpu, SIZE);
	KUNIT_EXPECT_EQ(test, lab_dma_write(b->nic->dma, b->addr, b->device, SIZE), 0);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_BIDIRECTIONAL);
	KUNIT_EXPECT_MEMEQ(test, b->cpu, b->device, SIZE);
	memset(b->cpu, 0x22, SIZE);
	dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_BIDIRECTIONAL);
	KUNIT_EXPECT_EQ(test, lab_dma_read(b->nic->dma, b->addr, back, SIZE), 0);
	KUNIT_EXPECT_MEMEQ(test, back, b->cpu, SIZE);
	expect_only(b, LAB_V_MAX, 0);
	unmap(b);
}

/* The device writes where the CPU wrote without giving it back. */
static void a_missing_sync_for_device_is_seen(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);

	lab_dma_write(b->nic->dma, b->addr, b->device, 100);
	expect_only(b, LAB_V_DEVICE_WRITE_DIRTY, 0);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, 100, DMA_FROM_DEVICE);
	b->cpu[40] ^= 0xff;
	lab_dma_write(b->nic->dma, b->addr, b->device, 100);
	expect_only(b, LAB_V_DEVICE_WRITE_DIRTY, 1);
	unmap(b);
}

/* A sync for the device that ends one line, or one byte, too early. */
static void a_sync_short_by_one_line_is_seen(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);
	unsigned int line = b->nic->target->line, i;

	for (i = 0; i < 2; i++, line = 1) {
		lab_cache_line(b->nic, line);
		memset(b->cpu, 0x31 + i, SIZE);
		dma_sync_single_for_device(b->nic->dev, b->addr, SIZE - line,
					   DMA_FROM_DEVICE);
		lab_dma_write(b->nic->dma, b->addr, b->device, SIZE - line);
		expect_only(b, LAB_V_DEVICE_WRITE_DIRTY, 0);
		lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
		expect_only(b, LAB_V_DEVICE_WRITE_DIRTY, 1);
		dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	}
	unmap(b);
}

/* The device reads what the CPU wrote and did not clean. */
static void bytes_not_cleaned_are_seen(struct kunit *test)
{
	struct bench *b = map(test, DMA_TO_DEVICE);
	u8 back[SIZE];

	b->cpu[SIZE - 1] = 0x22;
	lab_dma_read(b->nic->dma, b->addr, back, SIZE - 1);
	expect_only(b, LAB_V_DEVICE_READ_STALE, 0);
	lab_dma_read(b->nic->dma, b->addr, back, SIZE);
	KUNIT_EXPECT_EQ(test, back[SIZE - 1], 0x11);
	expect_only(b, LAB_V_DEVICE_READ_STALE, 1);
	unmap(b);
}

/* A write between the device's and sync_for_cpu: lost, or read instead. */
static void lost_writes_are_seen(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);

	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	b->cpu[70] = 0x22;
	dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	if (class_is(b, LAB_CACHE_ARMV5)) {
		KUNIT_EXPECT_EQ(test, b->cpu[70], 0x22);
		expect_only(b, LAB_V_CPU_STALE, 1);
	} else {
		KUNIT_EXPECT_EQ(test, b->cpu[70], 0x77);
		expect_only(b, LAB_V_DIRTY_LOST, 1);
	}
	unmap(b);
}

/* Lines given to the CPU and not given back: stale where only for_device acts. */
static void stale_lines_are_seen(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);

	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	expect_only(b, LAB_V_MAX, 0);

	memset(b->device, 0x78, SIZE);
	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	if (class_is(b, LAB_CACHE_ARMV5)) {
		KUNIT_EXPECT_EQ(test, b->cpu[0], 0x77);
		expect_only(b, LAB_V_CPU_STALE, 1);
	} else {
		KUNIT_EXPECT_EQ(test, b->cpu[0], 0x78);
		expect_only(b, LAB_V_MAX, 0);
	}

	/* given back, it is right on all */
	dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	KUNIT_EXPECT_EQ(test, b->cpu[0], 0x78);
	expect_only(b, LAB_V_MAX, 0);
	unmap(b);
}

/* FROM_DEVICE towards the device keeps CPU writes on arm64 only. */
static void from_device_drops_writes_before_arm64(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);

	memset(b->cpu, 0x22, SIZE);
	dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	KUNIT_EXPECT_EQ(test, b->cpu[0] == 0x22, class_is(b, LAB_CACHE_ARM64));
	expect_only(b, LAB_V_MAX, 0);
	unmap(b);
}

/* Cleaning a line that is not dirty does not undo what the device wrote. */
static void cleaning_a_clean_line_writes_nothing(struct kunit *test)
{
	struct bench *b = map(test, DMA_BIDIRECTIONAL);
	u8 back[SIZE];

	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_BIDIRECTIONAL);
	lab_dma_read(b->nic->dma, b->addr, back, SIZE);
	KUNIT_EXPECT_MEMEQ(test, back, b->device, SIZE);
	expect_only(b, LAB_V_MAX, 0);
	unmap(b);
}

/* Accesses and syncs against the direction of the mapping. */
static void wrong_directions_are_seen(struct kunit *test)
{
	struct bench *b;
	u8 back[SIZE];

	skip_with_dma_debug(test);
	b = map(test, DMA_FROM_DEVICE);
	lab_dma_read(b->nic->dma, b->addr, back, SIZE);
	expect_only(b, LAB_V_DIRECTION, 1);
	dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_BIDIRECTIONAL);
	expect_only(b, LAB_V_SYNC_DIRECTION, 1);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_TO_DEVICE);
	expect_only(b, LAB_V_SYNC_DIRECTION, 1);
	dma_unmap_single(b->nic->dev, b->addr, SIZE, DMA_TO_DEVICE);
	expect_only(b, LAB_V_SYNC_DIRECTION, 1);

	b->addr = dma_map_single(b->nic->dev, b->cpu, SIZE, DMA_TO_DEVICE);
	b->dir = DMA_TO_DEVICE;
	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	expect_only(b, LAB_V_DIRECTION, 1);
	unmap(b);
}

/* Addresses that are not mapped: never, past the end, no more. */
static void unmapped_addresses_are_seen(struct kunit *test)
{
	struct bench *b;

	skip_with_dma_debug(test);
	b = map(test, DMA_FROM_DEVICE);
	KUNIT_EXPECT_EQ(test, lab_dma_write(b->nic->dma, 0x40, b->device, 4), -EFAULT);
	expect_only(b, LAB_V_UNMAPPED, 1);
	KUNIT_EXPECT_EQ(test, lab_dma_write(b->nic->dma, b->addr + 1, b->device, SIZE),
			-EFAULT);
	expect_only(b, LAB_V_UNMAPPED, 1);
	dma_sync_single_for_cpu(b->nic->dev, b->addr + 1, SIZE, DMA_FROM_DEVICE);
	expect_only(b, LAB_V_SYNC_RANGE, 1);
	unmap(b);
	KUNIT_EXPECT_EQ(test, lab_dma_write(b->nic->dma, b->addr, b->device, 4), -EFAULT);
	expect_only(b, LAB_V_UNMAPPED, 1);
}

/* Unmapping twice, or not all. */
static void unmatched_unmaps_are_seen(struct kunit *test)
{
	struct bench *b;

	skip_with_dma_debug(test);
	b = map(test, DMA_FROM_DEVICE);
	dma_unmap_single(b->nic->dev, b->addr, SIZE / 2, DMA_FROM_DEVICE);
	expect_only(b, LAB_V_UNMAP, 1);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(b->nic), 1);
	dma_unmap_single(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	expect_only(b, LAB_V_UNMAP, 0);
	dma_unmap_single(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	expect_only(b, LAB_V_UNMAP, 1);
}

/* A write of the value that was there before is a write. */
static void writes_of_the_same_value_are_seen(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);
	u8 old;
	int i;

	for (i = 0; i < 20; i++) {
		lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
		dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
		old = b->cpu[10];
		dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
		lab_dma_hand_over(b->nic->dma, b->addr, SIZE);
		b->cpu[10] = old;
		lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
		expect_only(b, LAB_V_DEVICE_WRITE_DIRTY, 1);
		dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	}
	unmap(b);
}

/* Without sync_for_cpu the CPU does not see the frame, equal ones neither. */
static void a_missing_sync_for_cpu_shows(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);
	int i;

	for (i = 0; i < 3; i++) {
		lab_dma_hand_over(b->nic->dma, b->addr, SIZE);
		lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
		KUNIT_EXPECT_NE(test, memcmp(b->cpu, b->device, SIZE), 0);
		dma_sync_single_for_cpu(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
		KUNIT_EXPECT_MEMEQ(test, b->cpu, b->device, SIZE);
		dma_sync_single_for_device(b->nic->dev, b->addr, SIZE, DMA_FROM_DEVICE);
	}
	expect_only(b, LAB_V_MAX, 0);
	unmap(b);
}

/* An evicted line is what the user sees of a missing sync. */
static void an_eviction_corrupts(struct kunit *test)
{
	struct bench *b = map(test, DMA_BIDIRECTIONAL);
	u8 back[SIZE];

	lab_cache_evict(b->nic, true);
	b->cpu[0] = 0x22;
	lab_dma_write(b->nic->dma, b->addr, b->device, SIZE);
	expect_only(b, LAB_V_DEVICE_WRITE_DIRTY, 1);
	lab_dma_read(b->nic->dma, b->addr, back, SIZE);
	KUNIT_EXPECT_EQ(test, back[0], 0x22);
	KUNIT_EXPECT_EQ(test, back[1], 0x11);
	KUNIT_EXPECT_EQ(test, back[SIZE - 1], 0x77);
	unmap(b);
}

/* Lines are counted in units of 64 bytes, on every target. */
static void lines_are_counted(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);
	struct lab_counts x, y;

	lab_counts(b->nic, &x);
	dma_sync_single_for_device(b->nic->dev, b->addr + 63, 2, DMA_FROM_DEVICE);
	dma_sync_single_for_cpu(b->nic->dev, b->addr, 65, DMA_FROM_DEVICE);
	dma_sync_single_for_cpu(b->nic->dev, b->addr + 64, 64, DMA_FROM_DEVICE);
	lab_counts(b->nic, &y);
	KUNIT_EXPECT_EQ(test, y.dma_sync_calls - x.dma_sync_calls, 3);
	KUNIT_EXPECT_EQ(test, y.dma_lines_for_device - x.dma_lines_for_device, 2);
	KUNIT_EXPECT_EQ(test, y.dma_lines_for_cpu - x.dma_lines_for_cpu, 3);
	unmap(b);
}

/* The gate complains about each thing it is there for. */
static void the_gate_complains(struct kunit *test)
{
	struct bench *b = map(test, DMA_FROM_DEVICE);
	struct lab_ledger *ledger = &to_nic(b->nic)->ledger;
	void __iomem *regs;
	char why[200];

	KUNIT_EXPECT_EQ(test, lab_gate(b->nic, why, sizeof(why)), 1);
	KUNIT_EXPECT_STREQ(test, why, "1 live mappings on a closed interface");
	unmap(b);
	KUNIT_EXPECT_EQ(test, lab_gate(b->nic, NULL, 0), 0);

	lab_dma_write(b->nic->dma, 0x40, b->device, 4);
	KUNIT_EXPECT_EQ(test, lab_gate(b->nic, why, sizeof(why)), 1);
	KUNIT_EXPECT_TRUE(test, strstarts(why, "1 times a rule was broken"));
	lab_violations_forget(b->nic);

	ledger->sent++;
	KUNIT_EXPECT_EQ(test, lab_gate(b->nic, why, sizeof(why)), 1);
	KUNIT_EXPECT_TRUE(test, strstarts(why, "1 frames received, 0 accounted for"));
	ledger->sent--;

	lab_wait_asleep(b->nic);
	regs = ioremap(LAB_MMIO_BASE, FEC_REGS_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, regs);
	readl(regs + REG_EIR);
	writel(0, regs + REG_EIMR);
	iounmap(regs);
	KUNIT_EXPECT_EQ(test, lab_gate(b->nic, why, sizeof(why)), 1);
	KUNIT_EXPECT_STREQ(test, why, "2 register accesses with the clock off");
	lab_violations_forget(b->nic);
	KUNIT_EXPECT_EQ(test, lab_gate(b->nic, NULL, 0), 0);
}

/* A frame that leaves the controller uncounted by the driver is noticed. */
static void the_gate_counts_transmitted_frames(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_wire_out(&to_nic(nic)->transmitted, 0, nic->frame, 60);
	KUNIT_EXPECT_EQ(test, lab_gate(nic, NULL, 0), 1);
	to_nic(nic)->transmitted.count--;
	KUNIT_EXPECT_EQ(test, lab_gate(nic, NULL, 0), 0);
}

/* ERR007885: a doorbell must directly follow a read of it that returned 0. */
static void a_doorbell_without_a_look_is_seen(struct kunit *test)
{
	const struct fec_variant *variant;
	struct lab_nic *nic = lab_nic_take(test);
	void __iomem *regs;
	u64 bad;

	variant = nic->soc->ctrl_data;
	lab_up(nic);
	regs = ioremap(LAB_MMIO_BASE, FEC_REGS_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, regs);
	KUNIT_EXPECT_EQ(test, readl(regs + fec_reg_tdar[0]), 0);
	writel(0, regs + fec_reg_tdar[0]);
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, lab_violations(nic, LAB_V_DOORBELL), 0);
	KUNIT_EXPECT_EQ(test, readl(regs + fec_reg_tdar[0]), 0);
	readl(regs + REG_EIR);
	writel(0, regs + fec_reg_tdar[0]);
	iounmap(regs);
	bad = lab_violations(nic, LAB_V_DOORBELL);
	KUNIT_EXPECT_EQ(test, bad, variant->err007885 ? 1 : 0);
	lab_violations_forget(nic);
}

static struct kunit_case cases[] = {
	LAB_CASE(correct_use_is_silent, lab_each_fec),
	LAB_CASE(a_missing_sync_for_device_is_seen, lab_each_fec),
	LAB_CASE(a_sync_short_by_one_line_is_seen, lab_each_fec),
	LAB_CASE(bytes_not_cleaned_are_seen, lab_each_fec),
	LAB_CASE(lost_writes_are_seen, lab_each_fec),
	LAB_CASE(stale_lines_are_seen, lab_each_fec),
	LAB_CASE(from_device_drops_writes_before_arm64, lab_each_fec),
	LAB_CASE(cleaning_a_clean_line_writes_nothing, lab_each_fec),
	LAB_CASE(wrong_directions_are_seen, lab_each_fec),
	LAB_CASE(unmapped_addresses_are_seen, lab_each_fec),
	LAB_CASE(unmatched_unmaps_are_seen, lab_each_fec),
	LAB_CASE(writes_of_the_same_value_are_seen, lab_each_fec),
	LAB_CASE(a_missing_sync_for_cpu_shows, lab_each_fec),
	LAB_CASE(an_eviction_corrupts, lab_each_fec),
	LAB_CASE(lines_are_counted, lab_each_fec),
	LAB_CASE(the_gate_complains, lab_each_fec),
	LAB_CASE(the_gate_counts_transmitted_frames, lab_each_fec),
	LAB_CASE(a_doorbell_without_a_look_is_seen, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "lab_selftest",
	.test_cases = cases,
};

kunit_test_suite(suite);
