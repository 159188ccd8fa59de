// SPDX-License-Identifier: GPL-2.0-only
/*
 * A TSO frame of which a part cannot be mapped. It takes dozens of descriptors,
 * and the fault may come at any of them.
 */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <net/tcp.h>

#include "lab.h"

#define MSS		1000
#define SEGMENTS	5
#define PAYLOAD		(SEGMENTS * MSS)
/* of IPv4 and TCP without options, from 198.18.0.0/15 */
#define HEADERS		(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct tcphdr))

static void put_headers(struct lab_nic *nic, struct sk_buff *skb)
{
	struct tcphdr *tcp;
	struct iphdr *ip;

	skb_put_data(skb, nic->frame, ETH_HLEN);
	eth_hdr(skb)->h_proto = htons(ETH_P_IP);
	skb_set_network_header(skb, ETH_HLEN);
	ip = skb_put_zero(skb, sizeof(*ip));
	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->ttl = 64;
	ip->protocol = IPPROTO_TCP;
	ip->tot_len = htons(HEADERS - ETH_HLEN + PAYLOAD);
	ip->saddr = htonl(0xc6120001);
	ip->daddr = htonl(0xc6120002);
	skb_set_transport_header(skb, skb->len);
	tcp = skb_put_zero(skb, sizeof(*tcp));
	tcp->doff = sizeof(*tcp) / 4;
	tcp->ack = 1;
}

/* The stack hands down a frame of SEGMENTS segments, a page fragment for each. */
static void xmit(struct lab_nic *nic)
{
	struct sk_buff *skb = netdev_alloc_skb(nic->ndev, HEADERS);
	struct page *page;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(nic->test, skb);
	lab_fill(nic->frame, ETH_HLEN, 0);
	skb_reset_mac_header(skb);
	put_headers(nic, skb);
	for (i = 0; i < SEGMENTS; i++) {
		page = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(nic->test, page);
		skb_add_rx_frag(skb, i, page, 0, MSS, PAGE_SIZE);
	}
	skb->protocol = htons(ETH_P_IP);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct tcphdr, check);
	skb_shinfo(skb)->gso_size = MSS;
	skb_shinfo(skb)->gso_segs = SEGMENTS;
	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	dev_queue_xmit(skb);
}

static struct lab_nic *up_with_tso(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	if (!(nic->ndev->features & NETIF_F_TSO))
		kunit_skip(test, "no TSO without the MAC's checksums");
	return nic;
}

/* On a good day its segments leave, each a frame. */
static void segments_leave(struct kunit *test)
{
	struct lab_nic *nic = up_with_tso(test);
	struct lab_frame *got;
	unsigned int round, i;

	/* more descriptors than the ring has */
	for (round = 0; round < 80; round++) {
		xmit(nic);
		lab_pump(nic);
		for (i = 0; i < SEGMENTS; i++) {
			got = lab_take_transmitted(nic);
			KUNIT_ASSERT_NOT_NULL(test, got);
			KUNIT_EXPECT_EQ(test, got->len, HEADERS + MSS);
			kfree(got);
		}
		/* the driver counts them as the one frame of the stack */
		lab_account_lost(nic, SEGMENTS - 1);
	}
	lab_expect_silence(nic);
}

/* Whichever part it is, nothing of the frame leaves, and the next frame does. */
static void a_part_that_cannot_be_mapped_drops_the_frame(struct kunit *test)
{
	struct lab_nic *nic = up_with_tso(test);
	unsigned int i;

	/* round the ring, so that its last descriptor is among them, too */
	for (i = 0; i < 600; i++) {
		lab_maps_left(nic, i % SEGMENTS);
		xmit(nic);
		lab_maps_plenty(nic);
		lab_pump(nic);
		lab_expect_silence(nic);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, 60 + i, 0), 0);
		lab_pump(nic);
		lab_expect_transmitted(nic, nic->frame, 60 + i);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(segments_leave, lab_each_fec),
	LAB_CASE(a_part_that_cannot_be_mapped_drops_the_frame, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_fault_tso",
	.test_cases = cases,
};

kunit_test_suite(suite);
