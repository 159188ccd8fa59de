/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: system sleep, runtime power management, and drivers that come and
 * go. Part of lab.h, which includes it.
 */
#ifndef POOLSTACK_LAB_POWER_H
#define POOLSTACK_LAB_POWER_H

#include "lab.h"

/* ---- system sleep ------------------------------------------------------- */

/**
 * lab_can_sleep() - skip the case where the kernel cannot suspend
 * @test: the case, first thing.
 *
 * UML has suspend without SMP only (arch/um/Kconfig).
 */
void lab_can_sleep(struct kunit *test);

/**
 * lab_suspend() - the system goes to sleep
 * @nic: the NIC, up or down.
 *
 * The PM core suspends all devices, children first, as for suspend to RAM;
 * interrupts and the CPU go on.
 */
void lab_suspend(struct lab_nic *nic);

/**
 * lab_resume() - the system wakes up
 * @nic: the NIC; when it was up, until the carrier is back.
 */
void lab_resume(struct lab_nic *nic);

/**
 * lab_resume_slowly() - as lab_resume(), and the PHY's turn comes late
 * @nic: the NIC, up.
 *
 * Devices resume one after the other, the PHY after its MAC. Here so much time
 * passes between the two that phylib has done what the MAC's driver asked for.
 *
 * Return: false when the PHY ran already when its bus was to resume it, which
 * phylib warns of (mdio_bus_phy_resume()); without this function that depends
 * on how fast the machine is, and the lab keeps the warning away.
 */
bool lab_resume_slowly(struct lab_nic *nic);

/**
 * lab_magic() - a magic packet for this station arrives
 * @nic: the NIC, asleep.
 *
 * Return: whether the controller asks for an interrupt, which wakes the system.
 */
bool lab_magic(struct lab_nic *nic);

/* ---- runtime power management ------------------------------------------- */

/**
 * lab_sleep_now() - as lab_wait_asleep(), without the delay
 * @nic: the NIC, down.
 *
 * What a user does with power/autosuspend_delay_ms; it stays so.
 */
void lab_sleep_now(struct lab_nic *nic);

/* Whether the registers can be reached. */
bool lab_awake(struct lab_nic *nic);

/* Register accesses so far that met a clock which was off. */
u64 lab_gated(struct lab_nic *nic);

/* ---- the driver comes and goes ------------------------------------------ */

/**
 * lab_unbind() - take the driver from the device
 * @nic: the NIC, up or down, with whatever is on its way.
 *
 * As unloading the module does. What the gate holds after a case it holds here
 * too, and that nothing of the driver is left: no mapping, no interrupt, no
 * clock that runs, no child device, no PHY. @nic->ndev is NULL then, frames not
 * yet taken are forgotten.
 */
void lab_unbind(struct lab_nic *nic);

/**
 * lab_bind() - give the device to the driver again
 * @nic: the NIC after lab_unbind(). @nic->ndev is the new interface, down.
 */
void lab_bind(struct lab_nic *nic);

#endif
