// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mixed traffic while lines move by themselves and the MAC takes its time. Every
 * byte of every frame is looked at; poolstack.seed=N chooses what happens.
 */
#include <linux/etherdevice.h>

#include "lab.h"

#define BURSTS	24
#define FLOWS	4

static struct lab_nic *adverse_nic(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_adversary(nic, true);
	return nic;
}

/* Bursts of any size on all queues, a flow on each. */
static void receive_burst(struct lab_nic *nic, struct lab_flow *flows)
{
	unsigned int frames = 1 + lab_roll(nic, 40), q;

	while (frames--) {
		q = lab_roll(nic, nic->soc->queues);
		KUNIT_ASSERT_EQ(nic->test, lab_flow_send(nic, &flows[q], q), 0);
	}
}

static void set_up(struct lab_nic *nic, struct lab_flow *flows, const struct lab_flow *like)
{
	unsigned int q;

	for (q = 0; q < nic->soc->queues; q++) {
		flows[q] = *like;
		flows[q].id = q + 1;
	}
}

static void expect_complete(struct lab_nic *nic, struct lab_flow *flows)
{
	unsigned int q;

	for (q = 0; q < nic->soc->queues; q++)
		lab_flow_complete(nic, &flows[q]);
	lab_expect_silence(nic);
}

/* The stack gets every frame whole, in the order of its queue. */
static void frames_reach_the_stack(struct kunit *test)
{
	const struct lab_flow plain = { .min = 60, .max = 1514 };
	struct lab_nic *nic = adverse_nic(test);
	struct lab_flow flows[FLOWS];
	int i;

	set_up(nic, flows, &plain);
	lab_up(nic);
	for (i = 0; i < BURSTS; i++) {
		receive_burst(nic, flows);
		lab_pump(nic);
		lab_flow_delivered(nic, flows, nic->soc->queues);
	}
	expect_complete(nic, flows);
}

/* What the stack transmits leaves whole, whatever is received meanwhile. */
static void the_stack_transmits_while_it_receives(struct kunit *test)
{
	const struct lab_flow plain = { .min = 60, .max = 1514 };
	struct lab_flow flows[FLOWS], out = { .id = 9, .min = 60, .max = 1514 };
	struct lab_nic *nic = adverse_nic(test);
	int i, n;

	set_up(nic, flows, &plain);
	lab_up(nic);
	for (i = 0; i < BURSTS; i++) {
		receive_burst(nic, flows);
		for (n = lab_roll(nic, 20); n; n--)
			KUNIT_ASSERT_EQ(test, lab_flow_xmit(nic, &out, lab_roll(nic, 4)), 0);
		lab_pump(nic);
		lab_flow_delivered(nic, flows, nic->soc->queues);
		lab_flow_transmitted(nic, &out, 1);
	}
	expect_complete(nic, flows);
	lab_flow_complete(nic, &out);
}

/* One program for all bursts, attached before the rings are filled. */
static void run_program(struct lab_nic *nic, const struct lab_flow *like,
			enum xdp_action verdict, int bursts)
{
	struct lab_flow flows[FLOWS];

	set_up(nic, flows, like);
	lab_up_with(nic, lab_flow_prog(nic, like, verdict));
	while (bursts-- && nic->test->status != KUNIT_FAILURE) {
		receive_burst(nic, flows);
		lab_pump(nic);
		if (verdict == XDP_TX)
			lab_flow_transmitted(nic, flows, nic->soc->queues);
		else
			lab_flow_delivered(nic, flows, nic->soc->queues);
	}
	expect_complete(nic, flows);
	lab_down(nic);
}

/* Passed by a program: as without one. */
static void passed_frames_reach_the_stack(struct kunit *test)
{
	const struct lab_flow like = { .min = 60, .max = 1514 };

	run_program(adverse_nic(test), &like, XDP_PASS, BURSTS);
}

/* Reflected frames leave with the one byte that the program wrote. */
static void reflected_frames_leave_whole(struct kunit *test)
{
	/* the FCS in the line of the last byte, see fec_xdp */
	const struct lab_flow like = { .min = 508, .max = 508, .mark = true };

	run_program(adverse_nic(test), &like, XDP_TX, BURSTS);
}

static const struct lab_flow moved[] = {
	{ .min = 100, .max = 1480, .head = 64, .tail = 20, .mark = true },
	{ .min = 100, .max = 1480, .head = -14, .tail = 14, .mark = true },
	{ .min = 100, .max = 1480, .head = 14, .tail = -16, .mark = true },
};

