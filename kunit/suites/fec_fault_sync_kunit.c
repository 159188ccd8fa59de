// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program touched goes back to the MAC: all of it, wherever the program
 * moved the ends of the frame. Every buffer comes round at least once, the gate
 * looks at the lines.
 */
#include "lab.h"

/* More frames than the ring and the caches of its pool hold pages. */
#define ROUNDS	640

static void feed(struct lab_nic *nic, u32 len, unsigned int frames)
{
	unsigned int i;

	for (i = 0; i < frames; i++) {
		lab_fill(nic->frame, len, i);
		lab_rx(nic, 0, nic->frame, len);
	}
}

/* A program that cuts a header and appends a trailer: the trailer is synced. */
static void trailer_behind_a_cut_header_is_synced(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, lab_adjust(nic, 14, 14, XDP_DROP));
	feed(nic, 60, ROUNDS);
	/* a longer frame reaches the lines behind */
	feed(nic, 200, ROUNDS);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 2 * ROUNDS);
}

/*
 * The same as the user sees it: a line that was left dirty is written back over
 * a later frame. That frame is intact.
 */
static void later_frame_in_the_buffer_is_intact(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up_with(nic, lab_adjust(nic, 14, 14, XDP_DROP));
	lab_cache_evict(nic, true);
	feed(nic, 60, ROUNDS);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	for (i = 0; i < ROUNDS && test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, 1514, i);
		lab_rx(nic, 0, nic->frame, 1514);
		lab_expect_delivered(nic, nic->frame, 1514);
	}
}

/* The last byte of the frame is synced, also where two bytes of padding precede it. */
static void last_byte_is_synced(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_XOR_END(-1, 0xff),
				  LAB_BPF_RETURN(XDP_DROP)));
	feed(nic, 64, ROUNDS);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), ROUNDS);
}

/* What was written to a header before it was cut off is synced by XDP_TX. */
static void header_cut_after_a_write_is_synced(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_XOR(20, 0xff),
				  LAB_BPF_HEAD(128),
				  LAB_BPF_RETURN(XDP_TX)));
	for (i = 0; i < ROUNDS; i++) {
		lab_fill(nic->frame, 512, i);
		lab_rx(nic, 0, nic->frame, 512);
		lab_expect_transmitted(nic, nic->frame + 128, 512 - 128);
	}
}

/* A header put in front of the frame by the program is on the wire. */
static void prepended_header_is_on_the_wire(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;
	u8 *inner = nic->frame + 14;

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_HEAD(-14),
				  LAB_BPF_SET(0, 0x5a), LAB_BPF_SET(13, 0xa5),
				  LAB_BPF_RETURN(XDP_TX)));
	for (i = 0; i < ROUNDS; i++) {
		struct lab_frame *out;

		lab_fill(inner, 100, i);
		lab_rx(nic, 0, inner, 100);
		out = lab_take_transmitted(nic);
		KUNIT_ASSERT_NOT_NULL(test, out);
		KUNIT_EXPECT_EQ(test, out->len, 114);
		KUNIT_EXPECT_EQ(test, out->data[0], 0x5a);
		KUNIT_EXPECT_EQ(test, out->data[13], 0xa5);
		KUNIT_EXPECT_MEMEQ(test, out->data + 14, inner, 100);
		kfree(out);
	}
}

/* What the CPU was given and only read is not in its cache at the next frame. */
static void what_was_read_is_given_back(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	feed(nic, 64, ROUNDS);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	for (i = 0; i < ROUNDS && test->status != KUNIT_FAILURE; i++) {
		lab_fill(nic->frame, 512, i);
		lab_rx(nic, 0, nic->frame, 512);
		lab_expect_delivered(nic, nic->frame, 512);
	}
}

/*
 * A known limit, of every driver that measures to data_end: a program that
 * grows the tail, writes there and shrinks it again leaves lines dirty which
 * nobody can know of. Bounding it would cost a sync of the whole buffer for
 * each frame. The case fails when that changes.
 */
static void shrunk_tail_is_a_known_limit(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up_with(nic, LAB_PROG(nic,
				  LAB_BPF_BEGIN,
				  LAB_BPF_TAIL(200),
				  LAB_BPF_XOR_END(-1, 0xff),
				  LAB_BPF_TAIL(-200),
				  LAB_BPF_RETURN(XDP_DROP)));
	feed(nic, 60, ROUNDS);
	/* the gap is seen when the MAC writes that far */
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_DROP)), 0);
	feed(nic, 512, ROUNDS);
	KUNIT_EXPECT_GT(test, lab_violations(nic, LAB_V_MAX), 0);
	lab_violations_forget(nic);
}

static struct kunit_case cases[] = {
	LAB_CASE(trailer_behind_a_cut_header_is_synced, lab_each_fec_xdp),
	LAB_CASE(later_frame_in_the_buffer_is_intact, lab_each_fec_xdp),
	LAB_CASE(last_byte_is_synced, lab_each_fec_xdp),
	LAB_CASE(header_cut_after_a_write_is_synced, lab_each_fec_xdp),
	LAB_CASE(prepended_header_is_on_the_wire, lab_each_fec_xdp),
	LAB_CASE(what_was_read_is_given_back, lab_each_fec_xdp),
	LAB_CASE(shrunk_tail_is_a_known_limit, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_fault_sync",
	.test_cases = cases,
};

kunit_test_suite(suite);
