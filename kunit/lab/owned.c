// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that a controller owns: it may write to them until it says that they
 * are filled, or is stopped.
 */
#include <linux/xarray.h>

#include "model.h"

/* Begin with none. */
void lab_owned_init(struct lab_owned *owned)
{
	xa_init_flags(&owned->at, XA_FLAGS_LOCK_IRQ);
}

/* The controller is stopped: none is its own any more. */
void lab_owned_forget(struct lab_owned *owned)
{
	xa_destroy(&owned->at);
}

/**
 * lab_own() - remember a buffer as the controller's
 * @owned: its buffers.
 * @addr: as the driver gave it.
 *
 * Return: false when it is already: two descriptors with one buffer.
 */
bool lab_own(struct lab_owned *owned, dma_addr_t addr)
{
	unsigned long flags;
	int ret;

	xa_lock_irqsave(&owned->at, flags);
	ret = __xa_insert(&owned->at, addr, xa_mk_value(1), GFP_ATOMIC);
	xa_unlock_irqrestore(&owned->at, flags);
	return ret != -EBUSY;
}

/* The buffer is filled; false when it was not the controller's. */
bool lab_disown(struct lab_owned *owned, dma_addr_t addr)
{
	unsigned long flags;
	void *was;

	xa_lock_irqsave(&owned->at, flags);
	was = __xa_erase(&owned->at, addr);
	xa_unlock_irqrestore(&owned->at, flags);
	return was;
}

/* Whether a buffer of the controller begins in [addr, addr + size). */
bool lab_owns(struct lab_owned *owned, dma_addr_t addr, size_t size)
{
	unsigned long at = addr;

	return xa_find(&owned->at, &at, addr + size - 1, XA_PRESENT);
}
