/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: byte queue limits, which a driver feeds with what it sent. Part of
 * lab.h, which includes it.
 *
 * A limit holds frames back in the queueing discipline until earlier ones are
 * completed. Most cases want a ring that fills, so the queues of a NIC that is
 * taken have no limit: they count only.
 */
#ifndef POOLSTACK_LAB_BQL_H
#define POOLSTACK_LAB_BQL_H

#include "lab.h"

/**
 * struct lab_bytes - what the queues of an interface were told, in bytes
 * @queued: given to the driver.
 * @completed: of these, sent or given up.
 *
 * Sums over all its transmit queues. A driver may start them anew with its
 * rings.
 */
struct lab_bytes {
	u32 queued;
	u32 completed;
};

/**
 * lab_queue_bytes() - what the queues of an interface were told so far
 * @nic: the NIC.
 * @mac: which of its interfaces.
 *
 * Return: see there.
 */
struct lab_bytes lab_queue_bytes(struct lab_nic *nic, unsigned int mac);

/**
 * lab_queue_limits() - limits as any user has them: small, and grown by use
 * @nic: the NIC, nothing of whose queues is outstanding; until the case ends.
 */
void lab_queue_limits(struct lab_nic *nic);

/* Whether a limit holds back frames of an interface. */
bool lab_queue_limited(struct lab_nic *nic, unsigned int mac);

#endif
