// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of ENET/FEC: its one instance and what the lab calls.
 *
 * Not modelled: address filtering, pause frames, the shapers of the transmit
 * classes, the output and input pins of the 1588 timer, errors of transmission
 * but underrun.
 */
#include "fec.h"

static struct lab_fec the_fec = { .owned.at = XARRAY_INIT(the_fec.owned.at, XA_FLAGS_LOCK_IRQ) };

static struct lab_ctrl *power_on(const struct lab_soc *soc, struct lab_dma *dma)
{
	struct lab_fec *fec = &the_fec;

	lab_owned_forget(&fec->owned);
	memset(fec, 0, sizeof(*fec));
	lab_owned_init(&fec->owned);
	fec->variant = soc->ctrl_data;
	fec->ctrl.ops = &lab_fec_ops;
	fec->ctrl.soc = soc;
	fec->ctrl.dma = dma;
	fec->ctrl.mmio = lab_mmio_claim(0, &fec_mmio_ops, fec);
	fec_reset(fec);
	return &fec->ctrl;
}

static u32 irq_lines(struct lab_ctrl *ctrl)
{
	struct lab_fec *fec = to_fec(ctrl);

	return FEC_REG(fec, REG_EIR) & FEC_REG(fec, REG_EIMR) ? BIT(0) : 0;
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
	.receive = fec_rx_receive,
	.settle = fec_rx_settle,
	.class_of = fec_class_of,
	.transmit = fec_tx_run,
	.begin = fec_tx_begin,
	.spoil = fec_tx_spoil,
	.time_hold = fec_time_hold,
	.time_pass = fec_time_pass,
	.wake = fec_wake,
	.irq_lines = irq_lines,
	.next_buffer = fec_rx_next_buffer,
	.holds = fec_rx_holds,
	.forge_length = fec_rx_forge_length,
	.xdp_ends = xdp_ends,
};
