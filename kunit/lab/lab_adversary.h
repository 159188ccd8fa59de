/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: chance. Part of lab.h, which includes it.
 *
 * Real caches and real controllers choose for themselves when a line is written
 * back or fetched and when a descriptor is completed. Here the seed chooses
 * (lab_seed.h): it is printed once, and repeats a run on one CPU exactly. Each
 * case and target has numbers of its own, so that it is the same alone.
 */
#ifndef POOLSTACK_LAB_ADVERSARY_H
#define POOLSTACK_LAB_ADVERSARY_H

#include "lab.h"

/**
 * lab_adversary() - let everything happen that the rules allow
 * @nic: the NIC.
 * @on: from now on, or no more.
 *
 * Memory: dirty lines are written back when the buffer is armed, before, amid
 * and after the device's write, and between sync_for_cpu and what the CPU does
 * next; where the class speculates (arm64 and armv7, not armv5) clean lines are
 * fetched at the same moments, so that a missing sync_for_cpu reads a mixture
 * of old and new. Time: frames reach the rings late and in another order between
 * rings, never within one; transmission, interrupt and status come late.
 *
 * A driver that keeps the rules cannot tell. One that does not breaks the same
 * rules as ever, an eviction in time excuses nothing, and its frames get wrong
 * bytes as they would on a board.
 *
 * lab_try_send() then returns 0 for a frame that is still on the wire; it
 * arrives in the next lab_pump(), or is lost uncounted if the receiver is
 * switched off before. Interrupts are not a figure any more.
 */
void lab_adversary(struct lab_nic *nic, bool on);

/**
 * lab_roll() - a choice that the seed makes for a case
 * @nic: the NIC; its numbers depend on the seed, the case and the target.
 * @n: 1 or more.
 *
 * Return: a number below @n.
 */
u32 lab_roll(struct lab_nic *nic, u32 n);

#endif
