// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET/FEC registers. IMX6DQRM "ENET memory map/register definition".
 */
#include "fec.h"

/* rings 1 and 2: IMX6SXRM, ENETx_RDAR1 and so on */
const u16 fec_reg_rdar[FEC_QUEUES] = { 0x010, 0x1e0, 0x1e8 };
const u16 fec_reg_tdar[FEC_QUEUES] = { 0x014, 0x1e4, 0x1ec };
const u16 fec_reg_rdsr[FEC_QUEUES] = { 0x180, 0x160, 0x16c };
const u16 fec_reg_tdsr[FEC_QUEUES] = { 0x184, 0x164, 0x170 };
const u16 fec_reg_mrbr[FEC_QUEUES] = { 0x188, 0x168, 0x174 };

/* RXF, RXF1, RXF2; TXF, TXF1, TXF2 */
const u32 fec_rxf[FEC_QUEUES] = { BIT(25), BIT(1), BIT(5) };
const u32 fec_txf[FEC_QUEUES] = { BIT(27), BIT(3), BIT(7) };

static int ring_of(const struct lab_fec *fec, const u16 *regs, unsigned int off)
{
	unsigned int q;

	for (q = 0; q < fec->variant->rings; q++)
		if (regs[q] == off)
			return q;
	return -1;
}

/*
 * What is under way stays undone: a descriptor that was to be updated late
 * keeps its owner, a frame in flight is cut on the wire.
 */
static void stop_rings(struct lab_fec *fec)
{
	unsigned int q;

	for (q = 0; q < FEC_QUEUES; q++) {
		struct fec_ring *rx = &fec->rx[q], *tx = &fec->tx[q];

		rx->active = false;
		rx->armed = 0;
		rx->late.pending = false;
		rx->held.frames = 0;
		tx->active = false;
		tx->held.frames = 0;
		fec->flight[q].busy = false;
	}
	lab_owned_forget(&fec->owned);
}

/* ECR[ETHEREN] 0 to 1: the pointers start at the rings' start registers. */
static void start_rings(struct lab_fec *fec)
{
	unsigned int q;

	for (q = 0; q < fec->variant->rings; q++) {
		struct fec_ring *rx = &fec->rx[q], *tx = &fec->tx[q];

		rx->start = FEC_REG(fec, fec_reg_rdsr[q]);
		rx->cur = rx->start;
		rx->arm = rx->start;
		tx->start = FEC_REG(fec, fec_reg_tdsr[q]);
		tx->cur = tx->start;
	}
}

/* Power-on or ECR[RESET]: all registers to their reset values. */
void fec_reset(struct lab_fec *fec)
{
	stop_rings(fec);
	memset(fec->reg, 0, sizeof(fec->reg));
	FEC_REG(fec, REG_FTRL) = FTRL_RESET;
	fec->tdar_idle = -1;
}

static void write_ecr(struct lab_fec *fec, u32 val)
{
	u32 old = FEC_REG(fec, REG_ECR);

	if (val & ECR_RESET) {		/* clears itself */
		fec_reset(fec);
		return;
	}
	if (!fec->variant->enet)
		val &= ECR_ETHEREN;
	FEC_REG(fec, REG_ECR) = val;
	if (!(val & ECR_ETHEREN))
		stop_rings(fec);
	else if (!(old & ECR_ETHEREN))
		start_rings(fec);
}

static u32 fec_read(void *priv, unsigned int off)
{
	struct lab_fec *fec = priv;
	int q;

	fec->tdar_idle = -1;
	if (off >= FEC_REGS_SIZE)
		return 0;

	q = ring_of(fec, fec_reg_tdar, off);
	if (q >= 0) {
		if (fec_tx_tdar(fec, q))
			return DAR_ACTIVE;
		fec->tdar_idle = q;
		fec->tdar_zero[q] |= BIT(raw_smp_processor_id());
		return 0;
	}
	q = ring_of(fec, fec_reg_rdar, off);
	if (q >= 0)
		return fec->rx[q].active ? DAR_ACTIVE : 0;
	return FEC_REG(fec, off);
}

/*
 * With two CPUs others access registers between a look at TDAR and the doorbell.
 * A doorbell that another CPU's made needless, and that is lost, does no harm: the
 * descriptor was there when this CPU looked, before the transmitter set out.
 */
static bool has_looked(const struct lab_fec *fec, unsigned int q)
{
	return fec->ctrl.free && fec->tdar_zero[q] & BIT(raw_smp_processor_id());
}

static void fec_write(void *priv, unsigned int off, u32 val)
{
	struct lab_fec *fec = priv;
	int idle = fec->tdar_idle, q;

	fec->tdar_idle = -1;
	if (off >= FEC_REGS_SIZE)
		return;

	q = ring_of(fec, fec_reg_tdar, off);
	if (q >= 0) {
		fec_tx_doorbell(fec, q, idle == q || has_looked(fec, q));
		fec->tdar_zero[q] &= ~BIT(raw_smp_processor_id());
		return;
	}
	q = ring_of(fec, fec_reg_rdar, off);
	if (q >= 0) {
		if (FEC_REG(fec, REG_ECR) & ECR_ETHEREN) {
			fec->rx[q].active = true;
			fec_rx_arm(fec, q);
		}
		return;
	}

	switch (off) {
	case REG_EIR:
		FEC_REG(fec, REG_EIR) &= ~val;
		break;
	case REG_ECR:
		write_ecr(fec, val);
		break;
	case REG_TCR:
		FEC_REG(fec, REG_TCR) = val;
		if (val & TCR_GTS) {
			fec_tx_drain(fec);
			FEC_REG(fec, REG_EIR) |= EIR_GRA;
		}
		break;
	case REG_MMFR:
		fec_mdio_start(fec, val);
		break;
	case REG_RACC:
	case REG_FTRL:
		if (fec->variant->enet)
			FEC_REG(fec, off) = val;
		break;
	case REG_MIBC:
	case MIB_TX ... MIB_END - 4:
		fec_mib_write(fec, off, val);
		break;
	case REG_ATCR ... REG_ATSTMP:
		if (fec->variant->enet)
			fec_time_write(fec, off, val);
		break;
	default:
		FEC_REG(fec, off) = val;
	}
}

const struct lab_mmio_ops fec_mmio_ops = {
	.read = fec_read,
	.write = fec_write,
};
