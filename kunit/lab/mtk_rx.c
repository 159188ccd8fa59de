// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception: PDMA ring 0. MT7621 programming guide, "PDMA": RX_CALC_IDX,
 * RX_DRX_IDX, DDONE; mtk_rx_alloc(), mtk_poll_rx().
 */
#include "mtk.h"

static u32 base_of(const struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	return which == MTK_RX_PDMA ? mtk->variant->pdma_rx : mtk->variant->qdma_rx;
}

static u32 reg(const struct lab_mtk *mtk, enum mtk_rx_ring which, u32 off)
{
	return MTK_REG(mtk, base_of(mtk, which) + off);
}

static u32 *rxd(struct lab_mtk *mtk, enum mtk_rx_ring which, u32 idx)
{
	return mtk_desc(mtk, reg(mtk, which, RX_BASE_PTR) + idx * mtk->variant->rxd_size,
			mtk->variant->rxd_size);
}

static bool on(const struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	return MTK_REG(mtk, which == MTK_RX_PDMA ? mtk->variant->pdma_glo :
						   mtk->variant->qdma_glo) & GLO_RX_DMA_EN;
}

/* How much of its buffer a descriptor lets the engine write. */
static u32 room(const struct lab_mtk *mtk, const u32 *d)
{
	return READ_ONCE(d[1]) >> mtk->variant->rxd_len_shift & mtk->variant->rxd_len_mask;
}

static u32 shift(const struct lab_mtk *mtk)
{
	return MTK_REG(mtk, mtk->variant->pdma_glo) & GLO_RX_2B_OFFSET ? 2 : 0;
}

/* RST_IDX: the ring starts anew, with no buffer. */
void mtk_rx_reset(struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	mtk->rx[which] = (struct mtk_ring){};
	MTK_REG(mtk, base_of(mtk, which) + RX_DRX_IDX) = 0;
}

/**
 * mtk_rx_arm() - the driver has moved RX_CALC_IDX, or switched the DMA on
 * @mtk: the engine.
 * @which: ring.
 *
 * While the DMA is on, the buffers of all descriptors before RX_CALC_IDX are the
 * engine's. The one that it names is not: full and empty could not be told
 * apart.
 */
void mtk_rx_arm(struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	u32 end = reg(mtk, which, RX_CALC_IDX), size = reg(mtk, which, RX_MAX_CNT);
	struct mtk_ring *ring = &mtk->rx[which];
	u32 *d;

	if (!on(mtk, which))
		return;
	if (!size || end >= size) {
		mtk_bad(mtk, end, size, DMA_FROM_DEVICE);
		return;
	}
	for (; ring->arm != end; ring->arm = (ring->arm + 1) % size) {
		d = rxd(mtk, which, ring->arm);
		if (!d)
			return;
		/* still done, without room, or armed in another place as well */
		if (d[1] & RXD_DONE || !room(mtk, d) || !lab_own(&mtk->owned, d[0])) {
			mtk_bad(mtk, d[0], room(mtk, d), DMA_FROM_DEVICE);
			continue;
		}
		lab_dma_hand_over(mtk->ctrl.dma, d[0], room(mtk, d));
		ring->armed++;
	}
}

/* Neither DMA receives: no buffer is the engine's any more. */
void mtk_rx_stop(struct lab_mtk *mtk)
{
	unsigned int i;

	lab_owned_forget(&mtk->owned);
	for (i = 0; i < MTK_RX_RINGS; i++)
		mtk->rx[i].armed = 0;
}

static void count(struct lab_mtk *mtk, u32 off, u32 n)
{
	MTK_REG(mtk, mtk->variant->mib + off) += n;
}

/**
 * mtk_rx_deliver() - a frame arrives at the first MAC
 * @ctrl: the engine.
 * @queue: ring, 0.
 * @frame: without FCS.
 * @len: its length.
 *
 * Return: see lab_try_send(); -EMSGSIZE when it does not fit its buffer.
 */
int mtk_rx_deliver(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len)
{
	struct lab_mtk *mtk = to_mtk(ctrl);
	const struct mtk_variant *v = mtk->variant;
	struct mtk_ring *ring = &mtk->rx[MTK_RX_PDMA];
	u32 at = reg(mtk, MTK_RX_PDMA, RX_DRX_IDX);
	u32 addr, *d;

	if (!on(mtk, MTK_RX_PDMA))
		return -ENETDOWN;
	if (!ring->armed || at == reg(mtk, MTK_RX_PDMA, RX_CALC_IDX)) {
		count(mtk, MIB_RX_OVERFLOW, 1);
		return -ENOBUFS;
	}
	d = rxd(mtk, MTK_RX_PDMA, at);
	if (!d)
		return -EFAULT;
	if (shift(mtk) + len > room(mtk, d)) {
		count(mtk, MIB_RX_LONG, 1);
		return -EMSGSIZE;
	}
	addr = d[0];
	lab_dma_write(ctrl->dma, addr + shift(mtk), frame, len);
	lab_ctrl_pause(ctrl);		/* data first, status late */
	/* stopped meanwhile: the descriptor stays as it is */
	if (!ring->armed)
		return -ENETDOWN;
	/* another buffer than the one that was armed */
	if (!lab_disown(&mtk->owned, addr))
		mtk_bad(mtk, addr, len, DMA_FROM_DEVICE);
	ring->armed--;
	d[2] = 0;
	d[3] = RXD_SPORT(PORT_GDM1) | RXD_NO_FLOW;
	dma_wmb();
	WRITE_ONCE(d[1], RXD_DONE | RXD_LAST | len << v->rxd_len_shift);
	MTK_REG(mtk, v->pdma_rx + RX_DRX_IDX) = (at + 1) % reg(mtk, MTK_RX_PDMA, RX_MAX_CNT);
	MTK_REG(mtk, v->rx_status) |= v->rx_done;
	count(mtk, MIB_RX_PACKETS, 1);
	count(mtk, MIB_RX_BYTES, len);
	return 0;
}

int mtk_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf)
{
	struct lab_mtk *mtk = to_mtk(ctrl);
	struct mtk_ring *ring = &mtk->rx[MTK_RX_PDMA];
	u32 *d;

	if (!ring->armed || !on(mtk, MTK_RX_PDMA))
		return -ENOENT;
	d = rxd(mtk, MTK_RX_PDMA, reg(mtk, MTK_RX_PDMA, RX_DRX_IDX));
	if (!d)
		return -ENOENT;
	*buf = (struct lab_buffer){ .addr = d[0], .len = room(mtk, d), .armed = ring->armed };
	return 0;
}

bool mtk_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size)
{
	return lab_owns(&to_mtk(ctrl)->owned, addr, size);
}
