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
#include <linux/sizes.h>

#include "model.h"

/* ---- registers that every engine has in the same place ------------------- */

#define PHY_IAC			0x10004	/* MDIO: command, data, BIT(31) busy */

/* of MACs: mtk_gdm_mac_link_up(), mtk_xgdm_mac_link_up() */
#define MAC_MCR(mac)		(0x10100 + (mac) * 0x100)
#define MCR_RX_EN		BIT(13)
#define MCR_TX_EN		BIT(14)
#define EG_CTRL(mac)		((mac) == 2 ? 0x544 : 0x504 + (mac) * 0x1000)
#define EG_XGDM			BIT(31)	/* the MAC for 10G instead */
#define FWD_CFG(mac)		((mac) == 2 ? 0x540 : 0x500 + (mac) * 0x1000)
#define FWD_PORTS		GENMASK(15, 0)	/* mtk_gdm_config() */
#define FWD_DROP_ALL		0x7777		/* mtk_stop() */
#define XMAC_MCR(mac)		(0x12000 + ((mac) - 1) * 0x1000)
#define XMAC_OFF		0xf

/* mtk_hw_reset_check() */
#define FE_INT_STATUS2		0x08
#define FE_INT_RFIFO_OV		BIT(18)

/* mtk_hw_check_dma_hang() */
#define FE_CDM1_FSM		0x220
#define CDM1_BUSY		BIT(16)
#define OQ_BUSY			BIT(0)

/* PDMA_GLO_CFG, QDMA_GLO_CFG */
#define GLO_TX_DMA_EN		BIT(0)
#define GLO_TX_DMA_BUSY		BIT(1)
#define GLO_RX_DMA_EN		BIT(2)
#define GLO_RX_DMA_BUSY		BIT(3)
#define GLO_RX_2B_OFFSET	BIT(31)

/* PDMA_RST_IDX, QDMA_RST_IDX: one bit per receive ring, one for PDMA's transmit ring */
#define RST_DRX_IDX(ring)	(BIT(16) << (ring))
#define RST_DTX_IDX		BIT(0)

/* of a receive ring, from its first register; MTK_QRX_OFFSET between two rings */
#define RX_BASE_PTR		0x00
#define RX_MAX_CNT		0x04
#define RX_CALC_IDX		0x08	/* CPU: filled up to here */
#define RX_DRX_IDX		0x0c	/* DMA: fills this one next */
#define RX_RING_STRIDE		0x10

/* of QDMA's transmitter, from its first register: mtk_tx_alloc() */
#define TX_CTX_PTR		0x00	/* CPU: first descriptor that is not ready */
#define TX_DTX_PTR		0x04	/* DMA: sends this one next */
#define TX_CRX_PTR		0x10	/* CPU: last one that was freed */
#define TX_DRX_PTR		0x14	/* DMA: last one that was sent */
#define TX_FQ_HEAD		0x20	/* free queue: mtk_init_fq_dma() */
#define TX_FQ_TAIL		0x24
#define TX_FQ_COUNT		0x28

/* of PDMA's transmitter, the same as of a receive ring: MT7628 guide, TX_BASE_PTR_0 */
#define PTX_BASE_PTR		0x00
#define PTX_MAX_CNT		0x04
#define PTX_CTX_IDX		0x08
#define PTX_DTX_IDX		0x0c

/* of the block "ethsys": mtk_hw_reset(), mtk_hw_warm_reset() */
#define SYS_RSTCTRL		0x34
#define RSTCTRL_FE		BIT(6)

/* ---- descriptors --------------------------------------------------------- */

/* receive: mtk_rx_get_desc(), mtk_poll_rx() */
#define RXD_DONE		BIT(31)	/* word 1 */
#define RXD_LAST		BIT(30)
#define RXD_ADDR64		GENMASK(3, 0)	/* where addresses have 36 bits */

/* word 3 of the first form */
#define RXD_SPORT(port)		((port) << 19)
#define RXD_NO_FLOW		GENMASK(13, 0)	/* of the packet engine */
#define RXD_SUM_OK		BIT(24)
#define RXD_SUM_OK_PDMA		BIT(30)		/* MT7628 */

