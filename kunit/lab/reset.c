// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lab's reset controller: one line, to whatever controller is powered on.
 */
#include <linux/reset-controller.h>

#include "model.h"

static struct lab_ctrl *wired;

static int pulse(struct reset_controller_dev *rc, unsigned long id)
{
	if (!wired || !wired->ops->reset)
		return -ENODEV;
	lab_ctrl_lock();
	wired->ops->reset(wired);
	lab_ctrl_unlock();
	return 0;
}

static const struct reset_control_ops ops = {
	.reset = pulse,
};

/* Wire the line to @ctrl, NULL to nothing. */
void lab_reset_wire(struct lab_ctrl *ctrl)
{
	wired = ctrl;
}

/* Register the controller, managed by the board's device @dev; 0 or a negative error. */
int lab_reset_init(struct device *dev)
{
	struct reset_controller_dev *rc = devm_kzalloc(dev, sizeof(*rc), GFP_KERNEL);

	if (!rc)
		return -ENOMEM;
	rc->ops = &ops;
	rc->owner = THIS_MODULE;
	rc->of_node = dev->of_node;
	rc->nr_resets = 1;
	return devm_reset_controller_register(dev, rc);
}
