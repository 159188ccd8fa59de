/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: frames with checksums in them. Part of lab.h, which includes it.
 */
#ifndef POOLSTACK_LAB_IP_H
#define POOLSTACK_LAB_IP_H

#include "lab.h"

/**
 * struct lab_ip_frame - what is in nic->frame
 * @ip6: IPv6, else IPv4.
 * @proto: IPPROTO_UDP or IPPROTO_TCP.
 * @len: of the frame.
 * @l4: where the protocol's header starts.
 * @at: where in it the checksum is.
 */
struct lab_ip_frame {
	bool ip6;
	u8 proto;
	u32 len;
	u32 l4;
	u32 at;
};

/* The kinds that there are. */
#define LAB_IP_FRAMES	4
extern const struct lab_ip_frame lab_ip_frames[LAB_IP_FRAMES];

/**
 * lab_ip_build() - make a frame as the stack leaves it to a device
 * @nic: the NIC, the frame is in its ->frame.
 * @p: what kind, one of lab_ip_frames.
 * @payload: bytes of data.
 * @seed: of the data.
 *
 * The checksum of IPv4 is right, in the field of the protocol's is that of the
 * pseudo header.
 *
 * Return: @p with the rest filled in.
 */
struct lab_ip_frame lab_ip_build(struct lab_nic *nic, struct lab_ip_frame p, u32 payload, u32 seed);

/* Write what whoever is asked for the checksum has to write. */
void lab_ip_complete(struct lab_nic *nic, const struct lab_ip_frame *p);

/* Both: the frame as it is on the wire. */
struct lab_ip_frame lab_ip_build_right(struct lab_nic *nic, struct lab_ip_frame p, u32 payload,
				       u32 seed);

/* One frame of each kind from the stack is right on the wire, whoever computes it. */
void lab_ip_expect_sent(struct lab_nic *nic, u32 payload, u32 seed);

/* Frame @i of many arrives with right sums, and one of no IP: what is said of them. */
void lab_ip_expect_believed(struct lab_nic *nic, unsigned int i);

/* The oldest frame delivered is nic->frame, and this is said of its checksum. */
void lab_expect_summed(struct lab_nic *nic, u32 len, u8 ip_summed);

#endif
