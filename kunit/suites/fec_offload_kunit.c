// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the controller does for the CPU: checksums, tags, padding, time stamps,
 * fewer interrupts, classes.
 */
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/rtnetlink.h>
#include <linux/time64.h>

#include "lab.h"

/* Pause frames need a FIFO that does not store whole frames. */
static void switch_pause(struct lab_nic *nic, bool on)
{
	struct ethtool_pauseparam pause = {
		.cmd = ETHTOOL_SPAUSEPARAM, .rx_pause = on, .tx_pause = on,
	};

	KUNIT_ASSERT_EQ(nic->test, lab_ethtool(nic, &pause, sizeof(pause)), 0);
}

/* ---- receive ------------------------------------------------------------ */

/* A right checksum is not computed again; of what is no IP nothing is said. */
static void right_checksums_are_believed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_ip_frame p;
	unsigned int i;

	lab_up_without_gro(nic);
	for (i = 0; i < LAB_IP_FRAMES * 8; i++)
		lab_ip_expect_believed(nic, i);
	/* to whom it is switched off, too */
	lab_switch_feature(nic, NETIF_F_RXCSUM, false);
	p = lab_ip_build_right(nic, lab_ip_frames[0], 100, 1);
	lab_rx(nic, 0, nic->frame, p.len);
	lab_expect_summed(nic, p.len, CHECKSUM_NONE);
}

/* Thrown away by the controller, or left to the stack to look at. */
static void send_wrong(struct lab_nic *nic, u32 len, bool may_discard)
{
	static const struct lab_rx_flags nothing;
	int ret;

	ret = lab_send_with(nic, 0, nic->frame, len, &nothing);
	lab_pump(nic);
	if (ret == -EBADMSG && may_discard) {
		lab_expect_silence(nic);
		return;
	}
	KUNIT_ASSERT_EQ(nic->test, ret, 0);
	lab_expect_summed(nic, len, CHECKSUM_NONE);
}

/* Nobody takes a wrong checksum for a right one, with or without store and forward. */
static void wrong_checksums_are_not_believed(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_ip_frame p;
	unsigned int i;

	lab_up_without_gro(nic);
	for (i = 0; i < LAB_IP_FRAMES * 2; i++) {
		if (i == LAB_IP_FRAMES)
			switch_pause(nic, true);
		p = lab_ip_build_right(nic, lab_ip_frames[i % LAB_IP_FRAMES], 60, i);
		nic->frame[p.len - 1] ^= 1;
		send_wrong(nic, p.len, i < LAB_IP_FRAMES);
	}
	p = lab_ip_build_right(nic, lab_ip_frames[0], 60, 1);
	nic->frame[ETH_HLEN + 8] ^= 1;		/* TTL: the header's sum */
	send_wrong(nic, p.len, false);
}

/* A tag comes up with its frame, whether the driver takes it out or not. */
static void tags_survive_either_way(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up(nic);
	for (i = 0; i < 40; i++) {
		if (i == 20)
			lab_switch_feature(nic, NETIF_F_HW_VLAN_CTAG_RX, false);
		lab_fill_tagged(nic->frame, 64 + 30 * i, i % 8 << 13 | (i + 1), i);
		lab_rx(nic, 0, nic->frame, 64 + 30 * i);
		lab_expect_delivered(nic, nic->frame, 64 + 30 * i);
		lab_fill(nic->frame, 64 + i, i);
		lab_rx(nic, 0, nic->frame, 64 + i);
		lab_expect_delivered(nic, nic->frame, 64 + i);
	}
}

/* ---- transmit ----------------------------------------------------------- */

/* Whoever computes it: with the right checksum the frame goes out. */
static void checksums_are_right_on_the_wire(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 payload;

	lab_up(nic);
	for (payload = 12; payload < 1400; payload += 97)
		lab_ip_expect_sent(nic, payload, payload);
}

/* Also where the FIFO cannot hold the frame: the MTU is above its size. */
static void checksums_of_jumbo_mtus_are_right(struct kunit *test)
{
	static const unsigned int mtus[] = { 1962, 2000, 9000 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mtus); i++) {
		lab_set_mtu(nic, mtus[i]);
		lab_up(nic);
		lab_ip_expect_sent(nic, 100, i);
		lab_ip_expect_sent(nic, mtus[i] - 100, i);
		lab_down(nic);
	}
}

/* No frame is on the wire with less than 60 bytes and the FCS. */
static void short_frames_are_padded(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_frame *frame;
	u32 len;

	lab_up(nic);
	for (len = ETH_HLEN; len <= ETH_ZLEN + 4; len++) {
		lab_fill(nic->frame, len, len);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, len, 0), 0);
		lab_pump(nic);
		frame = lab_take_transmitted(nic);
		KUNIT_ASSERT_NOT_NULL(test, frame);
		KUNIT_EXPECT_EQ(test, frame->len + frame->marks.padding, max(len, ETH_ZLEN));
		KUNIT_EXPECT_MEMEQ(test, frame->data, nic->frame, len);
		kfree(frame);
	}
}

