// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cable: what the fixed PHY of the overlay reports, and waiting for what
 * the driver makes of it.
 */
#include <linux/delay.h>
#include <linux/phy.h>
#include <linux/phy_fixed.h>

#include "nic.h"

#define WAIT_MS		3000

/* The carrier is there or gone, and the driver's callback is through. */
static bool settled(struct net_device *ndev, bool up)
{
	if (netif_carrier_ok(ndev) != up)
		return false;
	/* see link_settled() in fixture.c */
	if (ndev->phydev) {
		mutex_lock(&ndev->phydev->lock);
		mutex_unlock(&ndev->phydev->lock);
	}
	return true;
}

/**
 * lab_carrier_wait() - wait for the carrier
 * @nic: the NIC.
 * @up: to come, or to go. On a closed interface there is nothing to wait for.
 */
void lab_carrier_wait(struct lab_nic *nic, bool up)
{
	int ms;

	if (!netif_running(nic->ndev))
		return;
	for (ms = 0; ms < WAIT_MS && !settled(nic->ndev, up); ms += 10)
		msleep(10);
	KUNIT_ASSERT_EQ_MSG(nic->test, netif_carrier_ok(nic->ndev), up, "carrier");
}

void lab_cable(struct lab_nic *nic, bool up)
{
	KUNIT_ASSERT_NOT_NULL(nic->test, nic->ndev->phydev);
	KUNIT_ASSERT_EQ(nic->test, fixed_phy_change_carrier(nic->ndev, up), 0);
	/* instead of at its next poll, once a second */
	phy_trigger_machine(nic->ndev->phydev);
	lab_carrier_wait(nic, up);
}

void lab_calm(struct lab_nic *nic)
{
	if (nic->ndev->phydev)
		flush_delayed_work(&nic->ndev->phydev->state_queue);
	lab_carrier_wait(nic, true);
	lab_pump(nic);
}
