// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is not there when an AF_XDP socket comes or goes, and when frames
 * are redirected to the interface: every call that can fail does.
 */
#include "lab.h"

/* The socket of the case at hand, NULL without one. */
static struct lab_xsk *xsk;

/* A frame each way through the stack's side of the queue. */
static void use_the_stack(struct lab_nic *nic)
{
	lab_xsk_frame(nic, 200, 3, XDP_PASS);
	lab_rx(nic, 0, nic->frame, 200);
	lab_expect_delivered(nic, nic->frame, 200);
	KUNIT_EXPECT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, 200, 0), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 200);
	lab_expect_silence(nic);
}

static int unbind(struct lab_nic *nic)
{
	if (xsk)
		lab_xsk_kill(xsk);
	xsk = NULL;
	return 0;
}

/* Another socket, if one is there already. */
static int bind(struct lab_nic *nic)
{
	unbind(nic);
	return lab_xsk_try(nic, 0, LAB_XSK_CHUNKS, &xsk);
}

static void prepare_bound(struct lab_nic *nic)
{
	KUNIT_ASSERT_EQ(nic->test, bind(nic), 0);
}

static void prepare_unbound(struct lab_nic *nic)
{
	unbind(nic);
}

/* ---- bind --------------------------------------------------------------- */

static void socket_or_stack(struct lab_nic *nic, int ret, bool failed)
{
	if (!xsk) {
		use_the_stack(nic);
		return;
	}
	/* chunks that could not be had at once: whoever asked to be told is */
	if (lab_xsk_wants_wake(xsk))
		KUNIT_EXPECT_EQ(nic->test, lab_xsk_wake(xsk), 0);
	lab_pump(nic);
	lab_xsk_exchange(xsk, 1);
	/* the lab does not see chunks behind a descriptor that is left without one */
	if (!failed)
		lab_xsk_check(xsk);
}

/* A bind that fails leaves the queue to the stack, and the next one succeeds. */
static void bind_fails_whole(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "bind", .run = bind, .check = socket_or_stack,
		.undo = prepare_unbound, .sites = 4, .tolerates = true,
	};
	struct lab_nic *nic = lab_nic_take(test);

	xsk = NULL;
	lab_xsk_up(nic);
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

/* ---- close -------------------------------------------------------------- */

/* The socket is gone in any case: better a closed interface than its memory. */
static void stack_or_closed(struct lab_nic *nic, int ret, bool failed)
{
	if (!netif_running(nic->ndev)) {
		KUNIT_EXPECT_TRUE(nic->test, failed);
		lab_cut(nic);
		KUNIT_EXPECT_EQ(nic->test, lab_live_mappings(nic), 0);
		lab_up(nic);
	}
	use_the_stack(nic);
}

/* A socket that closes takes its memory along, whatever fails. */
static void close_needs_no_memory(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "close", .prepare = prepare_bound, .run = unbind,
		.check = stack_or_closed, .sites = 4, .tolerates = true,
	};
	struct lab_nic *nic = lab_nic_take(test);

	xsk = NULL;
	lab_xsk_up(nic);
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

/* ---- redirect ----------------------------------------------------------- */

static struct lab_load *load;
static int taken;

static int redirect(struct lab_nic *nic)
{
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 100, 5);
	taken = lab_load_xmit(load, 0, LAB_BULK_MAX);
	return taken == LAB_BULK_MAX ? 0 : -ENOMEM;
}

static void taken_are_sent(struct lab_nic *nic, int ret, bool failed)
{
	KUNIT_ASSERT_GE(nic->test, taken, 0);
	lab_pump(nic);
	lab_load_expect_wire(load, 0, taken);
	lab_expect_silence(nic);
	lab_load_expect(load, 0, taken, 1);
	lab_load_expect(load, taken, LAB_BULK_MAX - taken, 0);
}

/* The driver says how many of a bulk it took: these are sent, the rest is untouched. */
static void a_bulk_is_taken_in_part(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "redirect", .run = redirect, .check = taken_are_sent, .sites = 1,
	};
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	lab_inject_each(nic, &op);
}

static struct kunit_case cases[] = {
	LAB_CASE(bind_fails_whole, lab_each_fec_xdp),
	LAB_CASE(close_needs_no_memory, lab_each_fec_xdp),
	LAB_CASE(a_bulk_is_taken_in_part, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_inject_xsk",
	.test_cases = cases,
};

kunit_test_suite(suite);