/* words 2 and 4 of the second */
#define RXD2_SUM_OK		BIT(2)
#define RXD2_SPORT(port)	((port) << 26)
#define RXD2_NO_FLOW		GENMASK(14, 0)

/* transmit, QDMA: mtk_tx_set_dma_desc_v1(), _v2(), mtk_poll_tx_qdma() */
#define TXD_OWNER_CPU		BIT(31)	/* word 2 */
#define TXD_LAST		BIT(30)
#define TXD_ADDR64		GENMASK(3, 0)
#define TXD_TSO			BIT(28)	/* word 3 of the first form */
#define TXD_SUM			GENMASK(31, 29)
#define TXD_VLAN		BIT(16)
#define TXD2_TSO		BIT(31)	/* word 4 of the second, VLAN in word 5 */
#define TXD2_SUM		GENMASK(30, 28)

/* transmit, PDMA: two buffers to a descriptor; setup_tx_buf() */
#define PTXD_DONE		BIT(31)	/* word 1 */
#define PTXD_LAST0		BIT(30)
#define PTXD_LAST1		BIT(14)

/* Forms of descriptors. */
enum mtk_rxd { MTK_RXD_1, MTK_RXD_PDMA, MTK_RXD_2 };
enum mtk_txd { MTK_TXD_1, MTK_TXD_PDMA, MTK_TXD_2 };

/* Counters of a MAC: mtk_stats_update_mac(). */
enum mtk_mib {
	MTK_MIB_RX_BYTES,
	MTK_MIB_RX_PACKETS,
	MTK_MIB_RX_OVERFLOW,
	MTK_MIB_RX_LONG,
	MTK_MIB_TX_BYTES,
	MTK_MIB_TX_PACKETS,
	MTK_MIBS
};

#define MTK_SYS_BLOCKS		5	/* beside the engine, in one window */
#define MTK_SYS_SIZE		0x1000
#define MTK_MACS		3

/**
 * struct mtk_variant - an engine: where its registers are, how descriptors look
 * @pdma_rx: first register of the first receive ring of PDMA.
 * @pdma_glo: PDMA_GLO_CFG.
 * @pdma_rst: PDMA_RST_IDX.
 * @rx_delay: DELAY_INT_CFG of reception, 0: @rx_done does not wait.
 * @rx_status: interrupt status of reception, written 1 to clear.
 * @rx_mask: interrupts of reception that reach the line.
 * @rx_done: the bit for a received frame.
 * @qdma_rx: as @pdma_rx, of QDMA; 0: there is none.
 * @qdma_glo: QDMA_GLO_CFG.
 * @qdma_rst: QDMA_RST_IDX.
 * @tx: first of the transmitter's registers.
 * @tx_delay: as @rx_delay.
 * @tx_status: as @rx_status.
 * @tx_mask: as @rx_mask.
 * @tx_done: the bit for a sent frame.
 * @mib: first counter of the first MAC.
 * @mib_size: bytes of the counters of one MAC.
 * @mib_at: counters, from the first; MTK_NO_MIB: not there.
 * @rxd: form of a receive descriptor.
 * @rxd_size: its bytes.
 * @rxd_len_shift: where its length starts in word 1.
 * @rxd_len_mask: and how long it may be.
 * @rx_room: what a buffer has room for, where descriptors do not tell.
 * @txd: form of a transmit descriptor.
 * @txd_size: its bytes.
 * @txd_len_shift: where its length starts in word 2.
 * @txd_len_mask: and how long it may be.
 * @port: what descriptors call the MACs, 0: not there.
 * @wide: addresses of buffers have 36 bits.
 * @shared_irq: one line for both directions.
 * @rings: receive rings of PDMA that can be used.
 * @oq_sta: PSE_OQ_STA, 0: nobody looks whether the engine hangs.
 * @adma_dbg: ADMA_RX_DBG0.
 * @ip_align: bytes that the CPU wants before a frame, its NET_IP_ALIGN.
 */
