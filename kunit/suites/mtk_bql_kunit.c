// SPDX-License-Identifier: GPL-2.0-only
/*
 * Byte queue limits: each queue hears of all bytes that it gave to the driver,
 * once, whatever became of them, or it is held back for ever.
 */
#include "lab.h"

/* Bytes of frame @i: no two of a case add up to a third. */
static u32 length(u32 i)
{
	return 60 + i * 131 % 1400;
}

/* The stack sends a frame through the interface of a MAC; its bytes. */
static u32 xmit(struct lab_nic *nic, unsigned int mac, u32 i)
{
	lab_fill(nic->frame, length(i), i);
	KUNIT_ASSERT_EQ(nic->test, lab_mac_xmit(nic, mac, nic->frame, length(i)), 0);
	return length(i);
}

static void expect_bytes(struct lab_nic *nic, unsigned int mac, u32 queued, u32 completed)
{
	struct lab_bytes bytes = lab_queue_bytes(nic, mac);

	KUNIT_EXPECT_EQ_MSG(nic->test, bytes.queued, queued, "given by MAC %u", mac);
	KUNIT_EXPECT_EQ_MSG(nic->test, bytes.completed, completed, "completed for MAC %u", mac);
}

/* Nothing is outstanding, and no queue is held back. */
static void expect_settled(struct lab_nic *nic)
{
	struct lab_bytes bytes;
	unsigned int mac;

	for (mac = 0; mac < max(nic->soc->macs, 1); mac++) {
		bytes = lab_queue_bytes(nic, mac);
		KUNIT_EXPECT_EQ_MSG(nic->test, bytes.queued - bytes.completed, 0,
				    "bytes of MAC %u are outstanding", mac);
		KUNIT_EXPECT_FALSE_MSG(nic->test, lab_queue_limited(nic, mac),
				       "MAC %u is held back", mac);
	}
}

/* So many frames, more than a limit lets through at once, leave in order. */
static void expect_flow(struct lab_nic *nic, unsigned int mac, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		xmit(nic, mac, i);
	lab_pump(nic);
	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, length(i), i);
		lab_mac_expect_transmitted(nic, mac, nic->frame, length(i));
	}
	lab_expect_silence(nic);
	expect_settled(nic);
}

/* A queue is told of each byte of a frame, those of fragments, too, when it is complete. */
static void all_that_was_sent_is_told(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 round, i, before, sum;

	lab_up(nic);
	for (round = 0; round < 16; round++) {
		before = lab_queue_bytes(nic, 0).queued;
		expect_bytes(nic, 0, before, before);
		for (i = 0, sum = 0; i < 1 + 8 * round; i++) {
			u32 len = length(i + round);

			lab_fill(nic->frame, len, i);
			KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, len,
							     len < 200 ? 0 : i % 5), 0);
			sum += len;
		}
		expect_bytes(nic, 0, before + sum, before);
		/* on the wire, but the driver was not told yet */
		lab_transmit_only(nic);
		expect_bytes(nic, 0, before + sum, before);
		lab_pump(nic);
		expect_bytes(nic, 0, before + sum, before + sum);
		lab_discard(nic);
	}
}

/* A limit holds frames back, grows, and lets all of them go. */
static void a_limit_lets_go(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_bytes bytes;
	u32 round, given;

	lab_up(nic);
	lab_queue_limits(nic);
	given = xmit(nic, 0, 0);
	KUNIT_EXPECT_TRUE(test, lab_queue_limited(nic, 0));
	/* what comes now waits outside of the driver */
	xmit(nic, 0, 1);
	bytes = lab_queue_bytes(nic, 0);
	KUNIT_EXPECT_EQ(test, bytes.queued - bytes.completed, given);
	lab_pump(nic);
	lab_discard(nic);
	for (round = 1; round <= 256; round *= 4)
		expect_flow(nic, 0, round);
}

/* Frames of programs and of other interfaces share the ring, and are no bytes of a queue. */
static void xdp_frames_are_not_told(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	u32 i, j, given;

	lab_up_with(nic, lab_reflect(nic));
	lab_queue_limits(nic);
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, 240, 100, 1);
	given = lab_queue_bytes(nic, 0).queued;
	for (i = 0; i < 60; i++) {
		lab_fill(nic->frame, 300, i);
		lab_send(nic, 0, nic->frame, 300);
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 4 * i, 2), 2);
		for (j = 0; j < i % 3; j++)
			given += xmit(nic, 0, i + j);
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 4 * i + 2, 2), 2);
		if (i % 6 != 5)
			continue;
		lab_pump(nic);
		expect_bytes(nic, 0, given, given);
		expect_settled(nic);
	}
	lab_discard(nic);
}

