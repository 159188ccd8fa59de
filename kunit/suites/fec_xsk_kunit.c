// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP zero copy, reception: every frame ends where the program sent it, in a
 * chunk that the application gave, and every chunk stays in one place.
 */
#include <linux/slab.h>

#include "lab.h"

#define PLENTY		440	/* and many frames more */
#define RING		256	/* descriptors of a receive ring */

/* One frame for the socket, and its chunk given back. */
static void receive(struct lab_nic *nic, struct lab_xsk *xsk, unsigned int queue, u32 len,
		    u32 seed)
{
	lab_xsk_frame(nic, len, seed, XDP_REDIRECT);
	lab_rx(nic, queue, nic->frame, len);
	lab_xsk_expect(xsk, nic->frame, len);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_fill(xsk, 1), 1);
}

/* Frames of many lengths, twice around the ring: each whole, each in a free chunk. */
static void redirected_frames_reach_the_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 2 * RING + 20 && test->status != KUNIT_FAILURE; i++)
		receive(nic, xsk, 0, 60 + i * 29 % (nic->soc->max_frame - 59), i);
	lab_xsk_check(xsk);
	lab_expect_silence(nic);
}

/* Many frames in one interrupt arrive in their order. */
static void a_batch_keeps_its_order(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, PLENTY);
	for (i = 0; i < 150; i++) {
		lab_xsk_frame(nic, 60 + i, i, XDP_REDIRECT);
		lab_send(nic, 0, nic->frame, 60 + i);
	}
	lab_pump(nic);
	for (i = 0; i < 150; i++) {
		lab_xsk_frame(nic, 60 + i, i, XDP_REDIRECT);
		lab_xsk_expect(xsk, nic->frame, 60 + i);
	}
	KUNIT_EXPECT_NULL(test, lab_xsk_take(xsk));
}

/* The program decides frame by frame: socket, stack, wire or nowhere. */
static void every_verdict_ends_where_it_should(struct kunit *test)
{
	static const enum xdp_action acts[] = {
		XDP_REDIRECT, XDP_PASS, XDP_TX, XDP_DROP, XDP_ABORTED,
	};
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, k, dropped = 0;
	struct lab_xsk *xsk;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < 60; i++) {
		/* five in one interrupt, in another order each time */
		for (k = 0; k < ARRAY_SIZE(acts); k++) {
			lab_xsk_frame(nic, 60 + i, i * 8 + k, acts[(i + k) % ARRAY_SIZE(acts)]);
			lab_send(nic, 0, nic->frame, 60 + i);
		}
		lab_pump(nic);
		for (k = 0; k < ARRAY_SIZE(acts); k++) {
			enum xdp_action act = acts[(i + k) % ARRAY_SIZE(acts)];

			lab_xsk_frame(nic, 60 + i, i * 8 + k, act);
			if (act == XDP_REDIRECT)
				lab_xsk_expect(xsk, nic->frame, 60 + i);
			else if (act == XDP_PASS)
				lab_expect_delivered(nic, nic->frame, 60 + i);
			else if (act == XDP_TX)
				lab_expect_transmitted(nic, nic->frame, 60 + i);
			else
				dropped++;
		}
		lab_xsk_fill(xsk, 1);
	}
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), dropped);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_redirect"), 60);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_pass"), 60);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_tx"), 60);
	lab_xsk_check(xsk);
}

/* XDP_TX out of a chunk, around both rings, the header grown and shrunk. */
static void a_sent_back_frame_is_what_the_program_left(struct kunit *test)
{
	static const int heads[] = { 0, -8, 6, -64, 14 };
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *prog;
	u32 len = 200, seed = 0;
	unsigned int i, k;

	lab_up(nic);
	lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		int head = heads[i];

		prog = LAB_PROG(nic,
				LAB_BPF_BEGIN,
				LAB_BPF_HEAD(head),
				LAB_BPF_SET(0, LAB_REFLECT_MARK),
				LAB_BPF_SET(1, 0x11),
				LAB_BPF_RETURN(XDP_TX));
		KUNIT_ASSERT_EQ(test, lab_attach(nic, prog), 0);
		for (k = 0; k < 220; k++) {
			struct lab_frame *got;

			lab_fill(nic->frame, len, seed++);
			lab_rx(nic, 0, nic->frame, len);
			got = lab_take_transmitted(nic);
			KUNIT_ASSERT_NOT_NULL(test, got);
			KUNIT_EXPECT_EQ(test, got->len, len - head);
			KUNIT_EXPECT_EQ(test, got->data[0], LAB_REFLECT_MARK);
			KUNIT_EXPECT_EQ(test, got->data[1], 0x11);
			/* behind what was added or cut: the frame as it came */
			if (head < 0)
				KUNIT_EXPECT_MEMEQ(test, got->data - head, nic->frame, len);
			else
				KUNIT_EXPECT_MEMEQ(test, got->data + 2, nic->frame + head + 2,
						   len - head - 2);
			kfree(got);
			if (test->status == KUNIT_FAILURE)
				return;
		}
	}
	lab_expect_silence(nic);
}

