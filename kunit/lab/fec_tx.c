// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET/FEC transmit. IMX6DQRM "Ethernet MAC transmit", ENETx_TDAR, "Enhanced
 * transmit buffer descriptor"; IMX6DQCE ERR006358, IMX6SXCE ERR007885.
 */
#include <linux/if_ether.h>

#include "fec.h"

static void bad(struct lab_fec *fec, u32 at, u32 len)
{
	lab_dma_violation(fec->ctrl.dma, LAB_V_DESCRIPTOR, NULL, at, len, DMA_TO_DEVICE);
}

/**
 * struct departure - a frame that is ready
 * @len: its length.
 * @next: descriptor after its last.
 * @event: it asks for an interrupt.
 */
struct departure {
	u32 len;
	u32 next;
	bool event;
};

/* Read the frame that starts at ->cur; false when it is not there as a whole. */
static bool fetch(struct lab_fec *fec, unsigned int q, u8 *to, struct departure *d)
{
	struct fec_ring *ring = &fec->tx[q];
	u32 at = ring->cur, ext = 0;
	struct fec_bd bd;

	*d = (struct departure){};
	while (fec_bd_read(fec, at, &bd) && bd.status & BD_OWNED) {
		if (!bd.len || d->len + bd.len > LAB_MAX_FRAME) {
			bad(fec, at, bd.len);
		} else {
			fec_swap_read(fec, bd.addr, to + d->len, bd.len);
			d->len += bd.len;
		}
		ext |= bd.ext;
		d->event |= !(FEC_REG(fec, REG_ECR) & ECR_EN1588) || bd.ext & BD_TX_INT;
		at = fec_bd_next(fec, ring, at, &bd);
		if (!(bd.status & BD_LAST))
			continue;
		/* nobody else on this wire adds an FCS */
		if (!(bd.status & BD_TX_TC))
			bad(fec, at, bd.len);
		fec_accel_tx(fec, to, d->len, ext);
		d->next = at;
		return true;
	}
	/* a frame whose last descriptor never came */
	if (d->len)
		bad(fec, at, d->len);
	return false;
}

/* The frame at ->cur is out: its descriptors go back to the driver. */
static void hand_back(struct lab_fec *fec, unsigned int q, const u8 *data,
		      const struct departure *d)
{
	struct fec_ring *ring = &fec->tx[q];
	bool spoilt = fec->spoilt;
	struct fec_bd bd;

	fec->spoilt -= spoilt;
	do {
		if (!fec_bd_read(fec, ring->cur, &bd))
			return;
		bd.status &= ~BD_OWNED;
		if (bd.status & BD_LAST && spoilt)
			bd.status |= BD_TX_UN;
		if (bd.status & BD_LAST && bd.ext & BD_TX_TS) {
			bd.stamp = fec_time_stamp(fec);
			FEC_REG(fec, REG_ATSTMP) = bd.stamp;
		}
		fec_bd_write(fec, ring->cur, &bd);
		ring->cur = fec_bd_next(fec, ring, ring->cur, &bd);
	} while (ring->cur != d->next && !(bd.status & BD_LAST));

	if (!spoilt) {
		lab_wire_out_marked(fec->ctrl.wire, q, data, d->len, &(struct lab_marks){
			.padding = d->len < ETH_ZLEN ? ETH_ZLEN - d->len : 0,
		});
		fec_mib_tx(fec, data, d->len);
	}
	if (d->event)
		fec_time_event(fec, q, true);
}

/*
 * The frame that was in flight is out. What was told to the transmitter since
 * counts now; with ERR006358 nothing was.
 */
static bool land(struct lab_fec *fec, unsigned int q)
{
	struct fec_flight *flight = &fec->flight[q];

	if (!flight->busy)
		return false;
	flight->busy = false;
	hand_back(fec, q, flight->data, &(struct departure){
		.len = flight->len, .next = flight->next, .event = flight->event,
	});
	fec->tx[q].active = flight->again;
	return true;
}

static bool run_ring(struct lab_fec *fec, unsigned int q)
{
	struct fec_ring *ring = &fec->tx[q];
	bool did = land(fec, q);
	struct departure d;

	while (ring->active && fetch(fec, q, fec->buf, &d)) {
		hand_back(fec, q, fec->buf, &d);
		did = true;
	}
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

/* Send all but the last frame of a ring; that one is on its way. */
static void begin_ring(struct lab_fec *fec, unsigned int q)
{
	struct fec_flight *flight = &fec->flight[q];
	struct fec_ring *ring = &fec->tx[q];
	struct departure d;
	struct fec_bd after;

	while (fetch(fec, q, flight->data, &d)) {
		if (!fec_bd_read(fec, d.next, &after))
			return;
		if (after.status & BD_OWNED) {
			hand_back(fec, q, flight->data, &d);
			continue;
		}
		flight->busy = true;
		flight->again = false;
		flight->polls = 0;
		flight->len = d.len;
		flight->next = d.next;
		flight->event = d.event;
		return;
	}
	ring->active = false;
}

/**
 * fec_tx_begin() - start to send, and leave the last frame of each ring in flight
 * @ctrl: the controller.
 */
void fec_tx_begin(struct lab_ctrl *ctrl)
{
	struct lab_fec *fec = to_fec(ctrl);
	unsigned int q;

	for (q = 0; q < fec->variant->rings; q++)
		if (fec->tx[q].active && !fec->flight[q].busy)
			begin_ring(fec, q);
}

/* The next frames run out of data on their way. */
void fec_tx_spoil(struct lab_ctrl *ctrl, unsigned int frames)
{
	to_fec(ctrl)->spoilt = frames;
}

/* TCR[GTS]: what is on its way goes out, nothing else does. */
void fec_tx_drain(struct lab_fec *fec)
{
	unsigned int q;

	for (q = 0; q < fec->variant->rings; q++)
		land(fec, q);
}

/**
 * fec_tx_tdar() - software reads TDAR
 * @fec: the controller.
 * @q: ring.
 *
 * ERR007885: the DMA may be about to clear the bit. After as many reads as the
 * workaround asks for it either did, or has seen the new descriptor.
 *
 * Return: true when it reads as active.
 */
bool fec_tx_tdar(struct lab_fec *fec, unsigned int q)
{
	struct fec_flight *flight = &fec->flight[q];

	if (flight->busy && fec->variant->err007885)
		return ++flight->polls < 3 || flight->again;
	return fec->tx[q].active;
}

/**
 * fec_tx_doorbell() - software writes TDAR
 * @fec: the controller.
 * @q: ring.
 * @was_idle: directly after it read 0.
 *
 * Cleared when the next descriptor is not ready: a doorbell that comes before
 * its descriptor is lost, and the frame waits for the next one.
 */
void fec_tx_doorbell(struct lab_fec *fec, unsigned int q, bool was_idle)
{
	struct fec_flight *flight = &fec->flight[q];
	struct fec_ring *ring = &fec->tx[q];
	struct fec_bd bd;

	if (fec->variant->err007885 && !was_idle)
		lab_dma_violation(fec->ctrl.dma, LAB_V_DOORBELL, NULL,
				  fec_reg_tdar[q], 4, DMA_NONE);
	if (!(FEC_REG(fec, REG_ECR) & ECR_ETHEREN)) {
		ring->active = false;
		return;
	}
	if (flight->busy) {
		flight->again |= !fec->variant->err006358;
		return;
	}
	ring->active = ring->active || (fec_bd_read(fec, ring->cur, &bd) && bd.status & BD_OWNED);
}
