// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wire of a NIC as an interface of the same kernel: labwire0.
 *
 * Booted with poolstack.labwire=TARGET the lab runs no case. The SoC's driver
 * is bound to its model as in any case, and what programs send through labwire0
 * arrives at the controller, what the controller transmits comes out of
 * labwire0. One of the two interfaces has to move to a network namespace of its
 * own, or the stack would keep what one sends to the other to itself.
 *
 * The wire loses nothing: while no buffer is armed a frame waits, as behind a
 * switch with pause frames. While the NIC has no link labwire0 has none.
 */
#include <linux/etherdevice.h>
#include <linux/kthread.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/wait.h>

#include "nic.h"
#include "param.h"

/* Frames on the wire; above that labwire0 takes none. */
#define FRAMES		256
/* Frames that arrive before the interrupt is looked at. */
#define BURST		32

static char *target_name = "";
module_param_named(labwire, target_name, charp, 0444);
MODULE_PARM_DESC(labwire, "run no case, put this target (imx6q or imx6q/armv7-32) on labwire0");

/**
 * struct labwire - private data of labwire0
 * @nic: at the other end.
 * @ndev: the interface.
 * @wait: where the controller waits for work.
 * @due: there is some.
 * @in: towards the NIC, oldest first.
 * @out: came from the NIC, oldest first.
 * @carrier: notifier that looks at the NIC's link.
 */
struct labwire {
	struct nic *nic;
	struct net_device *ndev;
	wait_queue_head_t wait;
	bool due;
	struct sk_buff_head in, out;
	struct notifier_block carrier;
};

static struct labwire *the_wire;

/* Any context: also as the driver writes a register. */
static void kick(void *arg)
{
	struct labwire *wire = arg;

	WRITE_ONCE(wire->due, true);
	wake_up(&wire->wait);
}

static netdev_tx_t labwire_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct labwire *wire = netdev_priv(ndev);

	/* a frame that is freed for want of memory is sent, as far as the stack can tell */
	if (skb_put_padto(skb, ETH_ZLEN))
		return NETDEV_TX_OK;
	skb_queue_tail(&wire->in, skb);
	if (skb_queue_len(&wire->in) >= FRAMES)
		netif_stop_queue(ndev);
	kick(wire);
	return NETDEV_TX_OK;
}

/* The controller has sent a frame. Its lock is held. */
static void left(void *arg, const u8 *data, u32 len)
{
	struct labwire *wire = arg;
	struct sk_buff *skb = netdev_alloc_skb_ip_align(wire->ndev, max(len, ETH_ZLEN));

	if (!skb) {
		dev_core_stats_rx_dropped_inc(wire->ndev);
		return;
	}
	skb_put_data(skb, data, len);
	if (len < ETH_ZLEN)
		skb_put_zero(skb, ETH_ZLEN - len);
	skb_queue_tail(&wire->out, skb);
}

