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
			enum xdp_action verdict)
{
	struct lab_flow flows[FLOWS];
	int i;

	set_up(nic, flows, like);
	KUNIT_ASSERT_EQ(nic->test,
			lab_attach_awake(nic, lab_flow_prog(nic, like, verdict)), 0);
	lab_up(nic);
	for (i = 0; i < BURSTS; i++) {
		receive_burst(nic, flows);
		lab_pump(nic);
		if (verdict == XDP_TX)
			lab_flow_transmitted(nic, flows, nic->soc->queues);
		else if (verdict == XDP_PASS)
			lab_flow_delivered(nic, flows, nic->soc->queues);
		lab_expect_silence(nic);
	}
	if (verdict == XDP_PASS || verdict == XDP_TX)
		expect_complete(nic, flows);
}

/* Passed by a program: as without one. */
static void passed_frames_reach_the_stack(struct kunit *test)
{
	const struct lab_flow like = { .min = 60, .max = 1514 };

	run_program(adverse_nic(test), &like, XDP_PASS);
}

/* Reflected frames leave with the one byte that the program wrote. */
static void reflected_frames_leave_whole(struct kunit *test)
{
	/* the FCS in the line of the last byte, see fec_xdp */
	const struct lab_flow like = { .min = 508, .max = 508, .mark = true };

	run_program(adverse_nic(test), &like, XDP_TX);
}

/* Heads and tails that a program moved, in every combination, are on the wire. */
static void moved_frames_leave_as_moved(struct kunit *test)
{
	struct lab_flow like = { .min = 90, .max = 1480, .mark = true };
	struct lab_nic *nic = adverse_nic(test);

	like.head = lab_roll(nic, 2) ? 14 : -14;
	like.tail = lab_roll(nic, 2) ? 20 : -16;
	run_program(nic, &like, XDP_TX);
}

/* And in the stack. */
static void moved_frames_reach_the_stack_as_moved(struct kunit *test)
{
	struct lab_flow like = { .min = 90, .max = 1480, .mark = true };
	struct lab_nic *nic = adverse_nic(test);

	like.head = lab_roll(nic, 2) ? 14 : -14;
	like.tail = lab_roll(nic, 2) ? 20 : -16;
	run_program(nic, &like, XDP_PASS);
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

static struct kunit_case cases[] = {
	LAB_CASE(frames_reach_the_stack, lab_each_fec),
	LAB_CASE(the_stack_transmits_while_it_receives, lab_each_fec),
	LAB_CASE(passed_frames_reach_the_stack, lab_each_fec_xdp),
	LAB_CASE(reflected_frames_leave_whole, lab_each_fec_xdp),
	LAB_CASE(moved_frames_leave_as_moved, lab_each_fec_xdp),
	LAB_CASE(moved_frames_reach_the_stack_as_moved, lab_each_fec_xdp),
	LAB_CASE(everything_at_once, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_adversary",
	.test_cases = cases,
};

kunit_test_suite(suite);
