// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register windows.
 *
 * logic_iomem cannot take a region away again, so a few windows are added once
 * and the model of the case at hand answers in them. Every access is counted.
 * With the clock off an access hangs the bus of a real SoC; here it is counted
 * as gated and reaches nothing.
 */
#include <linux/ioport.h>
#include <linux/logic_iomem.h>

#include "model.h"

static struct lab_mmio windows[LAB_MMIO_WINDOWS];
static struct resource resources[LAB_MMIO_WINDOWS];

/* Under the controller's lock. */
static bool reachable(struct lab_mmio *mmio, unsigned int off, int size)
{
	if (!lab_clk_running()) {
		mmio->gated++;
		return false;
	}
	/* the controllers of the lab have 32-bit registers only */
	return mmio->ops && !WARN_ON_ONCE(size != 4 || off & 3);
}

static unsigned long window_read(void *priv, unsigned int off, int size)
{
	struct lab_mmio *mmio = priv;
	u32 val = 0;

	lab_ctrl_lock();
	mmio->reads++;
	if (reachable(mmio, off, size))
		val = mmio->ops->read(mmio->priv, off);
	lab_ctrl_unlock();
	return val;
}

static void window_write(void *priv, unsigned int off, int size, unsigned long val)
{
	struct lab_mmio *mmio = priv;

	lab_ctrl_lock();
	mmio->writes++;
	if (reachable(mmio, off, size))
		mmio->ops->write(mmio->priv, off, val);
	lab_ctrl_unlock();
	if (mmio->written)
		mmio->written(mmio->arg);
}

static const struct logic_iomem_ops window_ops = {
	.read = window_read,
	.write = window_write,
};

static long window_map(unsigned int window, unsigned long offset,
		       const struct logic_iomem_ops **ops, void **priv)
{
	*ops = &window_ops;
	*priv = &windows[window];
	return offset;
}

/* The map callback is not told which region it is for: one function each. */
#define WINDOW_MAP(n)								\
static long window_map_##n(unsigned long offset, size_t size,			\
			   const struct logic_iomem_ops **ops, void **priv)	\
{										\
	return window_map(n, offset, ops, priv);				\
}

WINDOW_MAP(0)
WINDOW_MAP(1)
WINDOW_MAP(2)
WINDOW_MAP(3)

static const struct logic_iomem_region_ops region_ops[LAB_MMIO_WINDOWS] = {
	{ .map = window_map_0 },
	{ .map = window_map_1 },
	{ .map = window_map_2 },
	{ .map = window_map_3 },
};

/**
 * lab_mmio_init() - add the windows
 *
 * May be called again.
 *
 * Return: 0 or a negative error of logic_iomem.
 */
int lab_mmio_init(void)
{
	static bool done;
	unsigned int i;
	int ret;

	if (done)
		return 0;
	for (i = 0; i < LAB_MMIO_WINDOWS; i++) {
		resources[i] = (struct resource)
			DEFINE_RES_MEM_NAMED(LAB_MMIO_BASE + i * LAB_MMIO_STRIDE,
					     LAB_MMIO_SIZE, "poolstack-lab");
		ret = logic_iomem_add_region(&resources[i], &region_ops[i]);
		if (ret)
			return ret;
	}
	done = true;
	return 0;
}

/**
 * lab_mmio_claim() - answer in a window from now on
 * @window: which one.
 * @ops: what answers.
 * @priv: handed to @ops.
 *
 * Return: the window, its counts at zero.
 */
struct lab_mmio *lab_mmio_claim(unsigned int window, const struct lab_mmio_ops *ops,
				void *priv)
{
	windows[window] = (struct lab_mmio){ .ops = ops, .priv = priv };
	return &windows[window];
}