/* ---- time --------------------------------------------------------------- */

/* After this long no interrupt waits for more frames. */
#define SETTLE	(2 * NSEC_PER_MSEC)

static u64 receive_stamped(struct lab_nic *nic, unsigned int queue, u32 seed)
{
	struct lab_frame *frame;
	u64 stamp;

	lab_fill(nic->frame, 200, seed);
	lab_send(nic, queue, nic->frame, 200);
	lab_time_pass(nic, SETTLE);
	lab_pump(nic);
	frame = lab_take_delivered(nic);
	KUNIT_ASSERT_NOT_NULL(nic->test, frame);
	stamp = frame->marks.stamp;
	kfree(frame);
	return stamp;
}

static u64 transmit_stamped(struct lab_nic *nic, u32 seed)
{
	lab_fill(nic->frame, 200, seed);
	KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit_stamped(nic, nic->frame, 200), 0);
	lab_pump(nic);
	lab_time_pass(nic, SETTLE);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 200);
	return lab_take_stamp(nic);
}

/* Two frames are as far apart as they were on the wire, when asked for only. */
static void time_stamps_tell_the_time(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u64 first, second;
	unsigned int i;

	lab_up(nic);
	lab_time_hold(nic);
	lab_time_pass(nic, 1000);
	KUNIT_EXPECT_EQ(test, receive_stamped(nic, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, transmit_stamped(nic, 1), 0);
	KUNIT_ASSERT_EQ(test, lab_hwtstamp(nic, true), 0);
	for (i = 0; i < 12; i++) {
		first = receive_stamped(nic, i % nic->soc->queues, i);
		KUNIT_EXPECT_NE(test, first, 0);
		lab_time_pass(nic, 1234567 + i);
		second = receive_stamped(nic, i % nic->soc->queues, i);
		KUNIT_EXPECT_EQ(test, second - first, SETTLE + 1234567 + i);
		lab_time_pass(nic, 765432);
		KUNIT_EXPECT_EQ(test, transmit_stamped(nic, i) - second, SETTLE + 765432);
	}
	KUNIT_ASSERT_EQ(test, lab_hwtstamp(nic, false), 0);
	KUNIT_EXPECT_EQ(test, receive_stamped(nic, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, transmit_stamped(nic, 1), 0);
}

/* Without enhanced descriptors there is no room for them, and the driver says so. */
static void time_stamps_are_refused_without_room(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	KUNIT_EXPECT_EQ(test, lab_hwtstamp(nic, true), nic->soc->has_stamps ? 0 : -EOPNOTSUPP);
}

static void coalesce(struct lab_nic *nic, u32 frames, u32 usecs)
{
	struct ethtool_coalesce c = {
		.cmd = ETHTOOL_SCOALESCE,
		.rx_max_coalesced_frames = frames, .rx_coalesce_usecs = usecs,
		.tx_max_coalesced_frames = frames, .tx_coalesce_usecs = usecs,
	};

	KUNIT_ASSERT_EQ(nic->test, lab_ethtool(nic, &c, sizeof(c)), 0);
}

static void arrive(struct lab_nic *nic, unsigned int queue, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, 100, i);
		lab_send(nic, queue, nic->frame, 100);
	}
	lab_pump(nic);
}

static void expect_arrived(struct lab_nic *nic, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, 100, i);
		lab_expect_delivered(nic, nic->frame, 100);
	}
	lab_expect_silence(nic);
}

/* The interrupt waits for so many frames, or so long, after a restart as well. */
static void interrupts_wait_for_frames_or_time(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round, q;

	lab_up(nic);
	coalesce(nic, 4, 1000);
	lab_time_hold(nic);
	for (round = 0; round < 2; round++) {
		for (q = 0; q < nic->soc->queues; q++) {
			arrive(nic, q, 3);
			lab_expect_silence(nic);
			lab_fill(nic->frame, 100, 3);
			lab_rx(nic, q, nic->frame, 100);
			expect_arrived(nic, 4);

			arrive(nic, q, 2);
			lab_time_pass(nic, 900 * NSEC_PER_USEC);
			lab_pump(nic);
			lab_expect_silence(nic);
			lab_time_pass(nic, 200 * NSEC_PER_USEC);
			lab_pump(nic);
			expect_arrived(nic, 2);
		}
		switch_pause(nic, round);
	}
}

