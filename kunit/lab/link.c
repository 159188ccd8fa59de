// SPDX-License-Identifier: GPL-2.0-only
/*
 * The link as phylib sees it, and the transmit watchdog.
 */
#include <linux/bottom_half.h>
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/phy.h>
#include <linux/phy_fixed.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rtnetlink.h>

#include "nic.h"

#define WAIT_MS		3000
#define QUIET		5	/* warnings and worse */

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

/* phylib is through when it agrees, under its lock, with what it told the core. */
static bool settled(struct lab_nic *nic, bool link)
{
	struct phy_device *phydev = nic->ndev->phydev;
	bool ret;

	mutex_lock(&phydev->lock);
	ret = phydev->link == link && netif_carrier_ok(nic->ndev) == link;
	mutex_unlock(&phydev->lock);
	return ret;
}

static void change(struct lab_nic *nic, bool link)
{
	struct phy_device *phydev = nic->ndev->phydev;
	int ms;

	partner.link = link;
	partner.speed = board_speed(phydev);
	partner.duplex = DUPLEX_FULL;
	KUNIT_ASSERT_EQ(nic->test, fixed_phy_set_link_update(phydev, ask_partner), 0);
	for (ms = 0; ms < WAIT_MS && !settled(nic, link); ms += 10) {
		phy_trigger_machine(phydev);
		msleep(10);
	}
	KUNIT_ASSERT_TRUE_MSG(nic->test, settled(nic, link), "the link does not go %s",
			      link ? "up" : "down");
}

void lab_link(struct lab_nic *nic, int speed, bool full)
{
	struct phy_device *phydev = nic->ndev->phydev;

	KUNIT_ASSERT_NOT_NULL(nic->test, phydev);
	change(nic, false);
	if (!speed)
		return;
	change(nic, true);
	/* a fixed PHY negotiates nothing: the rest is told as phylib does */
	mutex_lock(&phydev->lock);
	phydev->speed = speed;
	phydev->duplex = full ? DUPLEX_FULL : DUPLEX_HALF;
	phydev->adjust_link(nic->ndev);
	mutex_unlock(&phydev->lock);
}

/* What was printed before is on the console before the level changes. */
static int set_level(int level)
{
	int old = console_loglevel;

	console_lock();
	console_unlock();
	console_loglevel = level;
	return old;
}

static void call_timeout(struct lab_nic *nic, unsigned int queue)
{
	int level = set_level(min(console_loglevel, QUIET));

	netif_tx_lock_bh(nic->ndev);
	nic->ndev->netdev_ops->ndo_tx_timeout(nic->ndev, queue);
	netif_tx_unlock_bh(nic->ndev);
	set_level(level);
}

void lab_tx_timeout(struct lab_nic *nic, unsigned int queue)
{
	struct lab_mmio *mmio = to_nic(nic)->ctrl->mmio;
	u64 writes = mmio->writes;
	int ms;

	call_timeout(nic, queue);
	for (ms = 0; ms < WAIT_MS && READ_ONCE(mmio->writes) == writes; ms += 10)
		msleep(10);
	KUNIT_ASSERT_NE_MSG(nic->test, READ_ONCE(mmio->writes), writes,
			    "nothing came of the timeout");
	/* it restarts the controller with the lock held */
	rtnl_lock();
	rtnl_unlock();
}

/* Whether the lock can be had within a while. */
static bool lock_is_free(void)
{
	int ms;

	for (ms = 0; ms < 300; ms += 10) {
		if (rtnl_trylock()) {
			rtnl_unlock();
			return true;
		}
		msleep(10);
	}
	return false;
}

bool lab_down_before_timeout(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);
	struct napi_struct *napi;

	lab_pump(pub);
	lab_ledger_close(nic);
	nic->up = false;
	rtnl_lock();
	call_timeout(pub, 0);
	dev_close(pub->ndev);
	rtnl_unlock();
	/* the work waits for the lock: let it be the next to have it */
	msleep(20);
	if (lock_is_free())
		return true;

	/* it waits for NAPI, which only the next open would enable */
	list_for_each_entry(napi, &pub->ndev->napi_list, dev_list) {
		clear_bit(NAPI_STATE_NPSVC, &napi->state);
		clear_bit(NAPI_STATE_SCHED, &napi->state);
	}
	lock_is_free();
	list_for_each_entry(napi, &pub->ndev->napi_list, dev_list)
		napi_disable(napi);
	return false;
}

void lab_receive_only(struct lab_nic *nic)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;

	migrate_disable();
	while (lab_ctrl_irq_level(ctrl) && lab_irq_raise(ctrl->hwirq)) {
		ctrl->irqs++;
		local_bh_disable();
		local_bh_enable();
	}
	migrate_enable();
}

bool lab_queue_stopped(struct lab_nic *nic, unsigned int queue)
{
	return netif_tx_queue_stopped(netdev_get_tx_queue(nic->ndev, queue));
}
