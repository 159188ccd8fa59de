/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: what a user does to an interface with ethtool, ip and phc2sys. Part
 * of lab.h, which includes it.
 *
 * Everything goes through the system call's own path, so that the core's checks
 * and its runtime PM are in force, as for a real user.
 */
#ifndef POOLSTACK_LAB_ETHTOOL_H
#define POOLSTACK_LAB_ETHTOOL_H

#include <linux/ethtool.h>

#include "lab.h"

struct ptp_clock_info;

/**
 * lab_ethtool() - the SIOCETHTOOL ioctl
 * @nic: the NIC, up or down.
 * @cmd: struct of the command, whose first word is its number; updated.
 * @size: bytes of it, with any array behind.
 *
 * Context: the case itself, not an action of it.
 *
 * Return: 0 or a negative error.
 */
int lab_ethtool(struct lab_nic *nic, void *cmd, size_t size);

/**
 * lab_hwtstamp() - hardware time stamps on or off
 * @nic: the NIC.
 * @on: both directions, all frames.
 *
 * Return: 0 or a negative error.
 */
int lab_hwtstamp(struct lab_nic *nic, bool on);

/**
 * lab_rx_checksum() - ethtool -K rx
 * @nic: the NIC.
 * @on: let the controller check.
 *
 * Return: 0 or a negative error.
 */
int lab_rx_checksum(struct lab_nic *nic, bool on);

/* ethtool -K: NETIF_F_*, which the driver must take. */
void lab_switch_feature(struct lab_nic *nic, netdev_features_t feature, bool on);

/* Open the interface without GRO, which would look at checksums itself. */
void lab_up_without_gro(struct lab_nic *nic);

/* Change the address of the station. Returns 0 or a negative error. */
int lab_set_address(struct lab_nic *nic, const u8 *addr);

/* Take all frames, or no longer; join a group, or leave it. */
void lab_promiscuous(struct lab_nic *nic, bool on);
void lab_join(struct lab_nic *nic, const u8 *group);
void lab_leave(struct lab_nic *nic, const u8 *group);

/**
 * lab_phc() - the PTP hardware clock
 * @nic: the NIC.
 *
 * Return: its operations, as the PTP core calls them, or NULL without one.
 */
struct ptp_clock_info *lab_phc(struct lab_nic *nic);

#endif
