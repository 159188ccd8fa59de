// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transmit watchdog, and running the driver's side of the rings alone.
 */
#include <linux/bottom_half.h>
#include <linux/console.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rtnetlink.h>

#include "nic.h"

#define QUIET		5	/* warnings and worse */

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

	call_timeout(nic, queue);
	KUNIT_ASSERT_TRUE_MSG(nic->test, lab_wait_until(READ_ONCE(mmio->writes) != writes),
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
	while (lab_ctrl_raise(ctrl)) {
		local_bh_disable();
		local_bh_enable();
	}
	migrate_enable();
}

bool lab_queue_stopped(struct lab_nic *nic, unsigned int queue)
{
	return netif_tx_queue_stopped(netdev_get_tx_queue(nic->ndev, queue));
}