/* Register writes for @n frames that the program sends back at once. */
static u64 writes_for(struct lab_nic *nic, unsigned int n)
{
	struct lab_counts before, after;
	unsigned int i;

	lab_counts(nic, &before);
	for (i = 0; i < n; i++) {
		lab_xsk_frame(nic, 100, i, XDP_TX);
		lab_send(nic, 0, nic->frame, 100);
	}
	lab_pump(nic);
	lab_counts(nic, &after);
	for (i = 0; i < n; i++) {
		lab_xsk_frame(nic, 100, i, XDP_TX);
		lab_expect_transmitted(nic, nic->frame, 100);
	}
	return after.mmio_writes - before.mmio_writes;
}

/* A burst of XDP_TX rings the doorbell once. */
static void one_doorbell_for_a_burst(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u64 few = U64_MAX, many = U64_MAX;
	unsigned int i;

	lab_xsk_up(nic);
	lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	/* the least: with two CPUs a burst may be cut into two polls */
	for (i = 0; i < 4; i++) {
		few = min(few, writes_for(nic, 16));
		many = min(many, writes_for(nic, 32));
	}
	/* at most, for each frame, its acknowledgment and the receive doorbell */
	KUNIT_EXPECT_LE(test, many - few, 16 * 2);
}

/* No chunk left: frames are dropped and counted, the ring stays armed; then it goes on. */
static void an_empty_fill_ring_drops_and_recovers(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct rtnl_link_stats64 stats;
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, LAB_XSK_CHUNKS);
	for (i = 0; i < LAB_XSK_CHUNKS; i++) {
		lab_xsk_frame(nic, 80, i, XDP_REDIRECT);
		lab_rx(nic, 0, nic->frame, 80);
	}
	/* of the chunks the ring keeps one for each descriptor */
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, stats.rx_dropped, RING);
	for (i = 0; i < LAB_XSK_CHUNKS - RING; i++) {
		lab_xsk_frame(nic, 80, i, XDP_REDIRECT);
		lab_xsk_expect(xsk, nic->frame, 80);
	}
	KUNIT_EXPECT_NULL(test, lab_xsk_take(xsk));
	lab_xsk_check(xsk);

	KUNIT_EXPECT_EQ(test, lab_xsk_fill(xsk, 40), 40);
	for (i = 0; i < 3 * RING && test->status != KUNIT_FAILURE; i++)
		receive(nic, xsk, 0, 80, i);
}

/* A wakeup is asked for while it is needed, and frames come again after it. */
static void a_full_receive_ring_drops_and_recovers(struct kunit *test)
{
	const struct lab_xsk_setup setup = {
		.chunks = 512, .chunk_size = PAGE_SIZE, .ring = 512, .rx_ring = 64, .fill = PLENTY,
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_open(nic, &setup);
	/* more frames than the ring holds, and nobody reads */
	for (i = 0; i < 64 + 10; i++) {
		lab_xsk_frame(nic, 80, i, XDP_REDIRECT);
		lab_rx(nic, 0, nic->frame, 80);
	}
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_redirect"), 64);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 10);
	KUNIT_EXPECT_TRUE(test, lab_xsk_wants_wake(xsk));
	for (i = 0; i < 64; i++) {
		lab_xsk_frame(nic, 80, i, XDP_REDIRECT);
		lab_xsk_expect(xsk, nic->frame, 80);
	}
	KUNIT_EXPECT_NULL(test, lab_xsk_take(xsk));
	lab_xsk_check(xsk);
	KUNIT_EXPECT_EQ(test, lab_xsk_fill(xsk, 64), 64);
	KUNIT_EXPECT_EQ(test, lab_xsk_wake(xsk), 0);
	lab_pump(nic);
	KUNIT_EXPECT_FALSE(test, lab_xsk_wants_wake(xsk));
	for (i = 0; i < 100 && test->status != KUNIT_FAILURE; i++)
		receive(nic, xsk, 0, 80, i);
}

/* What an application does that fills late: fill, and wake whoever wants it. */
static void fill_and_wake(struct lab_nic *nic, struct lab_xsk *xsk, unsigned int chunks)
{
	lab_xsk_fill(xsk, chunks);
	if (lab_xsk_wants_wake(xsk))
		KUNIT_EXPECT_EQ(nic->test, lab_xsk_wake(xsk), 0);
	lab_pump(nic);
}

/* Chunks that come after bind() are used: filling late is no fault. */
static void chunks_filled_after_bind_are_used(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, 0);
	/* a frame that finds no buffer is lost on the wire, and stops the receiver */
	lab_xsk_frame(nic, 80, 0, XDP_REDIRECT);
	KUNIT_EXPECT_NE(test, lab_try_send(nic, 0, nic->frame, 80), 0);
	lab_pump(nic);
	fill_and_wake(nic, xsk, LAB_XSK_CHUNKS);
	for (i = 0; i < RING + 10 && test->status != KUNIT_FAILURE; i++)
		receive(nic, xsk, 0, 80, i);
}

