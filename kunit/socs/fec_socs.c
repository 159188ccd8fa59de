// SPDX-License-Identifier: GPL-2.0-only
/*
 * SoCs with an ENET or FEC block: one row each, and one overlay beside.
 *
 * Sources: the reference manual of each SoC for the block (chapters ENET or
 * FEC) and for the CPU whose cache it is not coherent with; ARM technical
 * reference manuals for line sizes: ARM926EJ-S 32, Cortex-A5 and A9 32,
 * Cortex-A7 and A8 64, Cortex-A35, A53, A55 and A72 64 bytes. Which SoC falls back to which
 * compatible: Documentation/devicetree/bindings/net/fsl,fec.yaml.
 */
#include <linux/kernel.h>
#include <linux/kconfig.h>
#include <kunit/of.h>

#include "../lab/fec.h"
#include "socs.h"

/* IMX25RM, MCIMX27RM: FEC, 16-byte aligned receive buffers, no accelerator. */
static const struct fec_variant fec = {
	.rings = 1, .rx_align = 16,
};

/* MCIMX28RM: ENET whose DMA moves frames as big-endian words. */
static const struct fec_variant enet_swap = {
	.rings = 1, .enet = true, .rx_align = 16, .swap = true,
};

/* VFXXXRM: ENET, one ring. */
static const struct fec_variant enet = {
	.rings = 1, .enet = true, .rx_align = 16,
};

/* IMX6DQRM: the same, and IMX6DQCE ERR006358. */
static const struct fec_variant enet_6q = {
	.rings = 1, .enet = true, .rx_align = 16, .err006358 = true,
};

/* IMX6ULRM: ENET, one ring, 64-byte aligned buffers, ERR007885. */
static const struct fec_variant enet_6ul = {
	.rings = 1, .enet = true, .rx_align = 64, .coalesce = true, .err007885 = true,
};

/* IMX6SXRM: ENET with AVB, three rings, 64-byte aligned buffers, ERR007885. */
static const struct fec_variant enet_avb = {
	.rings = 3, .enet = true, .rx_align = 64, .coalesce = true, .err007885 = true,
};

OF_OVERLAY_DECLARE(lab_imx25);
OF_OVERLAY_DECLARE(lab_imx27);
OF_OVERLAY_DECLARE(lab_imx28);
OF_OVERLAY_DECLARE(lab_imx6q);
OF_OVERLAY_DECLARE(lab_imx6sx);
OF_OVERLAY_DECLARE(lab_imx6ul);
OF_OVERLAY_DECLARE(lab_imx8mq);
OF_OVERLAY_DECLARE(lab_imx8qm);
OF_OVERLAY_DECLARE(lab_mvf600);
OF_OVERLAY_DECLARE(lab_noptp);
OF_OVERLAY_DECLARE(lab_s32v234);

/* 1514 and a VLAN tag: what the default MTU lets through */
#define FRAME	1518

const struct lab_soc lab_fec_socs[] = {
	{
		/* i.MX53 and i.MX6SL fall back to this compatible */
		.name = "imx25", .compatible = "fsl,imx25-fec", OVERLAY(lab_imx25),
		.ctrl = &lab_fec_ops, .ctrl_data = &fec, .queues = 1,
		.has_xdp = true, .max_frame = FRAME,
		.caches = {
			{ LAB_CACHE_ARMV5, 32 },		/* ARM926EJ-S */
			{ LAB_CACHE_ARMV7, 64 },		/* Cortex-A8 of i.MX53 */
		},
	}, {
		/* i.MX35 and i.MX51 fall back to this compatible */
		.name = "imx27", .compatible = "fsl,imx27-fec", OVERLAY(lab_imx27),
		.ctrl = &lab_fec_ops, .ctrl_data = &fec, .queues = 1,
		.has_xdp = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV5, 32 } },		/* ARM926EJ-S */
	}, {
		.name = "imx28", .compatible = "fsl,imx28-fec", OVERLAY(lab_imx28),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_swap, .queues = 1,
		.max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV5, 32 } },		/* ARM926EJ-S */
	}, {
		.name = "imx6q", .compatible = "fsl,imx6q-fec", OVERLAY(lab_imx6q),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_6q, .queues = 1,
		.has_xdp = true, .has_accel = true, .has_stamps = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV7, 32 } },		/* Cortex-A9 */
	}, {
		/* i.MX7D falls back to this compatible */
		.name = "imx6sx", .compatible = "fsl,imx6sx-fec", OVERLAY(lab_imx6sx),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .has_accel = true, .has_stamps = true,
		.has_coalesce = true, .max_frame = FRAME,
		.caches = {
			{ LAB_CACHE_ARMV7, 32 },		/* Cortex-A9 */
			{ LAB_CACHE_ARMV7, 64 },		/* Cortex-A7 of i.MX7D */
		},
	}, {
		/* i.MX8ULP falls back to this compatible */
		.name = "imx6ul", .compatible = "fsl,imx6ul-fec", OVERLAY(lab_imx6ul),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_6ul, .queues = 1,
		.has_xdp = true, .has_accel = true, .has_stamps = true,
		.has_coalesce = true, .max_frame = FRAME,
		.caches = {
			{ LAB_CACHE_ARMV7, 64 },		/* Cortex-A7 */
			{ LAB_CACHE_ARM64, 64 },		/* Cortex-A35 of i.MX8ULP */
		},
	}, {
		/* i.MX8MM, MN, MP and i.MX93 fall back to this compatible */
		.name = "imx8mq", .compatible = "fsl,imx8mq-fec", OVERLAY(lab_imx8mq),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .has_accel = true, .has_stamps = true,
		.has_coalesce = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARM64, 64 } },		/* Cortex-A53, A55 */
	}, {
		/* i.MX8QXP and i.MX8DXL fall back to this compatible */
		.name = "imx8qm", .compatible = "fsl,imx8qm-fec", OVERLAY(lab_imx8qm),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .has_jumbo = true, .has_accel = true,
		.has_stamps = true, .has_coalesce = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARM64, 64 } },		/* Cortex-A72, A53 */
	}, {
		.name = "mvf600", .compatible = "fsl,mvf600-fec", OVERLAY(lab_mvf600),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet, .queues = 1,
		.has_xdp = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV7, 32 } },		/* Cortex-A5 */
	}, {
		/* an imx6q whose device tree has no ptp clock: legacy descriptors */
		.name = "noptp", .compatible = "fsl,imx6q-fec", OVERLAY(lab_noptp),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_6q, .queues = 1,
		.has_xdp = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARMV7, 32 } },		/* Cortex-A9 */
	}, {
		.name = "s32v234", .compatible = "fsl,s32v234-fec", OVERLAY(lab_s32v234),
		.ctrl = &lab_fec_ops, .ctrl_data = &enet_avb, .queues = 3,
		.has_xdp = true, .has_accel = true, .has_stamps = true, .max_frame = FRAME,
		.caches = { { LAB_CACHE_ARM64, 64 } },		/* Cortex-A53 */
	},
};

const unsigned int lab_nr_fec_socs = ARRAY_SIZE(lab_fec_socs);
