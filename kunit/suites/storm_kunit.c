// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that can happen to an interface, in an order that chance decides.
 */
#include "lab.h"
#include "lab_storm.h"

/* Whatever comes after whatever, everything holds after each step. */
static void everything_holds_after_each_step(struct kunit *test)
{
	lab_storm(lab_nic_take(test));
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(everything_holds_after_each_step, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_storm",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(everything_holds_after_each_step, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_storm",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
