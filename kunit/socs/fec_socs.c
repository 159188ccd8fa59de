// SPDX-License-Identifier: GPL-2.0-only
/*
 * SoCs with an ENET or FEC block: one row each, and one overlay beside.
 *
 * Sources: the reference manual of each SoC for the block (chapters ENET or
 * FEC) and for the CPU whose cache it is not coherent with; ARM technical
 * reference manuals for line sizes: ARM926EJ-S 32, Cortex-A5 and A9 32,
 * Cortex-A7 64, Cortex-A53, A72 and A55 64 bytes.
 */
#include <linux/kernel.h>
#include <linux/kconfig.h>
#include <kunit/of.h>

#include "../lab/fec.h"
#include "socs.h"

/* IMX25RM: FEC, 16-byte aligned receive buffers, no accelerator. */
static const struct fec_variant fec = {
	.rings = 1, .rx_align = 16,
};

/* IMX6DQRM: ENET, one ring. */
static const struct fec_variant enet = {
	.rings = 1, .enet = true, .rx_align = 16,
};

/* IMX6SXRM: ENET with AVB, three rings, 64-byte aligned buffers, ERR007885. */
static const struct fec_variant enet_avb = {
	.rings = 3, .enet = true, .rx_align = 64, .err007885 = true,
};

OF_OVERLAY_DECLARE(lab_imx25);
OF_OVERLAY_DECLARE(lab_imx6q);
OF_OVERLAY_DECLARE(lab_imx6sx);
OF_OVERLAY_DECLARE(lab_imx8mq);
OF_OVERLAY_DECLARE(lab_imx8qm);

#define OVERLAY(name)				\
	.dtbo_begin = of_overlay_begin(name),	\
	.dtbo_end = of_overlay_end(name)

/* 1514 and a VLAN tag: what the default MTU lets through */
#define FRAME	1518

const struct lab_soc lab_fec_socs[] = {
	{
		.name = "imx25", .compatible = "fsl,imx25-fec", OVERLAY(lab_imx25),
		.ctrl = &lab_fec_ops, .ctrl_data = &fec, .queues = 1,
		.has_xdp = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV5, 32 } },		/* ARM926EJ-S */
	}, {
		.name = "imx6q", .compatible = "fsl,imx6q-fec", OVERLAY(lab_imx6q),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet, .queues = 1,
		.has_xdp = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV7, 32 } },		/* Cortex-A9 */
	}, {
		/* i.MX7D falls back to this compatible */
		.name = "imx6sx", .compatible = "fsl,imx6sx-fec", OVERLAY(lab_imx6sx),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .max_frame = FRAME,
		.caches = {
			{ LAB_CACHE_ARMV7, 32 },		/* Cortex-A9 */
			{ LAB_CACHE_ARMV7, 64 },		/* Cortex-A7 of i.MX7D */
		},
	}, {
		.name = "imx8mq", .compatible = "fsl,imx8mq-fec", OVERLAY(lab_imx8mq),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARM64, 64 } },		/* Cortex-A53 */
	}, {
		.name = "imx8qm", .compatible = "fsl,imx8qm-fec", OVERLAY(lab_imx8qm),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .has_jumbo = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARM64, 64 } },		/* Cortex-A72, A53 */
	},
};

const unsigned int lab_nr_fec_socs = ARRAY_SIZE(lab_fec_socs);
