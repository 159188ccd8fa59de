// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception: the rings of PDMA. MT7621 programming guide, "PDMA": RX_CALC_IDX,
 * RX_DRX_IDX, DDONE; mtk_rx_alloc(), mtk_poll_rx().
 */
#include "mtk.h"
#include "packet.h"

/* First register of a ring, 0: there is no such ring. */
u32 mtk_rx_regs(const struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	if (which == MTK_RX_QDMA)
		return mtk->variant->qdma_rx;
	return which < mtk->variant->rings ? mtk->variant->pdma_rx + which * RX_RING_STRIDE : 0;
}

static u32 reg(const struct lab_mtk *mtk, enum mtk_rx_ring which, u32 off)
{
	return MTK_REG(mtk, mtk_rx_regs(mtk, which) + off);
}

static u32 *rxd(struct lab_mtk *mtk, enum mtk_rx_ring which, u32 idx)
{
	return mtk_desc(mtk, reg(mtk, which, RX_BASE_PTR) + idx * mtk->variant->rxd_size,
			mtk->variant->rxd_size);
}

static bool on(const struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	return MTK_REG(mtk, which == MTK_RX_QDMA ? mtk->variant->qdma_glo :
						   mtk->variant->pdma_glo) & GLO_RX_DMA_EN;
}

static dma_addr_t buffer(const struct lab_mtk *mtk, const u32 *d)
{
	u64 high = mtk->variant->wide ? READ_ONCE(d[1]) & RXD_ADDR64 : 0;

	return d[0] | high << 32;
}

/* How much of its buffer a descriptor lets the engine write. */
static u32 room(const struct lab_mtk *mtk, const u32 *d)
{
	const struct mtk_variant *v = mtk->variant;

	return v->rx_room ?: READ_ONCE(d[1]) >> v->rxd_len_shift & v->rxd_len_mask;
}

static u32 shift(const struct lab_mtk *mtk)
{
	return MTK_REG(mtk, mtk->variant->pdma_glo) & GLO_RX_2B_OFFSET ? 2 : 0;
}

