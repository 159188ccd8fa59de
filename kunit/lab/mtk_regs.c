// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the frame engine, and of the blocks beside it, which only store.
 */
#include "mtk.h"

/* Counters are cleared when they are read: mtk_stats_update_mac() adds them up. */
static bool is_counter(const struct lab_mtk *mtk, unsigned int off)
{
	const struct mtk_variant *v = mtk->variant;

	return off >= v->mib && off < v->mib + MTK_MACS * v->mib_size;
}

static u32 fe_read(void *priv, unsigned int off)
{
	struct lab_mtk *mtk = priv;
	u32 val = MTK_REG(mtk, off);

	if (is_counter(mtk, off))
		MTK_REG(mtk, off) = 0;
	/* a frame waits for PDMA, PDMA is busy and has no descriptor */
	if (mtk->hung && off == mtk->variant->oq_sta)
		return val | OQ_BUSY;
	if (mtk->hung && off == FE_CDM1_FSM)
		return val | CDM1_BUSY;
	/* nobody answers on MDIO */
	return off == PHY_IAC ? 0xffff : val;
}

static void arm_all(struct lab_mtk *mtk, enum mtk_rx_ring first, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (MTK_REG(mtk, mtk_rx_regs(mtk, first + i) + RX_MAX_CNT))
			mtk_rx_arm(mtk, first + i);
}

/* The DMA stops at once: it is never busy. */
static void write_glo(struct lab_mtk *mtk, unsigned int off, u32 val)
{
	const struct mtk_variant *v = mtk->variant;

	MTK_REG(mtk, off) = val & ~(GLO_TX_DMA_BUSY | GLO_RX_DMA_BUSY);
	if (!(val & GLO_RX_DMA_EN)) {
		if (!((MTK_REG(mtk, v->pdma_glo) |
		       (v->qdma_glo ? MTK_REG(mtk, v->qdma_glo) : 0)) & GLO_RX_DMA_EN)) {
			mtk_rx_stop(mtk);
			mtk_time_forget(mtk);
		}
	} else if (off == v->pdma_glo) {
		arm_all(mtk, MTK_RX_PDMA, v->rings);
	} else {
		arm_all(mtk, MTK_RX_QDMA, 1);
	}
}

/* Whether it is a register of a receive ring, and of which. */
static bool write_ring(struct lab_mtk *mtk, unsigned int off, u32 val)
{
	const struct mtk_variant *v = mtk->variant;
	unsigned int which;

	for (which = 0; which < MTK_RX_RINGS; which++) {
		u32 first = mtk_rx_regs(mtk, which);

		if (!first || off < first || off >= first + RX_RING_STRIDE)
			continue;
		/* read only */
		if (off == first + RX_DRX_IDX)
			return true;
		MTK_REG(mtk, off) = val;
		if (off == first + RX_CALC_IDX)
			mtk_rx_arm(mtk, which);
		return true;
	}
	if (off == v->pdma_rst) {
		for (which = 0; which < v->rings; which++)
			if (val & RST_DRX_IDX(which))
				mtk_rx_reset(mtk, which);
		if (val & RST_DTX_IDX && v->txd == MTK_TXD_PDMA)
			MTK_REG(mtk, v->tx + PTX_DTX_IDX) = 0;
		return true;
	}
	if (v->qdma_rst && off == v->qdma_rst) {
		if (val & RST_DRX_IDX(0))
			mtk_rx_reset(mtk, MTK_RX_QDMA);
		return true;
	}
	return false;
}

static void fe_write(void *priv, unsigned int off, u32 val)
{
	struct lab_mtk *mtk = priv;
	const struct mtk_variant *v = mtk->variant;

	if (off == v->rx_status || off == v->tx_status) {
		MTK_REG(mtk, off) &= ~val;
		return;
	}
	if (off == v->pdma_glo || (v->qdma_glo && off == v->qdma_glo)) {
		write_glo(mtk, off, val);
		return;
	}
	if (write_ring(mtk, off, val))
		return;
	/* read only */
	if (v->txd == MTK_TXD_PDMA && off == v->tx + PTX_DTX_IDX)
		return;
	MTK_REG(mtk, off) = val;
}

static const struct lab_mmio_ops fe_ops = {
	.read = fe_read,
	.write = fe_write,
};

static u32 sys_read(void *priv, unsigned int off)
{
	struct lab_mtk *mtk = priv;

	return off < sizeof(mtk->sys) ? mtk->sys[off / 4] : 0;
}

static void sys_write(void *priv, unsigned int off, u32 val)
{
	struct lab_mtk *mtk = priv;

	if (off >= sizeof(mtk->sys))
		return;
	mtk->sys[off / 4] = val;
	if (off == SYS_RSTCTRL && val & RSTCTRL_FE)
		mtk_reset(mtk);
}

static const struct lab_mmio_ops sys_ops = {
	.read = sys_read,
	.write = sys_write,
};

/* The engine is in the first window, the blocks beside it in the second. */
void mtk_regs_claim(struct lab_mtk *mtk)
{
	mtk->ctrl.mmio = lab_mmio_claim(0, &fe_ops, mtk);
	lab_mmio_claim(1, &sys_ops, mtk);
}
