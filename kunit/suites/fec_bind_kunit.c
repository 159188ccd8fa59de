// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver is taken from its device and given to it again, whatever the
 * interface is doing. lab_unbind() holds that nothing is left.
 */
#include <linux/filter.h>

#include "lab.h"

/* Closed, and never opened. */
static void a_closed_interface_leaves_nothing(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		lab_unbind(nic);
		lab_bind(nic);
	}
	lab_up(nic);
	lab_exchange(nic, 1);
}

/* Asleep: unbinding wakes the device first. */
static void a_sleeping_interface_leaves_nothing(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	lab_down(nic);
	lab_wait_asleep(nic);
	lab_unbind(nic);
	lab_bind(nic);
	lab_up(nic);
	lab_exchange(nic, 1);
}

/* Up, with frames on their way in both directions. */
static void an_open_interface_leaves_nothing(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, k;

	for (i = 0; i < 3; i++) {
		lab_up(nic);
		lab_exchange(nic, i);
		for (k = 0; k < 8; k++) {
			lab_fill(nic->frame, 700, k);
			lab_send(nic, 0, nic->frame, 700);
			KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, 700, k % 3), 0);
		}
		lab_unbind(nic);
		lab_bind(nic);
	}
	lab_up(nic);
	lab_exchange(nic, 1);
}

/* With a program, which the core takes away. */
static void a_program_goes_with_the_driver(struct kunit *test)
{
	struct bpf_insn insns[] = { BPF_MOV64_IMM(BPF_REG_0, XDP_TX), BPF_EXIT_INSN() };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		lab_up(nic);
		KUNIT_ASSERT_EQ(test, lab_attach_verified(nic, insns, ARRAY_SIZE(insns)), 0);
		lab_fill(nic->frame, 300, i);
		lab_rx(nic, 0, nic->frame, 300);
		lab_expect_transmitted(nic, nic->frame, 300);
		/* and one that is with the MAC */
		lab_send(nic, 0, nic->frame, 300);
		lab_unbind(nic);
		lab_bind(nic);
	}
	/* the new interface has no program */
	lab_up(nic);
	lab_exchange(nic, 1);
}

/* With a socket that owns a queue, and has chunks with the MAC. */
static void a_socket_loses_its_queue(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		lab_up(nic);
		xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
		for (k = 0; k < 8; k++) {
			lab_fill(nic->frame, 300, k);
			lab_xsk_send(xsk, nic->frame, 300);
		}
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
		lab_unbind(nic);
		/* what is left of the socket cannot send */
		KUNIT_EXPECT_NE(test, lab_xsk_kick(xsk), 0);
		lab_xsk_close(xsk);
		lab_bind(nic);
	}
	lab_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	lab_fill(nic->frame, 300, 1);
	lab_xsk_send(xsk, nic->frame, 300);
	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 300);
}

/* A socket on an interface that is closed when the driver goes. */
static void a_socket_of_a_closed_interface_loses_its_queue(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);

	lab_unbind(nic);
	lab_xsk_close(xsk);
	lab_bind(nic);
	lab_up(nic);
	lab_exchange(nic, 1);
}

/* Bound again after a sleep of the system, and asleep with no driver at all. */
static void a_driver_may_go_around_a_sleep(struct kunit *test)
{
	struct lab_nic *nic;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_up(nic);
	lab_suspend(nic);
	lab_resume(nic);
	lab_unbind(nic);
	lab_bind(nic);
	lab_up(nic);
	lab_exchange(nic, 1);
}

static struct kunit_case cases[] = {
	LAB_CASE(a_closed_interface_leaves_nothing, lab_each_fec),
	LAB_CASE(a_sleeping_interface_leaves_nothing, lab_each_fec),
	LAB_CASE(an_open_interface_leaves_nothing, lab_each_fec),
	LAB_CASE(a_program_goes_with_the_driver, lab_each_fec_xdp),
	LAB_CASE(a_socket_loses_its_queue, lab_each_fec_xdp),
	LAB_CASE(a_socket_of_a_closed_interface_loses_its_queue, lab_each_fec_xdp),
	LAB_CASE(a_driver_may_go_around_a_sleep, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_bind",
	.test_cases = cases,
};

kunit_test_suite(suite);
