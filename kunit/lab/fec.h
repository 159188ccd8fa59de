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
/* ENETx_MIBC, counters */
#define REG_MIBC		0x064
#define MIBC_DIS		BIT(31)
#define MIBC_CLEAR		BIT(29)	/* ENET */
/* ENETx_RCR, receive control: MAX_FL in 29:16 */
#define REG_RCR			0x084
#define RCR_MAX_FL		GENMASK(29, 16)
/* ENETx_TCR, transmit control */
#define REG_TCR			0x0c4
#define TCR_GTS			BIT(0)
/* ENETx_TFWR: the transmit FIFO holds a whole frame before it is sent */
#define REG_TFWR		0x144
#define TFWR_STRFWD		BIT(8)
/* ENETx_RSFL: 0 is store and forward for the receive FIFO */
#define REG_RSFL		0x190
/* ENETx_FTRL: TRUNC_FL in 13:0 */
#define REG_FTRL		0x1b0
#define FTRL_TRUNC_FL		GENMASK(13, 0)
#define FTRL_RESET		2047
/* ENETx_RACC: two bytes in front of each received frame */
#define REG_RACC		0x1c4
#define RACC_SHIFT16		BIT(7)
#define RACC_PRODIS		BIT(2)	/* discard wrong checksums: of protocols */
#define RACC_IPDIS		BIT(1)	/* and of IPv4 headers */
/* ENETx_MRBR: R_BUF_SIZE in 13:4 */
#define MRBR_SIZE		GENMASK(13, 4)
/* MIB counters: a block each way, then the receive errors */
#define MIB_TX			0x200
#define MIB_RX			0x280
#define MIB_R_CRC		0x2d0
#define MIB_R_ALIGN		0x2d4
#define MIB_R_MACERR		0x2d8	/* receive FIFO overflow */
#define MIB_R_OCTETS_OK		0x2e0
#define MIB_END			0x2e4
/* ENETx_ATCR, the timer's control, value, period; the block ends with ATSTMP */
#define REG_ATCR		0x400
#define REG_ATVR		0x404
#define REG_ATPER		0x40c
#define REG_ATSTMP		0x418

/* descriptor status, both directions, then receive, then transmit */
#define BD_OWNED		BIT(15)	/* E or R: the controller's */
#define BD_WRAP			BIT(13)
#define BD_LAST			BIT(11)
#define BD_SOFTWARE		(BIT(14) | BIT(12))	/* RO1, RO2 */
#define BD_RX_MC		BIT(6)
#define BD_RX_BC		BIT(7)
#define BD_RX_LG		BIT(5)	/* above MAX_FL */
#define BD_RX_NO		BIT(4)	/* not a whole number of octets */
#define BD_RX_SH		BIT(3)	/* short: MPC860T's FEC, reserved on later ones */
#define BD_RX_CR		BIT(2)	/* FCS */
#define BD_RX_OV		BIT(1)	/* FIFO overrun: no other bit holds */
#define BD_RX_TR		BIT(0)	/* truncated */
#define BD_TX_TC		BIT(10)	/* append the FCS */
#define BD_TX_UN		BIT(1)	/* underrun: MPC860T's FEC, reserved on later ones */
/* enhanced descriptor, word at offset 8 */
#define BD_RX_INT		BIT(23)
#define BD_RX_ICE		BIT(5)	/* no IP, or its header's checksum is wrong */
#define BD_RX_PCR		BIT(4)	/* no known protocol, or its checksum is wrong */
#define BD_RX_VLAN		BIT(2)
#define BD_RX_IPV6		BIT(1)
#define BD_RX_FRAG		BIT(0)
#define BD_TX_INT		BIT(30)
#define BD_TX_TS		BIT(29)	/* store when it was sent */
#define BD_TX_PINS		BIT(28)	/* insert checksum: of the protocol */
#define BD_TX_IINS		BIT(27)	/* and of the IPv4 header */

