// SPDX-License-Identifier: GPL-2.0-only
/*
 * Headers and checksums of a frame, as an engine that looks into frames sees
 * them. What a controller makes of them is its model's business.
 */
#include <linux/icmp.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>

#include "packet.h"

static bool parse_ip4(struct lab_packet *p, u32 left)
{
	struct iphdr *ip = (struct iphdr *)p->l3;
	u32 total;

	if (left < sizeof(*ip) || ip->version != 4 || ip->ihl < 5)
		return false;
	total = get_unaligned_be16(&ip->tot_len);
	p->head_len = ip->ihl * 4;
	if (total > left || total < p->head_len)
		return false;
	p->ip = true;
	p->fragment = get_unaligned_be16(&ip->frag_off) & (IP_MF | IP_OFFSET);
	p->proto = ip->protocol;
	p->l4 = p->l3 + p->head_len;
	p->proto_len = total - p->head_len;
	return true;
}

/* Next headers are not followed: no manual names any. */
static bool parse_ip6(struct lab_packet *p, u32 left)
{
	struct ipv6hdr *ip = (struct ipv6hdr *)p->l3;

	if (left < sizeof(*ip) || ip->version != 6)
		return false;
	p->proto_len = get_unaligned_be16(&ip->payload_len);
	if (p->proto_len > left - sizeof(*ip))
		return false;
	p->ip6 = true;
	p->head_len = sizeof(*ip);
	p->proto = ip->nexthdr;
	p->l4 = p->l3 + sizeof(*ip);
	return true;
}

/**
 * lab_parse() - find the headers of a frame
 * @p: what is found.
 * @frame: from the destination address on.
 * @len: its length.
 */
void lab_parse(struct lab_packet *p, u8 *frame, u32 len)
{
	u32 off = ETH_HLEN;
	u16 type;

	memset(p, 0, sizeof(*p));
	if (len < ETH_HLEN + VLAN_HLEN)
		return;
	type = get_unaligned_be16(frame + 2 * ETH_ALEN);
	if (type == ETH_P_8021Q) {
		p->vlan = true;
		type = get_unaligned_be16(frame + ETH_HLEN + 2);
		off += VLAN_HLEN;
	}
	p->l3 = frame + off;
	if (type == ETH_P_IP)
		parse_ip4(p, len - off);
	else if (type == ETH_P_IPV6)
		parse_ip6(p, len - off);
}

/* Offset of the sum in the protocol's header, 0: none that is known. */
u32 lab_sum_at(const struct lab_packet *p)
{
	u32 at = 0, need = 0;

	if (p->proto == IPPROTO_TCP) {
		at = offsetof(struct tcphdr, check);
		need = sizeof(struct tcphdr);
	} else if (p->proto == IPPROTO_UDP) {
		at = offsetof(struct udphdr, check);
		need = sizeof(struct udphdr);
	} else if (p->proto == IPPROTO_ICMP || p->proto == IPPROTO_ICMPV6) {
		at = offsetof(struct icmphdr, checksum);
		need = sizeof(struct icmphdr);
	}
	return p->proto_len < need || p->fragment ? 0 : at;
}

/* The sum over protocol and pseudo header, the field as it is: 0 when it is right. */
__sum16 lab_proto_sum(const struct lab_packet *p)
{
	__wsum sum = csum_partial(p->l4, p->proto_len, 0);

	if (p->ip6) {
		const struct ipv6hdr *ip = (struct ipv6hdr *)p->l3;

		return csum_ipv6_magic(&ip->saddr, &ip->daddr, p->proto_len, p->proto, sum);
	}
	if (p->proto == IPPROTO_ICMP)
		return csum_fold(sum);
	return csum_tcpudp_magic(get_unaligned((__be32 *)(p->l3 + 12)),
				 get_unaligned((__be32 *)(p->l3 + 16)),
				 p->proto_len, p->proto, sum);
}

/* Whether the sum at @at, see lab_sum_at(), is right. */
bool lab_proto_ok(const struct lab_packet *p, u32 at)
{
	/* UDP on IPv4 may come without a sum */
	if (p->ip && p->proto == IPPROTO_UDP && !get_unaligned((u16 *)(p->l4 + at)))
		return true;
	return !lab_proto_sum(p);
}

/* Fill in the sum at @at, whose field holds 0 or the sum of the pseudo header. */
void lab_put_sum(const struct lab_packet *p, u32 at)
{
	__sum16 sum = lab_proto_sum(p);

	if (!sum && p->proto == IPPROTO_UDP)
		sum = CSUM_MANGLED_0;
	put_unaligned(sum, (__sum16 *)(p->l4 + at));
}
