// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which targets a case runs on: every SoC of the table with every cache it has
 * had, narrowed by the case's generator, by poolstack.soc=GLOB and by
 * poolstack.skip=GLOB.
 */
#include <linux/glob.h>
#include <linux/kernel.h>

#include "../socs/socs.h"
#include "nic.h"
#include "param.h"

static char *socs = "*";
module_param_named(soc, socs, charp, 0444);
MODULE_PARM_DESC(soc, "run the cases of these SoCs only (globs on imx6q or imx6q/armv7-32, commas between)");

/* empty: no SoC */
static char *skip = "";
module_param(skip, charp, 0444);
MODULE_PARM_DESC(skip, "but not the cases of these (as soc)");

static bool list;
module_param(list, bool, 0444);
MODULE_PARM_DESC(list, "skip every case on each of its targets, to see what there is");

static bool take_long;
module_param_named(long, take_long, bool, 0444);
MODULE_PARM_DESC(long, "as many rounds as a night has room for");

bool lab_long(void)
{
	return take_long;
}

#define MAX_TARGETS	32
#define NAME_SIZE	24

static struct lab_target targets[MAX_TARGETS];
static char names[MAX_TARGETS][NAME_SIZE];
static unsigned int nr_targets;

static const char * const cache_names[] = {
	[LAB_CACHE_ARM64] = "arm64",
	[LAB_CACHE_ARMV7] = "armv7",
	[LAB_CACHE_ARMV5] = "armv5",
	[LAB_CACHE_MIPS] = "mips",
};

static void expand(const struct lab_soc *soc)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(soc->caches) && soc->caches[i].line; i++) {
		struct lab_target *target = &targets[nr_targets];

		if (WARN_ON(nr_targets == MAX_TARGETS))
			return;
		target->soc = soc;
		target->cache = soc->caches[i].cache;
		target->line = soc->caches[i].line;
		snprintf(names[nr_targets], NAME_SIZE, "%s/%s-%u", soc->name,
			 cache_names[target->cache], target->line);
		target->name = names[nr_targets++];
	}
}

static void build_targets(void)
{
	unsigned int i;

	if (nr_targets)
		return;
	for (i = 0; i < lab_nr_fec_socs; i++)
		expand(&lab_fec_socs[i]);
	for (i = 0; i < lab_nr_mtk_socs; i++)
		expand(&lab_mtk_socs[i]);
}

/* Whether one of the globs in @globs, with commas between, is for the target. */
static bool listed(const char *globs, const struct lab_target *target)
{
	char glob[NAME_SIZE];
	size_t len;

	for (; *globs; globs += len + (globs[len] == ',')) {
		len = strcspn(globs, ",");
		strscpy(glob, globs, min(len + 1, sizeof(glob)));
		if (glob_match(glob, target->soc->name) || glob_match(glob, target->name))
			return true;
	}
	return false;
}

/**
 * lab_listing() - whether the run only wants to know what there is
 *
 * Return: true if every case is to be skipped, see poolstack.list.
 */
bool lab_listing(void)
{
	return list;
}

/**
 * lab_target_named() - a target by its name
 * @name: "imx6q/armv7-32", or "imx6q" for the first cache that it has had.
 *
 * Return: NULL when there is none.
 */
const struct lab_target *lab_target_named(const char *name)
{
	unsigned int i;

	build_targets();
	for (i = 0; i < nr_targets; i++)
		if (!strcmp(name, targets[i].name) || !strcmp(name, targets[i].soc->name))
			return &targets[i];
	return NULL;
}

static const void *next_of(const struct lab_ctrl_ops *ctrl, const void *prev, char *desc,
			   bool (*wanted)(const struct lab_soc *soc))
{
	const struct lab_target *target = prev;

	build_targets();
	for (target = target ? target + 1 : targets; target < targets + nr_targets; target++) {
		if (target->soc->ctrl != ctrl || !wanted(target->soc) || !listed(socs, target) ||
		    listed(skip, target))
			continue;
		strscpy(desc, target->name, KUNIT_PARAM_DESC_SIZE);
		return target;
	}
	return NULL;
}

static const void *next(const void *prev, char *desc, bool (*wanted)(const struct lab_soc *soc))
{
	return next_of(&lab_fec_ops, prev, desc, wanted);
}

static bool any(const struct lab_soc *soc)
{
	return true;
}

static bool with_xdp(const struct lab_soc *soc)
{
	return soc->has_xdp;
}

static bool with_queues(const struct lab_soc *soc)
{
	return soc->queues > 1;
}

static bool with_jumbo(const struct lab_soc *soc)
{
	return soc->has_jumbo;
}

const void *lab_each_fec(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, any);
}

const void *lab_each_fec_xdp(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, with_xdp);
}

const void *lab_each_fec_queues(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, with_queues);
}

const void *lab_each_fec_jumbo(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, with_jumbo);
}

const void *lab_each_mtk(struct kunit *test, const void *prev, char *desc)
{
	return next_of(&lab_mtk_ops, prev, desc, any);
}

const void *lab_each_mtk_xdp(struct kunit *test, const void *prev, char *desc)
{
	return next_of(&lab_mtk_ops, prev, desc, with_xdp);
}

static bool with_macs(const struct lab_soc *soc)
{
	return soc->macs > 1;
}

static bool with_lro(const struct lab_soc *soc)
{
	return soc->lro_frame;
}

const void *lab_each_mtk_macs(struct kunit *test, const void *prev, char *desc)
{
	return next_of(&lab_mtk_ops, prev, desc, with_macs);
}

const void *lab_each_mtk_lro(struct kunit *test, const void *prev, char *desc)
{
	return next_of(&lab_mtk_ops, prev, desc, with_lro);
}

static bool with_accel(const struct lab_soc *soc)
{
	return soc->has_accel;
}

static bool with_stamps(const struct lab_soc *soc)
{
	return soc->has_stamps;
}

static bool with_coalesce(const struct lab_soc *soc)
{
	return soc->has_coalesce;
}

const void *lab_each_fec_accel(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, with_accel);
}

const void *lab_each_fec_stamps(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, with_stamps);
}

const void *lab_each_fec_coalesce(struct kunit *test, const void *prev, char *desc)
{
	return next(prev, desc, with_coalesce);
}

const void *lab_each_mtk_coalesce(struct kunit *test, const void *prev, char *desc)
{
	return next_of(&lab_mtk_ops, prev, desc, with_coalesce);
}
