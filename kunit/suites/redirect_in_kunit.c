// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP_REDIRECT into the interface, ndo_xdp_xmit(): every frame that is taken
 * is on the wire or not, and is returned exactly once in either case. The gate
 * counts once more what each case looks at.
 */
#include <linux/etherdevice.h>

#include "lab.h"

/* more frames than a ring of the driver holds */
#define MANY	2600

static void up_with_program(struct lab_nic *nic)
{
	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
}

/* The interface is a target of redirects while it has a program. */
static void a_program_makes_it_a_target(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	KUNIT_EXPECT_EQ(test, nic->ndev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT, 0);
	up_with_program(nic);
	KUNIT_EXPECT_NE(test, nic->ndev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT, 0);
	/* frames in fragments: the core does not hand over any before this is set */
	KUNIT_EXPECT_EQ(test, nic->ndev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT_SG, 0);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	KUNIT_EXPECT_EQ(test, nic->ndev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT, 0);
}

static void bulks_of_every_size(struct lab_nic *nic, enum lab_origin origin)
{
	struct lab_load *load;
	unsigned int n;

	for (n = 1; n <= LAB_BULK_MAX; n++) {
		load = lab_load_take(nic, origin, n, 60 + 17 * n, n);
		KUNIT_ASSERT_EQ(nic->test, lab_load_xmit(load, 0, n), n);
		lab_load_expect(load, 0, n, 0);
		lab_transmit_only(nic);
		lab_load_expect_wire(load, 0, n);
		/* sent, but the driver was not told yet */
		lab_load_expect(load, 0, n, 0);
		lab_pump(nic);
		lab_load_expect(load, 0, n, 1);
	}
	lab_expect_silence(nic);
}

/* Bulks of 1 to 16 are sent in order and returned once, not before completion. */
static void every_bulk_is_sent_and_returned(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_with_program(nic);
	bulks_of_every_size(nic, LAB_ORIGIN_PAGES);
}

/* The same from the pool of another driver: all its pages come back. */
static void pages_of_another_pool_come_back(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_with_program(nic);
	bulks_of_every_size(nic, LAB_ORIGIN_POOL);
}

/* The cache of a pool is its own driver's: nobody else returns pages there. */
static void pages_go_to_no_cache_of_another_driver(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;

	up_with_program(nic);
	load = lab_load_take(nic, LAB_ORIGIN_POOL, 64, 100, 1);
	KUNIT_ASSERT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), 64);
	lab_pump(nic);
	lab_load_expect_wire(load, 0, 64);
	lab_load_expect(load, 0, 64, 1);
	KUNIT_EXPECT_EQ(test, lab_load_cached(load), 0);
}

/* The other driver closes while its frames are away: its pool ends with the last. */
static void a_pool_that_ended_gets_its_pages_back(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int n;

	up_with_program(nic);
	for (n = 1; n <= 100; n *= 10) {
		load = lab_load_take(nic, LAB_ORIGIN_POOL, n, 100, n);
		KUNIT_ASSERT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), n);
		lab_load_end(load);
		KUNIT_EXPECT_FALSE(test, lab_load_ended(load));
		lab_pump(nic);
		lab_load_expect_wire(load, 0, n);
		KUNIT_EXPECT_TRUE_MSG(test, lab_load_ended(load), "pages of the other driver stay away");
	}
}

/* Frames of every length leave as they came. */
static void frames_of_every_length_leave_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	u32 len;

	up_with_program(nic);
	for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len++) {
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, 1, len, len);
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 0, 1), 1);
		lab_pump(nic);
		lab_load_expect_wire(load, 0, 1);
		lab_load_expect(load, 0, 1, 1);
	}
}

/* The ring wraps with redirected frames, in bulks that do not divide it. */
static void the_ring_wraps(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int i;

	up_with_program(nic);
	load = lab_load_take(nic, LAB_ORIGIN_POOL, 2401, 64, 3);
	for (i = 0; i < 2401; i += 7) {
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, i, 7), 7);
		lab_pump(nic);
		lab_load_expect_wire(load, i, 7);
	}
	lab_load_expect(load, 0, 2401, 1);
}

/*
 * More frames than there is room: the number taken is returned, none of the
 * rest is freed, and once there is room again they are taken.
 */