/* Frames that a program cut in front and grew behind are on the wire as it left them. */
static void cut_frames_leave_cut(struct kunit *test)
{
	run_program(adverse_nic(test), &moved[0], XDP_TX, BURSTS);
}

/* So are those that it grew in front and behind. */
static void grown_frames_leave_grown(struct kunit *test)
{
	run_program(adverse_nic(test), &moved[1], XDP_TX, BURSTS);
}

/* The stack gets them as they are. */
static void moved_frames_reach_the_stack_as_moved(struct kunit *test)
{
	struct lab_nic *nic = adverse_nic(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(moved); i++)
		run_program(nic, &moved[i], XDP_PASS, BURSTS / 2);
}

/* Programs come, change and go between bursts; the stack transmits all the time. */
static void everything_at_once(struct kunit *test)
{
	static const struct lab_flow kinds[] = {
		{ .min = 60, .max = 1514 },
		{ .min = 60, .max = 1514, .mark = true },
		{ .min = 90, .max = 1480, .head = 14, .tail = 14 },
		{ .min = 90, .max = 1480, .head = -14, .tail = -10, .mark = true },
	};
	static const enum xdp_action verdicts[] = { XDP_PASS, XDP_TX, XDP_DROP, XDP_ABORTED };
	struct lab_flow flows[FLOWS + 1], *out;
	struct lab_nic *nic = adverse_nic(test);
	const struct lab_flow *kind;
	enum xdp_action verdict;
	int i, n;

	lab_up(nic);
	out = &flows[nic->soc->queues];
	*out = (struct lab_flow){ .id = 9, .min = 60, .max = 1514 };
	for (i = 0; i < BURSTS && test->status != KUNIT_FAILURE; i++) {
		kind = &kinds[lab_roll(nic, ARRAY_SIZE(kinds))];
		verdict = verdicts[lab_roll(nic, ARRAY_SIZE(verdicts))];
		set_up(nic, flows, kind);
		if (lab_roll(nic, 5)) {
			KUNIT_ASSERT_EQ(test,
					lab_attach(nic, lab_flow_prog(nic, kind, verdict)), 0);
		} else {
			set_up(nic, flows, &kinds[0]);
			verdict = XDP_PASS;
			KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
		}
		for (n = lab_roll(nic, 8); n; n--)
			KUNIT_ASSERT_EQ(test, lab_flow_xmit(nic, out, lab_roll(nic, 4)), 0);
		receive_burst(nic, flows);
		lab_pump(nic);
		n = nic->soc->queues;
		lab_flow_transmitted(nic, flows, n + 1);
		if (verdict == XDP_PASS)
			lab_flow_delivered(nic, flows, n);
		lab_expect_silence(nic);
		while (n-- && (verdict == XDP_PASS || verdict == XDP_TX))
			lab_flow_complete(nic, &flows[n]);
	}
	lab_flow_complete(nic, out);
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(frames_reach_the_stack, lab_each_fec),
	LAB_CASE(the_stack_transmits_while_it_receives, lab_each_fec),
	LAB_CASE(passed_frames_reach_the_stack, lab_each_fec_xdp),
	LAB_CASE(reflected_frames_leave_whole, lab_each_fec_xdp),
	LAB_CASE(cut_frames_leave_cut, lab_each_fec_xdp),
	LAB_CASE(grown_frames_leave_grown, lab_each_fec_xdp),
	LAB_CASE(moved_frames_reach_the_stack_as_moved, lab_each_fec_xdp),
	LAB_CASE(everything_at_once, lab_each_fec_xdp),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_adversary",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(frames_reach_the_stack, lab_each_mtk),
	LAB_CASE(the_stack_transmits_while_it_receives, lab_each_mtk),
	LAB_CASE(passed_frames_reach_the_stack, lab_each_mtk_xdp),
	LAB_CASE(reflected_frames_leave_whole, lab_each_mtk_xdp),
	LAB_CASE(cut_frames_leave_cut, lab_each_mtk_xdp),
	LAB_CASE(grown_frames_leave_grown, lab_each_mtk_xdp),
	LAB_CASE(moved_frames_reach_the_stack_as_moved, lab_each_mtk_xdp),
	LAB_CASE(everything_at_once, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_adversary",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
