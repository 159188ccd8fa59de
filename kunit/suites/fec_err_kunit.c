// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that arrive with an error: counted as what they are, shown to nobody,
 * and the ring goes on.
 */
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/rtnetlink.h>

#include "lab.h"

/* What goes wrong, and the counters that say so. */
static const struct error {
	const char *name;
	unsigned int faults;
	size_t counter;		/* of struct rtnl_link_stats64, beside rx_errors */
	const char *mib;	/* of the controller, NULL: it has none for it */
} errors[] = {
	{ "crc", LAB_RX_CRC, offsetof(struct rtnl_link_stats64, rx_crc_errors),
	  "IEEE_rx_crc" },
	{ "odd", LAB_RX_ODD, offsetof(struct rtnl_link_stats64, rx_frame_errors),
	  "IEEE_rx_align" },
	{ "overrun", LAB_RX_OVERRUN, offsetof(struct rtnl_link_stats64, rx_fifo_errors),
	  "IEEE_rx_macerr" },
	{ "short", LAB_RX_SHORT, offsetof(struct rtnl_link_stats64, rx_length_errors),
	  NULL },
	{ "no last", LAB_RX_NOT_LAST, offsetof(struct rtnl_link_stats64, rx_length_errors),
	  NULL },
};

static u64 counter(const struct rtnl_link_stats64 *stats, const struct error *error)
{
	return *(const u64 *)((const u8 *)stats + error->counter);
}

static void send_bad(struct lab_nic *nic, unsigned int queue, u32 len, u32 seed,
		     unsigned int faults)
{
	struct lab_rx_flags with = { .faults = faults };

	lab_fill(nic->frame, len, seed);
	KUNIT_ASSERT_EQ(nic->test, lab_send_with(nic, queue, nic->frame, len, &with), 0);
}

static void receive(struct lab_nic *nic, unsigned int queue, u32 len, u32 seed)
{
	lab_fill(nic->frame, len, seed);
	lab_rx(nic, queue, nic->frame, len);
	lab_expect_delivered(nic, nic->frame, len);
}

static u64 detailed(const struct rtnl_link_stats64 *s)
{
	return s->rx_length_errors + s->rx_over_errors + s->rx_crc_errors +
	       s->rx_frame_errors + s->rx_fifo_errors + s->rx_missed_errors;
}

/* One error, one count in rx_errors, one in the counter that names it. */
static void each_error_has_its_counter(struct kunit *test)
{
	struct rtnl_link_stats64 before, after;
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, q;
	u64 mib = 0;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(errors) * nic->soc->queues; i++) {
		const struct error *error = &errors[i % ARRAY_SIZE(errors)];

		q = i / ARRAY_SIZE(errors);
		dev_get_stats(nic->ndev, &before);
		if (error->mib)
			mib = lab_stat(nic, error->mib);
		send_bad(nic, q, 300, i, error->faults);
		lab_pump(nic);
		lab_expect_silence(nic);
		dev_get_stats(nic->ndev, &after);
		KUNIT_EXPECT_EQ_MSG(test, after.rx_errors - before.rx_errors, 1, "%s",
				    error->name);
		KUNIT_EXPECT_EQ_MSG(test, counter(&after, error) - counter(&before, error), 1,
				    "%s", error->name);
		KUNIT_EXPECT_EQ_MSG(test, detailed(&after) - detailed(&before), 1, "%s",
				    error->name);
		KUNIT_EXPECT_EQ_MSG(test, after.rx_packets, before.rx_packets, "%s", error->name);
		if (error->mib)
			KUNIT_EXPECT_EQ_MSG(test, lab_stat(nic, error->mib) - mib, 1, "%s",
					    error->name);
		receive(nic, q, 200 + i, i);
	}
}

/* Errors all the way round the ring: every buffer is used again. */
static void a_ring_of_errors_takes_no_page(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;
	unsigned int i;

	lab_up(nic);
	lab_counts(nic, &before);
	for (i = 0; i < 600; i++) {
		send_bad(nic, 0, 60 + i, i, errors[i % ARRAY_SIZE(errors)].faults);
		lab_pump(nic);
	}
	lab_counts(nic, &after);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, after.pages, before.pages);
	KUNIT_EXPECT_EQ(test, after.dma_maps, before.dma_maps);
	receive(nic, 0, 1000, 1);
}

