/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For models of controllers that look into frames.
 */
#ifndef POOLSTACK_PACKET_H
#define POOLSTACK_PACKET_H

#include <linux/if_ether.h>
#include <linux/if_vlan.h>

/**
 * struct lab_packet - where things are in a frame
 * @vlan: it has a tag.
 * @ip: it is IPv4.
 * @ip6: it is IPv6.
 * @fragment: of an IPv4 packet.
 * @l3: its IP header.
 * @l4: the header of the protocol.
 * @head_len: bytes of the IP header.
 * @proto_len: bytes of the protocol, 0: nothing to make a sum of.
 * @proto: IPPROTO_*.
 */
struct lab_packet {
	bool vlan, ip, ip6, fragment;
	u8 *l3, *l4;
	u32 head_len, proto_len;
	u8 proto;
};

void lab_parse(struct lab_packet *p, u8 *frame, u32 len);
u32 lab_sum_at(const struct lab_packet *p);
__sum16 lab_proto_sum(const struct lab_packet *p);
bool lab_proto_ok(const struct lab_packet *p, u32 at);
void lab_put_sum(const struct lab_packet *p, u32 at);

#endif
