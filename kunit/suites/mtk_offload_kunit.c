// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the frame engine does for the CPU: checksums, tags, segments.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/unaligned.h>
#include <net/checksum.h>

#include "lab.h"

/* A right checksum is not computed again; of what is no IP nothing is said. */
static void a_right_sum_is_believed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up_without_gro(nic);
	for (i = 0; i < LAB_IP_FRAMES * 8; i++)
		lab_ip_expect_believed(nic, i);
}

/* Nobody takes a wrong one for right. */
static void a_wrong_sum_is_not_believed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_ip_frame p;
	unsigned int i;

	lab_up_without_gro(nic);
	for (i = 0; i < LAB_IP_FRAMES * 4; i++) {
		p = lab_ip_build_right(nic, lab_ip_frames[i % LAB_IP_FRAMES], 60 + i, i);
		nic->frame[p.len - 1] ^= 1;
		lab_rx(nic, 0, nic->frame, p.len);
		lab_expect_summed(nic, p.len, CHECKSUM_NONE);
	}
}

/* Whoever computes it: with the right checksum the frame goes out. */
static void sums_are_right_on_the_wire(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < 12; i++)
		lab_ip_expect_sent(nic, 12 + 113 * i, i);
}

/* A tag that the stack keeps beside the frame is in it on the wire. */
static void a_tag_is_put_in(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct sk_buff *skb;
	u32 i, len;

	lab_up(nic);
	for (i = 0; i < 40; i++) {
		len = 60 + 30 * i;
		lab_fill(nic->frame, len, i);
		skb = lab_make_skb(nic, nic->ndev, nic->frame, len);
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), i % 8 << 13 | (i + 1));
		KUNIT_ASSERT_EQ(test, dev_queue_xmit(skb), 0);
		lab_pump(nic);
		memmove(nic->frame + 2 * ETH_ALEN + VLAN_HLEN, nic->frame + 2 * ETH_ALEN,
			len - 2 * ETH_ALEN);
		put_unaligned_be16(ETH_P_8021Q, nic->frame + 2 * ETH_ALEN);
		put_unaligned_be16(i % 8 << 13 | (i + 1), nic->frame + 2 * ETH_ALEN + 2);
		lab_expect_transmitted(nic, nic->frame, len + VLAN_HLEN);
	}
}

#define MSS	1000

/* An skb of TCP over IPv4 in fragments of a page, for the device to cut. */
static struct sk_buff *long_skb(struct lab_nic *nic, u32 payload)
{
	u32 head = ETH_HLEN + sizeof(struct iphdr) + sizeof(struct tcphdr);
	struct sk_buff *skb = netdev_alloc_skb(nic->ndev, head);
	struct lab_ip_frame p;
	unsigned int i;
	u32 off, n;

	KUNIT_ASSERT_NOT_NULL(nic->test, skb);
	p = lab_ip_build(nic, lab_ip_frames[1], payload, payload);
	skb_put_data(skb, nic->frame, head);
	for (i = 0, off = head; off < p.len; off += n, i++) {
		struct page *page = alloc_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(nic->test, page);
		n = min(p.len - off, (u32)PAGE_SIZE);
		memcpy(page_address(page), nic->frame + off, n);
		skb_add_rx_frag(skb, i, page, 0, n, PAGE_SIZE);
	}
	skb_reset_mac_header(skb);
	skb->protocol = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	skb_set_transport_header(skb, p.l4);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = p.at;
	skb_shinfo(skb)->gso_size = MSS;
	skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(payload, MSS);
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	return skb;
}

/* Each segment is a whole packet with its part of the data. */
static void expect_segments(struct lab_nic *nic, u32 payload)
{
	u32 head = ETH_HLEN + sizeof(struct iphdr) + sizeof(struct tcphdr), off, n;
	struct kunit *test = nic->test;
	struct lab_frame *got;
	u8 *l3, *l4;

	for (off = 0; off < payload; off += n) {
		n = min(payload - off, (u32)MSS);
		got = lab_take_transmitted(nic);
		KUNIT_ASSERT_NOT_NULL(test, got);
		KUNIT_ASSERT_EQ(test, got->len, head + n);
		l3 = got->data + ETH_HLEN;
		l4 = l3 + sizeof(struct iphdr);
		KUNIT_EXPECT_EQ(test, get_unaligned_be16(l3 + 2), got->len - ETH_HLEN);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(l4 + 4), off);
		KUNIT_EXPECT_EQ(test, ip_fast_csum(l3, 5), 0);
		KUNIT_EXPECT_EQ(test, csum_tcpudp_magic(get_unaligned((__be32 *)(l3 + 12)),
							get_unaligned((__be32 *)(l3 + 16)),
							got->len - ETH_HLEN - sizeof(struct iphdr),
							IPPROTO_TCP,
							csum_partial(l4, got->len - head +
								     sizeof(struct tcphdr), 0)), 0);
		KUNIT_EXPECT_MEMEQ(test, got->data + head, nic->frame + head + off, n);
		kfree(got);
	}
	lab_expect_silence(nic);
}

/* TCP in one piece from the stack leaves in as many as the MTU wants. */
static void long_frames_leave_in_segments(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 payload, i;

	lab_up(nic);
	for (i = 0; i < 60; i++) {
		payload = MSS + 1 + 233 * i;
		dev_queue_xmit(long_skb(nic, payload));
		lab_pump(nic);
		lab_ip_build(nic, lab_ip_frames[1], payload, payload);
		expect_segments(nic, payload);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(a_right_sum_is_believed, lab_each_mtk),
	LAB_CASE(a_wrong_sum_is_not_believed, lab_each_mtk),
	LAB_CASE(sums_are_right_on_the_wire, lab_each_mtk),
	LAB_CASE(a_tag_is_put_in, lab_each_mtk),
	LAB_CASE(long_frames_leave_in_segments, lab_each_mtk),
	{}
};

static struct kunit_suite suite = {
	.name = "mtk_offload",
	.test_cases = cases,
};

kunit_test_suite(suite);
