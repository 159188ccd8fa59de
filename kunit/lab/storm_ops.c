// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to the interface in a storm. Every step works in every state,
 * so that any part of a walk is a walk.
 *
 * The driver has no set_ringparam and no set_channels: its rings and queues
 * change with programs and the MTU only, which are here.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>

#include "storm.h"

/* Let the driver, and the queueing discipline, hear of the cable. */
static void set_link(struct storm *storm, bool link)
{
	storm->link = link;
	if (!lab_try_cable(storm->nic, link))
		storm_wrong(storm, "carrier %s", link ? "off" : "on");
}

/*
 * A driver that opens anew by itself may find no memory for it: then the interface
 * is closed, and says so. If not, its link comes back, if there is one.
 */
static void opened_anew(struct storm *storm)
{
	struct lab_nic *nic = storm->nic;

	if (!to_nic(nic)->ctrl->ops->reopens || !storm->up)
		return;
	if (!netif_running(nic->ndev)) {
		if (!storm->starving)
			storm_wrong(storm, "the driver has closed the interface");
		lab_closed_by_itself(nic);
		storm->up = false;
		lab_cable_quietly(nic, true);
		return;
	}
	if (!lab_wait_until(lab_settled(nic->ndev, storm->link)))
		storm_wrong(storm, "carrier %s", storm->link ? "off" : "on");
	lab_pump(nic);
}

static void open_it(struct storm *storm, const struct storm_step *step)
{
	struct lab_nic *nic = storm->nic;
	int ret;

	storm_say(storm, "open");
	if (storm->up)
		return;
	ret = lab_try_up(nic);
	if (ret) {
		if (!storm->starving)
			storm_wrong(storm, "open: %d", ret);
		return;
	}
	storm->up = true;
	set_link(storm, true);
	lab_pump(nic);
	lab_discard(nic);
	if (!storm->armed)
		storm->armed = lab_armed(storm->nic);
}

static void close_it(struct storm *storm, const struct storm_step *step)
{
	storm_say(storm, "close");
	if (!storm->up)
		return;
	/* the next open finds the cable in */
	if (!storm->link)
		lab_cable_quietly(storm->nic, true);
	storm->up = false;
	lab_down(storm->nic);
}

static void attach(struct storm *storm, const struct storm_step *step)
{
	static const char * const name[] = { "by content", "drop", "reflect", "pass" };
	int which = step->arg[0] % 2 ? STORM_BY_CONTENT : step->arg[1] % STORM_PROGS;
	int ret;

	storm_say(storm, "attach program '%s'", name[which]);
	if (!storm->nic->soc->has_xdp)
		return;
	ret = lab_attach(storm->nic, storm->progs[which]);
	if (!ret)
		storm->prog = which;
	else if (!storm->starving)
		storm_wrong(storm, "attach: %d", ret);
	opened_anew(storm);
}

static void detach(struct storm *storm, const struct storm_step *step)
{
	int ret;

	storm_say(storm, "detach");
	if (storm->prog < 0)
		return;
	ret = lab_attach(storm->nic, NULL);
	/* other buffers are needed where the driver opens anew */
	if (ret && !(storm->starving && to_nic(storm->nic)->ctrl->ops->reopens))
		storm_wrong(storm, "detach: %d", ret);
	if (!ret)
		storm->prog = -1;
	opened_anew(storm);
}

static void change_mtu(struct storm *storm, const struct storm_step *step)
{
	static const unsigned int jumbo[] = { 1500, 2000, 4000, 9000, 9000 };
	unsigned int mtu = storm->nic->soc->has_jumbo ? jumbo[step->arg[0] % ARRAY_SIZE(jumbo)] :
							68 + step->arg[0] % (1500 - 67);
	int ret;

	storm_say(storm, "MTU %u", mtu);
	rtnl_lock();
	ret = dev_set_mtu(storm->nic->ndev, mtu);
	rtnl_unlock();
	if (storm->up && mtu != storm->mtu && !to_nic(storm->nic)->ctrl->ops->mtu_live) {
		if (ret != -EBUSY)
			storm_wrong(storm, "MTU of an open interface: %d", ret);
	} else if (ret) {
		storm_wrong(storm, "MTU: %d", ret);
	} else {
		storm->mtu = mtu;
	}
}

