// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several MACs on the rings of one controller, see lab_mac.h.
 */
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "nic.h"

/* Interfaces of a device, LAB_MACS at most, in the order of their making. */
unsigned int lab_macs_of(struct device *dev, struct net_device **mac)
{
	struct net_device *ndev;
	unsigned int n = 0;

	rtnl_lock();
	for_each_netdev(&init_net, ndev)
		if (n < LAB_MACS && ndev->dev.parent == dev)
			mac[n++] = ndev;
	rtnl_unlock();
	return n;
}

/* Which of them it is. */
unsigned int lab_mac_of(const struct nic *nic, const struct net_device *ndev)
{
	unsigned int i;

	for (i = 0; i < nic->macs; i++)
		if (nic->mac[i] == ndev)
			break;
	return i;
}

/* The counters that the gate looks at, over all of them. */
void lab_mac_stats(struct nic *nic, struct rtnl_link_stats64 *sum)
{
	struct rtnl_link_stats64 stats;
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < nic->macs; i++) {
		dev_get_stats(nic->mac[i], &stats);
		sum->rx_dropped += stats.rx_dropped;
		sum->rx_errors += stats.rx_errors;
		sum->tx_packets += stats.tx_packets;
	}
}

struct net_device *lab_mac_ndev(struct lab_nic *pub, unsigned int mac)
{
	struct nic *nic = to_nic(pub);

	KUNIT_ASSERT_LT(pub->test, mac, nic->macs);
	return nic->mac[mac];
}

void lab_mac_up(struct lab_nic *nic, unsigned int mac)
{
	struct net_device *ndev = lab_mac_ndev(nic, mac);
	int ret;

	if (!mac) {
		lab_up(nic);
		return;
	}
	rtnl_lock();
	ret = dev_open(ndev, NULL);
	rtnl_unlock();
	KUNIT_ASSERT_EQ_MSG(nic->test, ret, 0, "open of MAC %u", mac);
	lab_mac_wait_link(nic, mac);
	lab_pump(nic);
	lab_discard(nic);
}

void lab_mac_wait_link(struct lab_nic *nic, unsigned int mac)
{
	KUNIT_ASSERT_TRUE_MSG(nic->test,
			      lab_wait_until(lab_settled(lab_mac_ndev(nic, mac), true)),
			      "no link at MAC %u", mac);
}

void lab_mac_down(struct lab_nic *nic, unsigned int mac)
{
	lab_pump(nic);
	lab_mac_cut(nic, mac);
}

void lab_macs_up(struct lab_nic *nic)
{
	unsigned int mac;

	for (mac = 0; mac < to_nic(nic)->macs; mac++)
		lab_mac_up(nic, mac);
}

void lab_macs_down(struct lab_nic *nic)
{
	unsigned int mac;

	for (mac = to_nic(nic)->macs; mac--;)
		lab_mac_down(nic, mac);
}

void lab_mac_cut(struct lab_nic *nic, unsigned int mac)
{
	struct net_device *ndev = lab_mac_ndev(nic, mac);
	struct rtnl_link_stats64 stats;

	if (!mac) {
		lab_cut(nic);
		return;
	}
	/* the driver reads the counters of open interfaces only */
	dev_get_stats(ndev, &stats);
	rtnl_lock();
	dev_close(ndev);
	rtnl_unlock();
}

int lab_mac_try_send(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len)
{
	const struct lab_rx_flags with = { .mac = mac };

	return lab_send_with(nic, 0, frame, len, &with);
}

void lab_mac_rx(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len)
{
	KUNIT_ASSERT_EQ_MSG(nic->test, lab_mac_try_send(nic, mac, frame, len), 0,
			    "a frame for MAC %u", mac);
	lab_pump(nic);
}

static void expect(struct lab_nic *nic, struct lab_frame *got, unsigned int mac,
		   const u8 *frame, u32 len)
{
	struct kunit *test = nic->test;

	KUNIT_ASSERT_NOT_NULL_MSG(test, got, "no frame at MAC %u", mac);
	KUNIT_EXPECT_EQ(test, got->queue, mac);
	KUNIT_EXPECT_EQ(test, got->len, len);
	KUNIT_EXPECT_MEMEQ(test, got->data, frame, min(len, got->len));
	kfree(got);
}

void lab_mac_expect_delivered(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len)
{
	struct nic *n = to_nic(nic);

	expect(nic, lab_wire_take(mac ? &n->others : &n->delivered), mac, frame, len);
}

int lab_mac_xmit(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len)
{
	return dev_queue_xmit(lab_make_skb(nic, lab_mac_ndev(nic, mac), frame, len));
}

void lab_mac_expect_transmitted(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len)
{
	expect(nic, lab_take_transmitted(nic), mac, frame, len);
}

int lab_mac_attach(struct lab_nic *nic, unsigned int mac, struct bpf_prog *prog)
{
	struct nic *n = to_nic(nic);
	unsigned int i;
	int ret;

	ret = lab_attach_to(nic, lab_mac_ndev(nic, mac), prog);
	/* the rings are those of all */
	for (i = 0; i < n->macs && !ret; i++)
		if (netif_running(n->mac[i]))
			KUNIT_ASSERT_TRUE(nic->test,
					  lab_wait_until(lab_settled(n->mac[i], true)));
	return ret;
}

void lab_hang_begin(struct lab_nic *pub)
{
	struct lab_ctrl *ctrl = to_nic(pub)->ctrl;

	if (!ctrl->ops->hang)
		return;
	lab_ctrl_lock();
	ctrl->ops->hang(ctrl);
	lab_ctrl_unlock();
}

bool lab_hang(struct lab_nic *pub)
{
	struct lab_ctrl *ctrl = to_nic(pub)->ctrl;
	bool hangs;
	int ms;

	lab_hang_begin(pub);
	for (ms = 0, hangs = true; ms < 10000 && hangs; ms += 100) {
		msleep(100);
		lab_ctrl_lock();
		hangs = ctrl->ops->hangs(ctrl);
		lab_ctrl_unlock();
	}
	/* whoever resets it has the lock until it goes on */
	rtnl_lock();
	rtnl_unlock();
	return !hangs;
}
