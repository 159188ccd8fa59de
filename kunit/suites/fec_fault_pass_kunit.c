// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack gets the frame that the program left, and nothing that is no frame.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/unaligned.h>

#include "lab.h"

/* A header that the program removed stays away. */
static void removed_header_stays_away(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_adjust(nic, ETH_HLEN, 0, XDP_PASS));
	lab_fill(nic->frame, ETH_HLEN, 1);
	lab_fill(nic->frame + ETH_HLEN, 100, 2);
	lab_rx(nic, 0, nic->frame, ETH_HLEN + 100);
	lab_expect_delivered(nic, nic->frame + ETH_HLEN, 100);
}

/* A header that the program put in front arrives. */
static void prepended_header_arrives(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u8 *inner = nic->frame + ETH_HLEN;

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_HEAD(-ETH_HLEN),
				  LAB_BPF_SET(0, 0xff), LAB_BPF_SET(1, 0xff),
				  LAB_BPF_SET(2, 0xff), LAB_BPF_SET(3, 0xff),
				  LAB_BPF_SET(4, 0xff), LAB_BPF_SET(5, 0xff),
				  LAB_BPF_SET(6, 0x02), LAB_BPF_SET(7, 0x00),
				  LAB_BPF_SET(8, 0x00), LAB_BPF_SET(9, 0x00),
				  LAB_BPF_SET(10, 0x00), LAB_BPF_SET(11, 0xbb),
				  LAB_BPF_SET(12, LAB_ETHERTYPE >> 8),
				  LAB_BPF_SET(13, LAB_ETHERTYPE & 0xff),
				  LAB_BPF_RETURN(XDP_PASS)));
	lab_fill(inner, 100, 3);
	lab_rx(nic, 0, inner, 100);
	memset(nic->frame, 0xff, ETH_ALEN);
	memcpy(nic->frame + ETH_ALEN, (u8[]){ 2, 0, 0, 0, 0, 0xbb }, ETH_ALEN);
	put_unaligned_be16(LAB_ETHERTYPE, nic->frame + 2 * ETH_ALEN);
	lab_expect_delivered(nic, nic->frame, ETH_HLEN + 100);
}

/* A frame that the program trimmed is that short. */
static void trimmed_frame_is_short(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_adjust(nic, 0, -40, XDP_PASS));
	lab_fill(nic->frame, 200, 4);
	lab_rx(nic, 0, nic->frame, 200);
	lab_expect_delivered(nic, nic->frame, 160);
}

/* What the program appended arrives; bpf_xdp_adjust_tail() fills it with zeros. */
static void appended_bytes_arrive(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_adjust(nic, 0, 24, XDP_PASS));
	lab_fill(nic->frame, 200, 5);
	lab_rx(nic, 0, nic->frame, 200);
	memset(nic->frame + 200, 0, 24);
	lab_expect_delivered(nic, nic->frame, 224);
}

/* A VLAN tag that nobody touched arrives, in the frame or beside it. */
static void untouched_tag_arrives(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	lab_fill_tagged(nic->frame, 200, 5, 6);
	lab_rx(nic, 0, nic->frame, 200);
	lab_expect_delivered(nic, nic->frame, 200);
}

/* A program that pops the VLAN tag: no second tag is stripped. */
static void popped_tag_is_not_stripped_again(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_FIELD(BPF_REG_2, data),
				  BPF_LDX_MEM(BPF_DW, BPF_REG_7, BPF_REG_2, 0),
				  BPF_LDX_MEM(BPF_W, BPF_REG_8, BPF_REG_2, 8),
				  LAB_BPF_HEAD(VLAN_HLEN),
				  LAB_BPF_FIELD(BPF_REG_2, data),
				  BPF_STX_MEM(BPF_DW, BPF_REG_2, BPF_REG_7, 0),
				  BPF_STX_MEM(BPF_W, BPF_REG_2, BPF_REG_8, 8),
				  LAB_BPF_RETURN(XDP_PASS)));
	lab_fill_tagged(nic->frame, 200, 5, 6);
	lab_rx(nic, 0, nic->frame, 200);
	memmove(nic->frame + VLAN_HLEN, nic->frame, 2 * ETH_ALEN);
	lab_expect_delivered(nic, nic->frame + VLAN_HLEN, 200 - VLAN_HLEN);
}

/* A program that overwrites the tag's EtherType: what it wrote arrives. */
static void overwritten_tag_is_not_stripped(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_SET(12, LAB_ETHERTYPE >> 8),
				  LAB_BPF_SET(13, LAB_ETHERTYPE & 0xff),
				  LAB_BPF_RETURN(XDP_PASS)));
	lab_fill_tagged(nic->frame, 200, 5, 6);
	lab_rx(nic, 0, nic->frame, 200);
	put_unaligned_be16(LAB_ETHERTYPE, nic->frame + 2 * ETH_ALEN);
	lab_expect_delivered(nic, nic->frame, 200);
}

static struct kunit_case cases[] = {
	LAB_CASE(removed_header_stays_away, lab_each_fec_xdp),
	LAB_CASE(prepended_header_arrives, lab_each_fec_xdp),
	LAB_CASE(trimmed_frame_is_short, lab_each_fec_xdp),
	LAB_CASE(appended_bytes_arrive, lab_each_fec_xdp),
	LAB_CASE(untouched_tag_arrives, lab_each_fec_xdp),
	LAB_CASE(popped_tag_is_not_stripped_again, lab_each_fec_xdp),
	LAB_CASE(overwritten_tag_is_not_stripped, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_fault_pass",
	.test_cases = cases,
};

kunit_test_suite(suite);
