// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time: the IEEE 1588 timer and interrupt coalescing. IMX6DQRM "Adjustable
 * timer module", ENETx_ATCR to ENETx_ATINC; IMX6SXRM "Interrupt coalescing",
 * ENETx_TXIC, ENETx_RXIC.
 *
 * The lab's time stands still but for fec_time_pass(). A pump stands for as
 * long as it takes: events that coalescing holds back come at once, unless the
 * case holds the clock.
 */
#include <linux/bitfield.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "fec.h"

/* ENETx_ATCR */
#define ATCR_EN		BIT(0)
#define ATCR_RESTART	BIT(9)
#define ATCR_CAPTURE	BIT(11)
/* ENETx_TXIC, ENETx_RXIC */
#define IC_EN		BIT(31)
#define IC_CLOCK_AHB	BIT(30)	/* the timer's clock: system instead of transmit */
#define IC_FRAMES	GENMASK(27, 20)
#define IC_TIME		GENMASK(15, 0)	/* in 64 cycles */

static const u16 reg_txic[FEC_QUEUES] = { 0x0f0, 0x0f4, 0x0f8 };
static const u16 reg_rxic[FEC_QUEUES] = { 0x100, 0x104, 0x108 };

/* The counter: nanoseconds since ATVR was written, modulo ATPER. */
static u32 counter(const struct lab_fec *fec)
{
	u32 period = FEC_REG(fec, REG_ATPER), rest;
	u64 ns = fec->at_value;

	if (FEC_REG(fec, REG_ATCR) & ATCR_EN)
		ns += fec->now - fec->at_set;
	if (!period)
		return lower_32_bits(ns);
	div_u64_rem(ns, period, &rest);
	return rest;
}

/* What a descriptor gets: the counter when the frame is on the wire. */
u32 fec_time_stamp(struct lab_fec *fec)
{
	return counter(fec);
}

static void set_counter(struct lab_fec *fec, u32 val)
{
	fec->at_value = val;
	fec->at_set = fec->now;
}

/**
 * fec_time_write() - a register of the timer
 * @fec: the controller.
 * @off: register.
 * @val: what is written.
 *
 * CAPTURE latches the counter into ATVR; it and RESTART clear themselves.
 */
void fec_time_write(struct lab_fec *fec, unsigned int off, u32 val)
{
	if (off == REG_ATVR) {
		set_counter(fec, val);
		FEC_REG(fec, REG_ATVR) = val;
		return;
	}
	if (off != REG_ATCR) {
		FEC_REG(fec, off) = val;
		return;
	}
	set_counter(fec, val & ATCR_RESTART ? 0 : counter(fec));
	if (val & ATCR_CAPTURE)
		FEC_REG(fec, REG_ATVR) = counter(fec);
	FEC_REG(fec, REG_ATCR) = val & ~(ATCR_CAPTURE | ATCR_RESTART);
}

/* ---- coalescing --------------------------------------------------------- */

static u64 hold_ns(u32 ic)
{
	/* the lab's clocks, see clk.c, all run at the same rate */
	return div_u64(FIELD_GET(IC_TIME, ic) * 64ULL * NSEC_PER_SEC, LAB_CLK_RATE);
}

static void raise(struct lab_fec *fec, struct fec_coalesce *held, u32 event)
{
	held->frames = 0;
	FEC_REG(fec, REG_EIR) |= event;
}

/**
 * fec_time_event() - a frame went through that asks for an interrupt
 * @fec: the controller.
 * @q: ring.
 * @tx: transmitted, not received.
 */
void fec_time_event(struct lab_fec *fec, unsigned int q, bool tx)
{
	u32 ic = FEC_REG(fec, tx ? reg_txic[q] : reg_rxic[q]);
	struct fec_coalesce *held = tx ? &fec->tx[q].held : &fec->rx[q].held;
	u32 event = tx ? fec_txf[q] : fec_rxf[q];

	if (!fec->variant->coalesce || !(ic & IC_EN) || !fec->time_held) {
		raise(fec, held, event);
		return;
	}
	if (!held->frames++)
		held->until = fec->now + hold_ns(ic);
	if (held->frames >= FIELD_GET(IC_FRAMES, ic))
		raise(fec, held, event);
}

static void expire(struct lab_fec *fec, struct fec_coalesce *held, u32 event)
{
	if (held->frames && (!fec->time_held || fec->now >= held->until))
		raise(fec, held, event);
}

/**
 * fec_time_pass() - let time go by
 * @ctrl: the controller.
 * @ns: nanoseconds.
 */
void fec_time_pass(struct lab_ctrl *ctrl, u64 ns)
{
	struct lab_fec *fec = to_fec(ctrl);
	unsigned int q;

	fec->now += ns;
	for (q = 0; q < fec->variant->rings; q++) {
		expire(fec, &fec->rx[q].held, fec_rxf[q]);
		expire(fec, &fec->tx[q].held, fec_txf[q]);
	}
}

/* From here on only fec_time_pass() moves the clock; or a pump does again. */
void fec_time_hold(struct lab_ctrl *ctrl, bool hold)
{
	to_fec(ctrl)->time_held = hold;
	fec_time_pass(ctrl, 0);
}
