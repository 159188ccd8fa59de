// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver leaves its device and takes it again; what it must not leave.
 */
#include <linux/interrupt.h>
#include <linux/phy.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>

#include "nic.h"

/* drivers/net/phy/phylib-internal.h, which is not for including */
extern const struct bus_type mdio_bus_type;

static int name_child(struct device *dev, void *data)
{
	*(const char **)data = dev_name(dev);
	return 1;
}

/**
 * lab_bind_leftovers() - what an unbound driver has left behind
 * @nic: the NIC, its driver unbound. Fails the case for each.
 */
void lab_bind_leftovers(struct nic *nic)
{
	struct device *dev = &nic->pdev->dev;
	struct kunit *test = nic->pub.test;
	const char *child;
	int i, irq;

	for (i = 0; (irq = platform_get_irq_optional(nic->pdev, i)) > 0; i++)
		if (irq_has_action(irq))
			KUNIT_FAIL(test, "gate: interrupt %d has a handler after unbinding", i);
	if (lab_clks_on())
		KUNIT_FAIL(test, "gate: %u clocks run after unbinding", lab_clks_on());
	if (device_for_each_child(dev, &child, name_child))
		KUNIT_FAIL(test, "gate: device %s is left after unbinding", child);
	if (bus_for_each_dev(&mdio_bus_type, NULL, &child, name_child))
		KUNIT_FAIL(test, "gate: PHY %s is left after unbinding", child);
	if (pm_runtime_enabled(dev) || atomic_read(&dev->power.usage_count))
		KUNIT_FAIL(test, "gate: runtime PM is %s, in use %d times after unbinding",
			   str_on_off(pm_runtime_enabled(dev)),
			   atomic_read(&dev->power.usage_count));
}

void lab_unbind(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);

	/*
	 * With work left for the driver its counters cannot add up yet. What is
	 * mapped is looked at below: a closed interface may have a socket.
	 */
	nic->up = true;
	if (!lab_ctrl_irq_level(nic->ctrl))
		lab_gate_report(nic);
	lab_sink_unregister(nic);
	device_release_driver(&nic->pdev->dev);
	nic->up = false;
	pub->ndev = NULL;
	nic->macs = 0;
	lab_gate_unbound(nic);

	/* the next interface counts from zero */
	lab_discard(pub);
	nic->delivered.count = 0;
	nic->others.count = 0;
	nic->transmitted.count = 0;
	nic->ledger = (struct lab_ledger){};
}

void lab_bind(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);
	struct device *dev = &nic->pdev->dev;
	int ret;

	ret = device_attach(dev);
	KUNIT_ASSERT_GE_MSG(pub->test, ret, 0, "probe");
	KUNIT_ASSERT_TRUE_MSG(pub->test, lab_wait_until(device_is_bound(dev)),
			      "the driver did not probe again");
	nic->macs = lab_macs_of(dev, nic->mac);
	KUNIT_ASSERT_NE(pub->test, nic->macs, 0);
	pub->ndev = nic->mac[0];
	lab_queues_unlimited(nic);
	KUNIT_ASSERT_EQ(pub->test, lab_sink_register(nic), 0);
}
