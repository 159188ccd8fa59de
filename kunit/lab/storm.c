// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk: which step comes next, what must hold after it, and what the walk
 * has met when it is over.
 *
 * Steps are derived from the seed by a sketch of the interface that knows only
 * whether a step succeeds when memory is there. It never looks at the real one:
 * the same seed gives the same steps whatever the driver does and whichever of
 * them are left out.
 */
#include <linux/bitmap.h>
#include <linux/crc32.h>
#include <linux/slab.h>

#include "lab_storm.h"
#include "param.h"
#include "storm.h"

static unsigned int steps = 500;
module_param(steps, uint, 0444);
MODULE_PARM_DESC(steps, "steps of each walk of a storm (default 500)");

static bool storm_verbose;
module_param(storm_verbose, bool, 0444);
MODULE_PARM_DESC(storm_verbose, "print each step of a storm before it is made");

#define MAX_STEPS	65536
static DECLARE_BITMAP(kept, MAX_STEPS);
static bool keeping;

/* May be given several times: the lists add up. */
static int set_keep(const char *val, const struct kernel_param *kp)
{
	/* the command line is read before there is memory to allocate */
	static DECLARE_BITMAP(more, MAX_STEPS);
	int ret;

	ret = bitmap_parselist(val, more, MAX_STEPS);
	if (!ret) {
		bitmap_or(kept, kept, more, MAX_STEPS);
		keeping = true;
	}
	return ret;
}

static const struct kernel_param_ops keep_ops = { .set = set_keep };
module_param_cb(storm_keep, &keep_ops, NULL, 0444);
MODULE_PARM_DESC(storm_keep, "of the steps of a storm make these only, e.g. 0-3,17");

void storm_wrong(struct storm *storm, const char *fmt, ...)
{
	va_list args;

	if (storm->why[0])
		return;
	va_start(args, fmt);
	vscnprintf(storm->why, sizeof(storm->why), fmt, args);
	va_end(args);
}

void storm_say(struct storm *storm, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(storm->text, sizeof(storm->text), fmt, args);
	va_end(args);
	if (storm_verbose)
		kunit_info(storm->nic->test, "storm: step %u: %s\n", storm->step, storm->text);
}

/* ---- which step comes next ---------------------------------------------- */

/**
 * struct sketch - the interface as it would be if all went as planned
 * @rand: where the steps come from.
 * @states: bits of enum storm_state.
 * @attached: there is a program.
 * @chosen: how often each kind was chosen in each state.
 */
struct sketch {
	struct lab_rand rand;
	unsigned int states;
	bool attached;
	u32 chosen[STORM_OPS][STORM_STATES];
};

/* Whether a kind of step can ever meet a state. */
static bool can_meet(const struct lab_soc *soc, enum storm_op op, unsigned int state)
{
	if (storm_kinds[op].bars & BIT(state))
		return false;
	if (state == STORM_LARGE && !soc->has_jumbo)
		return false;
	return soc->has_xdp || (state != STORM_XDP && !storm_kinds[op].xdp);
}

static bool allowed(const struct sketch *sketch, const struct lab_soc *soc, enum storm_op op)
{
	const struct storm_kind *kind = &storm_kinds[op];

	if (kind->bars & sketch->states || (kind->needs && !(kind->needs & sketch->states)))
		return false;
	if (op == STORM_DETACH && !sketch->attached)
		return false;
	return soc->has_xdp || !kind->xdp;
}

/* How often the rarest of the cells was met that this step would meet now. */
static u32 rarest(const struct sketch *sketch, enum storm_op op)
{
	unsigned int state;
	u32 least = U32_MAX;

	for (state = 0; state < STORM_STATES; state++)
		if (sketch->states & BIT(state))
			least = min(least, sketch->chosen[op][state]);
	return least;
}

static enum storm_op by_weight(struct sketch *sketch, const struct lab_soc *soc)
{
	unsigned int sum = 0, left;
	int op;

