// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a frame between the transmit descriptors and a MAC: cut into
 * segments, checksums, tag. mtk_tx_set_dma_desc_v1(), _v2(); that the size of a
 * segment stands in the field of TCP's checksum: mtk_start_xmit().
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>

#include "mtk.h"
#include "packet.h"

/* What the first descriptor asks for. */
struct wish {
	u32 port;
	bool tso, sum, vlan;
	u16 tci;
};

static struct wish read_wish(const struct lab_mtk *mtk, const u32 *d)
{
	switch (mtk->variant->txd) {
	case MTK_TXD_1:
		return (struct wish){
			.port = d[3] >> 25 & 0x7, .tso = d[3] & TXD_TSO, .sum = d[3] & TXD_SUM,
			.vlan = d[3] & TXD_VLAN, .tci = d[3],
		};
	case MTK_TXD_2:
		return (struct wish){
			.port = d[3] >> 8 & 0xf, .tso = d[4] & TXD2_TSO, .sum = d[4] & TXD2_SUM,
			.vlan = d[5] & TXD_VLAN, .tci = d[5],
		};
	default:
		return (struct wish){ .port = mtk->variant->port[0] };
	}
}

/* Fill in checksums of IPv4 and of the protocol; the fields may hold anything. */
static void put_sums(u8 *frame, u32 len)
{
	struct lab_packet p;
	u32 at;

	lab_parse(&p, frame, len);
	if (p.ip) {
		put_unaligned(0, (u16 *)(p.l3 + offsetof(struct iphdr, check)));
		put_unaligned(ip_fast_csum(p.l3, p.head_len / 4),
			      (__sum16 *)(p.l3 + offsetof(struct iphdr, check)));
	}
	at = p.ip || p.ip6 ? lab_sum_at(&p) : 0;
	if (!at)
		return;
	put_unaligned(0, (u16 *)(p.l4 + at));
	lab_put_sum(&p, at);
}

/* A frame in mtk->seg leaves. */
static void out(struct lab_mtk *mtk, u32 len, unsigned int mac, const struct wish *wish)
{
	if (wish->sum)
		put_sums(mtk->seg, len);
	if (wish->vlan) {
		memmove(mtk->seg + 2 * ETH_ALEN + VLAN_HLEN, mtk->seg + 2 * ETH_ALEN,
			len - 2 * ETH_ALEN);
		put_unaligned_be16(ETH_P_8021Q, mtk->seg + 2 * ETH_ALEN);
		put_unaligned_be16(wish->tci, mtk->seg + 2 * ETH_ALEN + 2);
		len += VLAN_HLEN;
	}
	lab_wire_out(mtk->ctrl.wire, mac, mtk->seg, len);
	mtk_count(mtk, mac, MTK_MIB_TX_PACKETS, 1);
	mtk_count(mtk, mac, MTK_MIB_TX_BYTES, len);
}

/* Cut TCP into segments of as many bytes as its checksum field says. */
static void segment(struct lab_mtk *mtk, u32 len, unsigned int mac, struct wish *wish)
{
	u32 head, off, n, mss, seq;
	struct lab_packet p;
	struct tcphdr *tcp;
	u8 flags;

	lab_parse(&p, mtk->buf, len);
	tcp = (struct tcphdr *)p.l4;
	if (!(p.ip || p.ip6) || p.proto != IPPROTO_TCP || p.proto_len < sizeof(*tcp)) {
		mtk_bad(mtk, 0, len, DMA_TO_DEVICE);
		return;
	}
	head = p.l4 - mtk->buf + tcp->doff * 4;
	mss = get_unaligned_be16(&tcp->check);
	seq = get_unaligned_be32(&tcp->seq);
	flags = p.l4[13];
	if (!mss || head >= len || head + mss > sizeof(mtk->seg) - VLAN_HLEN) {
		mtk_bad(mtk, 0, len, DMA_TO_DEVICE);
		return;
	}
	wish->sum = true;
	for (off = head; off < len; off += n) {
		u8 *l3 = mtk->seg + (p.l3 - mtk->buf), *l4 = mtk->seg + (p.l4 - mtk->buf);

		n = min(mss, len - off);
		memcpy(mtk->seg, mtk->buf, head);
		memcpy(mtk->seg + head, mtk->buf + off, n);
		if (p.ip) {
			put_unaligned_be16(head + n - (p.l3 - mtk->buf), l3 + 2);
			put_unaligned_be16(get_unaligned_be16(l3 + 4) + (off - head) / mss, l3 + 4);
		} else {
			put_unaligned_be16(head + n - (p.l4 - mtk->buf), l3 + 4);
		}
		put_unaligned_be32(seq + off - head, l4 + 4);
		/* FIN and PSH are for the last, CWR for the first */
		l4[13] = flags & ~((off + n < len ? 0x09 : 0) | (off > head ? 0x80 : 0));
		out(mtk, head + n, mac, wish);
	}
}

/**
 * mtk_send() - a frame leaves as its descriptor says
 * @mtk: the engine, the frame in ->buf.
 * @len: its length.
 * @d: a copy of the first descriptor.
 */
void mtk_send(struct lab_mtk *mtk, u32 len, const u32 *d)
{
	const struct mtk_variant *v = mtk->variant;
	struct wish wish = read_wish(mtk, d);
	unsigned int mac;

	for (mac = 0; mac < MTK_MACS; mac++)
		if (v->port[mac] && v->port[mac] == wish.port)
			break;
	if (mac == MTK_MACS) {
		mtk_bad(mtk, wish.port, len, DMA_TO_DEVICE);
		return;
	}
	/* no link: the frame is gone */
	if (!mtk_mac_on(mtk, mac, MCR_TX_EN))
		return;
	if (wish.tso) {
		segment(mtk, len, mac, &wish);
	} else if (len <= sizeof(mtk->seg) - VLAN_HLEN) {
		memcpy(mtk->seg, mtk->buf, len);
		out(mtk, len, mac, &wish);
	} else {
		mtk_bad(mtk, 0, len, DMA_TO_DEVICE);
	}
}
