// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP zero copy, transmission: what the socket sends is on the wire once and
 * whole, and each chunk is completed once.
 */
#include <linux/slab.h>

#include "lab.h"

/* @n frames into the transmit ring, frame i with seed @seed + i. */
static void send(struct lab_nic *nic, struct lab_xsk *xsk, unsigned int n, u32 len, u32 seed)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, len, seed + i);
		lab_xsk_send(xsk, nic->frame, len);
	}
}

static void expect_sent(struct lab_nic *nic, unsigned int n, u32 len, u32 seed)
{
	unsigned int i;

	for (i = 0; i < n && nic->test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, len, seed + i);
		lab_expect_transmitted(nic, nic->frame, len);
	}
}

/* Bursts of all sizes, around the rings: each frame once, each chunk back. */
static void what_the_socket_sends_is_on_the_wire_once(struct kunit *test)
{
	static const unsigned int bursts[] = { 1, 2, 7, 32, 64, 64, 63, 1, 64, 64, 64, 64, 64, 64,
					       64, 64, 64, 64, 64, 64, 64, 64, 64, 64 };
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;
	u32 sent = 0;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < ARRAY_SIZE(bursts) && test->status != KUNIT_FAILURE; i++) {
		u32 len = 60 + i * 61;

		send(nic, xsk, bursts[i], len, sent);
		KUNIT_EXPECT_TRUE(test, lab_xsk_wants_kick(xsk));
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
		lab_pump(nic);
		expect_sent(nic, bursts[i], len, sent);
		sent += bursts[i];
		KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), sent);
	}
	lab_expect_silence(nic);
	lab_xsk_check(xsk);
}

/* More than the driver's ring takes at once: the rest follows by itself. */
static void a_full_descriptor_ring_is_no_loss(struct kunit *test)
{
	const struct lab_xsk_setup setup = {
		.chunks = 1200, .chunk_size = 2048, .ring = 2048,
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_up(nic);
	xsk = lab_xsk_open(nic, &setup);
	send(nic, xsk, setup.chunks, 60, 0);
	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	/* nothing is complete before the transmitter has run */
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), 0);
	lab_pump(nic);
	expect_sent(nic, setup.chunks, 60, 0);
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), setup.chunks);
}

/* A burst costs one doorbell. */
static void one_doorbell_for_a_burst(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;
	struct lab_xsk *xsk;
	u64 writes[2] = {};
	unsigned int k;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (k = 0; k < 2; k++) {
		lab_counts(nic, &before);
		send(nic, xsk, 16 << k, 100, 0);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
		lab_pump(nic);
		lab_counts(nic, &after);
		writes[k] = after.mmio_writes - before.mmio_writes;
		expect_sent(nic, 16 << k, 100, 0);
		lab_xsk_completed(xsk);
	}
	KUNIT_EXPECT_EQ(test, writes[0], writes[1]);
}

/* The stack's frames and the socket's share a queue and do not mix. */
static void the_stack_sends_beside_the_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 400 && test->status != KUNIT_FAILURE; i++) {
		u32 len = 100 + i % 1400;

		send(nic, xsk, 1, len, 2 * i);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
		lab_fill(nic->frame, len, 2 * i + 1);
		KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, len, i % 3), 0);
		lab_pump(nic);
		expect_sent(nic, 2, len, 2 * i);
		KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), i + 1);
	}
}

/* Reception, XDP_TX and transmission on the same queue at once. */
static void both_directions_at_once(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i, k;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 100 && test->status != KUNIT_FAILURE; i++) {
		for (k = 0; k < 4; k++) {
			lab_xsk_frame(nic, 300, i * 4 + k, k & 1 ? XDP_TX : XDP_REDIRECT);
			lab_send(nic, 0, nic->frame, 300);
		}
		send(nic, xsk, 3, 400, i);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
		lab_pump(nic);
		/* the poll receives first, so that XDP_TX is first on the wire */
		for (k = 0; k < 4; k++) {
			lab_xsk_frame(nic, 300, i * 4 + k, k & 1 ? XDP_TX : XDP_REDIRECT);
			if (k & 1)
				lab_expect_transmitted(nic, nic->frame, 300);
			else
				lab_xsk_expect(xsk, nic->frame, 300);
		}
		expect_sent(nic, 3, 400, i);
		KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), 3 * (i + 1));
		lab_xsk_fill(xsk, 2);
	}
}

