/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: the link and the transmit watchdog. Part of lab.h, which includes it.
 */
#ifndef POOLSTACK_LAB_LINK_H
#define POOLSTACK_LAB_LINK_H

#include "lab.h"

/**
 * lab_cable() - pull the cable, or plug it in
 * @nic: the NIC, up.
 * @link: whether there is a link.
 *
 * Through the PHY's registers and phylib, or a GPIO and phylink. Returns when the
 * driver's callback is through and the queueing discipline has heard of it.
 *
 * Context: task, may sleep; so may the next four.
 */
void lab_cable(struct lab_nic *nic, bool link);

/* The same; false when it does not come to that. */
bool lab_try_cable(struct lab_nic *nic, bool link);

/* Pull it or plug it in without telling anybody: the next open finds it so. */
void lab_cable_quietly(struct lab_nic *nic, bool link);

/**
 * lab_wait_link() - wait until the carrier is on and all have heard of it
 * @nic: the NIC, up. The driver starts its controller anew then, and what was
 *	in its rings is gone.
 */
void lab_wait_link(struct lab_nic *nic);

/* lab_wait_link(), then lab_pump(). */
void lab_calm(struct lab_nic *nic);

/**
 * lab_link() - the link partner changes
 * @nic: the NIC, up.
 * @speed: 10, 100 or 1000 Mbit/s; 0: no link.
 * @full: full duplex.
 *
 * The link goes down and comes back with the new speed, each as with
 * lab_cable().
 *
 * Context: task, may sleep.
 */
void lab_link(struct lab_nic *nic, int speed, bool full);

/**
 * lab_tx_timeout() - tell the driver that a transmit queue is stuck
 * @nic: the NIC, up.
 * @queue: transmit queue.
 *
 * Calls ndo_tx_timeout() as dev_watchdog() does, and waits until the driver
 * has done something about it.
 *
 * Context: task, may sleep.
 */
void lab_tx_timeout(struct lab_nic *nic, unsigned int queue);

/**
 * lab_down_before_timeout() - close before the driver gets round to a timeout
 * @nic: the NIC, up.
 *
 * ndo_tx_timeout() is called, and the interface closed by whoever holds the
 * lock that the driver's work then waits for.
 *
 * Context: task, may sleep.
 *
 * Return: false when the work waits for ever with the lock held; the wait is
 * ended, so that the case can.
 */
bool lab_down_before_timeout(struct lab_nic *nic);

/* Let the driver run, and the transmitter not: what it queues stays queued. */
void lab_receive_only(struct lab_nic *nic);

/* Whether the stack may transmit on a queue now. */
bool lab_queue_stopped(struct lab_nic *nic, unsigned int queue);

#endif
