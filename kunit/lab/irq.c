// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lab's interrupt controller: level triggered, raised by hand.
 *
 * Softirqs run on the way out of the interrupt, so that NAPI polls inside
 * lab_irq_raise() and a case sees its effects when that returns. Two CPUs may
 * raise a line at once: the flow handler lets one of them run the driver's, and
 * the level that is left is raised again.
 */
#include <linux/device.h>
#include <linux/hardirq.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>

#include "model.h"

static struct irq_domain *domain;
static bool masked[LAB_IRQS];

static void chip_mask(struct irq_data *d)
{
	WRITE_ONCE(masked[irqd_to_hwirq(d)], true);
}

static void chip_unmask(struct irq_data *d)
{
	WRITE_ONCE(masked[irqd_to_hwirq(d)], false);
}

static struct irq_chip chip = {
	.name = "poolstack",
	.irq_mask = chip_mask,
	.irq_unmask = chip_unmask,
	.flags = IRQCHIP_SKIP_SET_WAKE,
};

static int domain_map(struct irq_domain *d, unsigned int virq, irq_hw_number_t hwirq)
{
	if (hwirq >= LAB_IRQS)
		return -EINVAL;
	irq_set_chip_and_handler(virq, &chip, handle_level_irq);
	return 0;
}

static const struct irq_domain_ops domain_ops = {
	.map = domain_map,
	.xlate = irq_domain_xlate_onecell,
};

/* Set up the domain for a board; 0 or -ENOMEM. */
int lab_irq_init(struct device *dev)
{
	domain = irq_domain_create_linear(dev_fwnode(dev), LAB_IRQS, &domain_ops, NULL);
	return domain ? 0 : -ENOMEM;
}

void lab_irq_exit(void)
{
	int i;

	for (i = 0; i < LAB_IRQS; i++)
		irq_dispose_mapping(irq_find_mapping(domain, i));
	irq_domain_remove(domain);
	domain = NULL;
}

/**
 * lab_irq_of() - the kernel's number of a line
 * @hwirq: line.
 *
 * Return: the number, or a negative error.
 */
int lab_irq_of(unsigned int hwirq)
{
	unsigned int virq = domain ? irq_create_mapping(domain, hwirq) : 0;

	return virq ?: -ENXIO;
}

/**
 * lab_irq_raise() - take an interrupt
 * @hwirq: line.
 *
 * Context: task, interrupts on. The handler runs as in hardirq context.
 *
 * Return: false when the line is masked.
 */
bool lab_irq_raise(unsigned int hwirq)
{
	unsigned long flags;

	if (!domain || READ_ONCE(masked[hwirq]))
		return false;
	local_irq_save(flags);
	irq_enter();
	generic_handle_domain_irq(domain, hwirq);
	irq_exit();
	local_irq_restore(flags);
	return true;
}
