// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching and detaching: the right buffers on an interface that is up, no
 * register and no buffer touched on one that is down.
 */
#include "lab.h"

/* Attached while receiving: the MAC may read the buffers of every queue. */
static void buffers_become_readable_on_attach(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int q, i;

	lab_up(nic);
	for (q = 0; q < nic->soc->queues; q++)
		KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, q), DMA_FROM_DEVICE);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_reflect(nic)), 0);
	for (q = 0; q < nic->soc->queues; q++) {
		KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, q), DMA_BIDIRECTIONAL);
		for (i = 0; i < 300; i++) {
			lab_fill(nic->frame, 60 + i, i);
			lab_rx(nic, q, nic->frame, 60 + i);
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, 60 + i);
		}
	}
}

/* Detached again: the buffers cost what they did before. */
static void buffers_are_write_only_again_after_detach(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int q;

	lab_up_with(nic, lab_reflect(nic));
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	for (q = 0; q < nic->soc->queues; q++) {
		KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, q), DMA_FROM_DEVICE);
		lab_fill(nic->frame, 200, q);
		lab_rx(nic, q, nic->frame, 200);
		lab_expect_delivered(nic, nic->frame, 200);
	}
}

/* A storm of attach and detach: each frame meets the program of the moment. */
static void every_frame_meets_the_program_of_the_moment(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *drop = lab_verdict(nic, XDP_DROP);
	struct bpf_prog *reflect = lab_reflect(nic);
	unsigned int i;

	lab_up(nic);
	for (i = 0; i < 24; i++) {
		lab_fill(nic->frame, 300, i);
		lab_rx(nic, 0, nic->frame, 300);
		lab_expect_delivered(nic, nic->frame, 300);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, i & 1 ? drop : reflect), 0);
		lab_rx(nic, 0, nic->frame, 300);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, i & 1 ? reflect : drop), 0);
		lab_rx(nic, 0, nic->frame, 300);
		nic->frame[0] = LAB_REFLECT_MARK;
		lab_expect_transmitted(nic, nic->frame, 300);
		lab_expect_silence(nic);
		KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	}
}

/* Memory runs out during attach: what was there goes on receiving. */
static void attach_without_memory_changes_nothing(struct kunit *test)
{
	static const unsigned int left[] = { 0, 1, 255, 256, 257, 600, 767 };
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *reflect = lab_reflect(nic);
	unsigned int i, q;
	int ret;

	lab_up(nic);
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		lab_maps_left(nic, left[i]);
		ret = lab_attach(nic, reflect);
		lab_maps_plenty(nic);
		if (!left[i])
			KUNIT_EXPECT_NE(test, ret, 0);
		for (q = 0; q < nic->soc->queues; q++) {
			lab_fill(nic->frame, 300, i + q);
			lab_rx(nic, q, nic->frame, 300);
			if (ret) {
				lab_expect_delivered(nic, nic->frame, 300);
			} else {
				nic->frame[0] = LAB_REFLECT_MARK;
				lab_expect_transmitted(nic, nic->frame, 300);
			}
		}
		KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	}
}

/* Memory runs out during detach: the program goes all the same. */
static void detach_without_memory_succeeds(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int q;

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	lab_maps_left(nic, 300);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	lab_maps_plenty(nic);
	for (q = 0; q < nic->soc->queues; q++) {
		lab_fill(nic->frame, 300, q);
		lab_rx(nic, q, nic->frame, 300);
		lab_expect_delivered(nic, nic->frame, 300);
	}
}

/* No frame is written to a buffer that attach has given back. */
static void attach_takes_no_buffer_from_the_mac(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	lab_watch_buffers(nic);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	lab_fill(nic->frame, 300, 1);
	lab_rx(nic, 0, nic->frame, 300);
	lab_expect_delivered(nic, nic->frame, 300);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
}

/* Attached while the controller sleeps: no register is touched, open runs it. */
static void attach_lets_a_sleeping_mac_sleep(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_wait_asleep(nic);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_reflect(nic)), 0);
	lab_up(nic);
	lab_fill(nic->frame, 300, 1);
	lab_rx(nic, 0, nic->frame, 300);
	nic->frame[0] = LAB_REFLECT_MARK;
	lab_expect_transmitted(nic, nic->frame, 300);
}

/* Attached after a close: the MAC gets none of the pages that close gave back. */
static void attach_after_close_arms_no_old_buffer(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	lab_down(nic);
	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_verdict(nic, XDP_DROP)), 0);
	lab_fill(nic->frame, 300, 1);
	KUNIT_EXPECT_NE(test, lab_try_send(nic, 0, nic->frame, 300), 0);
}

static struct kunit_case cases[] = {
	LAB_CASE(buffers_become_readable_on_attach, lab_each_fec_xdp),
	LAB_CASE(buffers_are_write_only_again_after_detach, lab_each_fec_xdp),
	LAB_CASE(every_frame_meets_the_program_of_the_moment, lab_each_fec_xdp),
	LAB_CASE(attach_without_memory_changes_nothing, lab_each_fec_xdp),
	LAB_CASE(detach_without_memory_succeeds, lab_each_fec_xdp),
	LAB_CASE(attach_takes_no_buffer_from_the_mac, lab_each_fec_xdp),
	LAB_CASE(attach_lets_a_sleeping_mac_sleep, lab_each_fec_xdp),
	LAB_CASE(attach_after_close_arms_no_old_buffer, lab_each_fec_xdp),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_fault_attach",
	.test_cases = cases,
};

kunit_test_suite(suite);