/* Fewer chunks than descriptors: frames flow while the application gives them back. */
static void few_chunks_go_around(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, lost = 0;
	struct lab_frame *got;
	struct lab_xsk *xsk;

	lab_xsk_up(nic);
	xsk = lab_xsk_bind(nic, 0, 64);
	for (i = 0; i < 400; i++) {
		lab_xsk_frame(nic, 80, i, XDP_REDIRECT);
		/* which frame meets a descriptor without buffer is the driver's choice */
		if (lab_try_send(nic, 0, nic->frame, 80))
			lost++;
		lab_pump(nic);
		while ((got = lab_xsk_take(xsk))) {
			KUNIT_EXPECT_EQ(test, got->len, 80);
			kfree(got);
		}
		fill_and_wake(nic, xsk, 8);
	}
	/* there was always a chunk for the next descriptor */
	KUNIT_EXPECT_EQ_MSG(test, lost, 0, "of 400 frames %u found no buffer", lost);
}

/* Two queues with a socket each: nobody gets the other's frames. */
static void each_queue_has_its_socket(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk[2];
	unsigned int i;

	lab_xsk_up(nic);
	for (i = 0; i < 2; i++)
		xsk[i] = lab_xsk_bind(nic, i + 1, LAB_XSK_CHUNKS);
	for (i = 0; i < 300 && test->status != KUNIT_FAILURE; i++) {
		receive(nic, xsk[i & 1], 1 + (i & 1), 60 + i, i);
		KUNIT_EXPECT_NULL(test, lab_xsk_take(xsk[!(i & 1)]));
	}
	/* the queue without one passes to the stack */
	lab_xsk_frame(nic, 100, 1, XDP_REDIRECT);
	lab_rx(nic, 0, nic->frame, 100);
	lab_expect_delivered(nic, nic->frame, 100);
}

/* Bound while closed: a program finds the socket of its queue all the same. */
static void a_queue_bound_while_closed_is_the_programs_queue(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, q = nic->soc->queues - 1;
	struct lab_xsk *xsk;

	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_xsk_steer(nic)), 0);
	xsk = lab_xsk_bind(nic, q, LAB_XSK_CHUNKS);
	lab_up(nic);
	for (i = 0; i < 20 && test->status != KUNIT_FAILURE; i++)
		receive(nic, xsk, q, 60 + i, i);
}

/* Small chunks: the receiver is told how much room there is. */
static void no_frame_leaves_its_chunk(struct kunit *test)
{
	const struct lab_xsk_setup setup = {
		.chunks = 600, .chunk_size = 2048, .ring = 512, .fill = LAB_XSK_CHUNKS,
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_open(nic, &setup);
	for (i = 0; i < 40 && test->status != KUNIT_FAILURE; i++)
		receive(nic, xsk, 0, nic->soc->max_frame - 4 - i, i);
	lab_xsk_check(xsk);
}

/* An application may keep room in front of each frame. */
static void headroom_is_left_alone(struct kunit *test)
{
	const struct lab_xsk_setup setup = {
		.chunks = 512, .chunk_size = PAGE_SIZE, .headroom = 128,
		.ring = 512, .fill = LAB_XSK_CHUNKS,
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_xsk *xsk;
	unsigned int i;

	lab_xsk_up(nic);
	xsk = lab_xsk_open(nic, &setup);
	for (i = 0; i < 40 && test->status != KUNIT_FAILURE; i++) {
		receive(nic, xsk, 0, 60 + 36 * i, i);
		lab_xsk_frame(nic, 300, i, XDP_TX);
		lab_rx(nic, 0, nic->frame, 300);
		lab_expect_transmitted(nic, nic->frame, 300);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(redirected_frames_reach_the_socket, lab_each_fec_xdp),
	LAB_CASE(a_batch_keeps_its_order, lab_each_fec_xdp),
	LAB_CASE(every_verdict_ends_where_it_should, lab_each_fec_xdp),
	LAB_CASE(a_sent_back_frame_is_what_the_program_left, lab_each_fec_xdp),
	LAB_CASE(one_doorbell_for_a_burst, lab_each_fec_xdp),
	LAB_CASE(an_empty_fill_ring_drops_and_recovers, lab_each_fec_xdp),
	LAB_CASE(a_full_receive_ring_drops_and_recovers, lab_each_fec_xdp),
	LAB_CASE(chunks_filled_after_bind_are_used, lab_each_fec_xdp),
	LAB_CASE(few_chunks_go_around, lab_each_fec_xdp),
	LAB_CASE(each_queue_has_its_socket, lab_each_fec_queues),
	LAB_CASE(a_queue_bound_while_closed_is_the_programs_queue, lab_each_fec_queues),
	LAB_CASE(no_frame_leaves_its_chunk, lab_each_fec_xdp),
	LAB_CASE(headroom_is_left_alone, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_xsk",
	.test_cases = cases,
};

kunit_test_suite(suite);
