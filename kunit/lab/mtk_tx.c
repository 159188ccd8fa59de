// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmission: QDMA. Its descriptors are a linked list; the CPU moves CTX_PTR
 * to the first one that is not ready, the engine DRX_PTR to the last one that it
 * has sent: mtk_tx_map(), mtk_poll_tx_qdma().
 */
#include "mtk.h"

static u32 *txd(struct lab_mtk *mtk, u32 at)
{
	return mtk_desc(mtk, at, mtk->variant->txd_size);
}

static u32 len_of(const struct lab_mtk *mtk, const u32 *d)
{
	return d[2] >> mtk->variant->txd_len_shift & mtk->variant->txd_len_mask;
}

static dma_addr_t buffer(const struct lab_mtk *mtk, const u32 *d)
{
	u64 high = mtk->variant->wide ? d[2] & TXD_ADDR64 : 0;

	return d[0] | high << 32;
}

/* Without memory for its own order of descriptors, the free queue, QDMA stands still. */
static bool has_free_queue(const struct lab_mtk *mtk)
{
	u32 tx = mtk->variant->tx;

	return MTK_REG(mtk, tx + TX_FQ_HEAD) && MTK_REG(mtk, tx + TX_FQ_TAIL) &&
	       MTK_REG(mtk, tx + TX_FQ_COUNT);
}

/* Read the frame that starts at @at; 0 when it is not there as a whole. */
static u32 fetch(struct lab_mtk *mtk, u32 at, u32 end, u32 *len)
{
	u32 n, *d;

	*len = 0;
	while (at != end) {
		d = txd(mtk, at);
		if (!d)
			return 0;
		n = len_of(mtk, d);
		if (d[2] & TXD_OWNER_CPU || !n || *len + n > sizeof(mtk->buf)) {
			mtk_bad(mtk, at, n, DMA_TO_DEVICE);
			return 0;
		}
		lab_dma_read(mtk->ctrl.dma, buffer(mtk, d), mtk->buf + *len, n);
		*len += n;
		at = d[1];
		if (d[2] & TXD_LAST)
			return at;
	}
	/* a frame whose last descriptor never came */
	if (*len)
		mtk_bad(mtk, at, *len, DMA_TO_DEVICE);
	return 0;
}

/* The frame from DTX_PTR up to @next is out: its descriptors are the driver's. */
static void hand_back(struct lab_mtk *mtk, u32 next)
{
	u32 tx = mtk->variant->tx, at, *d;

	for (at = MTK_REG(mtk, tx + TX_DTX_PTR); at != next; at = d[1]) {
		d = txd(mtk, at);
		if (!d)
			return;
		WRITE_ONCE(d[2], d[2] | TXD_OWNER_CPU);
		MTK_REG(mtk, tx + TX_DRX_PTR) = at;
	}
	MTK_REG(mtk, tx + TX_DTX_PTR) = next;
}

static bool run_qdma(struct lab_mtk *mtk)
{
	const struct mtk_variant *v = mtk->variant;
	u32 next, len, first[8], *d;
	bool did = false;

	if (!(MTK_REG(mtk, v->qdma_glo) & GLO_TX_DMA_EN) || !has_free_queue(mtk))
		return false;
	while ((next = fetch(mtk, MTK_REG(mtk, v->tx + TX_DTX_PTR),
			     MTK_REG(mtk, v->tx + TX_CTX_PTR), &len))) {
		d = txd(mtk, MTK_REG(mtk, v->tx + TX_DTX_PTR));
		memcpy(first, d, v->txd_size);
		hand_back(mtk, next);
		mtk_send(mtk, len, first);
		mtk_time_event(mtk, true);
		did = true;
	}
	return did;
}

/* Send all that is ready. */
bool mtk_tx_run(struct lab_ctrl *ctrl)
{
	struct lab_mtk *mtk = to_mtk(ctrl);

	if (mtk->hung)
		return false;
	return mtk->variant->txd == MTK_TXD_PDMA ? mtk_ptx_run(mtk) : run_qdma(mtk);
}