static void a_full_ring_takes_no_more(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int taken, again;

	up_with_program(nic);
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, MANY, 60, 1);
	taken = lab_load_xmit_all(load, LAB_BULK_MAX);
	KUNIT_EXPECT_GT(test, taken, 0);
	KUNIT_ASSERT_LT(test, taken, MANY);
	/* the last bulk was taken in part, or not at all */
	KUNIT_EXPECT_EQ(test, lab_load_xmit(load, taken, LAB_BULK_MAX), 0);
	lab_load_expect(load, 0, MANY, 0);

	lab_pump(nic);
	lab_load_expect_wire(load, 0, taken);
	lab_expect_silence(nic);
	lab_load_expect(load, 0, taken, 1);
	lab_load_expect(load, taken, MANY - taken, 0);

	again = lab_load_xmit(load, taken, LAB_BULK_MAX);
	KUNIT_EXPECT_EQ(test, again, LAB_BULK_MAX);
	lab_pump(nic);
	lab_load_expect_wire(load, taken, again);
	lab_load_expect(load, taken, again, 1);
}

/* A ring that stays full is no reason to fill the log. */
static void a_full_ring_does_not_flood_the_log(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int taken, i;

	up_with_program(nic);
	load = lab_load_take(nic, LAB_ORIGIN_POOL, MANY, 60, 1);
	lab_log_lines(nic);
	taken = lab_load_xmit_all(load, LAB_BULK_MAX);
	for (i = 0; i < 500; i++)
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, taken, LAB_BULK_MAX), 0);
	KUNIT_EXPECT_LE(test, lab_log_lines(nic), 1);
}

/* The stack finds its queue full of redirected frames: it stops, and goes on. */
static void the_stack_waits_for_room_and_goes_on(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int taken, i;

	up_with_program(nic);
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, 900, 60, 1);
	taken = lab_load_xmit_all(load, LAB_BULK_MAX);
	KUNIT_ASSERT_EQ(test, taken, 900);
	for (i = 0; i < 3; i++) {
		lab_fill(nic->frame, 100, 5000 + i);
		KUNIT_ASSERT_EQ(test, lab_stack_xmit(nic, nic->frame, 100, 0), 0);
	}
	KUNIT_EXPECT_TRUE(test, lab_queue_stopped(nic, 0));
	lab_pump(nic);
	KUNIT_EXPECT_FALSE(test, lab_queue_stopped(nic, 0));
	lab_load_expect_wire(load, 0, taken);
	for (i = 0; i < 3; i++) {
		lab_fill(nic->frame, 100, 5000 + i);
		lab_expect_transmitted(nic, nic->frame, 100);
	}
	lab_load_expect(load, 0, taken, 1);
}

/* No mapping for frame k of a bulk: k are taken, and the rest is not touched. */
static void a_failed_mapping_ends_the_bulk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int k;

	up_with_program(nic);
	for (k = 0; k < LAB_BULK_MAX; k++) {
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 80, k);
		lab_maps_left(nic, k);
		KUNIT_EXPECT_EQ(test, lab_load_xmit(load, 0, LAB_BULK_MAX), k);
		lab_maps_plenty(nic);
		lab_pump(nic);
		lab_load_expect_wire(load, 0, k);
		lab_expect_silence(nic);
		lab_load_expect(load, 0, k, 1);
		lab_load_expect(load, k, LAB_BULK_MAX - k, 0);
		/* the rest at the next try */
		KUNIT_EXPECT_EQ(test, lab_load_xmit(load, k, LAB_BULK_MAX - k), LAB_BULK_MAX - k);
		lab_pump(nic);
		lab_load_expect_wire(load, k, LAB_BULK_MAX - k);
	}
}

/* Queued frames of a ring that is reset: returned once, and not sent. */
static void a_reset_returns_what_was_queued(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *pass = lab_verdict(nic, XDP_PASS);
	struct lab_load *load;
	unsigned int round;

	up_with_program(nic);
	for (round = 0; round < 3; round++) {
		load = lab_load_take(nic, LAB_ORIGIN_PAGES, 100, 200, round);
		KUNIT_ASSERT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), 100);
		if (round == 0)
			lab_tx_timeout(nic, 0);
		else if (round == 1)
			KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
		else
			lab_link(nic, 100, true);
		lab_load_expect(load, 0, 100, 1);
		lab_pump(nic);
		lab_expect_silence(nic);
		lab_load_expect(load, 0, 100, 1);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, pass), 0);
	}
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 200, 9);
	KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 0, LAB_BULK_MAX), LAB_BULK_MAX);
	lab_pump(nic);
	lab_load_expect_wire(load, 0, LAB_BULK_MAX);
	lab_load_expect(load, 0, LAB_BULK_MAX, 1);
}