static bool connected(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

/* Frames on the wire reach the controller, as far as it has buffers. */
static bool arrive(struct labwire *wire)
{
	struct net_device *ndev = wire->ndev;
	struct nic *nic = wire->nic;
	struct lab_buffer buf;
	struct sk_buff *skb;
	unsigned int n = 0;

	while (n < BURST && (skb = skb_peek(&wire->in))) {
		if (connected(nic->pub.ndev)) {
			if (lab_ctrl_next_buffer(nic->ctrl, 0, &buf))
				break;
			if (lab_arrive(nic, 0, skb->data, skb->len))
				dev_core_stats_tx_dropped_inc(ndev);
			else
				dev_sw_netstats_tx_add(ndev, 1, skb->len);
		} else {
			dev_core_stats_tx_dropped_inc(ndev);
		}
		skb_unlink(skb, &wire->in);
		consume_skb(skb);
		n++;
	}
	if (netif_queue_stopped(ndev) && skb_queue_len(&wire->in) < FRAMES / 2)
		netif_wake_queue(ndev);
	return n;
}

/* Frames that came from the controller reach the stack. */
static bool deliver(struct labwire *wire)
{
	struct sk_buff *skb;
	bool did = false;

	local_bh_disable();
	while ((skb = skb_dequeue(&wire->out))) {
		dev_sw_netstats_rx_add(wire->ndev, skb->len);
		skb->protocol = eth_type_trans(skb, wire->ndev);
		netif_receive_skb(skb);
		did = true;
	}
	local_bh_enable();
	return did;
}

static int run(void *data)
{
	struct labwire *wire = data;
	bool did;

	for (;;) {
		/* an interrupt that the kernel has enabled again tells nobody: look at times */
		wait_event_interruptible_timeout(wire->wait, READ_ONCE(wire->due), HZ / 10 + 1);
		do {
			WRITE_ONCE(wire->due, false);
			migrate_disable();
			did = arrive(wire);
			did |= lab_ctrl_step(wire->nic->ctrl, 0);
			migrate_enable();
			did |= deliver(wire);
			cond_resched();
		} while (did);
	}
	return 0;
}

static int labwire_open(struct net_device *ndev)
{
	netif_start_queue(ndev);
	return 0;
}

static int labwire_stop(struct net_device *ndev)
{
	netif_stop_queue(ndev);
	return 0;
}

static const struct net_device_ops labwire_ops = {
	.ndo_open = labwire_open,
	.ndo_stop = labwire_stop,
	.ndo_start_xmit = labwire_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static int on_link(struct notifier_block *nb, unsigned long event, void *info)
{
	struct labwire *wire = container_of(nb, struct labwire, carrier);
	struct net_device *ndev = netdev_notifier_info_to_dev(info);

	if (ndev != wire->nic->pub.ndev)
		return NOTIFY_DONE;
	if (event != NETDEV_GOING_DOWN && connected(ndev)) {
		netif_carrier_on(wire->ndev);
	} else {
		netif_carrier_off(wire->ndev);
		kick(wire);
	}
	return NOTIFY_OK;
}

static void labwire_setup(struct net_device *ndev)
{
	static const u8 station[ETH_ALEN] = { 0x02, 0, 0, 0, 0, 0xaa };

	ether_setup(ndev);
	eth_hw_addr_set(ndev, station);
	ndev->netdev_ops = &labwire_ops;
	ndev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	ndev->max_mtu = LAB_MAX_FRAME - ETH_HLEN;
}

static struct labwire *make(struct nic *nic)
{
	struct net_device *ndev = alloc_netdev(sizeof(struct labwire), "labwire%d", NET_NAME_ENUM,
					       labwire_setup);
	struct labwire *wire;

	if (!ndev)
		return NULL;
	wire = netdev_priv(ndev);
	wire->nic = nic;
	wire->ndev = ndev;
	init_waitqueue_head(&wire->wait);
	skb_queue_head_init(&wire->in);
	skb_queue_head_init(&wire->out);
	netif_carrier_off(ndev);
	if (register_netdev(ndev)) {
		free_netdev(ndev);
		return NULL;
	}
	return wire;
}

static void connect(struct labwire *wire)
{
	struct nic *nic = wire->nic;

	nic->pub.dma->stack_holds = true;
	nic->transmitted.keep = false;
	nic->transmitted.arg = wire;
	nic->transmitted.out = left;
	nic->ctrl->mmio->arg = wire;
	nic->ctrl->mmio->written = kick;
	wire->carrier.notifier_call = on_link;
	register_netdevice_notifier(&wire->carrier);
}

/* After the drivers, before init. It stays as long as the kernel runs. */
static int __init labwire_init(void)
{
	const struct lab_target *target;
	struct labwire *wire;
	struct nic *nic;
	const char *why;

	if (!*target_name)
		return 0;
	target = lab_target_named(target_name);
	if (!target) {
		pr_err("poolstack: labwire: no target %s\n", target_name);
		return -ENOENT;
	}
	nic = lab_nic_power_on(NULL, target);
	if (!nic)
		return -ENOMEM;
	why = lab_nic_plug(nic);
	if (why) {
		pr_err("poolstack: labwire: %s: %s\n", target->name, why);
		return -ENODEV;
	}
	wire = make(nic);
	if (!wire)
		return -ENOMEM;
	connect(wire);
	the_wire = wire;
	return PTR_ERR_OR_ZERO(kthread_run(run, wire, "labwire"));
}
late_initcall_sync(labwire_init);

/* What traffic cost so far, a line "name value" each. */
static int show_counts(char *to, const struct kernel_param *kp)
{
	struct lab_counts c;
	struct nic *nic;

	if (!the_wire)
		return -ENODEV;
	nic = the_wire->nic;
	lab_counts(&nic->pub, &c);
	return sysfs_emit(to,
			  "rx_frames %llu\ntx_frames %llu\n"
			  "dma_lines_for_device %llu\ndma_lines_for_cpu %llu\n"
			  "dma_sync_calls %llu\ndma_empty_syncs %llu\ndma_maps %llu\n"
			  "mmio_writes %llu\nmmio_reads %llu\nirqs %llu\nlink_events %llu\n"
			  "gated %llu\nbroken_rules %llu\n",
			  nic->ledger.sent, nic->transmitted.count,
			  c.dma_lines_for_device, c.dma_lines_for_cpu,
			  c.dma_sync_calls, c.dma_empty_syncs, c.dma_maps,
			  c.mmio_writes, c.mmio_reads, c.irqs, c.link_events,
			  c.gated, lab_violations(&nic->pub, LAB_V_MAX));
}

static const struct kernel_param_ops counts_ops = {
	.get = show_counts,
};

module_param_cb(counts, &counts_ops, NULL, 0444);
MODULE_PARM_DESC(counts, "what the traffic of labwire0 has cost so far");

/* The first rules that were broken, a line each. */
static int show_broken(char *to, const struct kernel_param *kp)
{
	struct lab_dma *dma;
	unsigned int i;
	int len = 0;

	if (!the_wire)
		return -ENODEV;
	dma = the_wire->nic->pub.dma;
	for (i = 0; i < dma->events; i++) {
		const struct lab_dma_event *e = &dma->event[i];

		len += sysfs_emit_at(to, len,
				     "%s: mapping %#llx dir %d, offset %#x, %u bytes, dir %d\n",
				     lab_violation_name(e->type), (u64)e->addr, e->map_dir,
				     e->off, e->len, e->dir);
	}
	return len;
}

static const struct kernel_param_ops broken_ops = {
	.get = show_broken,
};

module_param_cb(broken, &broken_ops, NULL, 0444);
MODULE_PARM_DESC(broken, "the first rules that the traffic of labwire0 has broken");
