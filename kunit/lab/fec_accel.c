// SPDX-License-Identifier: GPL-2.0-only
/*
 * The accelerator of an ENET: what it tells about a received frame, and the
 * checksums it puts into a transmitted one. IMX6DQRM "IP accelerator
 * functions", ENETx_RACC, ENETx_TACC, "Enhanced receive buffer descriptor"
 * and "Enhanced transmit buffer descriptor".
 */
#include <linux/if_ether.h>
#include <linux/icmp.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>

#include "fec.h"

#define VLAN_TAG	4

/* Where things are in a frame; @proto_len 0: nothing to make a sum of. */
struct parsed {
	bool vlan, ip, ip6, fragment;
	u8 *l3, *l4;
	u32 head_len, proto_len;
	u8 proto;
};

static bool parse_ip4(struct parsed *p, u32 left)
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

/* Next headers are not followed: the manual names none. */
static bool parse_ip6(struct parsed *p, u32 left)
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

static void parse(struct parsed *p, u8 *frame, u32 len)
{
	u32 off = ETH_HLEN;
	u16 type;

	memset(p, 0, sizeof(*p));
	if (len < ETH_HLEN + VLAN_TAG)
		return;
	type = get_unaligned_be16(frame + 2 * ETH_ALEN);
	if (type == ETH_P_8021Q) {
		p->vlan = true;
		type = get_unaligned_be16(frame + ETH_HLEN + 2);
		off += VLAN_TAG;
	}
	p->l3 = frame + off;
	if (type == ETH_P_IP)
		parse_ip4(p, len - off);
	else if (type == ETH_P_IPV6)
		parse_ip6(p, len - off);
}

/* Offset of the sum in the protocol's header, 0: none that is known. */
static u32 sum_at(const struct parsed *p)
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

static __sum16 proto_sum(const struct parsed *p)
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

static bool proto_ok(const struct parsed *p, u32 at)
{
	/* UDP on IPv4 may come without a sum */
	if (p->ip && p->proto == IPPROTO_UDP && !get_unaligned((u16 *)(p->l4 + at)))
		return true;
	return !proto_sum(p);
}

/**
 * fec_accel_rx() - look at a received frame
 * @fec: the controller.
 * @frame: from the destination address on, without FCS.
 * @len: its length.
 * @ext: bits for the word at offset 8 of the descriptor.
 * @prot: the word after it: protocol and length of the headers.
 *
 * ICE and PCR are set for what is no IP and no known protocol, too.
 *
 * Return: true when the frame is to be discarded (RACC[IPDIS], RACC[PRODIS],
 * which work only with the receive FIFO in store and forward mode: RSFL 0).
 */
bool fec_accel_rx(struct lab_fec *fec, u8 *frame, u32 len, u32 *ext, u32 *prot)
{
	bool storing = !FEC_REG(fec, REG_RSFL), bad_head = false, bad_proto = false;
	u32 racc = FEC_REG(fec, REG_RACC), at;
	struct parsed p;

	parse(&p, frame, len);
	*ext = 0;
	*prot = 0;
	if (p.vlan)
		*ext |= BD_RX_VLAN;
	if (p.ip6)
		*ext |= BD_RX_IPV6;
	if (p.fragment)
		*ext |= BD_RX_FRAG;
	if (!p.ip && !p.ip6) {
		*ext |= BD_RX_ICE | BD_RX_PCR;
		return false;
	}
	*prot = (u32)(p.head_len / 4) << 27 | p.proto << 16;
	if (p.ip && ip_fast_csum(p.l3, p.head_len / 4)) {
		*ext |= BD_RX_ICE;
		bad_head = true;
	}
	at = sum_at(&p);
	if (at)
		bad_proto = !proto_ok(&p, at);
	if (!at || bad_proto)
		*ext |= BD_RX_PCR;
	return storing && ((bad_head && racc & RACC_IPDIS) || (bad_proto && racc & RACC_PRODIS));
}

/**
 * fec_accel_tx() - put the checksums into a frame
 * @fec: the controller.
 * @frame: to be sent.
 * @len: its length.
 * @ext: word at offset 8 of its descriptors: BD_TX_IINS, BD_TX_PINS.
 *
 * The fields must be zero before, and the transmit FIFO in store and forward
 * mode (TFWR[STRFWD]), or the frame goes as it is.
 */
void fec_accel_tx(struct lab_fec *fec, u8 *frame, u32 len, u32 ext)
{
	struct parsed p;
	__sum16 sum;
	u32 at;

	if (!(FEC_REG(fec, REG_TFWR) & TFWR_STRFWD))
		return;
	parse(&p, frame, len);
	if (ext & BD_TX_IINS && p.ip)
		put_unaligned(ip_fast_csum(p.l3, p.head_len / 4), (__sum16 *)(p.l3 + 10));
	at = p.ip || p.ip6 ? sum_at(&p) : 0;
	if (!(ext & BD_TX_PINS) || !at)
		return;
	sum = proto_sum(&p);
	if (!sum && p.proto == IPPROTO_UDP)
		sum = CSUM_MANGLED_0;
	put_unaligned(sum, (__sum16 *)(p.l4 + at));
}