/*
 * Queued frames of a ring that is closed, each with so many fragments, are returned
 * once; as well when they have left, and the driver does not know.
 */
static void expect_close_returns(struct lab_nic *nic, unsigned int frags, bool sent)
{
	struct lab_load *pages, *pool;

	pages = lab_load_take_frags(nic, LAB_ORIGIN_PAGES, 100, 200, frags, 1);
	pool = lab_load_take_frags(nic, LAB_ORIGIN_POOL, 100, 200, frags, 2);
	KUNIT_ASSERT_EQ(nic->test, lab_load_xmit_all(pages, 3), 100);
	KUNIT_ASSERT_EQ(nic->test, lab_load_xmit_all(pool, LAB_BULK_MAX), 100);
	if (sent)
		lab_transmit_only(nic);
	lab_cut(nic);
	lab_load_expect(pages, 0, 100, 1);
	lab_load_expect(pool, 0, 100, 1);
}

static void close_returns_what_was_queued(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_with_program(nic);
	expect_close_returns(nic, 0, false);
}

/* Nothing is taken by an interface that cannot send it, and nothing touched. */
static void expect_refused(struct lab_nic *nic)
{
	struct lab_load *load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 100, 1);
	unsigned int live = lab_live_mappings(nic);

	KUNIT_EXPECT_LE(nic->test, lab_load_xmit(load, 0, LAB_BULK_MAX), 0);
	KUNIT_EXPECT_EQ(nic->test, lab_live_mappings(nic), live);
	lab_load_expect(load, 0, LAB_BULK_MAX, 0);
}

/* A closed interface takes no frame and touches no register. */
static void a_closed_interface_takes_no_frame(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_with_program(nic);
	lab_down(nic);
	lab_wait_asleep(nic);
	expect_refused(nic);
}

/* A closed MAC takes no frame, whether another keeps the ring or there is none. */
static void a_closed_mac_takes_no_frame(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;

	up_with_program(nic);
	lab_mac_up(nic, 1);
	lab_down(nic);
	expect_refused(nic);
	lab_pump(nic);
	lab_expect_silence(nic);
	lab_mac_down(nic, 1);
	expect_refused(nic);
	lab_up(nic);
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 100, 2);
	KUNIT_EXPECT_EQ(test, lab_load_xmit(load, 0, LAB_BULK_MAX), LAB_BULK_MAX);
	lab_pump(nic);
	lab_load_expect_wire(load, 0, LAB_BULK_MAX);
	lab_load_expect(load, 0, LAB_BULK_MAX, 1);
}

/* Without a link nothing is taken: it would wait for the reset that ends it. */
static void without_a_link_no_frame_is_taken(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;

	up_with_program(nic);
	lab_link(nic, 0, true);
	expect_refused(nic);
	lab_link(nic, 100, true);
	load = lab_load_take(nic, LAB_ORIGIN_PAGES, LAB_BULK_MAX, 100, 2);
	KUNIT_EXPECT_EQ(test, lab_load_xmit(load, 0, LAB_BULK_MAX), LAB_BULK_MAX);
	lab_pump(nic);
	lab_load_expect_wire(load, 0, LAB_BULK_MAX);
}

/* ---- frames in fragments, for an interface that takes them ---------------- */

static struct lab_load *take_frags(struct lab_nic *nic, unsigned int n, u32 len,
				   unsigned int frags, u32 seed)
{
	KUNIT_ASSERT_NE(nic->test, nic->ndev->xdp_features & NETDEV_XDP_ACT_NDO_XMIT_SG, 0);
	return lab_load_take_frags(nic, LAB_ORIGIN_PAGES, n, len, frags, seed);
}

