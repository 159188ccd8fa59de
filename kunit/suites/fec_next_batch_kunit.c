// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acknowledging events and restarting the receiver: a driver may do either once
 * for many frames, if no frame, no event and no free descriptor is forgotten.
 *
 * Frames arrive at the moments that matter: a program of the case puts them on
 * the wire while the driver polls.
 */
#include <linux/etherdevice.h>
#include <linux/filter.h>

#include "lab.h"

#define LEN	300

/* What the program does to the NIC it runs on. */
static struct {
	struct lab_nic *nic;
	unsigned int each;	/* frames that arrive while one is looked at */
	unsigned int left;	/* as long as there are so many left */
	unsigned int sent;
	unsigned int seen;
} feed;

static u8 *numbered(struct lab_nic *nic, u32 i)
{
	lab_fill(nic->frame, LEN, i);
	return nic->frame;
}

static u64 frames_arrive(u64 ctx, u64 r2, u64 r3, u64 r4, u64 r5)
{
	unsigned int i;

	feed.seen++;
	for (i = 0; i < feed.each && feed.left; i++) {
		if (lab_try_send(feed.nic, 0, numbered(feed.nic, feed.sent), LEN))
			break;
		feed.sent++;
		feed.left--;
	}
	return XDP_PASS;
}

static struct lab_nic *up_and_fed(struct kunit *test, unsigned int each, unsigned int total)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog = LAB_PROG(nic, BPF_EMIT_CALL(frames_arrive), BPF_EXIT_INSN());

	feed = (typeof(feed)){ .nic = nic, .each = each, .left = total };
	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, prog), 0);
	lab_up(nic);
	return nic;
}

static void send_one(struct lab_nic *nic)
{
	lab_send(nic, 0, numbered(nic, feed.sent), LEN);
	feed.sent++;
}

static void expect_all(struct lab_nic *nic)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(nic->test, feed.seen, feed.sent);
	for (i = 0; i < feed.sent && nic->test->status != KUNIT_FAILURE; i++)
		lab_expect_delivered(nic, numbered(nic, i), LEN);
	lab_expect_silence(nic);
}

/* Each frame is followed by another while it is looked at: all are seen. */
static void frames_that_come_during_a_poll_are_seen(struct kunit *test)
{
	struct lab_nic *nic = up_and_fed(test, 1, 1000);

	send_one(nic);
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, feed.left, 0);
	expect_all(nic);
}

/*
 * The ring is filled again and again while it is emptied, so that the receiver
 * stops in the middle of polls: it goes on each time.
 */
static void a_receiver_that_stops_during_a_poll_goes_on(struct kunit *test)
{
	struct lab_nic *nic = up_and_fed(test, 1000, 3000);
	unsigned int i;

	send_one(nic);
	for (i = 0; i < 50 && feed.left; i++) {
		lab_pump(nic);
		if (feed.left)
			send_one(nic);
	}
	lab_pump(nic);
	KUNIT_EXPECT_EQ(test, feed.left, 0);
	expect_all(nic);
}

static void frame_arrives(struct sk_buff *skb)
{
	if (feed.left && !lab_try_send(feed.nic, 0, numbered(feed.nic, feed.sent), LEN)) {
		feed.left--;
		feed.sent++;
	}
}

/*
 * A frame comes when the poll has seen the ring empty and is freeing what was
 * sent: it is not forgotten with the events of what was seen.
 */
static void a_frame_that_comes_late_in_a_poll_is_seen(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	feed = (typeof(feed)){ .nic = nic };
	for (i = 0; i < 20; i++) {
		feed.left = 1;
		KUNIT_ASSERT_EQ(test, lab_stack_xmit_call(nic, numbered(nic, 100 + i), LEN, frame_arrives), 0);
		lab_pump(nic);
		lab_expect_transmitted(nic, numbered(nic, 100 + i), LEN);
		KUNIT_ASSERT_EQ(test, feed.left, 0);
		lab_expect_delivered(nic, numbered(nic, i), LEN);
	}
	lab_expect_silence(nic);
}

/* Fill the ring of a queue; frames that it took. */
static unsigned int fill(struct lab_nic *nic, unsigned int queue, u32 seed)
{
	unsigned int n = 0;

	while (n < 2000 && !lab_try_send(nic, queue, numbered(nic, seed + n), LEN))
		n++;
	return n;
}

/* A full ring, on every queue, loses nothing that it took, and can be filled again. */
static void a_full_ring_goes_on(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round, q, i, n, first = 0;

	lab_up(nic);
	for (q = 0; q < nic->soc->queues; q++) {
		for (round = 0; round < 3; round++) {
			n = fill(nic, q, round);
			KUNIT_ASSERT_GT(test, n, 1);
			if (!first)
				first = n;
			KUNIT_EXPECT_EQ(test, n, first);
			lab_pump(nic);
			for (i = 0; i < n && test->status != KUNIT_FAILURE; i++)
				lab_expect_delivered(nic, numbered(nic, round + i), LEN);
		}
	}
	lab_expect_silence(nic);
}

/* The same with a program, and with frames that are sent back. */
static void a_full_ring_with_a_program_goes_on(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round, i, n;

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_reflect(nic)), 0);
	lab_up(nic);
	for (round = 0; round < 5; round++) {
		n = fill(nic, 0, round);
		KUNIT_ASSERT_GT(test, n, 1);
		lab_pump(nic);
		for (i = 0; i < n && test->status != KUNIT_FAILURE; i++) {
			numbered(nic, round + i)[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, LEN);
		}
	}
	lab_expect_silence(nic);
}

/* A burst costs one interrupt, and is over after it. */
static void a_burst_is_one_interrupt(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts a, b;
	unsigned int i, n;

	lab_up(nic);
	for (n = 1; n <= 64; n *= 4) {
		lab_counts(nic, &a);
		for (i = 0; i < n; i++)
			lab_send(nic, 0, numbered(nic, i), LEN);
		lab_pump(nic);
		lab_counts(nic, &b);
		KUNIT_EXPECT_EQ(test, b.irqs - a.irqs, 1);
		for (i = 0; i < n; i++)
			lab_expect_delivered(nic, numbered(nic, i), LEN);
	}
	lab_expect_silence(nic);
}

static struct kunit_case cases[] = {
	LAB_CASE(frames_that_come_during_a_poll_are_seen, lab_each_fec_xdp),
	LAB_CASE(a_receiver_that_stops_during_a_poll_goes_on, lab_each_fec_xdp),
	LAB_CASE(a_frame_that_comes_late_in_a_poll_is_seen, lab_each_fec),
	LAB_CASE(a_full_ring_goes_on, lab_each_fec),
	LAB_CASE(a_full_ring_with_a_program_goes_on, lab_each_fec_xdp),
	LAB_CASE(a_burst_is_one_interrupt, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_next_batch",
	.test_cases = cases,
};

kunit_test_suite(suite);
