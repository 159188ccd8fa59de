// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the stack above the driver: takes every frame that the
 * interface delivers, keeps a copy and frees the skb where a protocol would,
 * or sends it on as a router would.
 */
#include <linux/if_vlan.h>
#include <linux/rtnetlink.h>

#include "nic.h"

/* The frame as it was on the wire, a tag the driver took out put back. */
static u32 rebuild(const struct sk_buff *skb, u8 *to)
{
	int from = skb_mac_offset(skb);
	u32 len = skb->len - from, head = 2 * ETH_ALEN;
	u8 *at = to;

	if (len + VLAN_HLEN > LAB_MAX_FRAME || len < head)
		return 0;
	if (!skb_vlan_tag_present(skb)) {
		skb_copy_bits(skb, from, at, len);
		return len;
	}
	skb_copy_bits(skb, from, at, head);
	at += head;
	put_unaligned(skb->vlan_proto, (__be16 *)at);
	put_unaligned_be16(skb_vlan_tag_get(skb), at + 2);
	at += VLAN_HLEN;
	skb_copy_bits(skb, from + head, at, len - head);
	return len + VLAN_HLEN;
}

static rx_handler_result_t take(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb;
	struct nic *nic = rcu_dereference(skb->dev->rx_handler_data);
	unsigned int mac = lab_mac_of(nic, skb->dev);

	if (nic->on_delivery)
		nic->on_delivery(&nic->pub, nic->delivery_arg);
	if (READ_ONCE(nic->keep_skbs)) {
		lab_wire_tally(&nic->delivered);
		skb_queue_tail(&nic->skbs, skb);
		return RX_HANDLER_CONSUMED;
	}
	if (READ_ONCE(nic->forward)) {
		lab_wire_tally(&nic->delivered);
		skb_push(skb, -skb_mac_offset(skb));
		dev_queue_xmit(skb);
		return RX_HANDLER_CONSUMED;
	}
	lab_wire_out_marked(mac ? &nic->others : &nic->delivered,
			    mac ?: skb_get_rx_queue(skb), nic->scratch,
			    rebuild(skb, nic->scratch), &(struct lab_marks){
		.ip_summed = skb->ip_summed,
		.stamp = ktime_to_ns(skb_hwtstamps(skb)->hwtstamp),
	});
	consume_skb(skb);
	return RX_HANDLER_CONSUMED;
}

void lab_forward(struct lab_nic *nic, bool on)
{
	WRITE_ONCE(to_nic(nic)->forward, on);
}

/* Put the sink on the controller's interfaces; 0 or a negative error. */
int lab_sink_register(struct nic *nic)
{
	unsigned int i;
	int ret = 0;

	rtnl_lock();
	for (i = 0; i < nic->macs && !ret; i++)
		ret = netdev_rx_handler_register(nic->mac[i], take, nic);
	nic->sinking = !ret;
	while (ret && --i)
		netdev_rx_handler_unregister(nic->mac[i - 1]);
	rtnl_unlock();
	return ret;
}

void lab_sink_unregister(struct nic *nic)
{
	unsigned int i;

	if (!nic->sinking)
		return;
	rtnl_lock();
	for (i = 0; i < nic->macs; i++)
		netdev_rx_handler_unregister(nic->mac[i]);
	rtnl_unlock();
	nic->sinking = false;
}
