/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: netpoll, what netconsole does with an interface, and the log it
 * carries. Part of lab.h, which includes it.
 */
#ifndef POOLSTACK_LAB_NETPOLL_H
#define POOLSTACK_LAB_NETPOLL_H

#include "lab.h"

/**
 * lab_netpoll_start() - let netpoll use the NIC
 * @nic: the NIC, up or down; until the case ends.
 */
void lab_netpoll_start(struct lab_nic *nic);

/**
 * lab_netpoll_poll() - poll with budget 0 and interrupts off
 * @nic: the NIC, with lab_netpoll_start().
 *
 * As netconsole does when it finds the ring full.
 */
void lab_netpoll_poll(struct lab_nic *nic);

/**
 * lab_netpoll_send() - transmit as netconsole does, with interrupts off
 * @nic: the NIC, with lab_netpoll_start().
 * @frame: from the destination address on.
 * @len: length.
 *
 * Context: any, also the middle of NAPI, see lab_on_delivery().
 */
void lab_netpoll_send(struct lab_nic *nic, const u8 *frame, u32 len);

/**
 * lab_on_delivery() - call for each frame that the stack is given
 * @nic: the NIC.
 * @fn: called in NAPI, before the skb is freed; NULL: no more.
 * @arg: for @fn.
 */
void lab_on_delivery(struct lab_nic *nic, void (*fn)(struct lab_nic *nic, void *arg),
		     void *arg);

/**
 * lab_log_lines() - lines that the kernel logged since the last call
 * @nic: the NIC.
 *
 * Counts what a console with the usual level would show; the first call begins.
 *
 * Return: their number.
 */
unsigned int lab_log_lines(struct lab_nic *nic);

#endif