/* With any number of fragments a frame leaves as one, and each page is returned once. */
static void fragments_leave_as_one_frame(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *pages, *pool;
	unsigned int frags;
	u32 len;

	up_with_program(nic);
	for (frags = 1; frags <= MAX_SKB_FRAGS; frags++) {
		for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len += 311) {
			pages = take_frags(nic, 3, len, frags, len);
			pool = lab_load_take_frags(nic, LAB_ORIGIN_POOL, 5, len, frags, frags);
			KUNIT_ASSERT_EQ(test, lab_load_xmit(pages, 0, 3), 3);
			KUNIT_ASSERT_EQ(test, lab_load_xmit(pool, 0, 5), 5);
			lab_transmit_only(nic);
			lab_load_expect_wire(pages, 0, 3);
			lab_load_expect_wire(pool, 0, 5);
			/* sent, but the driver was not told yet */
			lab_load_expect(pages, 0, 3, 0);
			lab_load_expect(pool, 0, 5, 0);
			lab_pump(nic);
			lab_load_expect(pages, 0, 3, 1);
			lab_load_expect(pool, 0, 5, 1);
		}
	}
	lab_expect_silence(nic);
}

/* Frames with and without fragments in one bulk keep their order. */
static void fragments_keep_their_place(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load[3];
	unsigned int i;

	up_with_program(nic);
	load[0] = lab_load_take(nic, LAB_ORIGIN_PAGES, 200, 90, 1);
	load[1] = take_frags(nic, 200, 700, 5, 2);
	load[2] = take_frags(nic, 200, 100, 1, 3);
	for (i = 0; i < 600; i++) {
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load[i % 3], i / 3, 1), 1);
		if (i % 12 != 11)
			continue;
		lab_pump(nic);
		for (unsigned int k = i - 11; k <= i; k++)
			lab_load_expect_wire(load[k % 3], k / 3, 1);
	}
	for (i = 0; i < 3; i++)
		lab_load_expect(load[i], 0, 200, 1);
}

/* No mapping for a fragment: its frame is not taken, nothing of it stays mapped. */
static void an_unmapped_fragment_ends_the_bulk(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int k, taken, live;
	struct lab_load *load;

	up_with_program(nic);
	for (k = 0; k < 4 * 6; k++) {
		load = take_frags(nic, 4, 600, 5, k);
		taken = k / 6;
		live = lab_live_mappings(nic);
		lab_maps_left(nic, k);
		KUNIT_EXPECT_EQ(test, lab_load_xmit(load, 0, 4), taken);
		lab_maps_plenty(nic);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), live + 6 * taken);
		lab_pump(nic);
		lab_load_expect_wire(load, 0, taken);
		lab_expect_silence(nic);
		lab_load_expect(load, 0, taken, 1);
		lab_load_expect(load, taken, 4 - taken, 0);
		/* the rest at the next try */
		KUNIT_EXPECT_EQ(test, lab_load_xmit(load, taken, 4 - taken), 4 - taken);
		lab_pump(nic);
		lab_load_expect_wire(load, taken, 4 - taken);
		lab_load_expect(load, 0, 4, 1);
	}
}

/* A ring without room for all fragments takes nothing of the frame. */
static void a_ring_takes_whole_frames(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int frags, taken, again;
	struct lab_load *load;

	up_with_program(nic);
	for (frags = 1; frags <= MAX_SKB_FRAGS; frags += 4) {
		unsigned int n = MANY / (1 + frags);

		load = take_frags(nic, n, 200, frags, frags);
		taken = lab_load_xmit_all(load, LAB_BULK_MAX);
		KUNIT_EXPECT_GT(test, taken, 0);
		KUNIT_ASSERT_LT(test, taken, n);
		KUNIT_EXPECT_EQ(test, lab_load_xmit(load, taken, min(LAB_BULK_MAX, n - taken)), 0);
		lab_load_expect(load, 0, n, 0);
		lab_pump(nic);
		lab_load_expect_wire(load, 0, taken);
		lab_expect_silence(nic);
		lab_load_expect(load, 0, taken, 1);
		lab_load_expect(load, taken, n - taken, 0);

		again = min(LAB_BULK_MAX, n - taken);
		KUNIT_EXPECT_EQ(test, lab_load_xmit(load, taken, again), again);
		lab_pump(nic);
		lab_load_expect_wire(load, taken, again);
		lab_load_expect(load, taken, again, 1);
	}
}

/* Of fragments each page is. */
static void close_returns_queued_fragments(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	up_with_program(nic);
	expect_close_returns(nic, 3, false);
	lab_discard(nic);
	lab_up(nic);
	expect_close_returns(nic, 4, true);
	lab_discard(nic);
}

