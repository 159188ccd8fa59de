// SPDX-License-Identifier: GPL-2.0-only
/*
 * SoCs with MediaTek's frame engine: one row each, and one overlay beside.
 *
 * Sources: mt7986_reg_map and mt7986_data in mtk_eth_soc.c for where its
 * registers are and how its descriptors look; MT7986 data sheet for the CPU.
 */
#include <linux/kernel.h>
#include <linux/kconfig.h>
#include <kunit/of.h>

#include "../lab/mtk.h"
#include "socs.h"

/* NETSYS v2: PDMA with 16 bytes per descriptor, QDMA with 32. */
static const struct mtk_variant netsys_v2 = {
	.pdma_rx = 0x4100, .pdma_glo = 0x4204, .pdma_rst = 0x4208,
	.rx_status = 0x4220, .rx_mask = 0x4228, .rx_done = BIT(30),
	.qdma_rx = 0x4500, .qdma_glo = 0x4604, .qdma_rst = 0x4608, .qdma_tx = 0x4700,
	.tx_status = 0x4618, .tx_mask = 0x461c, .tx_done = BIT(28),
	.mib = 0x1c00,
	.rxd_size = 16, .rxd_len_shift = 16, .rxd_len_mask = 0x3fff,
	.txd_size = 32, .txd_len_shift = 8, .txd_len_mask = 0xffff,
};

OF_OVERLAY_DECLARE(lab_mt7986);

const struct lab_soc lab_mtk_socs[] = {
	{
		.name = "mt7986", .compatible = "mediatek,mt7986-eth", OVERLAY(lab_mt7986),
		.ctrl = &lab_mtk_ops, .ctrl_data = &netsys_v2, .queues = 1,
		.has_xdp = true, .max_frame = 1518,
		.caches = { { LAB_CACHE_ARM64, 64 } },		/* Cortex-A53 */
	},
};

const unsigned int lab_nr_mtk_socs = ARRAY_SIZE(lab_mtk_socs);
