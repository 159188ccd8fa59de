// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine tells of frames late, and of several at once. How late is up to the
 * kernel's library for that, DIM, which looks at the traffic and goes through a
 * list of profiles; the driver puts a profile into the engine's units.
 */
#include <linux/delay.h>
#include <linux/dim.h>
#include <linux/skbuff.h>

#include "lab.h"

#define UNIT		20	/* us, of the engine's timer */
#define MAX_FRAMES	127	/* that it can wait for */
#define LONG		1000	/* us, more than any profile waits */

enum way { IN, OUT };

static unsigned int freed;

static void count_freed(struct sk_buff *skb)
{
	freed++;
}

static struct dim_cq_moder profile(enum way way, int ix)
{
	return way == IN ? net_dim_get_rx_moderation(DIM_CQ_PERIOD_MODE_START_FROM_EQE, ix) :
			   net_dim_get_tx_moderation(DIM_CQ_PERIOD_MODE_START_FROM_EQE, ix);
}

/* How long the engine waits, in us: not less than the profile wants. */
static unsigned int wait_of(enum way way, int ix)
{
	return roundup(profile(way, ix).usec, UNIT);
}

static unsigned int frames_of(enum way way, int ix)
{
	return min(profile(way, ix).pkts, MAX_FRAMES);
}

/* Time of the engine alone. */
static void pass(struct lab_nic *nic, unsigned int us)
{
	lab_time_pass(nic, us * NSEC_PER_USEC);
	lab_pump(nic);
}

/* A frame that is in memory, or on the wire, and nobody was told of. */
static void one(struct lab_nic *nic, enum way way, u32 seed)
{
	lab_fill(nic->frame, 100, seed);
	if (way == IN)
		lab_send(nic, 0, nic->frame, 100);
	else
		KUNIT_ASSERT_EQ(nic->test,
				lab_stack_xmit_call(nic, nic->frame, 100, count_freed), 0);
	lab_pump(nic);
}

/* What the driver was told of since the last call. */
static unsigned int told(struct lab_nic *nic, enum way way)
{
	struct lab_frame *frame;
	unsigned int n = 0;

	if (way == OUT) {
		n = freed;
		freed = 0;
		return n;
	}
	while ((frame = lab_take_delivered(nic))) {
		kfree(frame);
		n++;
	}
	return n;
}

static void up_and_hold(struct lab_nic *nic)
{
	lab_up(nic);
	freed = 0;
	lab_time_hold(nic);
}

/* How long a frame waits that is alone, in us; more than LONG: it got lost. */
static unsigned int measure_wait(struct lab_nic *nic, enum way way)
{
	unsigned int us = 0;

	pass(nic, LONG);
	lab_discard(nic);
	told(nic, way);
	one(nic, way, 0);
	while (!told(nic, way) && us <= LONG) {
		pass(nic, 1);
		us++;
	}
	lab_discard(nic);
	return us;
}

static u64 irqs(struct lab_nic *nic)
{
	struct lab_counts counts;

	lab_counts(nic, &counts);
	return counts.irqs;
}

/*
 * More and more frames per millisecond, by the clocks of the engine and of the
 * kernel: DIM takes that for a reason to wait longer. It looks at 64 interrupts
 * at a time.
 */
static void load(struct lab_nic *nic, enum way way)
{
	unsigned int burst, rounds, i;
	u64 from;

	lab_sink_frames(nic, false);
	for (burst = 2; burst <= 32; burst *= 2) {
		from = irqs(nic);
		for (rounds = 0; irqs(nic) - from < 70; rounds++) {
			KUNIT_ASSERT_LT(nic->test, rounds, 1000);
			for (i = 0; i < burst; i++)
				one(nic, way, i);
			fsleep(100);
			pass(nic, 100);
		}
	}
	pass(nic, LONG);
	lab_sink_frames(nic, true);
	told(nic, way);
}

