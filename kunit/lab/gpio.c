// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lab's GPIO controller: one input for each cable, high while it is in. A
 * fixed link that is described with "link-gpios" follows it, as where a switch or
 * a module tells of its link by a pin: phylink_start() in drivers/net/phy/phylink.c.
 */
#include <linux/gpio/driver.h>
#include <linux/of.h>

#include "model.h"

static bool out[LAB_CABLES];

static int get(struct gpio_chip *chip, unsigned int off)
{
	return !READ_ONCE(out[off]);
}

static int get_direction(struct gpio_chip *chip, unsigned int off)
{
	return GPIO_LINE_DIRECTION_IN;
}

static int direction_input(struct gpio_chip *chip, unsigned int off)
{
	return 0;
}

static int to_irq(struct gpio_chip *chip, unsigned int off)
{
	return lab_irq_of(LAB_CABLE_IRQ + off);
}

/**
 * lab_gpio_init() - register the controller, if the board has one, with all cables in
 * @dev: the board; it manages the controller.
 *
 * Return: 0 or a negative error.
 */
int lab_gpio_init(struct device *dev)
{
	struct gpio_chip *chip;

	memset(out, 0, sizeof(out));
	if (!of_property_read_bool(dev->of_node, "gpio-controller"))
		return 0;
	chip = devm_kzalloc(dev, sizeof(*chip), GFP_KERNEL);
	if (!chip)
		return -ENOMEM;
	chip->label = "poolstack";
	chip->parent = dev;
	chip->owner = THIS_MODULE;
	chip->base = -1;
	chip->ngpio = LAB_CABLES;
	chip->get = get;
	chip->get_direction = get_direction;
	chip->direction_input = direction_input;
	chip->to_irq = to_irq;
	return devm_gpiochip_add_data(dev, chip, NULL);
}

/* The cable goes in or out; nobody is told before lab_gpio_tell(). */
void lab_gpio_cable(unsigned int cable, bool in)
{
	WRITE_ONCE(out[cable], !in);
}

/* Raise the interrupt of a cable. Context: task, interrupts on. */
void lab_gpio_tell(unsigned int cable)
{
	lab_irq_raise(LAB_CABLE_IRQ + cable);
}
