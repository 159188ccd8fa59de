/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the driver that fail: allocations, mappings, skbs and what brings
 * the interface up, each place in the driver's source by itself.
 *
 * A suite describes an operation, the lab finds the places it reaches and
 * repeats it with each of them failing:
 *
 *	static const struct lab_inject open_plain = {
 *		.name = "open", .run = open_it, .check = receives, .undo = close_it,
 *		.sites = 8,
 *	};
 *	...
 *	lab_inject_each(nic, &open_plain);
 */
#ifndef POOLSTACK_LAB_INJECT_H
#define POOLSTACK_LAB_INJECT_H

#include <linux/types.h>

struct lab_nic;
struct lab_site;

/**
 * struct lab_inject - an operation whose calls are made to fail
 * @name: for messages.
 * @prepare: bring the NIC to where the operation starts; NULL: nothing to do.
 *	Nothing fails in it.
 * @run: the operation; returns what its user is told, 0 or a negative error.
 *	A case must not end in it.
 * @check: look at the NIC after @run returned @ret; @failed: a call of it
 *	failed. Nothing fails in it, and it may not rely on success.
 * @undo: back to before @prepare, whether @run succeeded or not; NULL: nothing.
 * @sites: so many places must be reached at least, or the case fails: the seam
 *	has come off, or the operation does not do what it is for.
 * @tolerates: a call may fail and @run return 0 all the same, because the
 *	driver does without or the failure is counted elsewhere.
 */
struct lab_inject {
	const char *name;
	void (*prepare)(struct lab_nic *nic);
	int (*run)(struct lab_nic *nic);
	void (*check)(struct lab_nic *nic, int ret, bool failed);
	void (*undo)(struct lab_nic *nic);
	unsigned int sites;
	bool tolerates;
};

/**
 * lab_inject_each() - repeat an operation, each time with one call failing
 * @nic: the NIC.
 * @op: the operation.
 *
 * A first run, in which nothing fails, shows the places of the driver that
 * @op reaches and how often; they are printed. Then, for each place, its
 * first, second and last call of a run fails. After each: @op's check, what
 * the gate holds at any time, and the operation again, which must succeed.
 */
void lab_inject_each(struct lab_nic *nic, const struct lab_inject *op);

/**
 * lab_inject_nth() - let the n-th call of a place fail, once
 * @nic: the NIC.
 * @what: name of the function that is called, e.g. "build_skb".
 * @func: name of the function of the driver it is called in, NULL for any.
 * @nth: 1: the next call.
 *
 * The case fails if the driver has no such place. Replaces what was asked for
 * before.
 */
void lab_inject_nth(struct lab_nic *nic, const char *what, const char *func,
		    unsigned int nth);

/**
 * lab_inject_every() - let every n-th call fail that wants memory
 * @nic: the NIC.
 * @every: 1: all calls.
 *
 * Clocks and PHYs go on working. Replaces what was asked for before.
 */
void lab_inject_every(struct lab_nic *nic, unsigned int every);

/**
 * lab_inject_stop() - let no call fail any more
 * @nic: the NIC.
 *
 * Return: how many failed since they were asked for.
 */
unsigned int lab_inject_stop(struct lab_nic *nic);

/**
 * struct lab_asked - memory that the driver asked for
 * @buffer_bytes: for frames to be received.
 * @buffer_order: order of the pages that just hold the largest block of these.
 * @order: the same of everything.
 *
 * A fragment counts as what it is, whatever page it is cut from: where memory is
 * in pieces the kernel takes one that just holds it. Coherent memory counts like
 * the rest, though a system may keep some apart for that.
 */
struct lab_asked {
	u64 buffer_bytes;
	unsigned int buffer_order;
	unsigned int order;
};

/* Forget what was asked for. The case fails if the driver has no place that asks. */
void lab_asked_from_here(struct lab_nic *nic);

/* What was asked for since, whether it succeeded or not. Nothing runs meanwhile. */
void lab_asked(struct lab_nic *nic, struct lab_asked *asked);

/**
 * lab_try_up() - open the interface, which may fail
 * @nic: the NIC, down.
 *
 * Does not wait for the carrier: lab_wait_link() does. lab_down() closes it if
 * it is open.
 *
 * Return: 0 or what the driver returned.
 */
int lab_try_up(struct lab_nic *nic);

#endif
