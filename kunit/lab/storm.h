/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storm from the inside. storm.c walks and judges, storm_ops.c has what
 * happens to the interface, storm_frames.c the frames and what becomes of them.
 */
#ifndef POOLSTACK_STORM_H
#define POOLSTACK_STORM_H

#include "nic.h"

/* States a step can meet, several at a time. */
enum storm_state {
	STORM_DOWN,		/* closed */
	STORM_PLAIN,		/* open, no program */
	STORM_XDP,		/* open, a program runs */
	STORM_SHORT,		/* memory is short */
	STORM_NOLINK,		/* open, the cable is out */
	STORM_LARGE,		/* frames need several pages */
	STORM_STATES
};

/* Kinds of steps; the array of them is in storm_ops.c. */
enum storm_op {
	STORM_RECEIVE,
	STORM_BURST,
	STORM_TRANSMIT,
	STORM_BOTH,
	STORM_NETPOLL,
	STORM_OPEN,
	STORM_CLOSE,
	STORM_ATTACH,
	STORM_DETACH,
	STORM_MTU,
	STORM_STARVE,
	STORM_PLENTY,
	STORM_UNPLUG,
	STORM_PLUG,
	STORM_RESTART,
	STORM_COALESCE,
	STORM_OPS
};

/* Programs: what they do with a frame is in storm_frames.c. */
enum storm_prog {
	STORM_BY_CONTENT,
	STORM_DROP_ALL,
	STORM_REFLECT_ALL,
	STORM_PASS_ALL,
	STORM_PROGS
};

/**
 * struct storm_step - one step, as derived from the seed
 * @op: what kind.
 * @arg: numbers that the step makes of what it needs.
 */
struct storm_step {
	enum storm_op op;
	u32 arg[3];
};

/**
 * struct storm - a walk
 * @nic: the NIC.
 * @step: number of the step.
 * @why: what went wrong first, empty while nothing did.
 * @up: the interface is open.
 * @link: its cable is in.
 * @prog: attached program, -1 without.
 * @mtu: as set.
 * @starving: calls fail since the last STORM_STARVE.
 * @armed: receive descriptors that an open interface has armed.
 * @progs: one of each.
 * @due: frames that a side owes, see storm_frames.c.
 * @lost: what the driver had counted as lost before the step.
 * @no_room: and of frames that a program sent back and that found no room.
 * @text: what the step did, for people.
 * @met: how often each kind of step met each state.
 */
struct storm {
	struct lab_nic *nic;
	unsigned int step;
	char why[160];
	bool up, link;
	int prog;
	unsigned int mtu;
	bool starving;
	u64 armed;
	struct bpf_prog *progs[STORM_PROGS];
	struct list_head due[2];
	u64 lost, no_room;
	char text[96];
	u32 met[STORM_OPS][STORM_STATES];
};

/* Keep the first complaint. */
__printf(2, 3) void storm_wrong(struct storm *storm, const char *fmt, ...);
/* Say what the step does, before it does it. */
__printf(2, 3) void storm_say(struct storm *storm, const char *fmt, ...);

/* storm_ops.c */
/**
 * struct storm_kind - a kind of step
 * @name: in tables.
 * @run: makes it; in any state.
 * @weight: how often it is chosen, relative to the others.
 * @needs: bits of enum storm_state, it is made if one of them holds; 0: always.
 * @bars: it is not made if one of these holds.
 * @xdp: only where the driver takes programs.
 */
struct storm_kind {
	const char *name;
	void (*run)(struct storm *storm, const struct storm_step *step);
	unsigned int weight;
	unsigned int needs, bars;
	bool xdp;
};

extern const struct storm_kind storm_kinds[STORM_OPS];
void storm_set_up(struct storm *storm);

/* storm_frames.c */
void storm_receive(struct storm *storm, const struct storm_step *step);
void storm_burst(struct storm *storm, const struct storm_step *step);
void storm_transmit(struct storm *storm, const struct storm_step *step);
void storm_both(struct storm *storm, const struct storm_step *step);
void storm_netpoll(struct storm *storm, const struct storm_step *step);
void storm_settle_begin(struct storm *storm);
void storm_settle(struct storm *storm);
void storm_programs(struct storm *storm);
void storm_forget(struct storm *storm);

#endif
