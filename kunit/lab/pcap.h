/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A capture of what a NIC of the lab receives, sends and delivers.
 */
#ifndef POOLSTACK_PCAP_H
#define POOLSTACK_PCAP_H

#include <linux/types.h>

/* Where a frame was seen: names that scripts/poolstack/pcap.py knows. */
#define LAB_PCAP_RX	"rx"	/* from the wire to the controller */
#define LAB_PCAP_TX	"tx"	/* from the controller to the wire */
#define LAB_PCAP_UP	"up"	/* from the driver to the stack */

/**
 * lab_pcap() - print a frame, if poolstack.pcap=1 asks for it
 * @way: one of the above.
 * @queue: hardware queue.
 * @data: the frame without FCS.
 * @len: its length in bytes.
 *
 * Context: any.
 */
void lab_pcap(const char *way, unsigned int queue, const u8 *data, u32 len);

#endif
