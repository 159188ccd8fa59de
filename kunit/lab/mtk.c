// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of the frame engine: its one instance and what the lab calls.
 *
 * Not modelled: the packet engine (PPE), WED, the switch behind the first MAC
 * and its tags, the aggregation of LRO (its rings are there), the rates of QDMA.
 */
#include "mtk.h"

static struct lab_mtk the_mtk = { .owned.at = XARRAY_INIT(the_mtk.owned.at, XA_FLAGS_LOCK_IRQ) };

/* NET_IP_ALIGN of the driver's architecture, see HOOKS in scripts/poolstack/trees.py */
unsigned int lab_net_ip_align;

/* A descriptor that the engine cannot work with. */
void mtk_bad(struct lab_mtk *mtk, dma_addr_t addr, u32 len, enum dma_data_direction dir)
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
	lab_net_ip_align = mtk->variant->ip_align;
	mtk_regs_claim(mtk);
	WARN_ON(mtk_sram_init());
	return &mtk->ctrl;
}

/**
 * mtk_reset() - the engine is reset: it stops, whatever it is about
 * @mtk: the engine.
 *
 * RSTCTRL of ethsys, or the reset line of MT7628. No descriptor is touched.
 */
void mtk_reset(struct lab_mtk *mtk)
{
	const struct mtk_variant *v = mtk->variant;
	u32 i;

	lab_owned_forget(&mtk->owned);
	memset(mtk->rx, 0, sizeof(mtk->rx));
	mtk_time_forget(mtk);
	/* counters are the MACs' */
	for (i = 0; i < sizeof(mtk->reg); i += 4)
		if (i < v->mib || i >= v->mib + MTK_MACS * v->mib_size)
			MTK_REG(mtk, i) = 0;
	mtk->hung = false;
}

/*
 * The engine stands still, and its state machines say so; what arrives overruns its
 * FIFO. Of MT7628's the driver has no sign, so it would never come back.
 */
static void hang(struct lab_ctrl *ctrl)
{
	struct lab_mtk *mtk = to_mtk(ctrl);

	if (!mtk->variant->oq_sta)
		return;
	mtk->hung = true;
	MTK_REG(mtk, FE_INT_STATUS2) |= FE_INT_RFIFO_OV;
}

static bool hangs(struct lab_ctrl *ctrl)
{
	return to_mtk(ctrl)->hung;
}

/**
 * mtk_mac_on() - whether a MAC passes frames
 * @mtk: the engine.
 * @mac: which.
 * @bit: MCR_RX_EN or MCR_TX_EN.
 *
 * Return: as its registers say; true for the port of a switch, which has none:
 * of an engine without MACs, and the first of MT7988 in the mode of 10G, where
 * mtk_xgdm_mac_link_up() and mtk_mac_link_down() have nothing to write.
 */
bool mtk_mac_on(const struct lab_mtk *mtk, unsigned int mac, u32 bit)
{
	const struct mtk_variant *v = mtk->variant;

	if (v->rxd == MTK_RXD_PDMA)
		return true;
	if (v->rxd == MTK_RXD_2 && MTK_REG(mtk, EG_CTRL(mac)) & EG_XGDM)
		return !mac || !(MTK_REG(mtk, XMAC_MCR(mac)) & XMAC_OFF);
	return MTK_REG(mtk, MAC_MCR(mac)) & bit;
}

/**
 * mtk_mac_drops() - whether the engine drops what a MAC receives
 * @mtk: the engine.
 * @mac: which.
 *
 * Beside mtk_mac_on(): the port to which its frames go, which mtk_gdm_config()
 * chooses. Only what drops all is modelled, the others all lead to PDMA.
 *
 * Return: whether it does; false where MACs have no such choice.
 */
bool mtk_mac_drops(const struct lab_mtk *mtk, unsigned int mac)
{
	return mtk->variant->rxd != MTK_RXD_PDMA &&
	       (MTK_REG(mtk, FWD_CFG(mac)) & FWD_PORTS) == FWD_DROP_ALL;
}

static void reset(struct lab_ctrl *ctrl)
{
	mtk_reset(to_mtk(ctrl));
}

/* Add to a counter of a MAC, if there is one. */
void mtk_count(struct lab_mtk *mtk, unsigned int mac, enum mtk_mib which, u32 n)
{
	const struct mtk_variant *v = mtk->variant;

	if (v->mib_at[which] != MTK_NO_MIB)
		MTK_REG(mtk, v->mib + mac * v->mib_size + v->mib_at[which]) += n;
}

static u32 irq_lines(struct lab_ctrl *ctrl)
{
	struct lab_mtk *mtk = to_mtk(ctrl);
	const struct mtk_variant *v = mtk->variant;
	u32 lines = 0;

	if (MTK_REG(mtk, v->tx_status) & MTK_REG(mtk, v->tx_mask))
		lines |= BIT(MTK_IRQ_TX);
	if (MTK_REG(mtk, v->rx_status) & MTK_REG(mtk, v->rx_mask))
		lines |= v->shared_irq ? BIT(MTK_IRQ_TX) : BIT(MTK_IRQ_RX);
	return lines;
}

static const char * const xdp_ends[] = {
	"rx_xdp_redirect",
	"rx_xdp_drop",
	"rx_xdp_tx",
	"rx_xdp_tx_errors",
	NULL
};

const struct lab_ctrl_ops lab_mtk_ops = {
	.name = "mtk",
	.power_on = power_on,
	.reset = reset,
	.deliver = mtk_rx_deliver,
	.receive = mtk_rx_receive,
	.time_hold = mtk_time_hold,
	.time_pass = mtk_time_pass,
	.transmit = mtk_tx_run,
	.irq_lines = irq_lines,
	.next_buffer = mtk_rx_next_buffer,
	.holds = mtk_rx_holds,
	.hang = hang,
	.hangs = hangs,
	.xdp_ends = xdp_ends,
	.keeps_counters = true,
	.reopens = true,
	.mtu_live = true,
};
