// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lengths that are no frame, frames larger than a page, frames in flight when
 * the interface closes.
 */
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

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	KUNIT_ASSERT_EQ(test, lab_send_length(nic, 0, 3), 0);
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 0);
	KUNIT_EXPECT_EQ(test, length_errors(nic), 1);
}

/* Nor does a socket get one, or lose a chunk to it. */
static void a_socket_gets_no_short_descriptor(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	KUNIT_ASSERT_EQ(test, lab_send_length(nic, 0, 3), 0);
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, length_errors(nic), 1);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_pass"), 0);
	lab_xsk_check(xsk);
	lab_xsk_exchange(xsk, 1);
}

/* A jumbo frame whose start the program moved into the second page goes out. */
static void jumbo_frame_cut_by_a_page_is_sent(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_set_mtu(nic, 9000);
	lab_up_with(nic, lab_adjust(nic, 5000, 0, XDP_TX));
	for (i = 0; i < 300 && test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, 8000, i);
		lab_rx(nic, 0, nic->frame, 8000);
		lab_expect_transmitted(nic, nic->frame + 5000, 3000);
	}
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
	lab_cut(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

/* So are frames that were redirected to it. */
static void queued_xdp_frame_is_unmapped_by_close(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, 4, 100, 1);
	KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 0, 4), 4);
	lab_cut(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

static struct kunit_case cases[] = {
	LAB_CASE(short_descriptor_is_an_error, lab_each_fec_xdp),
	LAB_CASE(program_sees_no_short_descriptor, lab_each_fec_xdp),
	LAB_CASE(a_socket_gets_no_short_descriptor, lab_each_fec_xdp),
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