/**
 * struct fec_variant - what differs between SoCs
 * @rings: receive and transmit rings the block has.
 * @enet: an ENET block: ECR[EN1588], RACC and FTRL exist.
 * @rx_align: what a receive buffer's address must be a multiple of.
 * @coalesce: TXIC and RXIC exist.
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
	bool coalesce;
	bool swap;
	bool err006358;
	bool err007885;
};

/**
 * struct fec_bd - a descriptor, the fields the model uses, in CPU order
 * @status: word with ownership.
 * @len: bytes.
 * @addr: of the buffer.
 * @ext: word at offset 8 of an enhanced descriptor, else 0; so are the next.
 * @prot: word at offset 12: protocol and length of the headers.
 * @stamp: word at offset 20: 1588 time stamp.
 */
struct fec_bd {
	u16 status;
	u16 len;
	u32 addr;
	u32 ext;
	u32 prot;
	u32 stamp;
};

/**
 * struct fec_coalesce - an event that coalescing holds back
 * @frames: since the last event; 0 when none is held.
 * @until: time of the lab at which it comes in any case, in ns.
 */
struct fec_coalesce {
	unsigned int frames;
	u64 until;
};

/**
 * struct fec_late - a frame whose descriptor is not updated yet
 * @pending: there is one.
 * @event: it asks for an interrupt.
 * @at: the descriptor.
 * @bd: what will be written.
 */
struct fec_late {
	bool pending;
	bool event;
	u32 at;
	struct fec_bd bd;
};

/**
 * struct fec_flight - a frame that is being sent
 *
 * While the last frame goes out the DMA has looked at the descriptor after it,
 * and found it not ready. TDAR reads as active until the frame is out.
 *
 * @busy: there is one.
 * @event: it asks for an interrupt.
 * @again: the doorbell was rung since: go on after it. With ERR006358 such a
 *	doorbell is lost, TDAR clears itself after it.
 * @polls: reads of TDAR since; with ERR007885 software may rely on TDAR being
 *	clear, or the descriptor seen, after four.
 * @len: its length.
 * @next: the descriptor after its last.
 * @data: what was read from memory.
 */
struct fec_flight {
	bool busy, event, again;
	unsigned int polls;
	u32 len;
	u32 next;
	u8 data[LAB_MAX_FRAME + 64];
};

/**
 * struct fec_ring - one ring, either direction
 * @active: the doorbell was rung and descriptors may be ready.
 * @start: bus address of the first descriptor, as latched by ETHEREN.
 * @cur: descriptor to use next.
 * @last: receive: descriptor filled last.
 * @arm: receive: first descriptor whose buffer was not handed over yet.
 * @armed: receive: descriptors from @cur up to @arm.
 * @held: coalescing.
 * @late: receive: see there.
 */
struct fec_ring {
	bool active;
	u32 start;
	u32 cur;
	u32 last;
	u32 arm;
	unsigned int armed;
	struct fec_coalesce held;
	struct fec_late late;
};

/**
 * struct lab_fec - the controller
 * @ctrl: what every model has.
 * @variant: which one it is.
 * @reg: registers, by offset / 4; FEC_REG().
 * @rx: receive rings.
 * @tx: transmit rings.
 * @flight: by transmit ring.
 * @tdar_idle: ring whose TDAR was read as 0 just now, or -1.
 * @tdar_zero: by transmit ring: CPUs that read its TDAR as 0 and have not written
 *	it since.
 * @spoilt: frames that will not get out, see lab_spoil().
 * @owned: buffers that are armed, by address: no two descriptors share one.
 * @now: time of the lab, in ns.
 * @time_held: only fec_time_pass() moves the clock.
 * @at_value: counter of the 1588 timer when it was set.
 * @at_set: and when that was.
 * @phy: registers of the PHY that can be written.
 * @buf: for one frame.
 */