	for (op = 0; op < STORM_OPS; op++)
		if (allowed(sketch, soc, op))
			sum += storm_kinds[op].weight;
	left = lab_rand_below(&sketch->rand, sum);
	for (op = 0; op < STORM_OPS; op++) {
		if (!allowed(sketch, soc, op))
			continue;
		if (left < storm_kinds[op].weight)
			break;
		left -= storm_kinds[op].weight;
	}
	return op;
}

/* The kind that was met least here, every other time, so that nothing is left out. */
static enum storm_op by_need(struct sketch *sketch, const struct lab_soc *soc)
{
	u32 best = U32_MAX;
	int op, found = STORM_RECEIVE;

	for (op = 0; op < STORM_OPS; op++) {
		if (!allowed(sketch, soc, op) || rarest(sketch, op) >= best)
			continue;
		best = rarest(sketch, op);
		found = op;
	}
	return found;
}

static void set_state(struct sketch *sketch, unsigned int state, bool on)
{
	if (on)
		sketch->states |= BIT(state);
	else
		sketch->states &= ~BIT(state);
}

/*
 * Where the step leads. With memory short neither open nor attach succeeds, and what
 * the driver opens anew stays closed.
 */
static void foresee(struct sketch *sketch, const struct lab_soc *soc,
		    const struct storm_step *step)
{
	bool down = sketch->states & BIT(STORM_DOWN);
	bool is_short = sketch->states & BIT(STORM_SHORT);
	bool closes = is_short && soc->ctrl->reopens;

	switch (step->op) {
	case STORM_OPEN:
		down = is_short;
		break;
	case STORM_CLOSE:
		down = true;
		break;
	case STORM_ATTACH:
		closes &= !sketch->attached;
		sketch->attached |= down || !is_short;
		down |= closes;
		break;
	case STORM_DETACH:
		sketch->attached = !down && closes;
		down |= closes;
		break;
	case STORM_RESTART:
		down |= closes;
		break;
	case STORM_MTU:
		/* the same choice as in the step itself */
		if (down)
			set_state(sketch, STORM_LARGE, step->arg[0] % 5);
		break;
	case STORM_STARVE:
	case STORM_PLENTY:
		set_state(sketch, STORM_SHORT, step->op == STORM_STARVE);
		break;
	case STORM_UNPLUG:
	case STORM_PLUG:
		set_state(sketch, STORM_NOLINK, step->op == STORM_UNPLUG);
		break;
	default:
		break;
	}
	set_state(sketch, STORM_DOWN, down);
	set_state(sketch, STORM_XDP, !down && sketch->attached);
	set_state(sketch, STORM_PLAIN, !down && !sketch->attached);
	if (down)
		set_state(sketch, STORM_NOLINK, false);
}

static void next_step(struct sketch *sketch, const struct lab_soc *soc,
		      struct storm_step *step)
{
	unsigned int state, i;

	step->op = lab_rand_below(&sketch->rand, 2) ? by_weight(sketch, soc) :
						      by_need(sketch, soc);
	for (i = 0; i < ARRAY_SIZE(step->arg); i++)
		step->arg[i] = lab_rand(&sketch->rand);
	for (state = 0; state < STORM_STATES; state++)
		if (sketch->states & BIT(state))
			sketch->chosen[step->op][state]++;
	foresee(sketch, soc, step);
	if (!soc->has_jumbo)
		set_state(sketch, STORM_LARGE, false);
}

/* ---- what must hold ----------------------------------------------------- */

static unsigned int states_now(const struct storm *storm)
{
	unsigned int states = 0;

	if (!storm->up)
		states |= BIT(STORM_DOWN);
	else
		states |= storm->prog < 0 ? BIT(STORM_PLAIN) : BIT(STORM_XDP);
	if (storm->starving)
		states |= BIT(STORM_SHORT);
	if (storm->up && !storm->link)
		states |= BIT(STORM_NOLINK);
	if (storm->mtu > ETH_DATA_LEN)
		states |= BIT(STORM_LARGE);
	return states;
}

