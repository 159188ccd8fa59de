// SPDX-License-Identifier: GPL-2.0-only
/*
 * VARIANT=dma-debug: the kernel's own checks of the DMA API print the first
 * error of a boot and keep silent. Here each case gets its own.
 */
#include <linux/debugfs.h>
#include <linux/dcache.h>

#include "model.h"

/* Errors printed per case: the first tells what is wrong, the next where else. */
#define ERRORS	3

/**
 * lab_dma_debug_again() - let the DMA API's checks print again
 *
 * Through the file that an administrator would write to
 * (Documentation/core-api/dma-api.rst, dma-api/num_errors).
 *
 * Return: false when the checks are built in and cannot be told.
 */
bool lab_dma_debug_again(void)
{
	struct dentry *dir, *file;

	if (!IS_ENABLED(CONFIG_DMA_API_DEBUG))
		return true;
	dir = debugfs_lookup("dma-api", NULL);
	if (!dir)
		return false;
	file = debugfs_lookup("num_errors", dir);
	dput(dir);
	if (!file)
		return false;
	/* what debugfs_create_u32() was given */
	WRITE_ONCE(*(u32 *)d_inode(file)->i_private, ERRORS);
	dput(file);
	return true;
}
