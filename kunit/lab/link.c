// SPDX-License-Identifier: GPL-2.0-only
/*
 * The link: what the fixed PHY of the overlay reports, or the GPIO of a fixed
 * link without a PHY, and waiting for what phylib or phylink, the driver and the
 * queueing discipline make of it.
 */
#include <linux/phy.h>
#include <linux/phy_fixed.h>
#include <linux/rtnetlink.h>

#include "../../../../../net/core/dev.h"
#include "nic.h"

/* One NIC at a time is taken, and its fixed PHY asks here. */
static struct fixed_phy_status partner;

static int ask_partner(struct net_device *ndev, struct fixed_phy_status *status)
{
	*status = partner;
	return 0;
}

/* The one speed that the fixed PHY of the board can negotiate. */
static int board_speed(const struct phy_device *phydev)
{
	if (linkmode_test_bit(ETHTOOL_LINK_MODE_1000baseT_Full_BIT, phydev->supported))
		return SPEED_1000;
	if (linkmode_test_bit(ETHTOOL_LINK_MODE_100baseT_Full_BIT, phydev->supported))
		return SPEED_100;
	return SPEED_10;
}

/**
 * lab_settled() - whether the link has come, or gone, for all who care
 * @ndev: the interface.
 * @link: to come, or to go.
 *
 * The carrier comes before the driver's callback, both under the lock of the
 * PHY's state machine: phylib is through when it agrees, under its lock, with
 * what it told the core. Then the queueing discipline has to hear of it.
 *
 * Context: task, may sleep.
 *
 * Return: see above.
 */
bool lab_settled(struct net_device *ndev, bool link)
{
	struct phy_device *phydev = ndev->phydev;
	bool ret = netif_carrier_ok(ndev) == link;

	if (phydev) {
		/* do not wait for a timer that is due soon */
		flush_delayed_work(&phydev->state_queue);
		mutex_lock(&phydev->lock);
		ret = phydev->link == link && netif_carrier_ok(ndev) == link;
		mutex_unlock(&phydev->lock);
	}
	if (!ret)
		return false;
	rtnl_lock();
	linkwatch_run_queue();
	rtnl_unlock();
	return true;
}

/**
 * lab_carrier_wait() - wait for the carrier
 * @nic: the NIC.
 * @link: to come, or to go. On a closed interface there is nothing to wait for.
 *
 * Context: task, may sleep.
 */
void lab_carrier_wait(struct lab_nic *nic, bool link)
{
	if (netif_running(nic->ndev))
		KUNIT_ASSERT_TRUE_MSG(nic->test, lab_wait_until(lab_settled(nic->ndev, link)),
				      "the link does not go %s", link ? "up" : "down");
}

void lab_wait_link(struct lab_nic *nic)
{
	lab_carrier_wait(nic, true);
}

void lab_calm(struct lab_nic *nic)
{
	lab_carrier_wait(nic, true);
	lab_pump(nic);
}

void lab_cable_quietly(struct lab_nic *nic, bool link)
{
	struct phy_device *phydev = nic->ndev->phydev;

	if (!phydev) {
		lab_gpio_cable(0, link);
		return;
	}
	partner.link = link;
	partner.speed = board_speed(phydev);
	partner.duplex = DUPLEX_FULL;
	KUNIT_ASSERT_EQ(nic->test, fixed_phy_set_link_update(phydev, ask_partner), 0);
}

bool lab_try_cable(struct lab_nic *nic, bool link)
{
	struct phy_device *phydev = nic->ndev->phydev;

	lab_cable_quietly(nic, link);
	/* instead of at its next poll, once a second */
	if (phydev)
		phy_trigger_machine(phydev);
	else
		lab_gpio_tell(0);
	return lab_wait_until(lab_settled(nic->ndev, link));
}

void lab_cable(struct lab_nic *nic, bool link)
{
	KUNIT_ASSERT_TRUE_MSG(nic->test, lab_try_cable(nic, link), "the link does not go %s",
			      link ? "up" : "down");
}

void lab_link(struct lab_nic *nic, int speed, bool full)
{
	struct phy_device *phydev = nic->ndev->phydev;

	KUNIT_ASSERT_NOT_NULL(nic->test, phydev);
	lab_cable(nic, false);
	if (!speed)
		return;
	lab_cable(nic, true);
	/* a fixed PHY negotiates nothing: the rest is told as phylib does */
	mutex_lock(&phydev->lock);
	phydev->speed = speed;
	phydev->duplex = full ? DUPLEX_FULL : DUPLEX_HALF;
	phydev->adjust_link(nic->ndev);
	mutex_unlock(&phydev->lock);
}
