/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storm: one interface, a random walk over all that happens to it, and
 * everything that must hold looked at after each step.
 */
#ifndef POOLSTACK_LAB_STORM_H
#define POOLSTACK_LAB_STORM_H

struct lab_nic;

/**
 * lab_storm() - walk until a step goes wrong or all are made
 * @nic: the NIC, down, without a program.
 *
 * The steps follow from poolstack.seed and the target alone, and not from how
 * earlier steps went: poolstack.steps=N makes the first N (default 500), and
 * poolstack.storm_keep=LIST ("0-3,17") of them only those, so that a walk that
 * goes wrong can be cut down to the steps that matter; scripts/storm does that.
 * poolstack.storm_verbose=1 prints each step before it is made.
 *
 * After each step:
 *  - the gate holds, see lab_gate();
 *  - an open interface with a link has every receive descriptor armed, a closed
 *    one holds no mapping;
 *  - every frame that a side gave is one that was due there, byte by byte, and
 *    those that are missing are counted as dropped, which only happens while
 *    memory is short;
 *  - the interface is open, and the program attached, as the step's return
 *    values said.
 *
 * At its end a whole walk of 500 steps or more must have made each kind of
 * step in each state it can be made in, as often as its length asks for.
 */
void lab_storm(struct lab_nic *nic);

#endif
