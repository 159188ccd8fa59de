// SPDX-License-Identifier: GPL-2.0-only
/*
 * The seed of a run and the numbers that follow from it.
 */

#include "lab.h"
#include "param.h"

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "what chance decides in this run follows from this number (default 1)");

u32 lab_seed(void)
{
	return seed;
}

void lab_rand_init(struct lab_rand *rand, u32 stream)
{
	rand->state = ((u64)stream << 32) | seed;
	/* seeds are small numbers: let their few bits spread */
	lab_rand(rand);
}

/* splitmix64: any state is as good a start as any other */
u32 lab_rand(struct lab_rand *rand)
{
	u64 z = rand->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) >> 32;
}

u32 lab_rand_below(struct lab_rand *rand, u32 below)
{
	/* the high word of the product: no number is favoured by a remainder */
	return ((u64)lab_rand(rand) * below) >> 32;
}
