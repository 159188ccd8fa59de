/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: a controller that does not wait for the case. Part of lab.h, which
 * includes it.
 *
 * With two CPUs the controller, its interrupt and with it the driver's NAPI run
 * on the second one while the case, its transmissions and its kfree_skb() run on
 * the first: what the driver shares between contexts is really shared.
 */
#ifndef POOLSTACK_LAB_RACE_H
#define POOLSTACK_LAB_RACE_H

#include "lab.h"

struct sk_buff;

/**
 * lab_run_free() - let the controller act by itself
 * @nic: the NIC, up or down. Ended by lab_run_stop() or with the case.
 *
 * On one CPU there is nobody to act: each lab_send() and lab_stack_xmit() then
 * runs the controller or does not, as the seed chooses.
 *
 * lab_pump() means "wait until the controller has nothing to do".
 */
void lab_run_free(struct lab_nic *nic);

/* The controller waits for lab_pump() again. */
void lab_run_stop(struct lab_nic *nic);

/**
 * lab_cut() - close the interface in the middle of traffic
 * @nic: the NIC, up. As lab_down(), which lets the controller finish first.
 */
void lab_cut(struct lab_nic *nic);

/* Whether the controller really runs beside the case: two CPUs, and free. */
bool lab_races(struct lab_nic *nic);

/**
 * lab_keep_skbs() - keep what the stack is given as the skb it is
 * @nic: the NIC.
 * @on: true: lab_take_skb() takes frames, not lab_take_delivered(). An skb holds
 *	its page until the case frees it, on the CPU of the case.
 */
void lab_keep_skbs(struct lab_nic *nic, bool on);

/* Oldest skb not yet taken, from the destination address on; the caller's. */
struct sk_buff *lab_take_skb(struct lab_nic *nic);

/**
 * lab_account_lost() - frames that were in the rings at a reset are nobody's
 * @nic: the NIC, its controller idle.
 * @at_most: more than this fails the case, in either direction.
 *
 * A driver that resets the MAC forgets frames which were received and not seen
 * yet, or sent and not completed yet, and counts none of them. The gate takes
 * them for accounted from here on.
 *
 * Return: received frames lost since the last call.
 */
u64 lab_account_lost(struct lab_nic *nic, u64 at_most);

/**
 * lab_take_transmit_irqs() - interrupts of transmission come to this CPU
 * @nic: the NIC, its controller running free.
 * @here: true; false: to the controller's CPU, as those of reception.
 *
 * For controllers with a line for each. The case takes them with
 * lab_complete_here(), as often as it likes; NAPI then polls on this CPU.
 */
void lab_take_transmit_irqs(struct lab_nic *nic, bool here);
void lab_complete_here(struct lab_nic *nic);

#endif
