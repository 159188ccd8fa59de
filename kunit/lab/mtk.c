// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of the frame engine: its one instance and what the lab calls.
 *
 * Not modelled: the packet engine (PPE), WED, HW-LRO, TSO, checksums, VLAN
 * offload, delayed interrupts, resets with descriptors in flight, the second MAC.
 */
#include "mtk.h"

static struct lab_mtk the_mtk = { .owned.at = XARRAY_INIT(the_mtk.owned.at, XA_FLAGS_LOCK_IRQ) };

/* A descriptor that the engine cannot work with. */
void mtk_bad(struct lab_mtk *mtk, u32 addr, u32 len, enum dma_data_direction dir)
{
	lab_dma_violation(mtk->ctrl.dma, LAB_V_DESCRIPTOR, NULL, addr, len, dir);
}

static struct lab_ctrl *power_on(const struct lab_soc *soc, struct lab_dma *dma)
{
	struct lab_mtk *mtk = &the_mtk;

	lab_owned_forget(&mtk->owned);
	memset(mtk, 0, sizeof(*mtk));
	lab_owned_init(&mtk->owned);
	mtk->variant = soc->ctrl_data;
	mtk->ctrl.ops = &lab_mtk_ops;
	mtk->ctrl.soc = soc;
	mtk->ctrl.dma = dma;
	mtk_regs_claim(mtk);
	WARN_ON(mtk_sram_init());
	return &mtk->ctrl;
}

static u32 irq_lines(struct lab_ctrl *ctrl)
{
	struct lab_mtk *mtk = to_mtk(ctrl);
	const struct mtk_variant *v = mtk->variant;
	u32 lines = 0;

	if (MTK_REG(mtk, v->tx_status) & MTK_REG(mtk, v->tx_mask))
		lines |= BIT(MTK_IRQ_TX);
	if (MTK_REG(mtk, v->rx_status) & MTK_REG(mtk, v->rx_mask))
		lines |= BIT(MTK_IRQ_RX);
	return lines;
}

static const char * const xdp_ends[] = {
	"rx_xdp_redirect",
	"rx_xdp_drop",
	"rx_xdp_tx",
	NULL
};

const struct lab_ctrl_ops lab_mtk_ops = {
	.name = "mtk",
	.power_on = power_on,
	.deliver = mtk_rx_deliver,
	.transmit = mtk_tx_run,
	.irq_lines = irq_lines,
	.next_buffer = mtk_rx_next_buffer,
	.holds = mtk_rx_holds,
	.xdp_ends = xdp_ends,
	.keeps_counters = true,
};