static void starve(struct storm *storm, const struct storm_step *step)
{
	static const unsigned int every[] = { 1, 2, 3, 7 };
	unsigned int n;

	storm->starving = true;
	lab_inject_stop(storm->nic);
	lab_maps_plenty(storm->nic);
	if (step->arg[0] % 2) {
		n = every[step->arg[1] % ARRAY_SIZE(every)];
		storm_say(storm, "every call number %u fails", n);
		lab_inject_every(storm->nic, n);
	} else {
		n = step->arg[1] % 4;
		storm_say(storm, "%u more mappings, then none", n);
		lab_maps_left(storm->nic, n);
	}
}

static void plenty(struct storm *storm, const struct storm_step *step)
{
	storm_say(storm, "memory again");
	storm->starving = false;
	lab_inject_stop(storm->nic);
	lab_maps_plenty(storm->nic);
}

static void unplug(struct storm *storm, const struct storm_step *step)
{
	storm_say(storm, "pull the cable");
	if (storm->up)
		set_link(storm, false);
}

static void plug(struct storm *storm, const struct storm_step *step)
{
	storm_say(storm, "put the cable in");
	if (storm->up)
		set_link(storm, true);
}

/* What the watchdog of the stack does when a queue stands still. */
static void restart(struct storm *storm, const struct storm_step *step)
{
	struct net_device *ndev = storm->nic->ndev;

	storm_say(storm, "the transmit watchdog bites");
	if (!storm->up || !storm->link)
		return;
	lab_hang_begin(storm->nic);
	netif_tx_lock_bh(ndev);
	ndev->netdev_ops->ndo_tx_timeout(ndev, step->arg[0] % ndev->real_num_tx_queues);
	netif_tx_unlock_bh(ndev);
	/* it works there; nothing else does in the lab */
	__flush_workqueue(system_percpu_wq);
	opened_anew(storm);
}

static void coalesce(struct storm *storm, const struct storm_step *step)
{
	struct ethtool_coalesce ec = {
		.cmd = ETHTOOL_SCOALESCE,
		.rx_coalesce_usecs = 1 + step->arg[0] % 500,
		.rx_max_coalesced_frames = 1 + step->arg[1] % 255,
		.tx_coalesce_usecs = 1 + step->arg[2] % 500,
		.tx_max_coalesced_frames = 1 + step->arg[1] / 256 % 255,
	};
	int ret;

	storm_say(storm, "coalesce %u us %u frames", ec.rx_coalesce_usecs,
		  ec.rx_max_coalesced_frames);
	ret = lab_ethtool(storm->nic, &ec, sizeof(ec));
	if (ret && ret != -EOPNOTSUPP)
		storm_wrong(storm, "coalesce: %d", ret);
}

#define DOWN	BIT(STORM_DOWN)
#define OPEN	(BIT(STORM_PLAIN) | BIT(STORM_XDP) | BIT(STORM_NOLINK))

const struct storm_kind storm_kinds[STORM_OPS] = {
	[STORM_RECEIVE] = { "receive", storm_receive, 20 },
	[STORM_BURST] = { "burst", storm_burst, 3 },
	[STORM_TRANSMIT] = { "transmit", storm_transmit, 10, .bars = DOWN },
	[STORM_BOTH] = { "both ways", storm_both, 10, .bars = DOWN },
	[STORM_NETPOLL] = { "netpoll", storm_netpoll, 6, .bars = DOWN },
	[STORM_OPEN] = { "open", open_it, 25, .bars = OPEN },
	[STORM_CLOSE] = { "close", close_it, 2, .bars = DOWN },
	[STORM_ATTACH] = { "attach", attach, 3, .xdp = true },
	[STORM_DETACH] = { "detach", detach, 2, .bars = BIT(STORM_PLAIN), .xdp = true },
	[STORM_MTU] = { "MTU", change_mtu, 3 },
	[STORM_STARVE] = { "starve", starve, 2 },
	[STORM_PLENTY] = { "plenty", plenty, 8, .needs = BIT(STORM_SHORT) },
	[STORM_UNPLUG] = { "unplug", unplug, 2, .bars = DOWN | BIT(STORM_NOLINK) },
	[STORM_PLUG] = { "plug", plug, 5, .needs = BIT(STORM_NOLINK), .bars = DOWN },
	[STORM_RESTART] = { "restart", restart, 3, .bars = DOWN | BIT(STORM_NOLINK) },
	[STORM_COALESCE] = { "coalesce", coalesce, 3 },
};

/* Programs, and a netpoll client as netconsole is one. */
void storm_set_up(struct storm *storm)
{
	lab_netpoll_start(storm->nic);
	if (storm->nic->soc->has_xdp)
		storm_programs(storm);
}
