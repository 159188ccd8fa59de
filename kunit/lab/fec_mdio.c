// SPDX-License-Identifier: GPL-2.0-only
/*
 * Management frames and the one PHY on the bus. IMX6DQRM "MII management
 * interface", ENETx_MMFR, ENETx_MSCR; IEEE 802.3 clause 22 for the registers.
 * The driver uses a fixed link: nobody but the bus scan looks at the PHY.
 */
#include <linux/bitfield.h>
#include <linux/mii.h>

#include "fec.h"

#define MMFR_ST		GENMASK(31, 30)
#define MMFR_OP		GENMASK(29, 28)
#define MMFR_PA		GENMASK(27, 23)
#define MMFR_RA		GENMASK(22, 18)
#define MMFR_DATA	GENMASK(15, 0)
#define ST_C22		1
#define OP_WRITE	1
#define OP_READ		2
#define MSCR_SPEED	GENMASK(6, 1)

#define PHY_ADDRESS	1
/* an identifier that no vendor has: no driver but the generic one matches */
#define PHY_ID1		0x7fff
#define PHY_ID2		0xfff0

static u16 phy_read(const struct lab_fec *fec, unsigned int reg)
{
	switch (reg) {
	case MII_BMSR:
		return BMSR_LSTATUS | BMSR_ANEGCAPABLE | BMSR_ANEGCOMPLETE | BMSR_100FULL;
	case MII_PHYSID1:
		return PHY_ID1;
	case MII_PHYSID2:
		return PHY_ID2;
	default:
		return fec->phy[reg];
	}
}

/**
 * fec_mdio_start() - MMFR was written
 * @fec: the controller.
 * @frame: the management frame.
 *
 * Nothing happens while MSCR[MII_SPEED] is 0. Where no PHY answers a read, the
 * bus is pulled up.
 */
void fec_mdio_start(struct lab_fec *fec, u32 frame)
{
	unsigned int reg = FIELD_GET(MMFR_RA, frame);
	bool c22 = FIELD_GET(MMFR_ST, frame) == ST_C22;
	bool here = c22 && FIELD_GET(MMFR_PA, frame) == PHY_ADDRESS;
	u32 data = FIELD_GET(MMFR_DATA, frame);

	FEC_REG(fec, REG_MMFR) = frame;
	if (!FIELD_GET(MSCR_SPEED, FEC_REG(fec, REG_MSCR)))
		return;
	if (FIELD_GET(MMFR_OP, frame) & OP_READ)
		data = here ? phy_read(fec, reg) : 0xffff;
	else if (here)
		fec->phy[reg] = data;
	FEC_REG(fec, REG_MMFR) = (frame & ~MMFR_DATA) | data;
	FEC_REG(fec, REG_EIR) |= EIR_MII;
}
