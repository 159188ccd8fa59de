// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive classification of an ENET with AVB. IMX6SXRM "Receive frame
 * classification", ENETx_RCMRn, ENETx_DMAnCFG.
 */
#include <linux/bitfield.h>
#include <linux/if_ether.h>
#include <linux/unaligned.h>

#include "fec.h"

#define RCMR_MATCHEN	BIT(16)
#define RCMR_CMP(n)	(7u << (4 * (n)))
#define CMPS		4
#define DMACFG_CLASS_EN	BIT(16)
#define PCP		GENMASK(15, 13)

static const u16 reg_rcmr[FEC_QUEUES] = { 0, 0x1c8, 0x1cc };
static const u16 reg_dmacfg[FEC_QUEUES] = { 0, 0x1d8, 0x1dc };

/* Class 1 or 2 takes a priority that one of its four fields names. */
static bool takes(const struct lab_fec *fec, unsigned int class, u32 priority)
{
	u32 rcmr = FEC_REG(fec, reg_rcmr[class]), n;

	if (!(rcmr & RCMR_MATCHEN) || !(FEC_REG(fec, reg_dmacfg[class]) & DMACFG_CLASS_EN))
		return false;
	for (n = 0; n < CMPS; n++)
		if ((rcmr & RCMR_CMP(n)) >> (4 * n) == priority)
			return true;
	return false;
}

/**
 * fec_class_of() - the ring that a frame goes to
 * @ctrl: the controller.
 * @frame: from the destination address on.
 * @len: its length.
 *
 * Return: 1 or 2 by the priority in its VLAN tag, else 0.
 */
unsigned int fec_class_of(struct lab_ctrl *ctrl, const u8 *frame, u32 len)
{
	struct lab_fec *fec = to_fec(ctrl);
	unsigned int class;
	u32 priority;

	if (len < ETH_HLEN + 4 || get_unaligned_be16(frame + 2 * ETH_ALEN) != ETH_P_8021Q)
		return 0;
	priority = FIELD_GET(PCP, get_unaligned_be16(frame + ETH_HLEN));
	for (class = 1; class < fec->variant->rings; class++)
		if (takes(fec, class, priority))
			return class;
	return 0;
}