/* RST_IDX: the ring starts anew, with no buffer. */
void mtk_rx_reset(struct lab_mtk *mtk, enum mtk_rx_ring which)
{
	mtk->rx[which] = (struct mtk_ring){};
	MTK_REG(mtk, mtk_rx_regs(mtk, which) + RX_DRX_IDX) = 0;
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
		if (d[1] & RXD_DONE || !room(mtk, d) || !lab_own(&mtk->owned, buffer(mtk, d))) {
			mtk_bad(mtk, buffer(mtk, d), room(mtk, d), DMA_FROM_DEVICE);
			continue;
		}
		lab_dma_hand_over(mtk->ctrl.dma, buffer(mtk, d), room(mtk, d));
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

/* Whether the checksum of TCP or UDP is known to be right; @mtk->seg is used. */
static bool sum_ok(struct lab_mtk *mtk, const u8 *frame, u32 len)
{
	struct lab_packet p;
	u32 at;

	memcpy(mtk->seg, frame, len);
	lab_parse(&p, mtk->seg, len);
	at = p.ip || p.ip6 ? lab_sum_at(&p) : 0;
	return at && lab_proto_ok(&p, at);
}

/* What the descriptor says of the frame, but for word 1. */
static void describe(struct lab_mtk *mtk, u32 *d, unsigned int mac, bool ok)
{
	const struct mtk_variant *v = mtk->variant;

	d[2] = 0;
	switch (v->rxd) {
	case MTK_RXD_1:
		d[3] = RXD_SPORT(v->port[mac]) | RXD_NO_FLOW | (ok ? RXD_SUM_OK : 0);
		break;
	case MTK_RXD_PDMA:
		d[3] = RXD_NO_FLOW | (ok ? RXD_SUM_OK_PDMA : 0);
		break;
	case MTK_RXD_2:
		d[2] = ok ? RXD2_SUM_OK : 0;
		d[3] = 0;
		d[4] = RXD2_SPORT((u32)v->port[mac]) | RXD2_NO_FLOW;
		d[5] = 0;
		break;
	}
}

static int receive(struct lab_mtk *mtk, enum mtk_rx_ring which, unsigned int mac,
		   const u8 *frame, u32 len)
{
	const struct mtk_variant *v = mtk->variant;
	struct mtk_ring *ring = &mtk->rx[which];
	u32 at, keep, *d;
	dma_addr_t addr;

	if (!mtk_rx_regs(mtk, which) || !on(mtk, which) || !mtk_mac_on(mtk, mac, MCR_RX_EN) ||
	    mtk_mac_drops(mtk, mac) || mtk->hung)
		return -ENETDOWN;
	at = reg(mtk, which, RX_DRX_IDX);
	if (!ring->armed || at == reg(mtk, which, RX_CALC_IDX)) {
		mtk_count(mtk, mac, MTK_MIB_RX_OVERFLOW, 1);
		return -ENOBUFS;
	}
	d = rxd(mtk, which, at);
	if (!d)
		return -EFAULT;
	if (shift(mtk) + len > room(mtk, d)) {
		mtk_count(mtk, mac, MTK_MIB_RX_LONG, 1);
		return -EMSGSIZE;
	}
	addr = buffer(mtk, d);
	keep = v->wide ? d[1] & RXD_ADDR64 : 0;
	lab_dma_write(mtk->ctrl.dma, addr + shift(mtk), frame, len);
	lab_ctrl_pause(&mtk->ctrl);	/* data first, status late */
	/* stopped meanwhile: the descriptor stays as it is */
	if (!ring->armed)
		return -ENETDOWN;
	/* another buffer than the one that was armed */
	if (!lab_disown(&mtk->owned, addr))
		mtk_bad(mtk, addr, len, DMA_FROM_DEVICE);
	ring->armed--;
	describe(mtk, d, mac, sum_ok(mtk, frame, len));
	dma_wmb();
	WRITE_ONCE(d[1], RXD_DONE | RXD_LAST | len << v->rxd_len_shift | keep);
	MTK_REG(mtk, mtk_rx_regs(mtk, which) + RX_DRX_IDX) = (at + 1) % reg(mtk, which, RX_MAX_CNT);
	mtk_time_event(mtk, false);
	mtk_count(mtk, mac, MTK_MIB_RX_PACKETS, 1);
	mtk_count(mtk, mac, MTK_MIB_RX_BYTES, len);
	return 0;
}

/**
 * mtk_rx_deliver() - a frame arrives at the first MAC
 * @ctrl: the engine.
 * @queue: ring: 0, or one of those for LRO.
 * @frame: without FCS.
 * @len: its length.
 *
 * Return: see lab_try_send(); -EMSGSIZE when it does not fit its buffer.
 */
int mtk_rx_deliver(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len)
{
	return receive(to_mtk(ctrl), queue, 0, frame, len);
}

/* The same at any MAC. */
int mtk_rx_receive(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len,
		   const struct lab_rx_flags *with)
{
	if (with->mac >= MTK_MACS)
		return -EINVAL;
	return receive(to_mtk(ctrl), queue, with->mac, frame, len);
}

int mtk_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf)
{
	struct lab_mtk *mtk = to_mtk(ctrl);
	struct mtk_ring *ring = &mtk->rx[queue];
	u32 *d;

	if (!ring->armed || !on(mtk, queue))
		return -ENOENT;
	d = rxd(mtk, queue, reg(mtk, queue, RX_DRX_IDX));
	if (!d)
		return -ENOENT;
	*buf = (struct lab_buffer){
		.addr = buffer(mtk, d), .len = room(mtk, d), .armed = ring->armed,
	};
	return 0;
}

bool mtk_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size)
{
	return lab_owns(&to_mtk(ctrl)->owned, addr, size);
}