struct mtk_variant {
	u32 pdma_rx, pdma_glo, pdma_rst;
	u32 rx_delay, rx_status, rx_mask, rx_done;
	u32 qdma_rx, qdma_glo, qdma_rst;
	u32 tx, tx_delay, tx_status, tx_mask, tx_done;
	u32 mib, mib_size;
	u8 mib_at[MTK_MIBS];
	enum mtk_rxd rxd;
	u32 rxd_size, rxd_len_shift, rxd_len_mask, rx_room;
	enum mtk_txd txd;
	u32 txd_size, txd_len_shift, txd_len_mask;
	u8 port[MTK_MACS];
	bool wide, shared_irq;
	unsigned int rings;
	u32 oq_sta, adma_dbg;
	unsigned int ip_align;
};

#define MTK_NO_MIB		0xff
#define MTK_MAX_TSO		(SZ_64K + 256)

enum mtk_rx_ring {
	MTK_RX_PDMA,		/* and three more for LRO */
	MTK_RX_QDMA = 4,	/* has buffers, nothing is sent there */
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

/**
 * struct mtk_held - frames of one direction whose interrupt waits
 * @frames: how many.
 * @since: when the first of them was there, in ns.
 */
struct mtk_held {
	unsigned int frames;
	u64 since;
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
 * @rx_held: received frames that nobody was told of.
 * @tx_held: transmitted frames, the same.
 * @now: time of the lab, in ns.
 * @time_held: only mtk_time_pass() moves the clock.
 * @hung: nothing moves until it is reset.
 * @buf: a frame on its way out.
 * @seg: a part of it.
 */
struct lab_mtk {
	struct lab_ctrl ctrl;
	const struct mtk_variant *variant;
	u32 reg[LAB_MMIO_SIZE / 4];
	u32 sys[MTK_SYS_BLOCKS * MTK_SYS_SIZE / 4];
	struct mtk_ring rx[MTK_RX_RINGS];
	struct lab_owned owned;
	struct mtk_held rx_held, tx_held;
	u64 now;
	bool time_held;
	bool hung;
	u8 buf[MTK_MAX_TSO];
	u8 seg[LAB_MAX_FRAME];
};

#define MTK_REG(mtk, off)	((mtk)->reg[(off) / 4])

static inline struct lab_mtk *to_mtk(struct lab_ctrl *ctrl)
{
	return container_of(ctrl, struct lab_mtk, ctrl);
}

/* mtk.c */
void mtk_bad(struct lab_mtk *mtk, dma_addr_t addr, u32 len, enum dma_data_direction dir);
void mtk_reset(struct lab_mtk *mtk);
bool mtk_mac_on(const struct lab_mtk *mtk, unsigned int mac, u32 bit);
bool mtk_mac_drops(const struct lab_mtk *mtk, unsigned int mac);
void mtk_count(struct lab_mtk *mtk, unsigned int mac, enum mtk_mib which, u32 n);

/* mtk_regs.c */
void mtk_regs_claim(struct lab_mtk *mtk);

/* mtk_sram.c */
int mtk_sram_init(void);
u32 *mtk_desc(struct lab_mtk *mtk, u32 at, size_t size);

/* mtk_rx.c */
u32 mtk_rx_regs(const struct lab_mtk *mtk, enum mtk_rx_ring which);
void mtk_rx_reset(struct lab_mtk *mtk, enum mtk_rx_ring which);
void mtk_rx_arm(struct lab_mtk *mtk, enum mtk_rx_ring which);
void mtk_rx_stop(struct lab_mtk *mtk);
int mtk_rx_deliver(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len);
int mtk_rx_receive(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len,
		   const struct lab_rx_flags *with);
int mtk_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf);
bool mtk_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size);

/* mtk_time.c */
void mtk_time_event(struct lab_mtk *mtk, bool tx);
void mtk_time_forget(struct lab_mtk *mtk);
void mtk_time_pass(struct lab_ctrl *ctrl, u64 ns);
void mtk_time_hold(struct lab_ctrl *ctrl, bool hold);

/* mtk_tx.c, mtk_ptx.c: QDMA and PDMA */
bool mtk_tx_run(struct lab_ctrl *ctrl);
bool mtk_ptx_run(struct lab_mtk *mtk);

/* mtk_send.c */
void mtk_send(struct lab_mtk *mtk, u32 len, const u32 *d);

#endif
