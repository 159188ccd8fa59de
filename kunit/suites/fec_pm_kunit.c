// SPDX-License-Identifier: GPL-2.0-only
/*
 * System sleep and runtime power management: what was there before the system
 * slept is there after, and nothing touches a controller that sleeps.
 */
#include <linux/ethtool.h>

#include "lab.h"

/* An open interface sleeps with its clocks off, and works again. */
static void an_open_interface_comes_back(struct kunit *test)
{
	struct lab_nic *nic;
	unsigned int i;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_up(nic);
	for (i = 0; i < 3; i++) {
		lab_exchange(nic, i);
		lab_suspend(nic);
		KUNIT_EXPECT_FALSE(test, lab_awake(nic));
		lab_fill(nic->frame, 100, i);
		KUNIT_EXPECT_NE(test, lab_try_send(nic, 0, nic->frame, 100), 0);
		lab_resume(nic);
	}
	lab_exchange(nic, i);
	lab_down(nic);
	lab_wait_asleep(nic);
}

/* A closed one sleeps on, and opens afterwards. */
static void a_closed_interface_sleeps_on(struct kunit *test)
{
	struct lab_nic *nic;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_sleep_now(nic);
	lab_suspend(nic);
	lab_resume(nic);
	lab_wait_asleep(nic);
	lab_up(nic);
	lab_exchange(nic, 1);
	lab_down(nic);
	/* closed a moment ago: the clocks may still run */
	lab_suspend(nic);
	lab_resume(nic);
	lab_wait_asleep(nic);
	KUNIT_EXPECT_EQ(test, lab_gated(nic), 0);
}

/* The program is there after the sleep, and its pool has the same direction. */
static void a_program_survives_sleep(struct kunit *test)
{
	struct lab_nic *nic;
	unsigned int i, q;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_up_with(nic, lab_reflect(nic));
	for (i = 0; i < 2; i++) {
		lab_suspend(nic);
		lab_resume(nic);
		for (q = 0; q < nic->soc->queues; q++) {
			KUNIT_EXPECT_EQ(test, lab_buffer_direction(nic, q), DMA_BIDIRECTIONAL);
			lab_fill(nic->frame, 300, q);
			lab_rx(nic, q, nic->frame, 300);
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, 300);
		}
	}
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	lab_exchange(nic, 1);
}

/* An open socket on a system that can sleep, or the case is skipped. */
static struct lab_xsk *socket_that_sleeps(struct kunit *test, struct lab_nic **nic)
{
	lab_can_sleep(test);
	*nic = lab_nic_take(test);
	lab_xsk_up(*nic);
	return lab_xsk_bind(*nic, 0, LAB_XSK_CHUNKS);
}

/* The socket and all its chunks are there after the sleep. */
static void a_socket_survives_sleep(struct kunit *test)
{
	struct lab_nic *nic;
	struct lab_xsk *xsk = socket_that_sleeps(test, &nic);
	unsigned int i;

	for (i = 0; i < 3 && test->status != KUNIT_FAILURE; i++) {
		lab_xsk_exchange(xsk, i);
		lab_suspend(nic);
		KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), -ENETDOWN);
		lab_resume(nic);
		lab_xsk_check(xsk);
		lab_xsk_exchange(xsk, i);
	}
}

/* Chunks that were with the MAC when the system fell asleep come back too. */
static void sleep_costs_a_socket_no_chunk(struct kunit *test)
{
	struct lab_nic *nic;
	struct lab_xsk *xsk = socket_that_sleeps(test, &nic);
	unsigned int i;

	lab_pump(nic);
	for (i = 0; i < 16; i++) {
		lab_fill(nic->frame, 200, i);
		lab_xsk_send(xsk, nic->frame, 200);
	}
	KUNIT_EXPECT_EQ(test, lab_xsk_kick(xsk), 0);
	lab_suspend(nic);
	lab_resume(nic);
	lab_pump(nic);
	lab_discard(nic);
	KUNIT_EXPECT_EQ(test, lab_xsk_completed(xsk), 16);
	lab_xsk_exchange(xsk, 1);
}

