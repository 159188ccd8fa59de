// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that came out of a driver, and frames to put into it.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/slab.h>

#include "model.h"
#include "pcap.h"

void lab_wire_init(struct lab_wire *wire, const char *way)
{
	wire->way = way;
	spin_lock_init(&wire->lock);
	INIT_LIST_HEAD(&wire->frames);
	wire->keep = true;
}

/**
 * lab_wire_out_marked() - a frame left the driver
 * @wire: the side it left on.
 * @queue: hardware queue.
 * @data: the frame without FCS; copied.
 * @len: its length.
 * @marks: what is known beside; copied.
 *
 * Context: any.
 */
void lab_wire_out_marked(struct lab_wire *wire, unsigned int queue, const u8 *data, u32 len,
			 const struct lab_marks *marks)
{
	struct lab_frame *frame = NULL;
	unsigned long flags;

	if (wire->way)
		lab_pcap(wire->way, queue, data, len);
	if (wire->out)
		wire->out(wire->arg, data, len);
	if (wire->keep) {
		frame = kmalloc_flex(*frame, data, len, GFP_ATOMIC);
		if (frame) {
			frame->len = len;
			frame->queue = queue;
			frame->marks = *marks;
			memcpy(frame->data, data, len);
		}
	}

	spin_lock_irqsave(&wire->lock, flags);
	wire->count++;
	if (frame)
		list_add_tail(&frame->node, &wire->frames);
	else if (wire->keep)
		wire->lost++;
	spin_unlock_irqrestore(&wire->lock, flags);
}

/* A frame left on this side that somebody else keeps. Any context. */
void lab_wire_tally(struct lab_wire *wire)
{
	unsigned long flags;

	spin_lock_irqsave(&wire->lock, flags);
	wire->count++;
	spin_unlock_irqrestore(&wire->lock, flags);
}

/* The same for a frame of which nothing else is known. */
void lab_wire_out(struct lab_wire *wire, unsigned int queue, const u8 *data, u32 len)
{
	static const struct lab_marks none;

	lab_wire_out_marked(wire, queue, data, len, &none);
}

/* Oldest frame kept, which the caller frees, or NULL. */
struct lab_frame *lab_wire_take(struct lab_wire *wire)
{
	struct lab_frame *frame;
	unsigned long flags;

	spin_lock_irqsave(&wire->lock, flags);
	frame = list_first_entry_or_null(&wire->frames, struct lab_frame, node);
	if (frame)
		list_del(&frame->node);
	spin_unlock_irqrestore(&wire->lock, flags);
	return frame;
}

void lab_wire_flush(struct lab_wire *wire)
{
	struct lab_frame *frame;

	while ((frame = lab_wire_take(wire)))
		kfree(frame);
}

void lab_fill(u8 *frame, u32 len, u32 seed)
{
	static const u8 station[ETH_ALEN] = { 0x02, 0, 0, 0, 0, 0xaa };
	struct ethhdr *eth = (struct ethhdr *)frame;
	u32 i;

	eth_broadcast_addr(eth->h_dest);
	ether_addr_copy(eth->h_source, station);
	eth->h_proto = htons(LAB_ETHERTYPE);
	for (i = ETH_HLEN; i < len; i++)
		frame[i] = seed * 0x3b + i * 7 + (i >> 8);
}

void lab_fill_tagged(u8 *frame, u32 len, u16 tci, u32 seed)
{
	struct vlan_ethhdr *tagged = (struct vlan_ethhdr *)frame;

	lab_fill(frame, len, seed);
	tagged->h_vlan_proto = htons(ETH_P_8021Q);
	tagged->h_vlan_TCI = htons(tci);
	tagged->h_vlan_encapsulated_proto = htons(LAB_ETHERTYPE);
}