/* Of a profile beyond the first ones, which are one to the engine. */
static void expect_longer(struct lab_nic *nic, enum way way, unsigned int wait)
{
	int ix;

	KUNIT_EXPECT_GT(nic->test, wait, wait_of(way, 0));
	for (ix = 0; ix < NET_DIM_PARAMS_NUM_PROFILES; ix++)
		if (wait == wait_of(way, ix))
			return;
	KUNIT_FAIL(nic->test, "%u us are no profile's", wait);
}

/* The time starts with the first frame; those that come later are told with it. */
static void expect_time_of_the_first(struct lab_nic *nic, enum way way, unsigned int wait)
{
	one(nic, way, 0);
	pass(nic, wait - 1);
	one(nic, way, 1);
	KUNIT_EXPECT_EQ(nic->test, told(nic, way), 0);
	pass(nic, 1);
	KUNIT_EXPECT_EQ(nic->test, told(nic, way), 2);
	pass(nic, LONG);
	KUNIT_EXPECT_EQ(nic->test, told(nic, way), 0);
	lab_discard(nic);
}

/* A frame alone is told of after the time of the first profile. */
static void a_frame_waits_for_the_time_at_most(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_and_hold(nic);
	if (nic->soc->has_coalesce) {
		KUNIT_EXPECT_EQ(test, measure_wait(nic, IN), wait_of(IN, 0));
		expect_time_of_the_first(nic, IN, wait_of(IN, 0));
	} else {
		KUNIT_EXPECT_EQ(test, measure_wait(nic, IN), 0);
	}
	KUNIT_EXPECT_EQ(test, measure_wait(nic, OUT), wait_of(OUT, 0));
	expect_time_of_the_first(nic, OUT, wait_of(OUT, 0));
}

static void expect_number(struct lab_nic *nic, enum way way)
{
	unsigned int n = frames_of(way, 0), i;

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_EQ(nic->test, told(nic, way), 0);
		one(nic, way, i);
	}
	KUNIT_EXPECT_EQ(nic->test, told(nic, way), n);
	lab_discard(nic);
}

/* As many frames as the profile says, or the engine can count, do not wait for the time. */
static void many_frames_do_not_wait(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_and_hold(nic);
	if (nic->soc->has_coalesce)
		expect_number(nic, IN);
	expect_number(nic, OUT);
}

/* Interrupts for so many frames, one every 10 us, none of which is lost. */
static u64 irqs_for(struct lab_nic *nic, unsigned int frames)
{
	u64 from = irqs(nic);
	unsigned int i;

	for (i = 0; i < frames; i++) {
		one(nic, IN, i);
		pass(nic, 10);
	}
	pass(nic, LONG);
	for (i = 0; i < frames; i++) {
		lab_fill(nic->frame, 100, i);
		lab_expect_delivered(nic, nic->frame, 100);
	}
	lab_expect_silence(nic);
	return irqs(nic) - from;
}

/* The more there is to receive, the more frames an interrupt is for. */
static void a_busy_receiver_is_interrupted_less(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int wait;
	u64 idle, busy;

	up_and_hold(nic);
	idle = irqs_for(nic, 104);
	load(nic, IN);
	wait = measure_wait(nic, IN);
	expect_longer(nic, IN, wait);
	busy = irqs_for(nic, 104);
	/* it ends where DIM ends, whose list it is */
	KUNIT_EXPECT_EQ(test, idle, DIV_ROUND_UP(104, wait_of(IN, 0) / 10));
	KUNIT_EXPECT_EQ(test, busy, DIV_ROUND_UP(104, wait / 10));
	kunit_info(test, "a frame waits %u us, %llu interrupts instead of %llu\n", wait, busy,
		   idle);
}

/* The more there is to send, the more frames are completed at once. */
static void a_busy_transmitter_is_interrupted_less(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_and_hold(nic);
	load(nic, OUT);
	expect_longer(nic, OUT, measure_wait(nic, OUT));
}

/* What is busy in one direction does not delay the other. */
static void directions_have_their_own_delay(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int in, out;

	up_and_hold(nic);
	out = measure_wait(nic, OUT);
	load(nic, IN);
	KUNIT_EXPECT_EQ(test, measure_wait(nic, OUT), out);
	in = measure_wait(nic, IN);
	load(nic, OUT);
	expect_longer(nic, OUT, measure_wait(nic, OUT));
	KUNIT_EXPECT_EQ(test, measure_wait(nic, IN), in);
}

