// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second controller: registers that keep what is written, nothing more. A
 * driver's probe and remove find all that they look for.
 */
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/mod_devicetable.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <kunit/of.h>

#include "model.h"
#include "nic.h"

OF_OVERLAY_DECLARE(lab_second);

#define WINDOW		1
#define PATH		"/ethernet@2000100000"
/* IMX6DQRM: ENETx_EIR[MII], a management transfer is complete; ENETx_MMFR */
#define REG_EIR		0x004
#define EIR_MII		BIT(23)
#define REG_MMFR	0x040

/**
 * struct lab_second - the second controller
 * @nic: of the case.
 * @pdev: its device.
 * @overlay: id of the overlay, 0 when not applied.
 */
struct lab_second {
	struct lab_nic *nic;
	struct platform_device *pdev;
	int overlay;
};

static u32 regs[LAB_MMIO_SIZE / 4];

static u32 second_read(void *priv, unsigned int off)
{
	if (off == REG_EIR)
		return EIR_MII;
	if (off == REG_MMFR)
		return 0xffff;		/* nobody drives the bus */
	return regs[off / 4];
}

static void second_write(void *priv, unsigned int off, u32 val)
{
	regs[off / 4] = val;
}

static const struct lab_mmio_ops second_ops = {
	.read = second_read,
	.write = second_write,
};

/* ---- its interrupt controller, which never raises anything --------------- */

static int map_irq(struct irq_domain *d, unsigned int virq, irq_hw_number_t hwirq)
{
	irq_set_chip_and_handler(virq, &dummy_irq_chip, handle_simple_irq);
	return 0;
}

static const struct irq_domain_ops irq_ops = {
	.map = map_irq,
	.xlate = irq_domain_xlate_onecell,
};

static int irq_probe(struct platform_device *pdev)
{
	struct irq_domain *domain;

	domain = irq_domain_create_linear(dev_fwnode(&pdev->dev), 1, &irq_ops, NULL);
	platform_set_drvdata(pdev, domain);
	return domain ? 0 : -ENOMEM;
}

static void irq_remove(struct platform_device *pdev)
{
	struct irq_domain *domain = platform_get_drvdata(pdev);

	irq_dispose_mapping(irq_find_mapping(domain, 0));
	irq_domain_remove(domain);
}

static const struct of_device_id irq_match[] = {
	{ .compatible = "poolstack,second-irq" },
	{}
};

static struct platform_driver irq_driver = {
	.probe = irq_probe,
	.remove = irq_remove,
	.driver = {
		.name = "poolstack-second-irq",
		.of_match_table = irq_match,
	},
};
builtin_platform_driver(irq_driver);

/* ---- the controller ------------------------------------------------------ */

static void release(void *data)
{
	struct lab_second *second = data;

	if (second->pdev) {
		device_release_driver(&second->pdev->dev);
		platform_device_put(second->pdev);
	}
	if (second->overlay)
		of_overlay_remove(&second->overlay);
	lab_mmio_claim(WINDOW, NULL, NULL);
}

struct lab_second *lab_second_take(struct lab_nic *nic)
{
	struct lab_second *second;
	struct device_node *np;
	int ret;

	second = kunit_kzalloc(nic->test, sizeof(*second), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(nic->test, second);
	second->nic = nic;
	memset(regs, 0, sizeof(regs));
	lab_mmio_claim(WINDOW, &second_ops, NULL);
	KUNIT_ASSERT_EQ(nic->test, kunit_add_action_or_reset(nic->test, release, second), 0);

	ret = of_overlay_fdt_apply(of_overlay_begin(lab_second),
				   of_overlay_end(lab_second) - of_overlay_begin(lab_second),
				   &second->overlay, NULL);
	KUNIT_ASSERT_EQ_MSG(nic->test, ret, 0, "overlay of the second controller");
	np = of_find_node_by_path(PATH);
	KUNIT_ASSERT_NOT_NULL(nic->test, np);
	second->pdev = of_find_device_by_node(np);
	of_node_put(np);
	KUNIT_ASSERT_NOT_NULL(nic->test, second->pdev);
	if (!device_is_bound(&second->pdev->dev))
		lab_second_bind(second);
	return second;
}

void lab_second_unbind(struct lab_second *second)
{
	device_release_driver(&second->pdev->dev);
}

void lab_second_bind(struct lab_second *second)
{
	/* 0: it is deferred, which another CPU may be about to end */
	KUNIT_ASSERT_GE(second->nic->test, device_attach(&second->pdev->dev), 0);
	KUNIT_ASSERT_TRUE(second->nic->test,
			  lab_wait_until(device_is_bound(&second->pdev->dev)));
}

static int count_bus(struct device *dev, void *data)
{
	unsigned int *buses = data;

	if (dev->class && !strcmp(dev->class->name, "mdio_bus"))
		(*buses)++;
	return 0;
}

unsigned int lab_mdio_buses(struct lab_nic *nic)
{
	struct device_node *np = of_find_node_by_path(PATH);
	struct platform_device *pdev;
	unsigned int buses = 0;

	device_for_each_child(nic->dev, &buses, count_bus);
	pdev = np ? of_find_device_by_node(np) : NULL;
	of_node_put(np);
	if (pdev) {
		device_for_each_child(&pdev->dev, &buses, count_bus);
		platform_device_put(pdev);
	}
	return buses;
}
