/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model of MediaTek's frame engine from the inside. Not for suites.
 *
 * Sources: MT7621 and MT7628 programming guides (chapters Frame Engine, PDMA),
 * MT7622 and MT7986 reference manuals where they are public; where a register of
 * a newer engine is in none of them, the function of the driver that uses it is
 * named.
 */
#ifndef POOLSTACK_MTK_H
#define POOLSTACK_MTK_H

#include <linux/bits.h>

#include "model.h"

/* ---- registers that every engine has in the same place ------------------- */

#define PHY_IAC			0x10004	/* MDIO: command, data, BIT(31) busy */

/* PDMA_GLO_CFG, QDMA_GLO_CFG */
#define GLO_TX_DMA_EN		BIT(0)
#define GLO_TX_DMA_BUSY		BIT(1)
#define GLO_RX_DMA_EN		BIT(2)
#define GLO_RX_DMA_BUSY		BIT(3)
#define GLO_RX_2B_OFFSET	BIT(31)

/* PDMA_RST_IDX, QDMA_RST_IDX: one bit per receive ring */
#define RST_DRX_IDX(ring)	(BIT(16) << (ring))

/* of a receive ring, from its first register */
#define RX_BASE_PTR		0x00
#define RX_MAX_CNT		0x04
#define RX_CALC_IDX		0x08	/* CPU: filled up to here */
#define RX_DRX_IDX		0x0c	/* DMA: fills this one next */

/* of the transmitter, from its first register: mtk_tx_alloc() */
#define TX_CTX_PTR		0x00	/* CPU: first descriptor that is not ready */
#define TX_DTX_PTR		0x04	/* DMA: sends this one next */
#define TX_CRX_PTR		0x10	/* CPU: last one that was freed */
#define TX_DRX_PTR		0x14	/* DMA: last one that was sent */

/* of the counters of a MAC, from the first: mtk_stats_update_mac() */
#define MIB_RX_BYTES		0x00
#define MIB_RX_PACKETS		0x08
#define MIB_RX_OVERFLOW		0x10
#define MIB_RX_LONG		0x1c
#define MIB_TX_BYTES		0x30
#define MIB_TX_PACKETS		0x38
#define MIB_END			0x40

/* ---- descriptors --------------------------------------------------------- */

/* receive: mtk_rx_get_desc(), mtk_poll_rx() */
#define RXD_DONE		BIT(31)	/* word 2 */
#define RXD_LAST		BIT(30)
#define RXD_SPORT(port)		((port) << 19)	/* word 4 */
#define RXD_NO_FLOW		GENMASK(13, 0)	/* of the packet engine */
#define PORT_GDM1		1

/* transmit: mtk_tx_set_dma_desc_v2(), mtk_poll_tx_qdma() */
#define TXD_OWNER_CPU		BIT(31)	/* word 3 */
#define TXD_LAST		BIT(30)

#define MTK_SYS_BLOCKS		3	/* ethsys and two sgmiisys, windows 1 to 3 */
#define MTK_SYS_SIZE		0x1000

/**
 * struct mtk_variant - an engine: where its registers are, how descriptors look
 * @pdma_rx: first register of the first receive ring of PDMA.
 * @pdma_glo: PDMA_GLO_CFG.
 * @pdma_rst: PDMA_RST_IDX.
 * @rx_status: interrupt status of reception, written 1 to clear.
 * @rx_mask: interrupts of reception that reach the line.
 * @rx_done: the bit for a received frame.
 * @qdma_rx: as @pdma_rx, of QDMA.
 * @qdma_glo: QDMA_GLO_CFG.
 * @qdma_rst: QDMA_RST_IDX.
 * @qdma_tx: first of the transmitter's registers.
 * @tx_status: as @rx_status.
 * @tx_mask: as @rx_mask.
 * @tx_done: the bit for a sent frame.
 * @mib: first counter of the first MAC.
 * @rxd_size: bytes of a receive descriptor.
 * @rxd_len_shift: where its length starts in word 2.
 * @rxd_len_mask: and how long it may be.
 * @txd_size: bytes of a transmit descriptor.
 * @txd_len_shift: where its length starts in word 3.
 * @txd_len_mask: and how long it may be.
 */
struct mtk_variant {
	u32 pdma_rx, pdma_glo, pdma_rst;
	u32 rx_status, rx_mask, rx_done;
	u32 qdma_rx, qdma_glo, qdma_rst, qdma_tx;
	u32 tx_status, tx_mask, tx_done;
	u32 mib;
	u32 rxd_size, rxd_len_shift, rxd_len_mask;
	u32 txd_size, txd_len_shift, txd_len_mask;
};

enum mtk_rx_ring {
	MTK_RX_PDMA,
	MTK_RX_QDMA,		/* has buffers, nothing is sent there */
	MTK_RX_RINGS
};

/**
 * struct mtk_ring - a receive ring
 * @arm: descriptor whose buffer is looked at next, up to RX_CALC_IDX.
 * @armed: descriptors with a buffer that is the engine's.
 */
struct mtk_ring {
	u32 arm;
	unsigned int armed;
};

/* lines of the interrupt controller, from the first: "fe1" and "fe2" */
#define MTK_IRQ_TX	0
#define MTK_IRQ_RX	1

/**
 * struct lab_mtk - the engine
 * @ctrl: what every model has.
 * @variant: what it is.
 * @reg: registers as last written.
 * @sys: those of the blocks beside it.
 * @rx: receive rings.
 * @owned: buffers that are armed, by address.
 * @buf: a frame on its way out.
 */
struct lab_mtk {
	struct lab_ctrl ctrl;
	const struct mtk_variant *variant;
	u32 reg[LAB_MMIO_SIZE / 4];
	u32 sys[MTK_SYS_BLOCKS][MTK_SYS_SIZE / 4];
	struct mtk_ring rx[MTK_RX_RINGS];
	struct lab_owned owned;
	u8 buf[LAB_MAX_FRAME];
};

#define MTK_REG(mtk, off)	((mtk)->reg[(off) / 4])

static inline struct lab_mtk *to_mtk(struct lab_ctrl *ctrl)
{
	return container_of(ctrl, struct lab_mtk, ctrl);
}

/* mtk.c */
void mtk_bad(struct lab_mtk *mtk, u32 addr, u32 len, enum dma_data_direction dir);

/* mtk_regs.c */
void mtk_regs_claim(struct lab_mtk *mtk);

/* mtk_sram.c */
int mtk_sram_init(void);
u32 *mtk_desc(struct lab_mtk *mtk, u32 at, size_t size);

/* mtk_rx.c */
void mtk_rx_reset(struct lab_mtk *mtk, enum mtk_rx_ring which);
void mtk_rx_arm(struct lab_mtk *mtk, enum mtk_rx_ring which);
void mtk_rx_stop(struct lab_mtk *mtk);
int mtk_rx_deliver(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len);
int mtk_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf);
bool mtk_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size);

/* mtk_tx.c */
bool mtk_tx_run(struct lab_ctrl *ctrl);

#endif
