// SPDX-License-Identifier: GPL-2.0-only
/*
 * System sleep through the PM core, and runtime power management.
 */
#include <linux/etherdevice.h>
#include <linux/phy.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/suspend.h>

#include "nic.h"

#ifdef CONFIG_PM_SLEEP

/* The system sleeps; cleared by whoever wakes it. */
static bool sleeping;

/* One NIC at a time is taken: its PHY's turn comes late; and came too late. */
static bool slow, too_late;

void lab_can_sleep(struct kunit *test)
{
}

/* What phylib does, unless phylib would only warn. */
static int resume_phy(struct device *dev)
{
	struct phy_device *phydev = to_phy_device(dev);

	if (slow)
		flush_delayed_work(&phydev->state_queue);
	if (!phydev->mac_managed_pm && phydev->suspended_by_mdio_bus &&
	    phydev->state != PHY_HALTED && phydev->state != PHY_READY &&
	    phydev->state != PHY_UP) {
		too_late = true;
		phydev->suspended_by_mdio_bus = 0;
	}
	return dev->type->pm->resume(dev);
}

static int suspend_phy(struct device *dev)
{
	return dev->type->pm->suspend(dev);
}

static struct dev_pm_domain phy_domain = {
	.ops = { .suspend = suspend_phy, .resume = resume_phy },
};

/* dev_pm_domain_set() wants a device without driver; nobody else looks here. */
static void watch_phy(struct lab_nic *nic)
{
	if (nic->ndev->phydev)
		nic->ndev->phydev->mdio.dev.pm_domain = &phy_domain;
}

static void wake(void *unused)
{
	unsigned int flags;

	if (!sleeping)
		return;
	sleeping = false;
	flags = lock_system_sleep();
	dpm_resume_end(PMSG_RESUME);
	unlock_system_sleep(flags);
}

void lab_suspend(struct lab_nic *nic)
{
	unsigned int flags;
	int ret;

	/* a case that fails while asleep must not take the others with it */
	KUNIT_ASSERT_EQ(nic->test, kunit_add_action_or_reset(nic->test, wake, NULL), 0);
	watch_phy(nic);
	slow = false;
	too_late = false;
	flags = lock_system_sleep();
	ret = dpm_suspend_start(PMSG_SUSPEND);
	unlock_system_sleep(flags);
	sleeping = true;
	KUNIT_ASSERT_EQ_MSG(nic->test, ret, 0, "suspend");
}

void lab_resume(struct lab_nic *nic)
{
	wake(NULL);
	lab_carrier_wait(nic, true);
}

bool lab_resume_slowly(struct lab_nic *nic)
{
	slow = true;
	lab_resume(nic);
	return !too_late;
}

#else

void lab_can_sleep(struct kunit *test)
{
	kunit_skip(test, "this kernel cannot suspend: UML with two CPUs does not");
}

void lab_suspend(struct lab_nic *nic)
{
}

void lab_resume(struct lab_nic *nic)
{
}

bool lab_resume_slowly(struct lab_nic *nic)
{
	return true;
}

#endif

/* A magic packet: six bytes of ones, then the address of the station 16 times. */
bool lab_magic(struct lab_nic *nic)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;
	u8 *at = nic->frame + ETH_HLEN + 6;
	unsigned int i;

	lab_fill(nic->frame, ETH_HLEN, 0);
	memset(nic->frame + ETH_HLEN, 0xff, 6);
	for (i = 0; i < 16; i++, at += ETH_ALEN)
		ether_addr_copy(at, nic->ndev->dev_addr);
	lab_ctrl_lock();
	ctrl->ops->wake(ctrl, nic->frame, at - nic->frame);
	lab_ctrl_unlock();
	return lab_ctrl_irq_level(ctrl);
}

void lab_sleep_now(struct lab_nic *nic)
{
	pm_runtime_set_autosuspend_delay(nic->dev, 0);
	lab_wait_asleep(nic);
}

bool lab_awake(struct lab_nic *nic)
{
	return lab_clk_running();
}

u64 lab_gated(struct lab_nic *nic)
{
	return to_nic(nic)->ctrl->mmio->gated;
}
