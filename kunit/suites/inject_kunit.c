// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is not there when the interface opens and when a program comes
 * or goes: every call that can fail does, place by place, and the interface is
 * as before or as asked for, never between.
 */
#include "lab.h"

/* One frame through every queue. */
static void expect_delivery(struct lab_nic *nic, u32 len)
{
	unsigned int q;

	for (q = 0; q < nic->soc->queues; q++) {
		lab_fill(nic->frame, len, q + len);
		lab_rx(nic, q, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
	lab_expect_silence(nic);
}

static void expect_reflection(struct lab_nic *nic, u32 len)
{
	unsigned int q;

	for (q = 0; q < nic->soc->queues; q++) {
		lab_fill(nic->frame, len, q + len);
		lab_rx(nic, q, nic->frame, len);
		nic->frame[0] = LAB_REFLECT_MARK;
		lab_expect_transmitted(nic, nic->frame, len);
	}
	lab_expect_silence(nic);
}

/* A closed interface takes no frame and holds no mapping. */
static void expect_closed(struct lab_nic *nic)
{
	KUNIT_EXPECT_FALSE(nic->test, netif_running(nic->ndev));
	KUNIT_EXPECT_EQ(nic->test, lab_live_mappings(nic), 0);
	lab_fill(nic->frame, 60, 1);
	KUNIT_EXPECT_NE_MSG(nic->test, lab_try_send(nic, 0, nic->frame, 60), 0,
			    "the controller goes on receiving");
}

static void close_if_open(struct lab_nic *nic)
{
	if (netif_running(nic->ndev))
		lab_down(nic);
}

/* ---- open --------------------------------------------------------------- */

static void open_or_closed(struct lab_nic *nic, int ret, bool failed)
{
	if (ret) {
		expect_closed(nic);
	} else {
		lab_wait_link(nic);
		expect_delivery(nic, 300);
	}
}

static const struct lab_inject open_op = {
	.name = "open", .run = lab_try_up, .check = open_or_closed,
	.undo = close_if_open, .sites = 8,
};

/* An open that fails leaves a closed interface, the next one opens it. */
static void open_fails_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_inject op = open_op;

	if (nic->soc->no_pool)
		op.sites = 5;
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

/* And after all that the clocks are off. */
static void a_failed_open_may_sleep(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_inject_each(nic, &open_op);
	lab_wait_asleep(nic);
}

static void reflects_or_closed(struct lab_nic *nic, int ret, bool failed)
{
	if (ret) {
		expect_closed(nic);
	} else {
		lab_wait_link(nic);
		expect_reflection(nic, 300);
	}
}

/* So does one with a program: it is still there at the next open. */
static void open_with_a_program_fails_whole(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "open with a program", .run = lab_try_up,
		.check = reflects_or_closed, .undo = close_if_open, .sites = 8,
	};
	struct lab_nic *nic = lab_nic_take(test);

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_reflect(nic)), 0);
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

static void jumbo_or_closed(struct lab_nic *nic, int ret, bool failed)
{
	if (ret) {
		expect_closed(nic);
	} else {
		lab_wait_link(nic);
		expect_delivery(nic, 300);
		expect_delivery(nic, 9000);
	}
}

/* And one with buffers of several pages, after the MTU changed. */
static void open_with_a_large_mtu_fails_whole(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "open with a large MTU", .run = lab_try_up,
		.check = jumbo_or_closed, .undo = close_if_open, .sites = 8,
	};
	struct lab_nic *nic = lab_nic_take(test);

	lab_set_mtu(nic, 9000);
	lab_inject_each(nic, &op);
	lab_set_mtu(nic, ETH_DATA_LEN);
	lab_up(nic);
	expect_delivery(nic, 1514);
}

/* ---- attach and detach -------------------------------------------------- */

static struct bpf_prog *prog;

static int attach(struct lab_nic *nic)
{
	return lab_attach(nic, prog);
}

static int detach(struct lab_nic *nic)
{
	return lab_attach(nic, NULL);
}

static void prepare_attached(struct lab_nic *nic)
{
	KUNIT_ASSERT_EQ(nic->test, attach(nic), 0);
}

static void prepare_detached(struct lab_nic *nic)
{
	KUNIT_ASSERT_EQ(nic->test, detach(nic), 0);
}

static void program_or_none(struct lab_nic *nic, int ret, bool failed)
{
	if (ret)
		expect_delivery(nic, 400);
	else
		expect_reflection(nic, 400);
}

/* An attach that fails leaves the interface as it was, receiving. */
static void attach_fails_whole(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "attach", .run = attach, .check = program_or_none,
		.undo = prepare_detached, .sites = 5,
	};
	struct lab_nic *nic = lab_nic_take(test);

	prog = lab_reflect(nic);
	lab_up(nic);
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

static void no_program(struct lab_nic *nic, int ret, bool failed)
{
	KUNIT_EXPECT_EQ(nic->test, ret, 0);
	expect_delivery(nic, 400);
}

/* A detach needs no memory: the program goes, whatever fails. */
static void detach_never_fails(struct kunit *test)
{
	static const struct lab_inject op = {
		.name = "detach", .prepare = prepare_attached, .run = detach,
		.check = no_program, .sites = 5, .tolerates = true,
	};
	struct lab_nic *nic = lab_nic_take(test);

	prog = lab_reflect(nic);
	lab_up(nic);
	lab_watch_buffers(nic);
	lab_inject_each(nic, &op);
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(open_fails_whole, lab_each_fec),
	LAB_CASE(a_failed_open_may_sleep, lab_each_fec),
	LAB_CASE(open_with_a_program_fails_whole, lab_each_fec_xdp),
	LAB_CASE(open_with_a_large_mtu_fails_whole, lab_each_fec_jumbo),
	LAB_CASE(attach_fails_whole, lab_each_fec_xdp),
	LAB_CASE(detach_never_fails, lab_each_fec_xdp),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_inject",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(open_fails_whole, lab_each_mtk),
	LAB_CASE(open_with_a_program_fails_whole, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_inject",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
