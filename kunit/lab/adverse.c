// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bad days: no memory for a mapping, a MAC that reports nonsense, and buffers
 * that are taken from a MAC which still holds them.
 */
#include <linux/atomic.h>

#include "nic.h"

/* One NIC at a time is taken; cleared when it is given back. */
static struct lab_ctrl *watched;
static bool starving;
static atomic_t mappings_left;	/* both CPUs map */

static void end(void *unused)
{
	watched = NULL;
	WRITE_ONCE(starving, false);
}

void lab_maps_left(struct lab_nic *nic, unsigned int maps)
{
	KUNIT_ASSERT_EQ(nic->test, kunit_add_action_or_reset(nic->test, end, NULL), 0);
	atomic_set(&mappings_left, maps);
	WRITE_ONCE(starving, true);
}

void lab_maps_plenty(struct lab_nic *nic)
{
	WRITE_ONCE(starving, false);
}

/**
 * lab_map_refused() - whether a mapping is to fail now
 *
 * Context: any; asked by the DMA API for each streaming mapping.
 *
 * Return: true once the mappings that the case granted are used up.
 */
bool lab_map_refused(void)
{
	return READ_ONCE(starving) && atomic_dec_if_positive(&mappings_left) < 0;
}

void lab_watch_buffers(struct lab_nic *nic)
{
	KUNIT_ASSERT_EQ(nic->test, kunit_add_action_or_reset(nic->test, end, NULL), 0);
	watched = to_nic(nic)->ctrl;
}

/**
 * lab_buffer_released() - a mapping is about to go
 * @dma: the device's memory, not locked.
 * @addr: start of the mapping.
 * @size: bytes.
 *
 * A buffer that goes away while the MAC holds it is written to after.
 */
void lab_buffer_released(struct lab_dma *dma, dma_addr_t addr, size_t size)
{
	if (!watched || watched->dma != dma)
		return;
	if (lab_ctrl_holds(watched, addr, size))
		lab_dma_violation(dma, LAB_V_UNMAPPED, NULL, lower_32_bits(addr), size,
				  DMA_FROM_DEVICE);
}

int lab_send_length(struct lab_nic *nic, unsigned int queue, u16 len)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;
	int ret;

	/* a proper frame, then the length in its descriptor is changed */
	lab_fill(nic->frame, 60, len);
	ret = lab_try_send(nic, queue, nic->frame, 60);
	if (!ret)
		lab_ctrl_forge_length(ctrl, queue, len);
	return ret;
}

void lab_transmit_only(struct lab_nic *nic)
{
	struct lab_ctrl *ctrl = to_nic(nic)->ctrl;

	while (lab_ctrl_transmit(ctrl))
		;
}
