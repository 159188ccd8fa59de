// SPDX-License-Identifier: GPL-2.0-only
/*
 * SoCs with MediaTek's frame engine: one row each, and one overlay beside.
 *
 * Sources: the register maps and mtk_soc_data of mtk_eth_soc.c for where its
 * registers are and how its descriptors look, MTK_PDMA_... and MT7628_... of its
 * header; the SoCs' device trees and data sheets for CPUs.
 */
#include <linux/kernel.h>
#include <linux/kconfig.h>
#include <kunit/of.h>

#include "../lab/mtk.h"
#include "socs.h"

#define NO	MTK_NO_MIB

/* mtk_reg_map: 16 bytes per descriptor on both sides. */
#define NETSYS_V1									\
	.pdma_rx = 0x0900, .pdma_glo = 0x0a04, .pdma_rst = 0x0a08,			\
	.rx_delay = 0x0a0c, .rx_status = 0x0a20, .rx_mask = 0x0a28, .rx_done = BIT(30),	\
	.qdma_rx = 0x1900, .qdma_glo = 0x1a04, .qdma_rst = 0x1a08,			\
	.tx = 0x1b00, .tx_delay = 0x1a0c, .tx_status = 0x1a18, .tx_mask = 0x1a1c,	\
	.tx_done = BIT(28),								\
	.mib = 0x2400, .mib_size = 0x40, .mib_at = { 0x00, 0x08, 0x10, 0x1c, 0x30, 0x38 }, \
	.rxd = MTK_RXD_1, .rxd_size = 16, .rxd_len_shift = 16, .rxd_len_mask = 0x3fff,	\
	.txd = MTK_TXD_1, .txd_size = 16, .txd_len_shift = 16, .txd_len_mask = 0x3fff,	\
	.oq_sta = 0x0118, .adma_dbg = 0x0a38, .port = { 1, 2 }

/* ARM and MIPS want IP headers aligned, arm64 does not. */
static const struct mtk_variant mt2701 = { NETSYS_V1, .rings = 4, .ip_align = 2 };
static const struct mtk_variant mt7621 = {
	NETSYS_V1, .rings = 1, .shared_irq = true, .ip_align = 2,
};
static const struct mtk_variant mt7622 = { NETSYS_V1, .rings = 4 };

/* mt7628_reg_map: PDMA alone, and a switch instead of MACs. */
static const struct mtk_variant mt7628 = {
	.pdma_rx = 0x0900, .pdma_glo = 0x0a04, .pdma_rst = 0x0a08,
	.rx_delay = 0x0a0c, .rx_status = 0x0a20, .rx_mask = 0x0a28, .rx_done = BIT(30),
	.tx = 0x0800, .tx_delay = 0x0a0c, .tx_status = 0x0a20, .tx_mask = 0x0a28,
	.tx_done = BIT(28),
	.mib = 0x0d00, .mib_size = 0x14, .mib_at = { 0x0c, 0x08, NO, NO, 0x04, 0x00 },
	.rxd = MTK_RXD_PDMA, .rxd_size = 16, .rxd_len_shift = 16, .rxd_len_mask = 0x3fff,
	.rx_room = 2048,
	.txd = MTK_TXD_PDMA, .txd_size = 16, .txd_len_mask = 0x3fff,
	.port = { 1 }, .rings = 1, .shared_irq = true, .ip_align = 2,
};

/* mt7986_reg_map: QDMA with 32 bytes per descriptor. */
static const struct mtk_variant netsys_v2 = {
	.pdma_rx = 0x4100, .pdma_glo = 0x4204, .pdma_rst = 0x4208,
	.rx_delay = 0x420c, .rx_status = 0x4220, .rx_mask = 0x4228, .rx_done = BIT(30),
	.qdma_rx = 0x4500, .qdma_glo = 0x4604, .qdma_rst = 0x4608,
	.tx = 0x4700, .tx_delay = 0x460c, .tx_status = 0x4618, .tx_mask = 0x461c,
	.tx_done = BIT(28),
	.mib = 0x1c00, .mib_size = 0x40, .mib_at = { 0x00, 0x08, 0x10, 0x1c, 0x30, 0x38 },
	.rxd = MTK_RXD_1, .rxd_size = 16, .rxd_len_shift = 16, .rxd_len_mask = 0x3fff,
	.txd = MTK_TXD_2, .txd_size = 32, .txd_len_shift = 8, .txd_len_mask = 0xffff,
	.oq_sta = 0x01a0, .adma_dbg = 0x4238, .port = { 1, 2 }, .rings = 1,
};

