// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the frame engine, and of the blocks beside it, which only store.
 */
#include <linux/array_size.h>

#include "mtk.h"

/* Counters are cleared when they are read: mtk_stats_update_mac() adds them up. */
static bool is_counter(const struct lab_mtk *mtk, unsigned int off)
{
	return off >= mtk->variant->mib && off < mtk->variant->mib + MIB_END;
}

static u32 fe_read(void *priv, unsigned int off)
{
	struct lab_mtk *mtk = priv;
	u32 val = MTK_REG(mtk, off);

	if (is_counter(mtk, off))
		MTK_REG(mtk, off) = 0;
	/* nobody answers on MDIO */
	return off == PHY_IAC ? 0xffff : val;
}

/* The DMA stops at once: it is never busy. */
static void write_glo(struct lab_mtk *mtk, unsigned int off, u32 val)
{
	MTK_REG(mtk, off) = val & ~(GLO_TX_DMA_BUSY | GLO_RX_DMA_BUSY);
	if (val & GLO_RX_DMA_EN)
		mtk_rx_arm(mtk, off == mtk->variant->pdma_glo ? MTK_RX_PDMA : MTK_RX_QDMA);
	else if (!((MTK_REG(mtk, mtk->variant->pdma_glo) |
		    MTK_REG(mtk, mtk->variant->qdma_glo)) & GLO_RX_DMA_EN))
		mtk_rx_stop(mtk);
}

static void fe_write(void *priv, unsigned int off, u32 val)
{
	struct lab_mtk *mtk = priv;
	const struct mtk_variant *v = mtk->variant;

	if (off == v->rx_status || off == v->tx_status) {
		MTK_REG(mtk, off) &= ~val;
		return;
	}
	if (off == v->pdma_glo || off == v->qdma_glo) {
		write_glo(mtk, off, val);
		return;
	}
	/* read only */
	if (off == v->pdma_rx + RX_DRX_IDX || off == v->qdma_rx + RX_DRX_IDX)
		return;
	MTK_REG(mtk, off) = val;
	if (off == v->pdma_rst && val & RST_DRX_IDX(0))
		mtk_rx_reset(mtk, MTK_RX_PDMA);
	else if (off == v->qdma_rst && val & RST_DRX_IDX(0))
		mtk_rx_reset(mtk, MTK_RX_QDMA);
	else if (off == v->pdma_rx + RX_CALC_IDX)
		mtk_rx_arm(mtk, MTK_RX_PDMA);
	else if (off == v->qdma_rx + RX_CALC_IDX)
		mtk_rx_arm(mtk, MTK_RX_QDMA);
}

static const struct lab_mmio_ops fe_ops = {
	.read = fe_read,
	.write = fe_write,
};

static u32 sys_read(void *priv, unsigned int off)
{
	u32 *reg = priv;

	return off < MTK_SYS_SIZE ? reg[off / 4] : 0;
}

static void sys_write(void *priv, unsigned int off, u32 val)
{
	u32 *reg = priv;

	if (off < MTK_SYS_SIZE)
		reg[off / 4] = val;
}

static const struct lab_mmio_ops sys_ops = {
	.read = sys_read,
	.write = sys_write,
};

/* The engine is in the first window, the blocks beside it in the others. */
void mtk_regs_claim(struct lab_mtk *mtk)
{
	unsigned int i;

	mtk->ctrl.mmio = lab_mmio_claim(0, &fe_ops, mtk);
	for (i = 0; i < ARRAY_SIZE(mtk->sys); i++)
		lab_mmio_claim(1 + i, &sys_ops, mtk->sys[i]);
}
