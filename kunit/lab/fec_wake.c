// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENET while the system sleeps. IMX6DQRM "Magic packet detection": with
 * ECR[MAGICEN] and ECR[SLEEP] set the MAC receives nothing, looks for six bytes
 * of ones and 16 times the address in PALR and PAUR, and raises EIR[WAKEUP].
 */
#include <linux/etherdevice.h>

#include "fec.h"

#define REG_PALR		0x0e4
#define REG_PAUR		0x0e8
#define ECR_MAGICEN		BIT(2)
#define ECR_SLEEP		BIT(3)
#define EIR_WAKEUP		BIT(17)

#define REPEATS			16

static bool is_magic(const u8 *at, const u8 *addr)
{
	unsigned int i;

	for (i = 0; i < ETH_ALEN; i++)
		if (at[i] != 0xff)
			return false;
	for (i = 0, at += ETH_ALEN; i < REPEATS; i++, at += ETH_ALEN)
		if (!ether_addr_equal_unaligned(at, addr))
			return false;
	return true;
}

/**
 * fec_wake() - a frame arrives while the system sleeps
 * @ctrl: the controller.
 * @frame: without FCS.
 * @len: its length.
 *
 * The wake-up logic runs without the bus clock.
 */
void fec_wake(struct lab_ctrl *ctrl, const u8 *frame, u32 len)
{
	struct lab_fec *fec = to_fec(ctrl);
	u32 low = FEC_REG(fec, REG_PALR), high = FEC_REG(fec, REG_PAUR);
	u32 ecr = FEC_REG(fec, REG_ECR), off;
	u8 addr[ETH_ALEN] = {
		low >> 24, low >> 16, low >> 8, low, high >> 24, high >> 16,
	};

	if (!(ecr & ECR_ETHEREN) || !(ecr & ECR_MAGICEN) || !(ecr & ECR_SLEEP))
		return;
	for (off = ETH_HLEN; off + ETH_ALEN * (REPEATS + 1) <= len; off++)
		if (is_magic(frame + off, addr))
			FEC_REG(fec, REG_EIR) |= EIR_WAKEUP;
}
