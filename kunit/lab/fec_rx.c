// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET/FEC receive. IMX6DQRM "Ethernet MAC receive", "Receive FIFO", "Enhanced
 * receive buffer descriptor".
 */
#include <linux/bitfield.h>
#include <linux/crc32.h>
#include <linux/etherdevice.h>

#include "fec.h"

/**
 * struct arrival - a frame as it goes to memory, in ->buf
 * @total: bytes, with shift and FCS.
 * @status: of the last descriptor.
 * @ext: the same, word at offset 8.
 * @prot: the same, word at offset 12.
 * @discard: the accelerator throws it away.
 */
struct arrival {
	u32 total;
	u16 status;
	u32 ext;
	u32 prot;
	bool discard;
};

static const struct lab_rx_flags in_order;

/* Bits that do not depend on the length. NO and CR exclude each other. */
static u16 faults(const struct lab_rx_flags *with)
{
	u16 status = 0;

	if (with->faults & LAB_RX_ODD)
		status |= BD_RX_NO;
	else if (with->faults & LAB_RX_CRC)
		status |= BD_RX_CR;
	if (with->faults & LAB_RX_SHORT)
		status |= BD_RX_SH;
	return status;
}

static u32 fcs_of(const u8 *frame, u32 len, const struct lab_rx_flags *with)
{
	u32 fcs = ~crc32_le(~0, frame, len);

	return with->faults & (LAB_RX_CRC | LAB_RX_ODD) ? ~fcs : fcs;
}

/* MAX_FL makes a frame too long, TRUNC_FL cuts it. */
static void measure(struct lab_fec *fec, struct arrival *a, u32 on_wire)
{
	u32 truncate = FEC_REG(fec, REG_FTRL) & FTRL_TRUNC_FL;

	a->total = on_wire;
	if (on_wire > FIELD_GET(RCR_MAX_FL, FEC_REG(fec, REG_RCR))) {
		FEC_REG(fec, REG_EIR) |= EIR_BABR;
		a->status |= BD_RX_LG;
	}
	if (on_wire > truncate) {
		a->total = truncate;
		a->status |= BD_RX_TR;
	}
}

static void compose(struct lab_fec *fec, const u8 *frame, u32 len,
		    const struct lab_rx_flags *with, struct arrival *a)
{
	u32 shift = FEC_REG(fec, REG_RACC) & RACC_SHIFT16 ? 2 : 0;
	__le32 fcs = cpu_to_le32(fcs_of(frame, len, with));

	memset(fec->buf, 0, shift);
	memcpy(fec->buf + shift, frame, len);
	memcpy(fec->buf + shift + len, &fcs, sizeof(fcs));

	a->status = faults(with);
	measure(fec, a, len + ETH_FCS_LEN);
	a->discard = fec_accel_rx(fec, fec->buf + shift, len, &a->ext, &a->prot);
	if (is_broadcast_ether_addr(frame))
		a->status |= BD_RX_BC;
	else if (is_multicast_ether_addr(frame))
		a->status |= BD_RX_MC;
	if (with->faults & LAB_RX_OVERRUN) {
		a->total = len / 2;
		a->status = BD_RX_OV;
	}
	a->total += shift;
}

/* Fill one descriptor's buffer with what comes at @off; bytes moved. */
static u32 fill(struct lab_fec *fec, struct fec_bd *bd, const struct arrival *a, u32 off,
		u32 window, const struct lab_rx_flags *with)
{
	u32 n = min(a->total - off, window);

	lab_dma_write(fec->ctrl.dma, bd->addr, fec->buf + off,
		      fec_swap_write(fec, fec->buf + off, n));
	bd->status &= BD_WRAP | BD_SOFTWARE;
	bd->ext &= BD_RX_INT;
	bd->prot = 0;
	/* in the last descriptor: the length of the frame */
	bd->len = off + n;
	if (off + n < a->total)
		return n;
	bd->status |= a->status;
	if (!(with->faults & LAB_RX_NOT_LAST))
		bd->status |= BD_LAST;
	if (with->forge)
		bd->len = with->length;
	bd->ext |= a->ext;
	bd->prot = a->prot;
	bd->stamp = fec_time_stamp(fec);
	return n;
}

