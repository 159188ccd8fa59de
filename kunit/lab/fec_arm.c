// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive buffers while the controller owns them. IMX6DQRM ENETx_RDAR,
 * ENETx_MRBR, ENETx_FTRL, "Enhanced receive buffer descriptor".
 */
#include "fec.h"

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

static void bad_buffer(struct lab_fec *fec, const struct fec_bd *bd, u32 len)
{
	lab_dma_violation(fec->ctrl.dma, LAB_V_DESCRIPTOR, NULL, bd->addr, len,
			  DMA_FROM_DEVICE);
}

static void check_buffer(struct lab_fec *fec, unsigned int q, const struct fec_bd *bd)
{
	u32 window = fec_rx_window(fec, q);

	if (!window || bd->addr % fec->variant->rx_align) {
		bad_buffer(fec, bd, window);
		return;
	}
	/* two descriptors with one buffer: each frame overwrites the other */
	if (!lab_own(&fec->owned, bd->addr)) {
		bad_buffer(fec, bd, window);
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

/**
 * fec_rx_taken() - a buffer was written and goes back to the driver
 * @fec: the controller.
 * @q: ring.
 * @bd: its descriptor.
 *
 * A descriptor that names another buffer than the one which was armed was
 * changed while it was the controller's.
 */
void fec_rx_taken(struct lab_fec *fec, unsigned int q, const struct fec_bd *bd)
{
	if (!lab_disown(&fec->owned, bd->addr))
		bad_buffer(fec, bd, fec_rx_window(fec, q));
	fec->rx[q].armed--;
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
	return lab_owns(&to_fec(ctrl)->owned, addr, size);
}
