// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the hardware does to frames, as a suite asks for it.
 */
#include <linux/errqueue.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/net.h>
#include <linux/preempt.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "nic.h"
#include "pcap.h"

int lab_send_with(struct lab_nic *pub, unsigned int queue, const u8 *frame, u32 len,
		  const struct lab_rx_flags *with)
{
	struct nic *nic = to_nic(pub);
	int ret;

	lab_pcap(LAB_PCAP_RX, queue, frame, len);
	lab_ctrl_lock();
	ret = nic->ctrl->ops->receive(nic->ctrl, queue, frame, len, with);
	lab_ctrl_unlock();
	/* a late one counts when it is there */
	if (!ret && !(with->faults & LAB_RX_LATE))
		nic->ledger.sent++;
	return ret;
}

/* Between two instructions of the driver. */
static void early(void *arg)
{
	struct nic *nic = arg;
	struct lab_early *e = &nic->early;
	struct lab_buffer buf;

	if (e->state == LAB_EARLY_SENT && lab_ctrl_next_buffer(nic->ctrl, e->queue, &buf))
		e->state = LAB_EARLY_WAITS;
	if (e->state == LAB_EARLY_WAITS && !lab_ctrl_next_buffer(nic->ctrl, e->queue, &buf) &&
	    !lab_arrive(nic, e->queue, e->frame, e->len))
		e->state = LAB_EARLY_CAME;
	if (e->state != LAB_EARLY_CAME || in_hardirq() || irqs_disabled() ||
	    !lab_ctrl_raise(nic->ctrl))
		return;
	e->state = LAB_EARLY_TOLD;
	nic->ctrl->mmio->written = NULL;
}

void lab_send_early(struct lab_nic *pub, unsigned int queue, const u8 *frame, u32 len)
{
	struct nic *nic = to_nic(pub);
	struct lab_mmio *mmio = nic->ctrl->mmio;

	KUNIT_ASSERT_NULL(pub->test, mmio->written);
	nic->early = (struct lab_early){ frame, len, queue, LAB_EARLY_SENT };
	mmio->arg = nic;
	mmio->written = early;
}

bool lab_came_early(struct lab_nic *nic)
{
	return to_nic(nic)->early.state == LAB_EARLY_TOLD;
}

void lab_account_parts(struct lab_nic *nic, unsigned int parts)
{
	to_nic(nic)->ledger.sent += parts;
}

void lab_settle(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);

	lab_ctrl_lock();
	nic->ledger.sent += nic->ctrl->ops->settle(nic->ctrl);
	lab_ctrl_unlock();
}

unsigned int lab_class_of(struct lab_nic *nic, const u8 *frame, u32 len)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;
	unsigned int class;

	lab_ctrl_lock();
	class = ctrl->ops->class_of(ctrl, frame, len);
	lab_ctrl_unlock();
	return class;
}

void lab_transmit_begin(struct lab_nic *nic)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;

	lab_ctrl_lock();
	ctrl->ops->begin(ctrl);
	lab_ctrl_unlock();
}

void lab_spoil(struct lab_nic *nic, unsigned int frames)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;

	lab_ctrl_lock();
	ctrl->ops->spoil(ctrl, frames);
	lab_ctrl_unlock();
}

void lab_interrupt(struct lab_nic *nic)
{
	/* NAPI runs where the interrupt was taken */
	migrate_disable();
	while (lab_ctrl_step(to_nic(nic)->ctrl, LAB_SKIP_TRANSMIT))
		;
	migrate_enable();
}

void lab_time_hold(struct lab_nic *nic)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;

	lab_ctrl_lock();
	ctrl->ops->time_hold(ctrl, true);
	lab_ctrl_unlock();
}

void lab_time_pass(struct lab_nic *nic, u64 ns)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;

	lab_ctrl_lock();
	ctrl->ops->time_pass(ctrl, ns);
	lab_ctrl_unlock();
}

/* Between two instructions of the driver. */
static void jump(void *arg)
{
	struct nic *nic = arg;

	if (nic->jump.writes && --nic->jump.writes)
		return;
	lab_time_pass(&nic->pub, nic->jump.ns);
	nic->jump.ns = 0;
	if (in_hardirq() || irqs_disabled() || !lab_ctrl_raise(nic->ctrl))
		return;
	nic->ctrl->mmio->written = NULL;
}

void lab_time_jump(struct lab_nic *pub, unsigned int writes, u64 ns)
{
	struct nic *nic = to_nic(pub);
	struct lab_mmio *mmio = nic->ctrl->mmio;

	KUNIT_ASSERT_NULL(pub->test, mmio->written);
	nic->jump = (struct lab_jump){ writes, ns };
	mmio->arg = nic;
	mmio->written = jump;
}

bool lab_time_jumped(struct lab_nic *pub)
{
	struct lab_mmio *mmio = to_nic(pub)->ctrl->mmio;
	bool jumped = !mmio->written;

	mmio->written = NULL;
	return jumped;
}

struct sk_buff *lab_make_skb(struct lab_nic *nic, struct net_device *ndev, const u8 *frame, u32 len)
{
	struct sk_buff *skb = netdev_alloc_skb(ndev, len + NET_IP_ALIGN);

	KUNIT_ASSERT_NOT_NULL(nic->test, skb);
	skb_reserve(skb, NET_IP_ALIGN);
	skb_put_data(skb, frame, len);
	skb_reset_mac_header(skb);
	skb->protocol = eth_hdr(skb)->h_proto;
	skb_set_network_header(skb, eth_type_vlan(skb->protocol) ? VLAN_ETH_HLEN : ETH_HLEN);
	return skb;
}

int lab_stack_xmit_sum(struct lab_nic *nic, const u8 *frame, u32 len, u32 start, u32 offset)
{
	struct sk_buff *skb = lab_make_skb(nic, nic->ndev, frame, len);

	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_headroom(skb) + start;
	skb->csum_offset = offset;
	skb_set_transport_header(skb, start);
	return dev_queue_xmit(skb);
}

int lab_stack_xmit_call(struct lab_nic *nic, const u8 *frame, u32 len, void (*freed)(struct sk_buff *skb))
{
	struct sk_buff *skb = lab_make_skb(nic, nic->ndev, frame, len);

	skb->destructor = freed;
	return dev_queue_xmit(skb);
}

/* ---- time stamps of transmission ---------------------------------------- */

/* Takes the time stamps; one NIC at a time, so one socket. */
static struct socket *stamps;

static void close_stamps(void *unused)
{
	sock_release(stamps);
	stamps = NULL;
}

static void open_stamps(struct kunit *test)
{
	if (stamps)
		return;
	KUNIT_ASSERT_EQ(test, sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, 0, &stamps), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_stamps, NULL), 0);
}

int lab_stack_xmit_stamped(struct lab_nic *nic, const u8 *frame, u32 len)
{
	struct sk_buff *skb = lab_make_skb(nic, nic->ndev, frame, len);

	open_stamps(nic->test);
	skb_set_owner_w(skb, stamps->sk);
	skb_shinfo(skb)->tx_flags |= SKBTX_HW_TSTAMP;
	return dev_queue_xmit(skb);
}

u64 lab_take_stamp(struct lab_nic *nic)
{
	struct sk_buff *skb = stamps ? sock_dequeue_err_skb(stamps->sk) : NULL;
	u64 ns = 0;

	if (!skb)
		return 0;
	if (SKB_EXT_ERR(skb)->ee.ee_origin == SO_EE_ORIGIN_TIMESTAMPING)
		ns = ktime_to_ns(skb_hwtstamps(skb)->hwtstamp);
	consume_skb(skb);
	return ns;
}