/* Frames of the stack that were with the MAC are freed, and unmapped. */
static void frames_on_their_way_are_freed(struct kunit *test)
{
	struct lab_nic *nic;
	unsigned int i, maps;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_up(nic);
	/* the pools have their spare pages then */
	lab_exchange(nic, 0);
	maps = lab_live_mappings(nic);
	for (i = 0; i < 20; i++) {
		lab_fill(nic->frame, 900, i);
		KUNIT_EXPECT_EQ(test, lab_stack_xmit(nic, nic->frame, 900, i % 4), 0);
	}
	lab_suspend(nic);
	lab_resume(nic);
	lab_pump(nic);
	lab_discard(nic);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), maps);
	lab_exchange(nic, 1);
}

/* An interface that was closed while its program was attached sleeps as well. */
static void a_program_on_a_closed_interface_survives_sleep(struct kunit *test)
{
	struct lab_nic *nic;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	KUNIT_ASSERT_EQ(test, lab_attach_awake(nic, lab_reflect(nic)), 0);
	lab_sleep_now(nic);
	lab_suspend(nic);
	lab_resume(nic);
	lab_up(nic);
	lab_fill(nic->frame, 300, 1);
	lab_rx(nic, 0, nic->frame, 300);
	nic->frame[0] = LAB_REFLECT_MARK;
	lab_expect_transmitted(nic, nic->frame, 300);
}

/* What a user set up before the sleep is set up after. */
static void settings_survive_sleep(struct kunit *test)
{
	struct lab_nic *nic;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_set_mtu(nic, 1200);
	lab_up(nic);
	lab_exchange(nic, 1);
	lab_suspend(nic);
	lab_resume(nic);
	KUNIT_EXPECT_EQ(test, nic->ndev->mtu, 1200);
	lab_exchange(nic, 2);
}

/* A magic packet wakes the system when the user asked for it, only then. */
static void a_magic_packet_wakes_the_system(struct kunit *test)
{
	struct ethtool_wolinfo wol = { .cmd = ETHTOOL_GWOL };
	struct lab_nic *nic;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	KUNIT_ASSERT_EQ(test, lab_ethtool(nic, &wol, sizeof(wol)), 0);
	if (!(wol.supported & WAKE_MAGIC))
		kunit_skip(test, "the board does not say that this SoC may wake it");
	lab_up(nic);
	lab_suspend(nic);
	KUNIT_EXPECT_FALSE(test, lab_magic(nic));
	lab_resume(nic);
	lab_exchange(nic, 1);

	wol = (struct ethtool_wolinfo){ .cmd = ETHTOOL_SWOL, .wolopts = WAKE_MAGIC };
	KUNIT_ASSERT_EQ(test, lab_ethtool(nic, &wol, sizeof(wol)), 0);
	lab_suspend(nic);
	KUNIT_EXPECT_TRUE(test, lab_magic(nic));
	lab_resume(nic);
	lab_exchange(nic, 2);
}

/*
 * The PHY is resumed by the MAC's driver or by its own bus, not by both: when
 * its turn comes it must not be running already.
 */
static void one_of_them_resumes_the_phy(struct kunit *test)
{
	struct lab_nic *nic;

	lab_can_sleep(test);
	nic = lab_nic_take(test);
	lab_up(nic);
	lab_suspend(nic);
	KUNIT_EXPECT_TRUE(test, lab_resume_slowly(nic));
	lab_exchange(nic, 1);
}

static struct kunit_case cases[] = {
	LAB_CASE(an_open_interface_comes_back, lab_each_fec),
	LAB_CASE(a_closed_interface_sleeps_on, lab_each_fec),
	LAB_CASE(a_program_survives_sleep, lab_each_fec_xdp),
	LAB_CASE(a_socket_survives_sleep, lab_each_fec_xdp),
	LAB_CASE(sleep_costs_a_socket_no_chunk, lab_each_fec_xdp),
	LAB_CASE(frames_on_their_way_are_freed, lab_each_fec),
	LAB_CASE(a_program_on_a_closed_interface_survives_sleep, lab_each_fec_xdp),
	LAB_CASE(settings_survive_sleep, lab_each_fec),
	LAB_CASE(a_magic_packet_wakes_the_system, lab_each_fec),
	LAB_CASE(one_of_them_resumes_the_phy, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_pm",
	.test_cases = cases,
};

kunit_test_suite(suite);
