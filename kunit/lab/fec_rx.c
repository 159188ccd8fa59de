// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET/FEC receive. IMX6DQRM "Ethernet MAC receive", "Receive FIFO", "Enhanced
 * receive buffer descriptor".
 */
#include <linux/bitfield.h>
#include <linux/crc32.h>
#include <linux/etherdevice.h>
#include <linux/unaligned.h>

#include "fec.h"

/* RXF, RXF1, RXF2 */
static const u32 rxf[FEC_QUEUES] = { BIT(25), BIT(1), BIT(5) };

/*
 * How much of one buffer may be written: MRBR[R_BUF_SIZE] bounds each buffer,
 * FTRL[TRUNC_FL] the frame, to which the shift adds in front.
 */
u32 fec_rx_window(struct lab_fec *fec, unsigned int q)
{
	u32 size = FEC_REG(fec, fec_reg_mrbr[q]) & MRBR_SIZE;
	u32 frame = FEC_REG(fec, REG_FTRL) & FTRL_TRUNC_FL;

	if (FEC_REG(fec, REG_RACC) & RACC_SHIFT16)
		frame += 2;
	return min(size, frame);
}

static void check_buffer(struct lab_fec *fec, unsigned int q, const struct fec_bd *bd)
{
	u32 window = fec_rx_window(fec, q);

	if (!window || bd->addr % fec->variant->rx_align) {
		lab_dma_violation(fec->ctrl.dma, LAB_V_DESCRIPTOR, NULL, bd->addr, window,
				  DMA_FROM_DEVICE);
		return;
	}
	lab_dma_hand_over(fec->ctrl.dma, bd->addr, window);
}

/**
 * fec_rx_arm() - look for buffers that the driver has armed since
 * @fec: the controller.
 * @q: ring.
 *
 * From RDAR on the controller may fetch descriptors ahead: their buffers are
 * its own now.
 */
void fec_rx_arm(struct lab_fec *fec, unsigned int q)
{
	struct fec_ring *ring = &fec->rx[q];
	struct fec_bd bd;

	while (!ring->armed || ring->arm != ring->cur) {
		if (!fec_bd_read(fec, ring->arm, &bd) || !(bd.status & BD_OWNED))
			return;
		check_buffer(fec, q, &bd);
		ring->arm = fec_bd_next(fec, ring, ring->arm, &bd);
		ring->armed++;
	}
}

/* Put the frame as it goes to memory into ->buf; returns its length there. */
static u32 compose(struct lab_fec *fec, const u8 *frame, u32 len, u16 *flags)
{
	u32 shift = FEC_REG(fec, REG_RACC) & RACC_SHIFT16 ? 2 : 0;
	u32 max = FIELD_GET(RCR_MAX_FL, FEC_REG(fec, REG_RCR));
	u32 truncate = FEC_REG(fec, REG_FTRL) & FTRL_TRUNC_FL;
	u32 total = len + ETH_FCS_LEN;
	__le32 fcs;

	*flags = 0;
	if (is_broadcast_ether_addr(frame))
		*flags |= BD_RX_BC;
	else if (is_multicast_ether_addr(frame))
		*flags |= BD_RX_MC;

	fcs = cpu_to_le32(~crc32_le(~0, frame, len));
	memset(fec->buf, 0, shift);
	memcpy(fec->buf + shift, frame, len);
	memcpy(fec->buf + shift + len, &fcs, sizeof(fcs));

	if (total > max) {
		FEC_REG(fec, REG_EIR) |= EIR_BABR;
		*flags |= BD_RX_LG;
	}
	if (total > truncate) {
		total = truncate;
		*flags |= BD_RX_TR;
	}
	return shift + total;
}

/**
 * fec_rx_deliver() - a frame arrives
 * @ctrl: the controller.
 * @q: ring the classifier chose.
 * @frame: without FCS.
 * @len: its length.
 *
 * Return: see lab_try_send().
 */