/* Completions are told in the same way. */
static void completions_wait_for_frames_or_time(struct kunit *test)
{
	struct rtnl_link_stats64 before, after;
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	coalesce(nic, 4, 1000);
	lab_time_hold(nic);
	dev_get_stats(nic->ndev, &before);
	for (i = 0; i < 3; i++) {
		lab_fill(nic->frame, 100, i);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, 100, 0), 0);
	}
	lab_pump(nic);
	dev_get_stats(nic->ndev, &after);
	KUNIT_EXPECT_EQ(test, after.tx_packets, before.tx_packets);
	lab_time_pass(nic, 1100 * NSEC_PER_USEC);
	lab_pump(nic);
	dev_get_stats(nic->ndev, &after);
	KUNIT_EXPECT_EQ(test, after.tx_packets - before.tx_packets, 3);
}

/* ---- classes ------------------------------------------------------------ */

/* The priority in the tag chooses the queue: half of them each in and out. */
static void priorities_choose_queues(struct kunit *test)
{
	static const unsigned int in[] = { 1, 1, 1, 1, 2, 2, 2, 2 };
	static const unsigned int out[] = { 0, 0, 1, 1, 1, 2, 2, 2 };
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_frame *frame;
	unsigned int i, q;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(in); i++) {
		lab_fill_tagged(nic->frame, 200, i << 13 | 7, i);
		q = lab_class_of(nic, nic->frame, 200);
		KUNIT_EXPECT_EQ(test, q, in[i]);
		lab_rx(nic, q, nic->frame, 200);
		lab_expect_delivered(nic, nic->frame, 200);

		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, 200, 0), 0);
		lab_pump(nic);
		frame = lab_take_transmitted(nic);
		KUNIT_ASSERT_NOT_NULL(test, frame);
		KUNIT_EXPECT_EQ(test, frame->queue, out[i]);
		kfree(frame);
	}
	lab_fill(nic->frame, 200, 1);
	KUNIT_EXPECT_EQ(test, lab_class_of(nic, nic->frame, 200), 0);
}

/* ---- counters ----------------------------------------------------------- */

/* The controller's counters tell what went through it. */
static void the_counters_of_the_controller_add_up(struct kunit *test)
{
	static const struct { u32 len; const char *rx, *tx; } sizes[] = {
		{ 60, "rx_64byte", "tx_64byte" },
		{ 61, "rx_65to127byte", "tx_65to127byte" },
		{ 124, "rx_128to255byte", "tx_128to255byte" },
		{ 300, "rx_256to511byte", "tx_256to511byte" },
		{ 1000, "rx_512to1023byte", "tx_512to1023byte" },
		{ 1400, "rx_1024to2047byte", "tx_1024to2047byte" },
	};
	struct lab_nic *nic = lab_nic_take(test);
	u64 rx, tx, rx_size, tx_size, rx_octets, tx_octets;
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rx = lab_stat(nic, "rx_packets");
		tx = lab_stat(nic, "tx_packets");
		rx_size = lab_stat(nic, sizes[i].rx);
		tx_size = lab_stat(nic, sizes[i].tx);
		rx_octets = lab_stat(nic, "IEEE_rx_octets_ok");
		tx_octets = lab_stat(nic, "IEEE_tx_octets_ok");
		lab_fill(nic->frame, sizes[i].len, i);
		lab_rx(nic, 0, nic->frame, sizes[i].len);
		lab_expect_delivered(nic, nic->frame, sizes[i].len);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, sizes[i].len, 0), 0);
		lab_pump(nic);
		lab_expect_transmitted(nic, nic->frame, sizes[i].len);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_packets") - rx, 1);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, "tx_packets") - tx, 1);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, sizes[i].rx) - rx_size, 1);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, sizes[i].tx) - tx_size, 1);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, "IEEE_rx_octets_ok") - rx_octets,
				sizes[i].len + ETH_FCS_LEN);
		KUNIT_EXPECT_EQ(test, lab_stat(nic, "IEEE_tx_octets_ok") - tx_octets,
				sizes[i].len + ETH_FCS_LEN);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(right_checksums_are_believed, lab_each_fec_accel),
	LAB_CASE(wrong_checksums_are_not_believed, lab_each_fec_accel),
	LAB_CASE(tags_survive_either_way, lab_each_fec_accel),
	LAB_CASE(checksums_are_right_on_the_wire, lab_each_fec),
	LAB_CASE(checksums_of_jumbo_mtus_are_right, lab_each_fec_jumbo),
	LAB_CASE(short_frames_are_padded, lab_each_fec),
	LAB_CASE(time_stamps_tell_the_time, lab_each_fec_stamps),
	LAB_CASE(time_stamps_are_refused_without_room, lab_each_fec),
	LAB_CASE(interrupts_wait_for_frames_or_time, lab_each_fec_coalesce),
	LAB_CASE(completions_wait_for_frames_or_time, lab_each_fec_coalesce),
	LAB_CASE(priorities_choose_queues, lab_each_fec_queues),
	LAB_CASE(the_counters_of_the_controller_add_up, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_offload",
	.test_cases = cases,
};

kunit_test_suite(suite);
