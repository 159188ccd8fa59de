// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lengths that are no frame, frames larger than a page, frames in flight when
 * the interface closes.
 */
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "lab.h"

static u64 length_errors(struct lab_nic *nic)
{
	struct rtnl_link_stats64 stats;

	dev_get_stats(nic->ndev, &stats);
	return stats.rx_length_errors;
}

/* A descriptor with next to no length is an error, whatever comes after it. */
static void short_descriptor_is_an_error(struct kunit *test)
{
	static const u16 lens[] = { 0, 1, 3, 4, 5, 13, 17 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		KUNIT_ASSERT_EQ(test, lab_send_length(nic, 0, lens[i]), 0);
		lab_pump(nic);
		lab_expect_silence(nic);
		KUNIT_EXPECT_EQ(test, length_errors(nic), i + 1);
	}
	lab_fill(nic->frame, 200, 1);
	lab_rx(nic, 0, nic->frame, 200);
	lab_expect_delivered(nic, nic->frame, 200);
}

/* A program is not shown such a descriptor. */
static void program_sees_no_short_descriptor(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_verdict(nic, XDP_DROP)), 0);
	lab_up(nic);
	KUNIT_ASSERT_EQ(test, lab_send_length(nic, 0, 3), 0);
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 0);
	KUNIT_EXPECT_EQ(test, length_errors(nic), 1);
}

static void set_mtu(struct lab_nic *nic, int mtu)
{
	int ret;

	rtnl_lock();
	ret = dev_set_mtu(nic->ndev, mtu);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(nic->test, ret, 0);
}

/* A jumbo frame whose start the program moved into the second page goes out. */
static void jumbo_frame_cut_by_a_page_is_sent(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	set_mtu(nic, 9000);
	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_adjust(nic, 5000, 0, XDP_TX)), 0);
	lab_up(nic);
	for (i = 0; i < 300 && test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, 8000, i);
		lab_rx(nic, 0, nic->frame, 8000);
		lab_expect_transmitted(nic, nic->frame + 5000, 3000);
	}
}

static void close_now(struct lab_nic *nic)
{
	rtnl_lock();
	dev_close(nic->ndev);
	rtnl_unlock();
}

/* Frames of the stack that are queued when the interface closes are unmapped. */
static void queued_skb_is_unmapped_by_close(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < 6; i++) {
		lab_fill(nic->frame, 1000, i);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, 1000, i % 3), 0);
	}
	close_now(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

/* A frame redirected from another interface, as ndo_xdp_xmit() gets it. */
static struct xdp_frame *foreign_frame(struct lab_nic *nic, u32 len)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct xdp_frame *frame;

	KUNIT_ASSERT_NOT_NULL(nic->test, page);
	frame = page_address(page);
	*frame = (struct xdp_frame){
		.data = page_address(page) + XDP_PACKET_HEADROOM,
		.len = len,
		.headroom = XDP_PACKET_HEADROOM - sizeof(*frame),
		.frame_sz = PAGE_SIZE,
		.mem_type = MEM_TYPE_PAGE_ORDER0,
	};
	lab_fill(frame->data, len, len);
	return frame;
}

/* So are frames that were redirected to it. */
static void queued_xdp_frame_is_unmapped_by_close(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct xdp_frame *frame;
	unsigned int i;
	int sent;

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_verdict(nic, XDP_PASS)), 0);
	lab_up(nic);
	for (i = 0; i < 4; i++) {
		frame = foreign_frame(nic, 100 + i);
		local_bh_disable();
		sent = nic->ndev->netdev_ops->ndo_xdp_xmit(nic->ndev, 1, &frame, 0);
		local_bh_enable();
		KUNIT_ASSERT_EQ(test, sent, 1);
	}
	close_now(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

static struct kunit_case cases[] = {
	LAB_CASE(short_descriptor_is_an_error, lab_each_fec_xdp),
	LAB_CASE(program_sees_no_short_descriptor, lab_each_fec_xdp),
	LAB_CASE(jumbo_frame_cut_by_a_page_is_sent, lab_each_fec_jumbo),
	LAB_CASE(queued_skb_is_unmapped_by_close, lab_each_fec_xdp),
	LAB_CASE(queued_xdp_frame_is_unmapped_by_close, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_fault_edge",
	.test_cases = cases,
};

kunit_test_suite(suite);