/* Queues complete for their own socket only. */
static void each_queue_completes_its_own(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk[2];
	struct lab_frame *got;
	unsigned int i, k;

	lab_up(nic);
	for (i = 0; i < 2; i++)
		xsk[i] = lab_xsk_bind(nic, i + 1, LAB_XSK_CHUNKS);
	for (i = 0; i < 60; i++) {
		send(nic, xsk[0], 1, 80, i);
		send(nic, xsk[1], 2, 80, i);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk[0]), 0);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk[1]), 0);
		lab_pump(nic);
		for (k = 0; k < 3; k++) {
			got = lab_take_transmitted(nic);
			KUNIT_ASSERT_NOT_NULL(test, got);
			KUNIT_EXPECT_TRUE(test, got->queue == 1 || got->queue == 2);
			kfree(got);
		}
		KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk[0]), i + 1);
		KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk[1]), 2 * (i + 1));
	}
}

/* ---- a restart with frames on their way --------------------------------- */

/* @n frames are with the MAC, which has not sent them yet. */
static struct lab_xsk *on_their_way(struct lab_nic *nic, unsigned int n)
{
	struct lab_xsk *xsk;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_pump(nic);
	send(nic, xsk, n, 90, 1);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_kick(xsk), 0);
	return xsk;
}

/* Sent or not, a chunk comes back; and the next frames complete as their own. */
static void expect_all_back(struct lab_nic *nic, struct lab_xsk *xsk, unsigned int n)
{
	lab_pump(nic);
	lab_discard(nic);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_completed(xsk), n);
	send(nic, xsk, 3, 90, 77);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_kick(xsk), 0);
	lab_pump(nic);
	expect_sent(nic, 3, 90, 77);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_completed(xsk), n + 3);
}

/* The MAC is restarted with another program: no chunk is lost to the application. */
static void attaching_completes_what_was_queued(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk = on_their_way(nic, 20);

	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	expect_all_back(nic, xsk, 20);
}

/* The same for down and up. */
static void closing_completes_what_was_queued(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk = on_their_way(nic, 20);

	lab_cut(nic);
	lab_up(nic);
	expect_all_back(nic, xsk, 20);
}

/* Nor does down cost the socket what a program was sending from its chunks. */
static void closing_gives_back_what_a_program_sends(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 20; i++) {
		lab_xsk_frame(nic, 300, i, XDP_TX);
		lab_send(nic, 0, nic->frame, 300);
		lab_receive_only(nic);
	}
	lab_cut(nic);
	lab_up(nic);
	lab_xsk_check(xsk);
	lab_xsk_exchange(xsk, 1);
}

/* And for a socket that comes to another queue. */
static void a_neighbour_costs_no_chunk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk = on_their_way(nic, 20);

	lab_xsk_bind(nic, 1, LAB_XSK_CHUNKS);
	expect_all_back(nic, xsk, 20);
}

static struct kunit_case cases[] = {
	LAB_CASE(what_the_socket_sends_is_on_the_wire_once, lab_each_fec_xdp),
	LAB_CASE(a_full_descriptor_ring_is_no_loss, lab_each_fec_xdp),
	LAB_CASE(one_doorbell_for_a_burst, lab_each_fec_xdp),
	LAB_CASE(the_stack_sends_beside_the_socket, lab_each_fec_xdp),
	LAB_CASE(both_directions_at_once, lab_each_fec_xdp),
	LAB_CASE(each_queue_completes_its_own, lab_each_fec_queues),
	LAB_CASE(attaching_completes_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(closing_completes_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(closing_gives_back_what_a_program_sends, lab_each_fec_xdp),
	LAB_CASE(a_neighbour_costs_no_chunk, lab_each_fec_queues),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_xsk_tx",
	.test_cases = cases,
};

kunit_test_suite(suite);