/* Find a delay for each direction, do something to the engine: both are the same then. */
static void expect_to_outlive(struct lab_nic *nic, void (*happens)(struct lab_nic *nic))
{
	unsigned int in, out;

	up_and_hold(nic);
	load(nic, IN);
	load(nic, OUT);
	in = measure_wait(nic, IN);
	out = measure_wait(nic, OUT);
	expect_longer(nic, OUT, out);
	happens(nic);
	KUNIT_EXPECT_EQ(nic->test, measure_wait(nic, IN), in);
	KUNIT_EXPECT_EQ(nic->test, measure_wait(nic, OUT), out);
}

static void reopen(struct lab_nic *nic)
{
	lab_down(nic);
	lab_up(nic);
}

static void reset(struct lab_nic *nic)
{
	KUNIT_ASSERT_TRUE(nic->test, lab_hang(nic));
	lab_wait_link(nic);
}

/* A delay that was found outlives closing. */
static void the_delay_outlives_close(struct kunit *test)
{
	expect_to_outlive(lab_nic_take(test), reopen);
}

/* And a reset, after which the engine knows of none. */
static void the_delay_outlives_a_reset(struct kunit *test)
{
	expect_to_outlive(lab_nic_take(test), reset);
}

/*
 * Close, an interrupt in the middle of it with which DIM has seen enough to
 * choose another profile. Whether it came to the interrupt.
 */
static bool close_at_the_brink(struct lab_nic *nic, unsigned int writes, unsigned int us)
{
	unsigned int i;
	bool came;

	/* no time of the kernel: DIM does not know how long that took, and waits */
	for (i = 0; i < 140; i++) {
		one(nic, IN, i);
		pass(nic, LONG);
	}
	lab_discard(nic);
	fsleep(us);
	one(nic, IN, 0);
	lab_time_jump(nic, writes, LONG * NSEC_PER_USEC);
	lab_cut(nic);
	came = lab_time_jumped(nic);
	lab_discard(nic);
	/* not told of, and the ring is gone */
	lab_account_lost(nic, 1);
	lab_up(nic);
	return came;
}

/* Whether DIM still chooses: it may pause for some ten windows, five are a load. */
static bool searches(struct lab_nic *nic)
{
	unsigned int wait = measure_wait(nic, IN), i;

	for (i = 0; i < 6; i++) {
		load(nic, IN);
		if (measure_wait(nic, IN) != wait)
			return true;
	}
	return false;
}

/* Whenever it is closed, the next traffic finds its delay. */
static void close_does_not_end_the_search(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int writes = 0;

	up_and_hold(nic);
	/* now more frames in a ms, now less: each time DIM has a reason */
	do
		writes++;
	while (close_at_the_brink(nic, writes, writes % 2 ? 2000 : 100));
	kunit_info(test, "an interrupt came at each of %u writes\n", writes - 1);
	/* a switch has no registers of a MAC, to be written with interrupts on */
	KUNIT_EXPECT_EQ(test, writes > 1, nic->soc->macs > 1);
	KUNIT_EXPECT_TRUE_MSG(test, searches(nic), "the delay stays what it is");
}

static struct kunit_case cases[] = {
	LAB_CASE(a_frame_waits_for_the_time_at_most, lab_each_mtk),
	LAB_CASE(many_frames_do_not_wait, lab_each_mtk),
	LAB_CASE(a_busy_receiver_is_interrupted_less, lab_each_mtk_coalesce),
	LAB_CASE(a_busy_transmitter_is_interrupted_less, lab_each_mtk),
	LAB_CASE(directions_have_their_own_delay, lab_each_mtk),
	LAB_CASE(the_delay_outlives_close, lab_each_mtk),
	LAB_CASE(the_delay_outlives_a_reset, lab_each_mtk_macs),
	LAB_CASE(close_does_not_end_the_search, lab_each_mtk_coalesce),
	{}
};

static struct kunit_suite suite = {
	.name = "mtk_delay",
	.test_cases = cases,
};

kunit_test_suite(suite);
