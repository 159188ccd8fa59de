// SPDX-License-Identifier: GPL-2.0-only
/*
 * MIB counters. IMX6DQRM "Statistic event counters", ENETx_MIBC. Lengths
 * count the FCS.
 */
#include <linux/etherdevice.h>

#include "fec.h"

/* of the two blocks of counters, from their start */
#define PACKETS		0x04
#define BROADCAST	0x08
#define MULTICAST	0x0c
#define CRC_ALIGN	0x10
#define UNDERSIZE	0x14
#define OVERSIZE	0x18
#define P64		0x28
#define OCTETS		0x44
#define FRAME_OK	0x4c
#define TX_OCTETS_OK	0x74

static void count(struct lab_fec *fec, u32 off, u32 n)
{
	if (!(FEC_REG(fec, REG_MIBC) & MIBC_DIS))
		FEC_REG(fec, off) += n;
}

/* P64, P65TO127, ... P1024TO2047, GTE2048 */
static u32 bucket(u32 len)
{
	static const u32 above[] = { 64, 127, 255, 511, 1023, 2047 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(above) && len > above[i]; i++)
		;
	return i * 4;
}

static void count_frame(struct lab_fec *fec, u32 block, const u8 *frame, u32 len)
{
	count(fec, block + PACKETS, 1);
	if (is_broadcast_ether_addr(frame))
		count(fec, block + BROADCAST, 1);
	else if (is_multicast_ether_addr(frame))
		count(fec, block + MULTICAST, 1);
	count(fec, block + P64 + bucket(len), 1);
}

/* A frame left. @len without FCS. */
void fec_mib_tx(struct lab_fec *fec, const u8 *frame, u32 len)
{
	len = max(len, ETH_ZLEN) + ETH_FCS_LEN;
	count_frame(fec, MIB_TX, frame, len);
	count(fec, MIB_TX + OCTETS, len);
	count(fec, MIB_TX + FRAME_OK, 1);
	count(fec, MIB_TX + TX_OCTETS_OK, len);
}

/* A frame arrived with the status of its last descriptor. @len without FCS. */
void fec_mib_rx(struct lab_fec *fec, const u8 *frame, u32 len, u16 status)
{
	len += ETH_FCS_LEN;
	if (status & BD_RX_OV) {
		count(fec, MIB_R_MACERR, 1);
		return;
	}
	count_frame(fec, MIB_RX, frame, len);
	count(fec, MIB_RX + OCTETS, len);
	if (status & (BD_RX_CR | BD_RX_NO))
		count(fec, MIB_RX + CRC_ALIGN, 1);
	if (status & BD_RX_CR)
		count(fec, MIB_R_CRC, 1);
	if (status & BD_RX_NO)
		count(fec, MIB_R_ALIGN, 1);
	if (status & BD_RX_LG && !(status & BD_RX_CR))
		count(fec, MIB_RX + OVERSIZE, 1);
	if (len < ETH_ZLEN + ETH_FCS_LEN)
		count(fec, MIB_RX + UNDERSIZE, 1);
	if (status & (BD_RX_CR | BD_RX_NO | BD_RX_LG | BD_RX_TR))
		return;
	count(fec, MIB_RX + FRAME_OK, 1);
	count(fec, MIB_R_OCTETS_OK, len);
}

/* A frame found no descriptor. */
void fec_mib_lost(struct lab_fec *fec)
{
	count(fec, MIB_R_MACERR, 1);
}

/**
 * fec_mib_write() - MIBC, or a counter
 * @fec: the controller.
 * @off: register.
 * @val: what is written.
 *
 * ENET clears all with MIBC[CLEAR]; on a FEC each counter is written while
 * MIBC[DIS] is set. They can be written at no other time.
 */
void fec_mib_write(struct lab_fec *fec, unsigned int off, u32 val)
{
	if (off != REG_MIBC) {
		if (!fec->variant->enet && FEC_REG(fec, REG_MIBC) & MIBC_DIS)
			FEC_REG(fec, off) = val;
		return;
	}
	FEC_REG(fec, REG_MIBC) = val & MIBC_DIS;
	if (fec->variant->enet && val & MIBC_CLEAR)
		memset(&FEC_REG(fec, MIB_TX), 0, MIB_END - MIB_TX);
}