/* Bad frames between good ones, many to an interrupt: the good ones arrive. */
static void errors_between_frames_do_no_harm(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int round, i;

	lab_up(nic);
	for (round = 0; round < 12; round++) {
		for (i = 0; i < 48; i++) {
			if (i % 3 == 1) {
				send_bad(nic, 0, 400, i, errors[i % ARRAY_SIZE(errors)].faults);
				continue;
			}
			lab_fill(nic->frame, 60 + 20 * i, i);
			lab_send(nic, 0, nic->frame, 60 + 20 * i);
		}
		lab_pump(nic);
		for (i = 0; i < 48; i++) {
			if (i % 3 == 1)
				continue;
			lab_fill(nic->frame, 60 + 20 * i, i);
			lab_expect_delivered(nic, nic->frame, 60 + 20 * i);
		}
		lab_expect_silence(nic);
	}
}

/* A program is shown none of them, and does not send them back. */
static void a_program_sees_no_bad_frame(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up_with(nic, lab_reflect(nic));
	for (i = 0; i < 40; i++) {
		send_bad(nic, i % nic->soc->queues, 300, i,
			 errors[i % ARRAY_SIZE(errors)].faults);
		lab_pump(nic);
		lab_expect_silence(nic);
	}
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_tx"), 0);
	lab_fill(nic->frame, 300, 1);
	lab_rx(nic, 0, nic->frame, 300);
	nic->frame[0] = LAB_REFLECT_MARK;
	lab_expect_transmitted(nic, nic->frame, 300);
}

/* Too long for the MTU, one descriptor or two: an error, no frame. */
static void a_frame_cut_off_is_no_frame(struct kunit *test)
{
	static const u32 lengths[] = { 1519, 1980, 1981, 2043, 2044, 2100, 4000 };
	struct rtnl_link_stats64 before, after;
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		dev_get_stats(nic->ndev, &before);
		lab_fill(nic->frame, lengths[i], i);
		lab_rx(nic, 0, nic->frame, lengths[i]);
		lab_expect_silence(nic);
		dev_get_stats(nic->ndev, &after);
		KUNIT_EXPECT_GE(test, after.rx_errors - before.rx_errors, 1);
		KUNIT_EXPECT_LE(test, after.rx_errors - before.rx_errors, 2);
		KUNIT_EXPECT_EQ(test, after.rx_packets, before.rx_packets);
		lab_account_parts(nic, after.rx_errors - before.rx_errors - 1);
		receive(nic, 0, 700, i);
	}
}

/*
 * The data is there, the descriptor is not updated yet, and the driver looks
 * for another reason: it waits for the descriptor.
 */
static void a_late_descriptor_is_waited_for(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < 20; i++) {
		send_bad(nic, 0, 500, i, LAB_RX_LATE);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, 500, 0), 0);
		lab_pump(nic);
		lab_expect_transmitted(nic, nic->frame, 500);
		lab_expect_silence(nic);
		lab_settle(nic);
		lab_pump(nic);
		lab_expect_delivered(nic, nic->frame, 500);
		receive(nic, 0, 60 + i, i);
	}
}

/* ethtool -A: the driver starts its controller again. */
static void restart(struct lab_nic *nic)
{
	struct ethtool_pauseparam pause = { .cmd = ETHTOOL_SPAUSEPARAM };

	KUNIT_ASSERT_EQ(nic->test, lab_ethtool(nic, &pause, sizeof(pause)), 0);
}

/* Reset while a frame is on its way to memory: it is lost, no buffer is. */
static void a_reset_in_mid_flight_loses_no_buffer(struct kunit *test)
{
	u64 bytes, before, after, bytes_after;
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up(nic);
	lab_ring_memory(nic, &bytes, &before);
	for (i = 0; i < 8; i++) {
		receive(nic, 0, 300, i);
		send_bad(nic, 0, 900, i, LAB_RX_LATE);
		restart(nic);
		lab_pump(nic);
		lab_expect_silence(nic);
		lab_settle(nic);
		lab_pump(nic);
		lab_expect_silence(nic);
	}
	lab_ring_memory(nic, &bytes_after, &after);
	KUNIT_EXPECT_EQ(test, after, before);
	receive(nic, 0, 300, i);
}

static struct kunit_case cases[] = {
	LAB_CASE(each_error_has_its_counter, lab_each_fec),
	LAB_CASE(a_ring_of_errors_takes_no_page, lab_each_fec),
	LAB_CASE(errors_between_frames_do_no_harm, lab_each_fec),
	LAB_CASE(a_program_sees_no_bad_frame, lab_each_fec_xdp),
	LAB_CASE(a_frame_cut_off_is_no_frame, lab_each_fec),
	LAB_CASE(a_late_descriptor_is_waited_for, lab_each_fec),
	LAB_CASE(a_reset_in_mid_flight_loses_no_buffer, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_err",
	.test_cases = cases,
};

kunit_test_suite(suite);
