// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET/FEC transmit. IMX6DQRM "Ethernet MAC transmit", "Enhanced transmit
 * buffer descriptor".
 */
#include "fec.h"

/* TXF, TXF1, TXF2 */
static const u32 txf[FEC_QUEUES] = { BIT(27), BIT(3), BIT(7) };

static bool run_ring(struct lab_fec *fec, unsigned int q)
{
	struct fec_ring *ring = &fec->tx[q];
	bool did = false, event = false;
	struct fec_bd bd;
	u32 len = 0;

	while (fec_bd_read(fec, ring->cur, &bd) && bd.status & BD_OWNED) {
		if (!bd.len || len + bd.len > LAB_MAX_FRAME) {
			lab_dma_violation(fec->ctrl.dma, LAB_V_DESCRIPTOR, NULL, ring->cur,
					  bd.len, DMA_TO_DEVICE);
		} else {
			fec_swap_read(fec, bd.addr, fec->buf + len, bd.len);
			len += bd.len;
		}
		event |= !(FEC_REG(fec, REG_ECR) & ECR_EN1588) || bd.ext & BD_TX_INT;

		if (bd.status & BD_LAST) {
			/* nobody else on this wire adds an FCS */
			if (!(bd.status & BD_TX_TC))
				lab_dma_violation(fec->ctrl.dma, LAB_V_DESCRIPTOR, NULL,
						  ring->cur, bd.len, DMA_TO_DEVICE);
			lab_wire_out(fec->ctrl.wire, q, fec->buf, len);
			FEC_REG(fec, MIB_T_PACKETS)++;
			FEC_REG(fec, MIB_T_FRAME_OK)++;
			if (event)
				FEC_REG(fec, REG_EIR) |= txf[q];
			len = 0;
			event = false;
		}
		bd.status &= ~BD_OWNED;
		fec_bd_write(fec, ring->cur, &bd);
		ring->cur = fec_bd_next(fec, ring, ring->cur, &bd);
		did = true;
	}
	/* a frame whose last descriptor never came */
	if (len)
		lab_dma_violation(fec->ctrl.dma, LAB_V_DESCRIPTOR, NULL, ring->cur, len,
				  DMA_TO_DEVICE);
	ring->active = false;
	return did;
}

/* Send what is ready on every ring whose doorbell was rung. */
bool fec_tx_run(struct lab_ctrl *ctrl)
{
	struct lab_fec *fec = to_fec(ctrl);
	bool did = false;
	int q;

	if (FEC_REG(fec, REG_TCR) & TCR_GTS)
		return false;
	for (q = fec->variant->rings - 1; q >= 0; q--)
		if (fec->tx[q].active)
			did |= run_ring(fec, q);
	return did;
}
