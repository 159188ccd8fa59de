// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of ENET/FEC: its one instance and what the lab calls.
 *
 * Not modelled: padding of short transmit frames, checksum insertion and
 * checksum flags, address filtering, receive classification (the
 * sender names the ring), interrupt coalescing (a pump is "the timer expired"),
 * time stamps (the counter stands still), PHYs on the MDIO bus (none answers).
 */
#include "fec.h"

static struct lab_fec the_fec;

static struct lab_ctrl *power_on(const struct lab_soc *soc, struct lab_dma *dma)
{
	struct lab_fec *fec = &the_fec;

	memset(fec, 0, sizeof(*fec));
	fec->variant = soc->ctrl_data;
	fec->ctrl.ops = &lab_fec_ops;
	fec->ctrl.soc = soc;
	fec->ctrl.dma = dma;
	fec->ctrl.mmio = lab_mmio_claim(0, &fec_mmio_ops, fec);
	fec_reset(fec);
	return &fec->ctrl;
}

static bool irq_level(struct lab_ctrl *ctrl)
{
	struct lab_fec *fec = to_fec(ctrl);

	return FEC_REG(fec, REG_EIR) & FEC_REG(fec, REG_EIMR);
}

static const char * const xdp_ends[] = {
	"rx_xdp_redirect",
	"rx_xdp_drop",
	"rx_xdp_tx",
	NULL
};

const struct lab_ctrl_ops lab_fec_ops = {
	.name = "fec",
	.power_on = power_on,
	.deliver = fec_rx_deliver,
	.transmit = fec_tx_run,
	.irq_level = irq_level,
	.next_buffer = fec_rx_next_buffer,
	.holds = fec_rx_holds,
	.forge_length = fec_rx_forge_length,
	.xdp_ends = xdp_ends,
};
