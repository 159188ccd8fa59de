// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which call of the driver fails next: the lab's side of seam.h.
 */
#include <linux/string.h>

#include "nic.h"
#include "seam.h"

#define MAX_SITES	64

/**
 * struct plan - what is to fail; written while nothing runs
 * @what: function that is called, NULL: any.
 * @func: function of the driver it is called in, NULL: any.
 * @site: or exactly this place.
 * @nth: how many matching calls until one fails.
 * @every: fail again after so many; 0: fail once.
 * @failed: calls that failed.
 * @on: calls are counted; read without a lock.
 */
static struct plan {
	const char *what;
	const char *func;
	const struct lab_site *site;
	atomic_t nth;
	unsigned int every;
	atomic_t failed;
	bool on;
} plan;

static bool matches(const struct lab_site *site)
{
	if (plan.site)
		return site == plan.site;
	if (plan.every && !site->memory)
		return false;
	return (!plan.what || !strcmp(site->what, plan.what)) &&
	       (!plan.func || !strcmp(site->func, plan.func));
}

/**
 * lab_site_fails() - a place of the driver is reached
 * @site: the place.
 * @bytes: what it wants, 0 where nobody can tell.
 *
 * Context: any, on any CPU.
 *
 * Return: whether the call must not be made, but return its error instead.
 */
bool lab_site_fails(struct lab_site *site, size_t bytes)
{
	int left;

	atomic_inc(&site->calls);
	atomic64_add(bytes, &site->bytes);
	if (bytes > READ_ONCE(site->largest))
		WRITE_ONCE(site->largest, bytes);
	if (!READ_ONCE(plan.on) || !matches(site))
		return false;
	left = atomic_dec_return(&plan.nth);
	if (left)
		return false;
	if (plan.every)
		atomic_set(&plan.nth, plan.every);
	atomic_inc(&plan.failed);
	return true;
}

static void stop(void *unused)
{
	WRITE_ONCE(plan.on, false);
}

static void start(struct lab_nic *nic, const struct plan *next)
{
	stop(NULL);
	plan = *next;
	KUNIT_ASSERT_EQ(nic->test, kunit_add_action_or_reset(nic->test, stop, NULL), 0);
	WRITE_ONCE(plan.on, true);
}

void lab_inject_nth(struct lab_nic *nic, const char *what, const char *func,
		    unsigned int nth)
{
	struct plan next = { .what = what, .func = func, .nth = ATOMIC_INIT(nth) };
	struct lab_site * const *at;
	bool found = false;

	plan = next;
	lab_for_each_site(at)
		found |= matches(*at);
	KUNIT_ASSERT_TRUE_MSG(nic->test, found, "the driver has no place that calls %s in %s",
			      what, func ?: "any function");
	start(nic, &next);
}

void lab_inject_every(struct lab_nic *nic, unsigned int every)
{
	struct plan next = { .nth = ATOMIC_INIT(every), .every = every };

	start(nic, &next);
}

unsigned int lab_inject_stop(struct lab_nic *nic)
{
	stop(NULL);
	return atomic_read(&plan.failed);
}

/* ---- an operation, place by place --------------------------------------- */

/* What a run reached. */
struct survey {
	struct lab_site *site[MAX_SITES];
	unsigned int calls[MAX_SITES];
	unsigned int sites;
};

static void count_from_here(void)
{
	struct lab_site * const *at;

	lab_for_each_site(at)
		atomic_set(&(*at)->calls, 0);
}

static void look(struct lab_nic *nic, const struct lab_inject *op, struct survey *survey)
{
	struct lab_site * const *at;
	unsigned int calls;

	lab_for_each_site(at) {
		calls = atomic_read(&(*at)->calls);
		if (!calls)
			continue;
		KUNIT_ASSERT_LT(nic->test, survey->sites, MAX_SITES);
		survey->site[survey->sites] = *at;
		survey->calls[survey->sites++] = calls;
		kunit_info(nic->test, "inject: %s reaches %s in %s(), %u times\n", op->name,
			   (*at)->what, (*at)->func, calls);
	}
	KUNIT_ASSERT_GE_MSG(nic->test, survey->sites, op->sites,
			    "%s reaches too few places that can fail", op->name);
}

/* Whether all is well so far; where it stopped being so is worth a line. */
static bool fine(struct lab_nic *nic, const struct lab_inject *op,
		 const struct lab_site *site, unsigned int nth, const char *when)
{
	char why[200] = "";

	if (lab_gate(nic, why, sizeof(why)))
		KUNIT_FAIL(nic->test, "gate: %s", why);
	if (nic->test->status != KUNIT_FAILURE)
		return true;
	if (site)
		kunit_info(nic->test, "inject: went wrong %s %s with call %u of %s in %s() (line %d) failing\n",
			   when, op->name, nth, site->what, site->func, site->line);
	return false;
}

static bool fail_one(struct lab_nic *nic, const struct lab_inject *op,
		     const struct lab_site *site, unsigned int nth)
{
	struct plan next = { .site = site, .nth = ATOMIC_INIT(nth) };
	unsigned int failed;
	int ret;

	if (op->prepare)
		op->prepare(nic);
	start(nic, &next);
	ret = op->run(nic);
	failed = lab_inject_stop(nic);
	KUNIT_EXPECT_EQ_MSG(nic->test, failed, 1, "%s: the call was not reached again", op->name);
	if (!op->tolerates)
		KUNIT_EXPECT_LT_MSG(nic->test, ret, 0, "%s: nobody was told", op->name);
	op->check(nic, ret, true);
	if (!fine(nic, op, site, nth, "in"))
		return false;

	ret = op->run(nic);
	KUNIT_EXPECT_EQ_MSG(nic->test, ret, 0, "%s: the next try", op->name);
	op->check(nic, ret, false);
	if (op->undo)
		op->undo(nic);
	return fine(nic, op, site, nth, "after");
}

void lab_inject_each(struct lab_nic *nic, const struct lab_inject *op)
{
	struct survey *survey;
	unsigned int i, calls;
	int ret;

	survey = kunit_kzalloc(nic->test, sizeof(*survey), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(nic->test, survey);
	if (op->prepare)
		op->prepare(nic);
	count_from_here();
	ret = op->run(nic);
	look(nic, op, survey);
	KUNIT_ASSERT_EQ_MSG(nic->test, ret, 0, "%s, nothing failing", op->name);
	op->check(nic, ret, false);
	if (op->undo)
		op->undo(nic);
	if (!fine(nic, op, NULL, 0, ""))
		return;

	for (i = 0; i < survey->sites; i++) {
		calls = survey->calls[i];
		if (!fail_one(nic, op, survey->site[i], 1))
			return;
		if (calls > 1 && !fail_one(nic, op, survey->site[i], 2))
			return;
		if (calls > 2 && !fail_one(nic, op, survey->site[i], calls))
			return;
	}
}
