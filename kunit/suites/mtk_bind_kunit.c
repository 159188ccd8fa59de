// SPDX-License-Identifier: GPL-2.0-only
/*
 * What MediaTek's driver leaves behind when an interface is closed, and when the
 * driver is taken off its device.
 */
#include <linux/etherdevice.h>

#include "lab.h"

static void use(struct lab_nic *nic, u32 seed)
{
	lab_up(nic);
	lab_exchange(nic, seed);
	lab_down(nic);
}

/* What is unmapped was mapped by the driver, not by its page_pools. */
static void close_unmaps_only_what_was_mapped(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	for (i = 0; i < 3; i++)
		use(nic, i);
	KUNIT_EXPECT_EQ(test, lab_violations(nic, LAB_V_UNMAP), 0);
}

/* A closed interface has nothing mapped, however often it was open. */
static void close_unmaps_all(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	for (i = 0; i < 3; i++) {
		use(nic, i);
		KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	}
}

/* Taken off a closed interface, the driver touches no register without clock. */
static void a_closed_interface_goes_quietly(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	use(nic, 1);
	lab_unbind(nic);
	KUNIT_EXPECT_EQ(test, lab_gated(nic), 0);
	lab_bind(nic);
	use(nic, 2);
}

/* The same off an open one, which it closes first. */
static void an_open_interface_is_closed_first(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	lab_exchange(nic, 1);
	lab_unbind(nic);
	KUNIT_EXPECT_EQ(test, lab_gated(nic), 0);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	lab_bind(nic);
	use(nic, 2);
}

/* The very first open finds no memory in the middle of a ring: nothing of it stays. */
static void a_first_open_that_fails_leaves_nothing(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	if (nic->soc->no_pool)
		lab_inject_nth(nic, "netdev_alloc_frag", "mtk_rx_alloc", 5);
	else
		lab_inject_nth(nic, "page_pool_alloc_pages", "mtk_page_pool_get_buff", 5);
	KUNIT_EXPECT_NE(test, lab_try_up(nic), 0);
	KUNIT_EXPECT_EQ(test, lab_inject_stop(nic), 1);
	KUNIT_EXPECT_EQ(test, lab_live_mappings(nic), 0);
	use(nic, 1);
}

static struct kunit_case cases[] = {
	LAB_CASE(close_unmaps_only_what_was_mapped, lab_each_mtk),
	LAB_CASE(close_unmaps_all, lab_each_mtk),
	LAB_CASE(a_closed_interface_goes_quietly, lab_each_mtk),
	LAB_CASE(an_open_interface_is_closed_first, lab_each_mtk),
	LAB_CASE(a_first_open_that_fails_leaves_nothing, lab_each_mtk),
	{}
};

static struct kunit_suite suite = {
	.name = "mtk_bind",
	.test_cases = cases,
};

kunit_test_suite(suite);
