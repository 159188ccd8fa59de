/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: pages of the NIC's page_pools. Part of lab.h, which includes it.
 *
 * The gate holds for every case that no page is in flight once the interface
 * is closed, and that a page which the controller is given has no other
 * owner: one reference, still the pool's (LAB_V_PAGE).
 */
#ifndef POOLSTACK_LAB_POOLS_H
#define POOLSTACK_LAB_POOLS_H

#include "lab.h"

/**
 * lab_pools() - page_pools of the NIC that exist
 * @nic: the NIC.
 *
 * A pool lives on after its ring is gone while somebody holds a page of it.
 * page_pool looks again once a second; this looks now.
 *
 * Context: task, may sleep.
 *
 * Return: their number.
 */
unsigned int lab_pools(struct lab_nic *nic);

/* How many there are to be while the interface is open. */
static inline unsigned int lab_pools_due(const struct lab_nic *nic)
{
	if (nic->soc->no_pool)
		return 0;
	return nic->soc->pools ?: nic->soc->queues;
}

/**
 * lab_pages_in_flight() - pages of pools without a ring
 * @nic: the NIC.
 *
 * Pages that a driver gave up its pool for while somebody else held them: a
 * parked skb, a frame in the ring of another interface.
 *
 * Context: task, may sleep.
 *
 * Return: their number, 0 when every page came back.
 */
unsigned int lab_pages_in_flight(struct lab_nic *nic);

#endif