struct lab_fec {
	struct lab_ctrl ctrl;
	const struct fec_variant *variant;
	u32 reg[FEC_REGS_SIZE / 4];
	struct fec_ring rx[FEC_QUEUES], tx[FEC_QUEUES];
	struct fec_flight flight[FEC_QUEUES];
	int tdar_idle;
	unsigned long tdar_zero[FEC_QUEUES];
	unsigned int spoilt;
	struct lab_owned owned;
	u64 now;
	bool time_held;
	u32 at_value;
	u64 at_set;
	u16 phy[32];
	u8 buf[LAB_MAX_FRAME + 64];
};

#define FEC_REG(fec, off)	((fec)->reg[(off) / 4])

static inline struct lab_fec *to_fec(struct lab_ctrl *ctrl)
{
	return container_of(ctrl, struct lab_fec, ctrl);
}

/* ring registers and events by number */
extern const u16 fec_reg_rdar[FEC_QUEUES];
extern const u16 fec_reg_tdar[FEC_QUEUES];
extern const u16 fec_reg_rdsr[FEC_QUEUES];
extern const u16 fec_reg_tdsr[FEC_QUEUES];
extern const u16 fec_reg_mrbr[FEC_QUEUES];
extern const u32 fec_rxf[FEC_QUEUES];
extern const u32 fec_txf[FEC_QUEUES];

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

/* fec_accel.c */
bool fec_accel_rx(struct lab_fec *fec, u8 *frame, u32 len, u32 *ext, u32 *prot);
void fec_accel_tx(struct lab_fec *fec, u8 *frame, u32 len, u32 ext);

/* fec_mib.c */
void fec_mib_tx(struct lab_fec *fec, const u8 *frame, u32 len);
void fec_mib_rx(struct lab_fec *fec, const u8 *frame, u32 len, u16 status);
void fec_mib_lost(struct lab_fec *fec);
void fec_mib_write(struct lab_fec *fec, unsigned int off, u32 val);

/* fec_time.c */
u32 fec_time_stamp(struct lab_fec *fec);
void fec_time_write(struct lab_fec *fec, unsigned int off, u32 val);
void fec_time_event(struct lab_fec *fec, unsigned int q, bool tx);
void fec_time_pass(struct lab_ctrl *ctrl, u64 ns);
void fec_time_hold(struct lab_ctrl *ctrl, bool hold);

/* fec_mdio.c */
void fec_mdio_start(struct lab_fec *fec, u32 frame);

/* fec_class.c */
unsigned int fec_class_of(struct lab_ctrl *ctrl, const u8 *frame, u32 len);

/* fec_arm.c */
u32 fec_rx_window(struct lab_fec *fec, unsigned int q);
void fec_rx_arm(struct lab_fec *fec, unsigned int q);
void fec_rx_taken(struct lab_fec *fec, unsigned int q, const struct fec_bd *bd);
int fec_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int q, struct lab_buffer *buf);
bool fec_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size);

/* fec_rx.c */
int fec_rx_deliver(struct lab_ctrl *ctrl, unsigned int q, const u8 *frame, u32 len);
int fec_rx_receive(struct lab_ctrl *ctrl, unsigned int q, const u8 *frame, u32 len,
		   const struct lab_rx_flags *with);
unsigned int fec_rx_settle(struct lab_ctrl *ctrl);
void fec_rx_forge_length(struct lab_ctrl *ctrl, unsigned int q, u16 len);

/* fec_tx.c */
bool fec_tx_run(struct lab_ctrl *ctrl);
void fec_tx_begin(struct lab_ctrl *ctrl);
void fec_tx_spoil(struct lab_ctrl *ctrl, unsigned int frames);
void fec_tx_drain(struct lab_fec *fec);
bool fec_tx_tdar(struct lab_fec *fec, unsigned int q);
void fec_tx_doorbell(struct lab_fec *fec, unsigned int q, bool was_idle);

/* fec_wake.c */
void fec_wake(struct lab_ctrl *ctrl, const u8 *frame, u32 len);

#endif