/* Frames that wait in a ring which is closed are outstanding no more. */
static void a_close_settles_what_was_queued(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 round, i;

	lab_up(nic);
	lab_queue_limits(nic);
	for (round = 0; round < 3; round++) {
		expect_flow(nic, 0, 40);
		for (i = 0; i < 100; i++)
			xmit(nic, 0, i);
		KUNIT_EXPECT_TRUE(test, lab_queue_limited(nic, 0));
		if (round == 1)
			lab_transmit_only(nic);
		lab_cut(nic);
		expect_settled(nic);
		lab_discard(nic);
		lab_up(nic);
	}
	expect_flow(nic, 0, 40);
}

/* So are those in a ring that is reset, and the queues go on. */
static void a_reset_settles_what_was_queued(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int mac;
	u32 round, i;

	lab_macs_up(nic);
	lab_queue_limits(nic);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 60 * round; i++)
			xmit(nic, i % nic->soc->macs, i);
		/* a reset is worth it when frames have arrived, too */
		lab_fill(nic->frame, 300, round);
		lab_send(nic, 0, nic->frame, 300);
		KUNIT_ASSERT_TRUE(test, lab_hang(nic));
		for (mac = 0; mac < nic->soc->macs; mac++)
			lab_mac_wait_link(nic, mac);
		lab_pump(nic);
		lab_discard(nic);
		lab_account_lost(nic, 60 * round + 1);
		expect_settled(nic);
		for (mac = 0; mac < nic->soc->macs; mac++)
			expect_flow(nic, mac, 40);
	}
	lab_macs_down(nic);
}

/* Frames of all interfaces in one ring: each queue hears of its own. */
static void each_interface_hears_of_its_own(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 given[3] = {}, done[3] = {}, round, i;
	unsigned int mac;

	lab_macs_up(nic);
	for (mac = 0; mac < nic->soc->macs; mac++)
		given[mac] = lab_queue_bytes(nic, mac).queued;
	for (round = 0; round < 20; round++) {
		memcpy(done, given, sizeof(done));
		/* in turn at first, then in runs of some */
		for (i = 0; i < 60; i++) {
			mac = i / (1 + round / 2) % nic->soc->macs;
			given[mac] += xmit(nic, mac, i + round);
		}
		for (mac = 0; mac < nic->soc->macs; mac++)
			expect_bytes(nic, mac, given[mac], done[mac]);
		lab_pump(nic);
		for (mac = 0; mac < nic->soc->macs; mac++)
			expect_bytes(nic, mac, given[mac], given[mac]);
		lab_discard(nic);
	}
	lab_macs_down(nic);
}

/* One that is closed with frames in the ring holds back none, itself included. */
static void closing_one_holds_back_nobody(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int gone, mac;
	u32 i;

	lab_macs_up(nic);
	lab_queue_limits(nic);
	for (gone = 0; gone < nic->soc->macs; gone++) {
		for (i = 0; i < 60; i++)
			xmit(nic, i % nic->soc->macs, i);
		lab_mac_cut(nic, gone);
		lab_pump(nic);
		lab_discard(nic);
		expect_settled(nic);
		for (mac = 0; mac < nic->soc->macs; mac++)
			if (mac != gone)
				expect_flow(nic, mac, 40);
		lab_mac_up(nic, gone);
		expect_flow(nic, gone, 40);
	}
	lab_macs_down(nic);
}

static struct kunit_case cases[] = {
	LAB_CASE(all_that_was_sent_is_told, lab_each_mtk),
	LAB_CASE(a_limit_lets_go, lab_each_mtk),
	LAB_CASE(xdp_frames_are_not_told, lab_each_mtk_xdp),
	LAB_CASE(a_close_settles_what_was_queued, lab_each_mtk),
	LAB_CASE(a_reset_settles_what_was_queued, lab_each_mtk_macs),
	LAB_CASE(each_interface_hears_of_its_own, lab_each_mtk_macs),
	LAB_CASE(closing_one_holds_back_nobody, lab_each_mtk_macs),
	{}
};

static struct kunit_suite suite = {
	.name = "mtk_bql",
	.test_cases = cases,
};

kunit_test_suite(suite);
