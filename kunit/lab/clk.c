// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lab's clocks. Clock 0 is the one that the registers of the controller
 * run on ("ipg" of an i.MX); the others only count.
 */
#include <linux/clk-provider.h>
#include <linux/device.h>
#include <linux/slab.h>

#include "model.h"

struct lab_clk {
	struct clk_hw hw;
	unsigned int on;
};

static struct lab_clk clks[LAB_CLKS];

static int lab_clk_enable(struct clk_hw *hw)
{
	container_of(hw, struct lab_clk, hw)->on++;
	return 0;
}

static void lab_clk_disable(struct clk_hw *hw)
{
	container_of(hw, struct lab_clk, hw)->on--;
}

static unsigned long lab_clk_rate(struct clk_hw *hw, unsigned long parent)
{
	return LAB_CLK_RATE;
}

static const struct clk_ops lab_clk_ops = {
	.enable = lab_clk_enable,
	.disable = lab_clk_disable,
	.recalc_rate = lab_clk_rate,
};

/**
 * lab_clk_init() - register the clocks, managed by the board's device
 * @dev: the board.
 *
 * Return: 0 or a negative error.
 */
int lab_clk_init(struct device *dev)
{
	struct clk_hw_onecell_data *data;
	int i, ret;

	data = devm_kzalloc(dev, struct_size(data, hws, LAB_CLKS), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	data->num = LAB_CLKS;
	for (i = 0; i < LAB_CLKS; i++) {
		struct clk_init_data init = { .ops = &lab_clk_ops };

		init.name = devm_kasprintf(dev, GFP_KERNEL, "poolstack-clk%d", i);
		if (!init.name)
			return -ENOMEM;
		clks[i] = (struct lab_clk){ .hw.init = &init };
		ret = devm_clk_hw_register(dev, &clks[i].hw);
		if (ret)
			return ret;
		data->hws[i] = &clks[i].hw;
	}
	return devm_of_clk_add_hw_provider(dev, of_clk_hw_onecell_get, data);
}

/* Whether the registers of the controller can be reached. */
bool lab_clk_running(void)
{
	return clks[0].on;
}

/* How many clocks run. */
unsigned int lab_clks_on(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < LAB_CLKS; i++)
		n += !!clks[i].on;
	return n;
}
