// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP sockets come and go: under traffic in both directions, with frames on
 * their way, on a closed interface, beside programs that come and go too.
 */
#include "lab.h"

/* A frame each way through the stack's side of the queue. */
static void use_the_stack(struct lab_nic *nic, u32 seed)
{
	lab_xsk_frame(nic, 200, seed, XDP_PASS);
	lab_rx(nic, 0, nic->frame, 200);
	lab_expect_delivered(nic, nic->frame, 200);
	KUNIT_EXPECT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, 200, 0), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 200);
}

/* Sockets come and go between frames of the stack and their own. */
static void sockets_come_and_go_under_traffic(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i, k;

	lab_xsk_up(nic);
	for (i = 0; i < 3 && test->status != KUNIT_FAILURE; i++) {
		use_the_stack(nic, i);
		xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
		for (k = 0; k < 10 && test->status != KUNIT_FAILURE; k++) {
			lab_xsk_exchange(xsk, k);
			use_the_stack(nic, k);
		}
		lab_xsk_close(xsk);
	}
	use_the_stack(nic, i);
}

/* What the stack has queued when a socket comes or goes is sent or freed. */
static void a_socket_meets_queued_frames_of_the_stack(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	for (i = 0; i < 6; i++) {
		lab_fill(nic->frame, 500, i);
		KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, 500, i % 3), 0);
	}
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_pump(nic);
	lab_discard(nic);
	lab_xsk_exchange(xsk, 1);
	for (i = 0; i < 6; i++) {
		lab_fill(nic->frame, 500, i);
		KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, 500, i % 3), 0);
	}
	lab_xsk_kill(xsk);
	lab_pump(nic);
	lab_discard(nic);
	use_the_stack(nic, 1);
}

/* A socket that dies with frames on their way leaves nothing to the MAC. */
static void a_socket_may_die_with_frames_on_their_way(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	/* XDP_TX out of chunks, so that old ones are in the ring */
	for (i = 0; i < 12; i++) {
		lab_xsk_frame(nic, 300, i, XDP_TX);
		lab_rx(nic, 0, nic->frame, 300);
		lab_expect_transmitted(nic, nic->frame, 300);
	}
	lab_watch_buffers(nic);
	for (i = 0; i < 12; i++) {
		lab_fill(nic->frame, 300, i);
		lab_xsk_send(xsk, nic->frame, 300);
	}
	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	for (i = 0; i < 12; i++) {
		lab_xsk_frame(nic, 300, i, XDP_TX);
		lab_send(nic, 0, nic->frame, 300);
		lab_receive_only(nic);
	}
	lab_xsk_kill(xsk);
	lab_pump(nic);
	lab_discard(nic);
	use_the_stack(nic, 1);
}

/* Bound to a closed interface, the socket works from open on; closed again it rests. */
static void a_closed_interface_takes_a_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_xsk_steer(nic)), 0);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 3 && test->status != KUNIT_FAILURE; i++) {
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), -ENETDOWN);
		lab_up(nic);
		lab_xsk_exchange(xsk, i);
		lab_down(nic);
		lab_xsk_check(xsk);
	}
	lab_xsk_close(xsk);
	lab_up(nic);
	use_the_stack(nic, 7);
}

/* Open finds a socket that has given no chunk: it asks for some and works with them. */
static void a_poor_socket_waits_for_open(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_xsk_steer(nic)), 0);
	xsk = lab_xsk_bind(nic, 0, 0);
	lab_up(nic);
	KUNIT_EXPECT_TRUE(test, lab_xsk_wants_wake(xsk));
	KUNIT_EXPECT_EQ(test, lab_xsk_fill(xsk, 400), 400);
	for (i = 0; i < 600 && test->status != KUNIT_FAILURE; i++) {
		if (lab_xsk_wants_wake(xsk))
			KUNIT_EXPECT_EQ(test, lab_xsk_wake(xsk), 0);
		lab_xsk_exchange(xsk, i);
	}
	lab_xsk_check(xsk);
}

/* A socket comes to, and leaves, an interface that sleeps: no register is touched. */
static void a_sleeping_interface_takes_a_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_sleep_now(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_xsk_close(xsk);
	KUNIT_EXPECT_EQ(test, lab_gated(nic), 0);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
}

/* Programs change under a socket, and the other way round. */
static void programs_come_and_go_beside_a_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog = lab_xsk_steer(nic);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 5 && test->status != KUNIT_FAILURE; i++) {
		/* without a program the stack gets all */
		use_the_stack(nic, i);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, prog), 0);
		lab_xsk_exchange(xsk, i);
		use_the_stack(nic, i);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
		use_the_stack(nic, i);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
		lab_xsk_check(xsk);
	}
	KUNIT_ASSERT_EQ(test, lab_attach(nic, prog), 0);
	lab_xsk_close(xsk);
	use_the_stack(nic, 1);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	use_the_stack(nic, 2);
}

/* Memory runs out while a socket comes: the queue goes on as it was. */
static void bind_without_memory_changes_nothing(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	for (i = 0; i < 3; i++) {
		lab_maps_left(nic, i * 100);
		KUNIT_EXPECT_NE(test, lab_xsk_try(nic, 0, LAB_XSK_CHUNKS, &xsk), 0);
		lab_maps_plenty(nic);
		use_the_stack(nic, i);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(sockets_come_and_go_under_traffic, lab_each_fec_xdp),
	LAB_CASE(a_socket_meets_queued_frames_of_the_stack, lab_each_fec_xdp),
	LAB_CASE(a_socket_may_die_with_frames_on_their_way, lab_each_fec_xdp),
	LAB_CASE(a_closed_interface_takes_a_socket, lab_each_fec_xdp),
	LAB_CASE(a_poor_socket_waits_for_open, lab_each_fec_xdp),
	LAB_CASE(a_sleeping_interface_takes_a_socket, lab_each_fec_xdp),
	LAB_CASE(programs_come_and_go_beside_a_socket, lab_each_fec_xdp),
	LAB_CASE(bind_without_memory_changes_nothing, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_xsk_life",
	.test_cases = cases,
};

kunit_test_suite(suite);
