// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules as a suite sees them: counts, and how strictly to look.
 */
#include "nic.h"

u64 lab_violations(struct lab_nic *nic, enum lab_violation which)
{
	u64 sum = 0;
	int i;

	if (which < LAB_V_MAX)
		return nic->dma->violations[which];
	for (i = 0; i < LAB_V_MAX; i++)
		sum += nic->dma->violations[i];
	return sum;
}

void lab_violations_forget(struct lab_nic *nic)
{
	memset(nic->dma->violations, 0, sizeof(nic->dma->violations));
	nic->dma->events = 0;
	to_nic(nic)->ctrl->mmio->gated = 0;
}

void lab_cache_line(struct lab_nic *nic, unsigned int line)
{
	nic->dma->line = line;
}

void lab_cache_evict(struct lab_nic *nic, bool on)
{
	nic->dma->evict = on;
}

void lab_account(struct lab_nic *nic, unsigned int frames)
{
	to_nic(nic)->ledger.told += frames;
}

unsigned int lab_live_mappings(struct lab_nic *nic)
{
	return nic->dma->live;
}