/* The same when the ring is reset, which then sends the next ones. */
static void a_reset_returns_queued_fragments(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_load *load;
	unsigned int round;

	up_with_program(nic);
	for (round = 0; round < 2; round++) {
		load = take_frags(nic, 100, 200, 1 + 2 * round, round);
		KUNIT_ASSERT_EQ(test, lab_load_xmit_all(load, LAB_BULK_MAX), 100);
		lab_fill(nic->frame, 60, round);
		lab_send(nic, 0, nic->frame, 60);
		KUNIT_ASSERT_TRUE(test, lab_hang(nic));
		lab_wait_link(nic);
		lab_load_expect(load, 0, 100, 1);
		lab_pump(nic);
		lab_discard(nic);
		lab_account_lost(nic, 101);
		lab_load_expect(load, 0, 100, 1);
		load = take_frags(nic, LAB_BULK_MAX, 400, 3, round);
		KUNIT_ASSERT_EQ(test, lab_load_xmit(load, 0, LAB_BULK_MAX), LAB_BULK_MAX);
		lab_pump(nic);
		lab_load_expect_wire(load, 0, LAB_BULK_MAX);
		lab_load_expect(load, 0, LAB_BULK_MAX, 1);
	}
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(a_program_makes_it_a_target, lab_each_fec_xdp),
	LAB_CASE(every_bulk_is_sent_and_returned, lab_each_fec_xdp),
	LAB_CASE(pages_of_another_pool_come_back, lab_each_fec_xdp),
	LAB_CASE(pages_go_to_no_cache_of_another_driver, lab_each_fec_xdp),
	LAB_CASE(a_pool_that_ended_gets_its_pages_back, lab_each_fec_xdp),
	LAB_CASE(frames_of_every_length_leave_whole, lab_each_fec_xdp),
	LAB_CASE(the_ring_wraps, lab_each_fec_xdp),
	LAB_CASE(a_full_ring_takes_no_more, lab_each_fec_xdp),
	LAB_CASE(a_full_ring_does_not_flood_the_log, lab_each_fec_xdp),
	LAB_CASE(the_stack_waits_for_room_and_goes_on, lab_each_fec_xdp),
	LAB_CASE(a_failed_mapping_ends_the_bulk, lab_each_fec_xdp),
	LAB_CASE(a_reset_returns_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(close_returns_what_was_queued, lab_each_fec_xdp),
	LAB_CASE(a_closed_interface_takes_no_frame, lab_each_fec_xdp),
	LAB_CASE(without_a_link_no_frame_is_taken, lab_each_fec_xdp),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_redirect_in",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(every_bulk_is_sent_and_returned, lab_each_mtk_xdp),
	LAB_CASE(pages_of_another_pool_come_back, lab_each_mtk_xdp),
	LAB_CASE(pages_go_to_no_cache_of_another_driver, lab_each_mtk_xdp),
	LAB_CASE(a_pool_that_ended_gets_its_pages_back, lab_each_mtk_xdp),
	LAB_CASE(frames_of_every_length_leave_whole, lab_each_mtk_xdp),
	LAB_CASE(the_ring_wraps, lab_each_mtk_xdp),
	LAB_CASE(a_full_ring_takes_no_more, lab_each_mtk_xdp),
	LAB_CASE(a_full_ring_does_not_flood_the_log, lab_each_mtk_xdp),
	LAB_CASE(a_failed_mapping_ends_the_bulk, lab_each_mtk_xdp),
	LAB_CASE(close_returns_what_was_queued, lab_each_mtk_xdp),
	LAB_CASE(a_closed_mac_takes_no_frame, lab_each_mtk_xdp),
	LAB_CASE(fragments_leave_as_one_frame, lab_each_mtk_xdp),
	LAB_CASE(fragments_keep_their_place, lab_each_mtk_xdp),
	LAB_CASE(an_unmapped_fragment_ends_the_bulk, lab_each_mtk_xdp),
	LAB_CASE(a_ring_takes_whole_frames, lab_each_mtk_xdp),
	LAB_CASE(close_returns_queued_fragments, lab_each_mtk_xdp),
	LAB_CASE(a_reset_returns_queued_fragments, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_redirect_in",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
