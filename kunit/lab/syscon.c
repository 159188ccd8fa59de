// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blocks of system registers, and how drivers find them.
 *
 * syscon keeps a regmap for good and finds it by its node's address. Overlays come
 * and go: a later node at that address would get the registers of whichever block
 * was there. So the node's memory is never given back, and its regmap is that of the
 * block, made once for all overlays: there are few areas to map.
 */
#include <linux/mfd/syscon.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/regmap.h>

#include "model.h"

static struct block {
	resource_size_t start;
	struct regmap *map;
} blocks[LAB_SYSCONS];

static const struct regmap_config config = {
	.reg_bits = 32,
	.val_bits = 32,
	.reg_stride = 4,
};

/* The regmap of the block at @res, made when it is first asked for; NULL without memory. */
static struct regmap *regmap_of(const struct resource *res)
{
	struct regmap_config of_block = config;
	struct block *block = blocks;
	struct regmap *map;
	void __iomem *base;

	while (block->map && block->start != res->start)
		if (++block == blocks + LAB_SYSCONS)
			return NULL;
	if (block->map)
		return block->map;
	base = ioremap(res->start, resource_size(res));
	if (!base)
		return NULL;
	of_block.max_register = resource_size(res) - of_block.reg_stride;
	map = regmap_init_mmio(NULL, base, &of_block);
	if (IS_ERR(map)) {
		iounmap(base);
		return NULL;
	}
	block->start = res->start;
	block->map = map;
	return map;
}

/**
 * lab_syscon_init() - give each block of the overlay its regmap
 *
 * Before a driver asks for one.
 *
 * Return: 0 or a negative error.
 */
int lab_syscon_init(void)
{
	struct device_node *np;
	struct regmap *map;
	struct resource res;
	int ret;

	for_each_compatible_node(np, NULL, "syscon") {
		ret = of_address_to_resource(np, 0, &res);
		map = ret ? NULL : regmap_of(&res);
		if (!map)
			ret = ret ?: -ENOMEM;
		else
			ret = of_syscon_register_regmap(np, map);
		if (ret) {
			of_node_put(np);
			return ret;
		}
		/* without this flag it is not freed: of_node_release() */
		of_node_clear_flag(np, OF_DYNAMIC);
	}
	return 0;
}