int fec_rx_deliver(struct lab_ctrl *ctrl, unsigned int q, const u8 *frame, u32 len)
{
	struct lab_fec *fec = to_fec(ctrl);
	struct fec_ring *ring = &fec->rx[q];
	u32 off, n, total, window;
	struct fec_bd bd;
	bool tagged = len > 2 * ETH_ALEN + 1 &&
		      get_unaligned_be16(frame + 2 * ETH_ALEN) == ETH_P_8021Q;
	bool event = true;
	u16 flags;

	if (!(FEC_REG(fec, REG_ECR) & ECR_ETHEREN))
		return -ENETDOWN;
	window = fec_rx_window(fec, q);
	if (!ring->active || !window) {
		FEC_REG(fec, MIB_R_MACERR)++;
		return -ENOBUFS;
	}

	total = compose(fec, frame, len, &flags);
	for (off = 0; off < total; off += n) {
		if (!fec_bd_read(fec, ring->cur, &bd))
			return -EFAULT;
		if (!(bd.status & BD_OWNED)) {
			ring->active = false;	/* until the next RDAR */
			FEC_REG(fec, MIB_R_MACERR)++;
			return -ENOBUFS;
		}
		fec_rx_arm(fec, q);
		n = min(total - off, window);
		lab_dma_write(ctrl->dma, bd.addr, fec->buf + off,
			      fec_swap_write(fec, fec->buf + off, n));
		lab_ctrl_pause(ctrl);	/* data first, status late */

		bd.status &= BD_WRAP | BD_SOFTWARE;
		/* the last descriptor holds the length of the frame */
		bd.len = off + n;
		if (off + n == total)
			bd.status |= BD_LAST | flags;
		if (FEC_REG(fec, REG_ECR) & ECR_EN1588)
			event = bd.ext & BD_RX_INT;
		bd.ext &= BD_RX_INT;		/* no checksum error either */
		if (tagged)
			bd.ext |= BD_RX_VLAN;
		fec_bd_write(fec, ring->cur, &bd);
		ring->last = ring->cur;
		ring->cur = fec_bd_next(fec, ring, ring->cur, &bd);
		ring->armed--;
	}
	FEC_REG(fec, MIB_R_PACKETS)++;
	if (!(flags & (BD_RX_LG | BD_RX_TR)))
		FEC_REG(fec, MIB_R_FRAME_OK)++;
	if (event)
		FEC_REG(fec, REG_EIR) |= rxf[q];
	return 0;
}

int fec_rx_next_buffer(struct lab_ctrl *ctrl, unsigned int q, struct lab_buffer *buf)
{
	struct lab_fec *fec = to_fec(ctrl);
	struct fec_bd bd;

	if (!fec->rx[q].active || !fec_bd_read(fec, fec->rx[q].cur, &bd) ||
	    !(bd.status & BD_OWNED))
		return -ENOENT;
	buf->addr = bd.addr;
	buf->len = fec_rx_window(fec, q);
	buf->armed = fec->rx[q].armed;
	return 0;
}

/**
 * fec_rx_holds() - whether the controller may still write to a range
 * @ctrl: the controller.
 * @addr: start.
 * @size: bytes.
 *
 * Descriptors are fetched ahead, and their buffers written to until
 * ECR[ETHEREN] or a reset stops it (ENETx_RDAR, ENETx_ECR).
 *
 * Return: true when a buffer in the range is armed.
 */
bool fec_rx_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size)
{
	struct lab_fec *fec = to_fec(ctrl);
	struct fec_bd bd;
	unsigned int q, i;
	u32 at;

	for (q = 0; q < fec->variant->rings; q++) {
		struct fec_ring *ring = &fec->rx[q];

		at = ring->cur;
		for (i = 0; ring->active && i < ring->armed; i++) {
			if (!fec_bd_read(fec, at, &bd))
				break;
			if (bd.status & BD_OWNED && bd.addr >= addr && bd.addr < addr + size)
				return true;
			at = fec_bd_next(fec, ring, at, &bd);
		}
	}
	return false;
}

/* What a controller never does: a length that is not that of the frame. */
void fec_rx_forge_length(struct lab_ctrl *ctrl, unsigned int q, u16 len)
{
	struct lab_fec *fec = to_fec(ctrl);
	struct fec_bd bd;

	if (!fec_bd_read(fec, fec->rx[q].last, &bd))
		return;
	bd.len = len;
	fec_bd_write(fec, fec->rx[q].last, &bd);
}
