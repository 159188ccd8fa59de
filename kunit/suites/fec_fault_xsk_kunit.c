// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP with zero copy: rings that change hands under a running MAC, and
 * netpoll, which may take descriptors back but must not touch the socket.
 */
#include "lab.h"

static void receive(struct lab_nic *nic, unsigned int queue, unsigned int frames)
{
	unsigned int i;

	for (i = 0; i < frames && nic->test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_rx(nic, queue, nic->frame, 60 + i);
		lab_expect_delivered(nic, nic->frame, 60 + i);
	}
}

static void drop(struct lab_nic *nic, unsigned int queue, unsigned int frames)
{
	unsigned int i;

	for (i = 0; i < frames; i++) {
		lab_fill(nic->frame, 60, i);
		lab_rx(nic, queue, nic->frame, 60);
	}
	KUNIT_EXPECT_EQ(nic->test, lab_stat(nic, "rx_xdp_drop"), frames);
}

/* Binding a socket takes no buffer from the MAC while it receives. */
static void bind_takes_no_buffer_from_the_mac(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	lab_watch_buffers(nic);
	lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	drop(nic, 0, 300);
}

/* Closing the socket takes none either, and the queue goes on. */
static void close_takes_no_buffer_from_the_mac(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_watch_buffers(nic);
	lab_xsk_close(xsk);
	drop(nic, 0, 300);
}

/* Frames that nobody redirects to the socket reach the stack. */
static void passed_frames_reach_the_stack(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	receive(nic, 0, 300);
}

/* A program attached while a socket holds a queue leaves that queue alone. */
static void attach_beside_a_socket_works(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	receive(nic, 0, 20);
	lab_xsk_close(xsk);
	KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, 0), DMA_BIDIRECTIONAL);
	receive(nic, 0, 20);
}

/* A socket on an interface that netpoll uses, with a frame of 200 bytes to send. */
static struct lab_xsk *queue_beside_netpoll(struct lab_nic *nic)
{
	struct lab_xsk *xsk;

	lab_up(nic);
	lab_netpoll_start(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_pump(nic);
	lab_fill(nic->frame, 200, 7);
	lab_xsk_send(xsk, nic->frame, 200);
	return xsk;
}

/* netpoll sends nothing from an AF_XDP socket; the next wakeup does. */
static void netpoll_does_not_send_for_the_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk = queue_beside_netpoll(nic);

	lab_netpoll_poll(nic);
	lab_pump(nic);
	lab_expect_silence(nic);

	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 200);
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), 1);
}

/* netpoll completes nothing for an AF_XDP socket; the next poll does. */
static void netpoll_does_not_complete_for_the_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk = queue_beside_netpoll(nic);

	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	lab_transmit_only(nic);
	lab_expect_transmitted(nic, nic->frame, 200);

	lab_netpoll_poll(nic);
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), 0);
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), 1);
}

/* Nor does it complete what a program has sent from a chunk; the next poll does. */
static void netpoll_gives_back_no_chunk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;

	lab_xsk_up(nic);
	lab_netpoll_start(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_xsk_frame(nic, 200, 7, XDP_TX);
	lab_send(nic, 0, nic->frame, 200);
	lab_receive_only(nic);
	lab_transmit_only(nic);
	lab_expect_transmitted(nic, nic->frame, 200);
	lab_netpoll_poll(nic);
	lab_pump(nic);
	lab_xsk_check(xsk);
	lab_xsk_exchange(xsk, 1);
}

static struct kunit_case cases[] = {
	LAB_CASE(bind_takes_no_buffer_from_the_mac, lab_each_fec_xdp),
	LAB_CASE(close_takes_no_buffer_from_the_mac, lab_each_fec_xdp),
	LAB_CASE(passed_frames_reach_the_stack, lab_each_fec_xdp),
	LAB_CASE(attach_beside_a_socket_works, lab_each_fec_xdp),
	LAB_CASE(netpoll_does_not_send_for_the_socket, lab_each_fec_xdp),
	LAB_CASE(netpoll_does_not_complete_for_the_socket, lab_each_fec_xdp),
	LAB_CASE(netpoll_gives_back_no_chunk, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_fault_xsk",
	.test_cases = cases,
};

kunit_test_suite(suite);