static void update(struct lab_fec *fec, unsigned int q, u32 at, const struct fec_bd *bd,
		   bool event)
{
	fec_bd_write(fec, at, bd);
	if (event)
		fec_time_event(fec, q, false);
}

/* The frame has left the FIFO through as many descriptors as it takes. */
static int store(struct lab_fec *fec, unsigned int q, const struct arrival *a,
		 const struct lab_rx_flags *with)
{
	u32 off, n, window = fec_rx_window(fec, q);
	struct fec_ring *ring = &fec->rx[q];
	struct fec_bd bd, owned;
	bool last, event;
	u32 at;

	for (off = 0; off < a->total; off += n) {
		at = ring->cur;
		if (!fec_bd_read(fec, at, &bd))
			return -EFAULT;
		if (!(bd.status & BD_OWNED)) {
			ring->active = false;	/* until the next RDAR */
			return -ENOBUFS;
		}
		fec_rx_arm(fec, q);
		owned = bd;
		n = fill(fec, &bd, a, off, window, with);
		lab_ctrl_pause(&fec->ctrl);	/* data first, status late */
		/* stopped meanwhile: the descriptor stays as it is */
		if (!ring->armed || ring->cur != at)
			return -ENETDOWN;
		fec_rx_taken(fec, q, &owned);
		last = off + n == a->total;
		event = last && (!(FEC_REG(fec, REG_ECR) & ECR_EN1588) || bd.ext & BD_RX_INT);
		ring->last = at;
		ring->cur = fec_bd_next(fec, ring, at, &bd);
		if (last && with->faults & LAB_RX_LATE)
			ring->late = (struct fec_late){ true, event, at, bd };
		else
			update(fec, q, at, &bd, event);
	}
	return 0;
}

/**
 * fec_rx_receive() - a frame arrives
 * @ctrl: the controller.
 * @q: ring the classifier chose.
 * @frame: without FCS.
 * @len: its length.
 * @with: what happens to it on the way.
 *
 * Descriptors are updated in order: after a late one nothing is received.
 *
 * Return: see lab_send_with().
 */
int fec_rx_receive(struct lab_ctrl *ctrl, unsigned int q, const u8 *frame, u32 len,
		   const struct lab_rx_flags *with)
{
	struct lab_fec *fec = to_fec(ctrl);
	struct arrival a;
	int ret;

	if (!(FEC_REG(fec, REG_ECR) & ECR_ETHEREN))
		return -ENETDOWN;
	if (fec->rx[q].late.pending)
		return -EBUSY;
	if (!fec->rx[q].active || !fec_rx_window(fec, q)) {
		fec_mib_lost(fec);
		return -ENOBUFS;
	}
	compose(fec, frame, len, with, &a);
	if (a.discard)
		return -EBADMSG;
	ret = store(fec, q, &a, with);
	if (ret == -ENOBUFS)
		fec_mib_lost(fec);
	else if (!ret)
		fec_mib_rx(fec, frame, len, a.status);
	return ret;
}

int fec_rx_deliver(struct lab_ctrl *ctrl, unsigned int q, const u8 *frame, u32 len)
{
	return fec_rx_receive(ctrl, q, frame, len, &in_order);
}

/**
 * fec_rx_settle() - update the descriptors that are late
 * @ctrl: the controller.
 *
 * Return: frames.
 */
unsigned int fec_rx_settle(struct lab_ctrl *ctrl)
{
	struct lab_fec *fec = to_fec(ctrl);
	unsigned int q, n = 0;

	for (q = 0; q < fec->variant->rings; q++) {
		struct fec_late *late = &fec->rx[q].late;

		if (!late->pending)
			continue;
		late->pending = false;
		update(fec, q, late->at, &late->bd, late->event);
		n++;
	}
	return n;
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
