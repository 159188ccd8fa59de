/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: a second controller beside the NIC, for what drivers keep in common.
 * Part of lab.h, which includes it.
 */
#ifndef POOLSTACK_LAB_SECOND_H
#define POOLSTACK_LAB_SECOND_H

#include "lab.h"

struct lab_second;

/**
 * lab_second_take() - probe the driver on a second controller
 * @nic: the NIC of the case.
 *
 * An i.MX6 ENET that answers its registers and has no PHY on its MDIO bus. It
 * can be bound and unbound, not opened: there is no memory model behind it.
 *
 * Return: the controller, bound; gone with the case, before @nic.
 */
struct lab_second *lab_second_take(struct lab_nic *nic);

/* Unbind the driver from it. Bind it again; the driver must take it. */
void lab_second_unbind(struct lab_second *second);
void lab_second_bind(struct lab_second *second);

/**
 * lab_mdio_buses() - MDIO buses that are registered
 * @nic: the NIC of the case.
 *
 * Return: those whose controller is @nic or the second one.
 */
unsigned int lab_mdio_buses(struct lab_nic *nic);

#endif
