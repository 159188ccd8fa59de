// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device of an overlay that a controller's interrupt, clocks, reset and cables hang on.
 */
#include <linux/mod_devicetable.h>
#include <linux/platform_device.h>

#include "model.h"

static int board_probe(struct platform_device *pdev)
{
	int ret = lab_clk_init(&pdev->dev);

	ret = ret ?: lab_reset_init(&pdev->dev);
	ret = ret ?: lab_gpio_init(&pdev->dev);
	ret = ret ?: lab_syscon_init();
	return ret ?: lab_irq_init(&pdev->dev);
}

static void board_remove(struct platform_device *pdev)
{
	lab_irq_exit();
}

static const struct of_device_id board_match[] = {
	{ .compatible = "poolstack,board" },
	{}
};

static struct platform_driver board_driver = {
	.probe = board_probe,
	.remove = board_remove,
	.driver = {
		.name = "poolstack-board",
		.of_match_table = board_match,
	},
};

/**
 * lab_board_init() - register the driver of the lab's board
 *
 * May be called again. It stays registered: the kernel ends with the tests.
 *
 * Return: 0 or a negative error.
 */
int lab_board_init(void)
{
	static bool done;
	int ret;

	if (done)
		return 0;
	ret = platform_driver_register(&board_driver);
	done = !ret;
	return ret;
}
