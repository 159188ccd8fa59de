// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET/FEC buffer descriptors. IMX6DQRM "Legacy buffer descriptor", "Enhanced
 * receive buffer descriptor", "Enhanced transmit buffer descriptor".
 *
 * Their byte order is fixed when the block is generated: little-endian on i.MX
 * (ECR[DBSWP] on ENET), big-endian on ColdFire. The driver chooses by the CPU
 * it is built for and knows little-endian on ARM only; a driver built for
 * UML talks to the big-endian block, in which status comes first.
 */
#include <linux/unaligned.h>

#include "fec.h"

#define BD_SIZE_LEGACY		8
#define BD_SIZE_ENHANCED	32

#if defined(CONFIG_ARM) || defined(CONFIG_ARM64)
#define OFF_LEN		0
#define OFF_STATUS	2
#define get16		get_unaligned_le16
#define get32		get_unaligned_le32
#define put16		put_unaligned_le16
#define put32		put_unaligned_le32
#else
#define OFF_STATUS	0
#define OFF_LEN		2
#define get16		get_unaligned_be16
#define get32		get_unaligned_be32
#define put16		put_unaligned_be16
#define put32		put_unaligned_be32
#endif
#define OFF_ADDR	4
#define OFF_EXT		8
#define OFF_PROT	12
#define OFF_STAMP	20

static bool enhanced(const struct lab_fec *fec)
{
	return FEC_REG(fec, REG_ECR) & ECR_EN1588;
}

static u32 bd_size(const struct lab_fec *fec)
{
	return enhanced(fec) ? BD_SIZE_ENHANCED : BD_SIZE_LEGACY;
}

/**
 * fec_bd_read() - fetch a descriptor
 * @fec: the controller.
 * @at: its bus address.
 * @bd: destination.
 *
 * Return: false when there is no memory at @at, which is noted.
 */
bool fec_bd_read(struct lab_fec *fec, u32 at, struct fec_bd *bd)
{
	u8 *raw = lab_dma_coherent(fec->ctrl.dma, at, bd_size(fec));

	if (!raw) {
		lab_dma_violation(fec->ctrl.dma, LAB_V_UNMAPPED, NULL, at, bd_size(fec),
				  DMA_BIDIRECTIONAL);
		return false;
	}
	bd->status = get16(raw + OFF_STATUS);
	dma_rmb();		/* ownership first */
	bd->len = get16(raw + OFF_LEN);
	bd->addr = get32(raw + OFF_ADDR);
	bd->ext = enhanced(fec) ? get32(raw + OFF_EXT) : 0;
	bd->prot = 0;
	bd->stamp = enhanced(fec) ? get32(raw + OFF_STAMP) : 0;
	return true;
}

/* Store what the controller may change: all but the buffer's address. */
void fec_bd_write(struct lab_fec *fec, u32 at, const struct fec_bd *bd)
{
	u8 *raw = lab_dma_coherent(fec->ctrl.dma, at, bd_size(fec));

	if (!raw)
		return;		/* noted by the read before */
	put16(bd->len, raw + OFF_LEN);
	if (enhanced(fec)) {
		put32(bd->ext, raw + OFF_EXT);
		put32(bd->prot, raw + OFF_PROT);
		put32(bd->stamp, raw + OFF_STAMP);
	}
	dma_wmb();		/* ownership last */
	put16(bd->status, raw + OFF_STATUS);
}

u32 fec_bd_next(struct lab_fec *fec, const struct fec_ring *ring, u32 at,
		const struct fec_bd *bd)
{
	return bd->status & BD_WRAP ? ring->start : at + bd_size(fec);
}
