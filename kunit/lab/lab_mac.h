/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: several MACs on the rings of one controller, and its reset. Part of
 * lab.h, which includes it. The NIC's own interface is that of MAC 0.
 */
#ifndef POOLSTACK_LAB_MAC_H
#define POOLSTACK_LAB_MAC_H

#include "lab.h"

/* Open the interface of a MAC and wait for its carrier; close it. */
void lab_mac_up(struct lab_nic *nic, unsigned int mac);
void lab_mac_down(struct lab_nic *nic, unsigned int mac);

/* The same for all of them, in turn. */
void lab_macs_up(struct lab_nic *nic);
void lab_macs_down(struct lab_nic *nic);

/* Close it with whatever is in the rings, as lab_cut(). */
void lab_mac_cut(struct lab_nic *nic, unsigned int mac);

/* Wait until its carrier is on and all have heard of it. */
void lab_mac_wait_link(struct lab_nic *nic, unsigned int mac);

/* Its interface. */
struct net_device *lab_mac_ndev(struct lab_nic *nic, unsigned int mac);

/* A frame arrives at a MAC, as lab_try_send(). */
int lab_mac_try_send(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len);

/* The same with an interrupt, and it is taken. */
void lab_mac_rx(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len);

/* The oldest frame that its interface delivered and nobody took is this one. */
void lab_mac_expect_delivered(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len);

/* The stack transmits through its interface, as lab_stack_xmit(). */
int lab_mac_xmit(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len);

/* The oldest frame on the wire left by this MAC. */
void lab_mac_expect_transmitted(struct lab_nic *nic, unsigned int mac, const u8 *frame, u32 len);

/* Attach a program to its interface, NULL: take it away; 0 or a negative error. */
int lab_mac_attach(struct lab_nic *nic, unsigned int mac, struct bpf_prog *prog);

/**
 * lab_hang() - the controller stands still, until the driver resets it
 * @nic: the NIC, up.
 *
 * Descriptors stay as they are. Returns when the driver has noticed, reset the
 * controller and let go of the lock of the interfaces, or after 10 s.
 *
 * Return: whether it was reset.
 */
bool lab_hang(struct lab_nic *nic);

/* The controller stands still, if it can: see lab_hang(). Returns at once. */
void lab_hang_begin(struct lab_nic *nic);

#endif
