// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SRAM of the frame engine, in which it may have its rings. The driver takes
 * what the pool gives for memory, so that it has to be some.
 */
#include <linux/genalloc.h>
#include <linux/mod_devicetable.h>
#include <linux/platform_device.h>

#include "mtk.h"

#define SRAM_AT		0x08000000	/* below all that the lab maps */
#define SRAM_SIZE	0x40000

static void *sram;

static int sram_probe(struct platform_device *pdev)
{
	struct gen_pool *pool = devm_gen_pool_create(&pdev->dev, 5, NUMA_NO_NODE, NULL);

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	return gen_pool_add_virt(pool, (unsigned long)sram, SRAM_AT, SRAM_SIZE, NUMA_NO_NODE);
}

static const struct of_device_id sram_match[] = {
	{ .compatible = "poolstack,sram" },
	{}
};

static struct platform_driver sram_driver = {
	.probe = sram_probe,
	.driver = {
		.name = "poolstack-sram",
		.of_match_table = sram_match,
	},
};

/* Register its driver; may be called again, as lab_board_init(). */
int mtk_sram_init(void)
{
	int ret;

	if (sram)
		return 0;
	sram = alloc_pages_exact(SRAM_SIZE, GFP_KERNEL | __GFP_ZERO);
	if (!sram)
		return -ENOMEM;
	ret = platform_driver_register(&sram_driver);
	if (ret) {
		free_pages_exact(sram, SRAM_SIZE);
		sram = NULL;
	}
	return ret;
}

/**
 * mtk_desc() - a descriptor
 * @mtk: the engine.
 * @at: its bus address.
 * @size: bytes.
 *
 * Return: NULL when there is neither SRAM nor coherent memory, which is noted.
 */
u32 *mtk_desc(struct lab_mtk *mtk, u32 at, size_t size)
{
	void *desc;

	if (at >= SRAM_AT && at + size <= SRAM_AT + SRAM_SIZE)
		return sram + (at - SRAM_AT);
	desc = lab_dma_coherent(mtk->ctrl.dma, at, size);
	if (!desc)
		lab_dma_violation(mtk->ctrl.dma, LAB_V_UNMAPPED, NULL, at, size, DMA_BIDIRECTIONAL);
	return desc;
}