/* mt7988_reg_map: PDMA with 32 bytes, too, three MACs, 36 bits of address. */
static const struct mtk_variant netsys_v3 = {
	.pdma_rx = 0x6900, .pdma_glo = 0x6a04, .pdma_rst = 0x6a08,
	.rx_status = 0x6a20, .rx_mask = 0x6a28, .rx_done = BIT(14),
	.qdma_rx = 0x4500, .qdma_glo = 0x4604, .qdma_rst = 0x4608,
	.tx = 0x4700, .tx_delay = 0x460c, .tx_status = 0x4618, .tx_mask = 0x461c,
	.tx_done = BIT(28),
	.mib = 0x1c00, .mib_size = 0x80, .mib_at = { 0x00, 0x08, 0x10, 0x1c, 0x40, 0x48 },
	.rxd = MTK_RXD_2, .rxd_size = 32, .rxd_len_shift = 8, .rxd_len_mask = 0xffff,
	.txd = MTK_TXD_2, .txd_size = 32, .txd_len_shift = 8, .txd_len_mask = 0xffff,
	.oq_sta = 0x01a0, .adma_dbg = 0x6a38, .port = { 1, 2, 15 }, .wide = true, .rings = 1,
};

OF_OVERLAY_DECLARE(lab_mt2701);
OF_OVERLAY_DECLARE(lab_mt7621);
OF_OVERLAY_DECLARE(lab_mt7622);
OF_OVERLAY_DECLARE(lab_mt7623);
OF_OVERLAY_DECLARE(lab_mt7629);
OF_OVERLAY_DECLARE(lab_mt7981);
OF_OVERLAY_DECLARE(lab_mt7986);
OF_OVERLAY_DECLARE(lab_mt7988);
OF_OVERLAY_DECLARE(lab_rt5350);

#define ROW(soc, of, data, lines, ...)						\
	{									\
		.name = #soc, .compatible = of, OVERLAY(lab_##soc),		\
		.ctrl = &lab_mtk_ops, .ctrl_data = &(data), .queues = 1, .ring = 2048,	\
		.max_frame = 1518, .caches = { lines }, __VA_ARGS__		\
	}

/* of PDMA and of QDMA */
#define POOLS		.has_xdp = true, .pools = 2, .refill = "page_pool_alloc_pages"
#define LRO		.lro_frame = 12000
/* where the interrupt of reception is the delayed one */
#define DELAY		.has_coalesce = true
#define NO_POOL		.no_pool = true, .refill = "napi_alloc_frag"

#define CORTEX_A7	{ LAB_CACHE_ARMV7, 64 }
#define CORTEX_A53	{ LAB_CACHE_ARM64, 64 }		/* and A73 */
#define MIPS		{ LAB_CACHE_MIPS, 32 }		/* 24KEc, 1004Kc */

const struct lab_soc lab_mtk_socs[] = {
	ROW(mt2701, "mediatek,mt2701-eth", mt2701, CORTEX_A7,
	    NO_POOL, DELAY, .macs = 2, LRO),
	ROW(mt7621, "mediatek,mt7621-eth", mt7621, MIPS,
	    NO_POOL, DELAY, .macs = 2),
	ROW(mt7622, "mediatek,mt7622-eth", mt7622, CORTEX_A53,
	    NO_POOL, DELAY, .macs = 2, LRO),
	ROW(mt7623, "mediatek,mt7623-eth", mt2701, CORTEX_A7,
	    NO_POOL, DELAY, .macs = 2, LRO),
	ROW(mt7629, "mediatek,mt7629-eth", mt2701, CORTEX_A7,
	    NO_POOL, DELAY, .macs = 2, LRO),
	ROW(mt7981, "mediatek,mt7981-eth", netsys_v2, CORTEX_A53,
	    POOLS, DELAY, .macs = 2),
	ROW(mt7986, "mediatek,mt7986-eth", netsys_v2, CORTEX_A53,
	    POOLS, DELAY, .macs = 2),
	ROW(mt7988, "mediatek,mt7988-eth", netsys_v3, CORTEX_A53,
	    POOLS, .macs = 3),
	ROW(rt5350, "ralink,rt5350-eth", mt7628, MIPS,
	    NO_POOL, DELAY),
};

const unsigned int lab_nr_mtk_socs = ARRAY_SIZE(lab_mtk_socs);
