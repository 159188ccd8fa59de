// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errata of the transmitter, in every path that transmits. ERR007885: TDAR is
 * written only directly after it read 0, which the lab watches on every
 * doorbell. ERR006358: a doorbell is lost while the last frame goes out. On any
 * SoC: what is queued in that window leaves, with nothing else to push it.
 */
#include "lab.h"

#define ROUNDS	40
#define LEN	300

/* A frame of the stack is on the wire, its descriptor still the controller's. */
static void put_one_in_flight(struct lab_nic *nic, u32 seed)
{
	lab_fill(nic->frame, LEN, seed);
	KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, LEN, 0), 0);
	lab_transmit_begin(nic);
}

static void expect_it(struct lab_nic *nic, u32 seed)
{
	lab_fill(nic->frame, LEN, seed);
	lab_expect_transmitted(nic, nic->frame, LEN);
}

/* From the stack. */
static void a_frame_behind_the_last_one_leaves(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i, n;

	lab_up(nic);
	for (i = 0; i < ROUNDS; i++) {
		put_one_in_flight(nic, i);
		for (n = 0; n <= i % 3; n++) {
			lab_fill(nic->frame, LEN, 1000 + n);
			KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, LEN, n), 0);
		}
		lab_pump(nic);
		expect_it(nic, i);
		for (n = 0; n <= i % 3; n++)
			expect_it(nic, 1000 + n);
	}
}

/* Sent back by a program. */
static void a_reflected_frame_behind_the_last_one_leaves(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up_with(nic, lab_reflect(nic));
	for (i = 0; i < ROUNDS; i++) {
		put_one_in_flight(nic, i);
		lab_fill(nic->frame, LEN, 1000 + i);
		lab_send(nic, 0, nic->frame, LEN);
		lab_interrupt(nic);
		lab_pump(nic);
		expect_it(nic, i);
		lab_fill(nic->frame, LEN, 1000 + i);
		nic->frame[0] = LAB_REFLECT_MARK;
		lab_expect_transmitted(nic, nic->frame, LEN);
	}
}

/* Redirected to the interface. */
static void a_redirected_frame_behind_the_last_one_leaves(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	u32 i;

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	for (i = 0; i < ROUNDS; i++) {
		/* where there are several queues the CPU's number chooses: 0 here */
		put_one_in_flight(nic, i);
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, 1, LEN, 1000 + i);
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 0, 1), 1);
		lab_pump(nic);
		expect_it(nic, i);
		expect_it(nic, 1000 + i);
	}
}

/* From an AF_XDP socket. */
static void a_frame_of_a_socket_behind_the_last_one_leaves(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	u32 i;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, 64);
	lab_pump(nic);
	lab_discard(nic);
	for (i = 0; i < ROUNDS; i++) {
		put_one_in_flight(nic, i);
		lab_fill(nic->frame, LEN, 1000 + i);
		lab_xsk_send(xsk, nic->frame, LEN);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
		lab_pump(nic);
		expect_it(nic, i);
		expect_it(nic, 1000 + i);
		KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), i + 1);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(a_frame_behind_the_last_one_leaves, lab_each_fec),
	LAB_CASE(a_reflected_frame_behind_the_last_one_leaves, lab_each_fec_xdp),
	LAB_CASE(a_redirected_frame_behind_the_last_one_leaves, lab_each_fec_xdp),
	LAB_CASE(a_frame_of_a_socket_behind_the_last_one_leaves, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_errata",
	.test_cases = cases,
};

kunit_test_suite(suite);
