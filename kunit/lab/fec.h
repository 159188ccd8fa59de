/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ENET/FEC controller as its manuals describe it.
 *
 * Sources: i.MX 6Dual/6Quad Reference Manual (IMX6DQRM), chapter "10/100/1000
 * Mbps Ethernet MAC (ENET)", for registers, descriptors and their rules; i.MX
 * 6SoloX Reference Manual (IMX6SXRM), same chapter, for rings 1 and 2; i.MX25
 * Reference Manual (IMX25RM), chapter "Fast Ethernet Controller (FEC)", for
 * the block before ENET; i.MX28 Reference Manual (MCIMX28RM) for frames in
 * big-endian words. Errata by number from the SoCs' errata sheets.
 */
#ifndef POOLSTACK_FEC_H
#define POOLSTACK_FEC_H

#include <linux/bits.h>

#include "model.h"

#define FEC_QUEUES		3
#define FEC_REGS_SIZE		0x4000

/* ENETx_EIR, interrupt event: write one to clear; ENETx_EIMR has the same bits */
#define REG_EIR			0x004
#define REG_EIMR		0x008
#define EIR_BABR		BIT(30)
#define EIR_GRA			BIT(28)
#define EIR_MII			BIT(23)
/* ENETx_RDAR, ENETx_TDAR: bit 24 reads back as "active" */
#define DAR_ACTIVE		BIT(24)
/* ENETx_ECR, control */
#define REG_ECR			0x024
#define ECR_RESET		BIT(0)
#define ECR_ETHEREN		BIT(1)
#define ECR_EN1588		BIT(4)	/* enhanced descriptors */
/* ENETx_MMFR, ENETx_MSCR, management */
#define REG_MMFR		0x040
#define REG_MSCR		0x044
/* ENETx_RCR, receive control: MAX_FL in 29:16 */
#define REG_RCR			0x084
#define RCR_MAX_FL		GENMASK(29, 16)
/* ENETx_TCR, transmit control */
#define REG_TCR			0x0c4
#define TCR_GTS			BIT(0)
/* ENETx_FTRL: TRUNC_FL in 13:0 */
#define REG_FTRL		0x1b0
#define FTRL_TRUNC_FL		GENMASK(13, 0)
#define FTRL_RESET		2047
/* ENETx_RACC: two bytes in front of each received frame */
#define REG_RACC		0x1c4
#define RACC_SHIFT16		BIT(7)
/* ENETx_MRBR: R_BUF_SIZE in 13:4 */
#define MRBR_SIZE		GENMASK(13, 4)
/* MIB counters */
#define MIB_T_PACKETS		0x204
#define MIB_T_FRAME_OK		0x24c
#define MIB_R_PACKETS		0x284
#define MIB_R_FRAME_OK		0x2cc
#define MIB_R_MACERR		0x2d8	/* receive FIFO overflow */

/* descriptor status, both directions, then receive, then transmit */
#define BD_OWNED		BIT(15)	/* E or R: the controller's */
#define BD_WRAP			BIT(13)
#define BD_LAST			BIT(11)
#define BD_SOFTWARE		(BIT(14) | BIT(12))	/* RO1, RO2 */
#define BD_RX_MC		BIT(6)
#define BD_RX_BC		BIT(7)
#define BD_RX_LG		BIT(5)
#define BD_RX_TR		BIT(0)
#define BD_TX_TC		BIT(10)	/* append the FCS */
/* enhanced descriptor, word at offset 8 */
#define BD_RX_INT		BIT(23)
#define BD_RX_VLAN		BIT(2)
#define BD_TX_INT		BIT(30)

/**
 * struct fec_variant - what differs between SoCs
 * @rings: receive and transmit rings the block has.
 * @enet: an ENET block: ECR[EN1588], RACC and FTRL exist.
 * @rx_align: what a receive buffer's address must be a multiple of.
 * @swap: frames go through memory as big-endian words of 32 bits, the rest of
 *	the last word included.
 * @err006358: TDAR clears itself late; see struct fec_ring.
 * @err007885: a write to TDAR may be lost unless it directly follows a read of
 *	TDAR that returned 0.
 */
struct fec_variant {
	unsigned int rings;
	bool enet;
	unsigned int rx_align;
	bool swap;
	bool err006358;
	bool err007885;
};

/**
 * struct fec_bd - a descriptor, the fields the model uses, in CPU order
 * @status: word with ownership.
 * @len: bytes.
 * @addr: of the buffer.
 * @ext: word at offset 8 of an enhanced descriptor, else 0.
 */
struct fec_bd {
	u16 status;
	u16 len;
	u32 addr;
	u32 ext;
};

/**
 * struct fec_ring - one ring, either direction
 * @active: the doorbell was rung and descriptors may be ready.
 * @start: bus address of the first descriptor, as latched by ETHEREN.
 * @cur: descriptor to use next.
 * @last: receive: descriptor filled last.
 * @arm: receive: first descriptor whose buffer was not handed over yet.
 * @armed: receive: descriptors from @cur up to @arm.
 */
struct fec_ring {
	bool active;
	u32 start;
	u32 cur;
	u32 last;
	u32 arm;
	unsigned int armed;
};

struct lab_fec {
	struct lab_ctrl ctrl;
	const struct fec_variant *variant;
	u32 reg[FEC_REGS_SIZE / 4];
	struct fec_ring rx[FEC_QUEUES], tx[FEC_QUEUES];
	int tdar_idle;		/* ring whose TDAR was read as 0 just now, or -1 */
	u8 tdar_zero;		/* rings whose TDAR was read as 0 and not written since */
	u8 buf[LAB_MAX_FRAME + 64];
};

#define FEC_REG(fec, off)	((fec)->reg[(off) / 4])

static inline struct lab_fec *to_fec(struct lab_ctrl *ctrl)
{
	return container_of(ctrl, struct lab_fec, ctrl);
}

/* ring registers by number */
extern const u16 fec_reg_rdar[FEC_QUEUES];
extern const u16 fec_reg_tdar[FEC_QUEUES];
extern const u16 fec_reg_rdsr[FEC_QUEUES];
extern const u16 fec_reg_tdsr[FEC_QUEUES];
extern const u16 fec_reg_mrbr[FEC_QUEUES];

/* fec_regs.c */
extern const struct lab_mmio_ops fec_mmio_ops;
void fec_reset(struct lab_fec *fec);

/* fec_bd.c */
bool fec_bd_read(struct lab_fec *fec, u32 at, struct fec_bd *bd);
void fec_bd_write(struct lab_fec *fec, u32 at, const struct fec_bd *bd);
u32 fec_bd_next(struct lab_fec *fec, const struct fec_ring *ring, u32 at,
		const struct fec_bd *bd);

/* fec_swap.c */
u32 fec_swap_write(struct lab_fec *fec, u8 *buf, u32 len);
void fec_swap_read(struct lab_fec *fec, u32 addr, u8 *buf, u32 len);

/* fec_rx.c */
u32 fec_rx_window(struct lab_fec *fec, unsigned int q);
void fec_rx_arm(struct lab_fec *fec, unsigned int q);
int fec_rx_deliver(struct lab_ctrl *ctrl, unsigned int q, const u8 *frame, u32 len);
int fec_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int q, struct lab_buffer *buf);
bool fec_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size);
void fec_rx_forge_length(struct lab_ctrl *ctrl, unsigned int q, u16 len);

/* fec_tx.c */
bool fec_tx_run(struct lab_ctrl *ctrl);

#endif
