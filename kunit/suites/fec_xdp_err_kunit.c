// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP off the straight road, from pages and from the chunks of a socket:
 * verdicts that do not exist, frames with errors, a transmit ring without
 * room, no memory for an skb. Each frame is counted as what became of it.
 */
#include <linux/if_ether.h>
#include <linux/rtnetlink.h>

#include "lab.h"

#define NO_VERDICT	((enum xdp_action)(XDP_REDIRECT + 7))
#define FEW		280	/* more than a ring keeps free for the stack */

/* A verdict that does not exist drops the frame, and is counted so. */
static void unknown_verdicts_drop(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up_with(nic, lab_verdict(nic, NO_VERDICT));
	for (i = 0; i < 300; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, 60 + i);
	}
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 300);
}

/* Also where the frame lies in a chunk, which comes back. */
static void unknown_verdicts_cost_no_chunk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	u32 i;

	lab_up_with(nic, lab_verdict(nic, NO_VERDICT));
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 300; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_rx(nic, 0, nic->frame, 60 + i);
	}
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 300);
	lab_xsk_check(xsk);
}

static void send_bad(struct lab_nic *nic, u32 i)
{
	static const unsigned int faults[] = {
		LAB_RX_CRC, LAB_RX_OVERRUN, LAB_RX_SHORT, LAB_RX_NOT_LAST,
	};
	struct lab_rx_flags with = { .faults = faults[i % ARRAY_SIZE(faults)] };

	lab_xsk_frame(nic, 300, i, XDP_REDIRECT);
	KUNIT_ASSERT_EQ(nic->test, lab_send_with(nic, 0, nic->frame, 300, &with), 0);
}

/* A frame with an error reaches neither program nor socket, and costs no chunk. */
static void errors_cost_no_chunk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct rtnl_link_stats64 stats;
	struct lab_xsk *xsk;
	u32 i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 300; i++) {
		send_bad(nic, i);
		lab_pump(nic);
		if (i % 50 == 0)
			lab_xsk_exchange(xsk, i);
	}
	KUNIT_EXPECT_NULL(test, lab_xsk_take(xsk));
	lab_expect_silence(nic);
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, stats.rx_errors, 300);
	lab_xsk_check(xsk);
}

/* The stack fills the transmit ring as far as it may. */
static void fill_ring(struct lab_nic *nic)
{
	u32 i;

	lab_fill(nic->frame, 60, 1);
	for (i = 0; i < 2000 && !lab_queue_stopped(nic, 0); i++)
		lab_stack_xmit(nic, nic->frame, 60, 0);
	KUNIT_ASSERT_TRUE(nic->test, lab_queue_stopped(nic, 0));
}

/* Frames that the program sends back arrive while nothing gets out; then all does. */
static void send_back(struct lab_nic *nic, u32 frames)
{
	u32 i;

	for (i = 0; i < frames; i++) {
		lab_xsk_frame(nic, 60, i, XDP_TX);
		lab_send(nic, 0, nic->frame, 60);
		lab_receive_only(nic);
	}
	KUNIT_EXPECT_GT(nic->test, lab_stat(nic, "rx_xdp_tx_errors"), 0);
	lab_pump(nic);
	lab_discard(nic);
}

/* With the ring full of the stack's frames, what comes back is dropped and counted. */
static void a_full_ring_drops_what_comes_back(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_verdict(nic, XDP_TX));
	fill_ring(nic);
	send_back(nic, FEW);
	/* and there is room again */
	lab_fill(nic->frame, 60, FEW);
	lab_rx(nic, 0, nic->frame, 60);
	lab_expect_transmitted(nic, nic->frame, 60);
	lab_expect_silence(nic);
}

/* Where the frames lie in chunks, all of these come back. */
static void a_full_ring_costs_no_chunk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_xsk_up(nic);
	/* each frame that is sent takes a chunk out of the ring, and another one its place */
	xsk = lab_xsk_bind(nic, 0, 256);
	KUNIT_ASSERT_EQ(test, lab_xsk_fill(xsk, 250), 250);
	lab_pump(nic);
	fill_ring(nic);
	send_back(nic, 240);
	lab_xsk_check(xsk);
	lab_xsk_exchange(xsk, FEW);
}

/* No skb for a frame that a socket's queue passes: dropped, counted, its chunk comes back. */
static void a_missing_skb_costs_no_chunk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct rtnl_link_stats64 stats;
	struct lab_xsk *xsk;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_inject_nth(nic, "napi_alloc_skb", "fec_build_skb_zc", 1);
	lab_xsk_frame(nic, 200, 1, XDP_PASS);
	lab_rx(nic, 0, nic->frame, 200);
	KUNIT_EXPECT_EQ(test, lab_inject_stop(nic), 1);
	lab_expect_silence(nic);
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, stats.rx_dropped, 1);
	lab_xsk_frame(nic, 200, 2, XDP_PASS);
	lab_rx(nic, 0, nic->frame, 200);
	lab_expect_delivered(nic, nic->frame, 200);
	lab_xsk_check(xsk);
}

static struct kunit_case cases[] = {
	LAB_CASE(unknown_verdicts_drop, lab_each_fec_xdp),
	LAB_CASE(unknown_verdicts_cost_no_chunk, lab_each_fec_xdp),
	LAB_CASE(errors_cost_no_chunk, lab_each_fec_xdp),
	LAB_CASE(a_full_ring_drops_what_comes_back, lab_each_fec_xdp),
	LAB_CASE(a_full_ring_costs_no_chunk, lab_each_fec_xdp),
	LAB_CASE(a_missing_skb_costs_no_chunk, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_xdp_err",
	.test_cases = cases,
};

kunit_test_suite(suite);
