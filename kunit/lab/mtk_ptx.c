// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmission of MT7628 and RT5350: PDMA. A ring of descriptors with two buffers
 * each; the CPU moves CTX_IDX, the engine DTX_IDX. MT7628 programming guide,
 * "TX descriptor"; setup_tx_buf(), mtk_poll_tx_pdma().
 */
#include "mtk.h"

static u32 reg(const struct lab_mtk *mtk, u32 off)
{
	return MTK_REG(mtk, mtk->variant->tx + off);
}

static u32 *txd(struct lab_mtk *mtk, u32 idx)
{
	return mtk_desc(mtk, reg(mtk, PTX_BASE_PTR) + idx * mtk->variant->txd_size,
			mtk->variant->txd_size);
}

static bool append(struct lab_mtk *mtk, u32 addr, u32 n, u32 *len)
{
	if (!n || *len + n > sizeof(mtk->buf)) {
		mtk_bad(mtk, addr, n, DMA_TO_DEVICE);
		return false;
	}
	lab_dma_read(mtk->ctrl.dma, addr, mtk->buf + *len, n);
	*len += n;
	return true;
}

/* Read the frame that starts at @idx; its length, 0 when it is not there as a whole. */
static u32 fetch(struct lab_mtk *mtk, u32 *idx)
{
	const struct mtk_variant *v = mtk->variant;
	u32 size = reg(mtk, PTX_MAX_CNT), len = 0, *d;

	while (*idx != reg(mtk, PTX_CTX_IDX)) {
		d = txd(mtk, *idx);
		if (!d)
			return 0;
		if (d[1] & PTXD_DONE) {
			mtk_bad(mtk, d[0], len, DMA_TO_DEVICE);
			return 0;
		}
		if (!append(mtk, d[0], d[1] >> 16 & v->txd_len_mask, &len))
			return 0;
		*idx = (*idx + 1) % size;
		if (d[1] & PTXD_LAST0)
			return len;
		if (!append(mtk, d[2], d[1] & v->txd_len_mask, &len))
			return 0;
		if (d[1] & PTXD_LAST1)
			return len;
	}
	if (len)
		mtk_bad(mtk, *idx, len, DMA_TO_DEVICE);
	return 0;
}

/* Send all that is ready. */
bool mtk_ptx_run(struct lab_mtk *mtk)
{
	const struct mtk_variant *v = mtk->variant;
	u32 at, next, len, size, *d, none[8] = {};
	bool did = false;

	if (!(MTK_REG(mtk, v->pdma_glo) & GLO_TX_DMA_EN) || !reg(mtk, PTX_MAX_CNT))
		return false;
	for (;;) {
		next = reg(mtk, PTX_DTX_IDX);
		len = fetch(mtk, &next);
		if (!len)
			return did;
		size = reg(mtk, PTX_MAX_CNT);
		for (at = reg(mtk, PTX_DTX_IDX); at != next; at = (at + 1) % size) {
			d = txd(mtk, at);
			WRITE_ONCE(d[1], d[1] | PTXD_DONE);
		}
		MTK_REG(mtk, v->tx + PTX_DTX_IDX) = next;
		mtk_send(mtk, len, none);
		mtk_time_event(mtk, true);
		did = true;
	}
}