static void look(struct storm *storm)
{
	struct lab_nic *nic = storm->nic;
	char why[sizeof(storm->why)] = "";
	u64 armed;

	storm_settle(storm);
	if (netif_running(nic->ndev) != storm->up)
		storm_wrong(storm, "the interface is %s", storm->up ? "closed" : "open");
	if (storm->up && storm->link) {
		armed = lab_armed(storm->nic);
		if (armed != storm->armed)
			storm_wrong(storm, "%llu descriptors armed of %llu", armed, storm->armed);
	}
	if (lab_gate(nic, why, sizeof(why)))
		storm_wrong(storm, "gate: %s", why);
}

static void make(struct storm *storm, const struct storm_step *step)
{
	unsigned int state, states = states_now(storm);

	for (state = 0; state < STORM_STATES; state++)
		if (states & BIT(state))
			storm->met[step->op][state]++;
	storm_settle_begin(storm);
	storm_kinds[step->op].run(storm, step);
	look(storm);
}

/* ---- what it has met ---------------------------------------------------- */

static void print_table(struct storm *storm)
{
	const struct lab_soc *soc = storm->nic->soc;
	char line[128];
	int op, state, at;

	kunit_info(storm->nic->test, "storm: %-10s %8s %8s %8s %8s %8s %8s\n", "", "down",
		   "plain", "xdp", "short", "no link", "large");
	for (op = 0; op < STORM_OPS; op++) {
		at = scnprintf(line, sizeof(line), "%-10s", storm_kinds[op].name);
		for (state = 0; state < STORM_STATES; state++)
			if (can_meet(soc, op, state))
				at += scnprintf(line + at, sizeof(line) - at, " %8u",
						storm->met[op][state]);
			else
				at += scnprintf(line + at, sizeof(line) - at, " %8s", "-");
		kunit_info(storm->nic->test, "storm: %s\n", line);
	}
}

/* A walk that left something out has not tested it. */
static void expect_all_met(struct storm *storm, unsigned int least)
{
	int op, state;

	for (op = 0; op < STORM_OPS; op++)
		for (state = 0; state < STORM_STATES; state++)
			if (can_meet(storm->nic->soc, op, state))
				KUNIT_EXPECT_GE_MSG(storm->nic->test, storm->met[op][state], least,
						    "step '%s' in state %d", storm_kinds[op].name,
						    state);
}

static void forget(void *data)
{
	storm_forget(data);
}

void lab_storm(struct lab_nic *nic)
{
	struct kunit *test = nic->test;
	struct storm_step step;
	struct sketch *sketch;
	struct storm *storm;
	unsigned int i;

	storm = kunit_kzalloc(test, sizeof(*storm), GFP_KERNEL);
	sketch = kunit_kzalloc(test, sizeof(*sketch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, storm);
	KUNIT_ASSERT_NOT_NULL(test, sketch);
	storm->nic = nic;
	storm->prog = -1;
	storm->mtu = nic->ndev->mtu;
	INIT_LIST_HEAD(&storm->due[0]);
	INIT_LIST_HEAD(&storm->due[1]);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, forget, storm), 0);
	storm_set_up(storm);

	sketch->states = BIT(STORM_DOWN);
	lab_rand_init(&sketch->rand, crc32_le(0, nic->target->name, strlen(nic->target->name)));
	steps = min(steps, MAX_STEPS);
	for (i = 0; i < steps; i++) {
		next_step(sketch, nic->soc, &step);
		if (keeping && !test_bit(i, kept))
			continue;
		storm->step = i;
		make(storm, &step);
		if (storm->why[0])
			break;
	}
	if (storm->why[0]) {
		kunit_info(test, "storm: seed %u, step %u: %s\n", lab_seed(), i, storm->text);
		KUNIT_FAIL(test, "storm: step %u went wrong: %s", i, storm->why);
		return;
	}
	print_table(storm);
	if (!keeping && steps >= 500)
		expect_all_met(storm, steps / 500);
}
