// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two controllers: what the driver keeps for all of them at once.
 */
#include "lab.h"

/* Each gives back its MDIO bus, whichever goes first. */
static void each_controller_gives_back_its_mdio_bus(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int alone = lab_mdio_buses(nic);
	struct lab_second *second = lab_second_take(nic);

	KUNIT_EXPECT_EQ(test, alone, 1);
	KUNIT_EXPECT_EQ(test, lab_mdio_buses(nic), 2);
	lab_second_unbind(second);
	KUNIT_EXPECT_EQ(test, lab_mdio_buses(nic), 1);
}

/* The first goes on working while the second comes and goes. */
static void one_works_while_the_other_comes_and_goes(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_second *second;
	unsigned int i;

	lab_up(nic);
	second = lab_second_take(nic);
	for (i = 0; i < 3; i++) {
		lab_fill(nic->frame, 60 + i, i);
		lab_rx(nic, 0, nic->frame, 60 + i);
		lab_expect_delivered(nic, nic->frame, 60 + i);
		lab_second_unbind(second);
		lab_rx(nic, 0, nic->frame, 60 + i);
		lab_expect_delivered(nic, nic->frame, 60 + i);
		lab_second_bind(second);
	}
}

static struct kunit_case cases[] = {
	LAB_CASE(one_works_while_the_other_comes_and_goes, lab_each_fec),
	LAB_CASE(each_controller_gives_back_its_mdio_bus, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_pair",
	.test_cases = cases,
};

kunit_test_suite(suite);
