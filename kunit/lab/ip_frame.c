// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames with checksums in them, see lab_ip.h.
 */
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>

#include "lab.h"

const struct lab_ip_frame lab_ip_frames[LAB_IP_FRAMES] = {
	{ false, IPPROTO_UDP }, { false, IPPROTO_TCP },
	{ true, IPPROTO_UDP }, { true, IPPROTO_TCP },
};

static void fill_ip4(u8 *at, u8 proto, u32 len)
{
	struct iphdr ip = {
		.version = 4, .ihl = 5, .tot_len = htons(sizeof(ip) + len), .ttl = 64,
		.protocol = proto, .saddr = htonl(0x0a000001), .daddr = htonl(0x0a000002),
	};

	memcpy(at, &ip, sizeof(ip));
}

static void fill_ip6(u8 *at, u8 proto, u32 len)
{
	struct ipv6hdr ip = {
		.version = 6, .payload_len = htons(len), .nexthdr = proto, .hop_limit = 64,
	};

	ip.saddr.s6_addr[15] = 1;
	ip.daddr.s6_addr[15] = 2;
	memcpy(at, &ip, sizeof(ip));
}

/* The sum of the pseudo header, folded, not inverted. */
static u16 pseudo(const u8 *l3, const struct lab_ip_frame *p, u32 len)
{
	if (p->ip6) {
		const struct ipv6hdr *ip = (const struct ipv6hdr *)l3;

		return (__force u16)~csum_ipv6_magic(&ip->saddr, &ip->daddr, len, p->proto, 0);
	}
	return (__force u16)~csum_tcpudp_magic(get_unaligned((__be32 *)(l3 + 12)),
					       get_unaligned((__be32 *)(l3 + 16)),
					       len, p->proto, 0);
}

struct lab_ip_frame lab_ip_build(struct lab_nic *nic, struct lab_ip_frame p, u32 payload, u32 seed)
{
	u8 *l3 = nic->frame + ETH_HLEN, *l4;
	u32 head, len;

	head = p.proto == IPPROTO_TCP ? sizeof(struct tcphdr) : sizeof(struct udphdr);
	p.at = p.proto == IPPROTO_TCP ? offsetof(struct tcphdr, check) :
					offsetof(struct udphdr, check);
	p.l4 = ETH_HLEN + (p.ip6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
	len = head + payload;
	p.len = p.l4 + len;
	lab_fill(nic->frame, p.len, seed);
	put_unaligned_be16(p.ip6 ? ETH_P_IPV6 : ETH_P_IP, nic->frame + 2 * ETH_ALEN);
	l4 = nic->frame + p.l4;
	memset(l4, 0, head);
	put_unaligned_be16(1000, l4);
	put_unaligned_be16(2000, l4 + 2);
	if (p.proto == IPPROTO_TCP)
		l4[12] = sizeof(struct tcphdr) / 4 << 4;
	else
		put_unaligned_be16(len, l4 + 4);
	if (p.ip6) {
		fill_ip6(l3, p.proto, len);
	} else {
		fill_ip4(l3, p.proto, len);
		put_unaligned((__force u16)ip_fast_csum(l3, 5), (u16 *)(l3 + 10));
	}
	put_unaligned(pseudo(l3, &p, len), (u16 *)(l4 + p.at));
	return p;
}

void lab_ip_complete(struct lab_nic *nic, const struct lab_ip_frame *p)
{
	u8 *l4 = nic->frame + p->l4;

	put_unaligned((__force u16)csum_fold(csum_partial(l4, p->len - p->l4, 0)),
		      (u16 *)(l4 + p->at));
}

struct lab_ip_frame lab_ip_build_right(struct lab_nic *nic, struct lab_ip_frame p, u32 payload,
				       u32 seed)
{
	p = lab_ip_build(nic, p, payload, seed);
	lab_ip_complete(nic, &p);
	return p;
}

void lab_expect_summed(struct lab_nic *nic, u32 len, u8 ip_summed)
{
	struct lab_frame *frame = lab_take_delivered(nic);

	KUNIT_ASSERT_NOT_NULL(nic->test, frame);
	KUNIT_EXPECT_EQ(nic->test, frame->len, len);
	KUNIT_EXPECT_MEMEQ(nic->test, frame->data, nic->frame, min(len, frame->len));
	KUNIT_EXPECT_EQ(nic->test, frame->marks.ip_summed, ip_summed);
	kfree(frame);
}

void lab_ip_expect_sent(struct lab_nic *nic, u32 payload, u32 seed)
{
	struct lab_ip_frame p;
	unsigned int i;

	for (i = 0; i < LAB_IP_FRAMES; i++) {
		p = lab_ip_build(nic, lab_ip_frames[i], payload, seed + i);
		KUNIT_ASSERT_EQ(nic->test,
				lab_stack_xmit_sum(nic, nic->frame, p.len, p.l4, p.at), 0);
		lab_pump(nic);
		lab_ip_complete(nic, &p);
		lab_expect_transmitted(nic, nic->frame, p.len);
	}
}

void lab_ip_expect_believed(struct lab_nic *nic, unsigned int i)
{
	struct lab_ip_frame p;

	p = lab_ip_build_right(nic, lab_ip_frames[i % LAB_IP_FRAMES], 20 + 31 * i, i);
	lab_rx(nic, i % nic->soc->queues, nic->frame, p.len);
	lab_expect_summed(nic, p.len, CHECKSUM_UNNECESSARY);
	lab_fill(nic->frame, 100 + i, i);
	lab_rx(nic, 0, nic->frame, 100 + i);
	lab_expect_summed(nic, 100 + i, CHECKSUM_NONE);
}
