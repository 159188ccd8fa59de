/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chance that repeats: everything the lab leaves to chance comes from one seed,
 * poolstack.seed=N on the kernel command line.
 */
#ifndef POOLSTACK_LAB_SEED_H
#define POOLSTACK_LAB_SEED_H

#include <linux/types.h>

/**
 * struct lab_rand - a stream of numbers, for one user
 * @state: of the generator; a copy of the struct repeats what follows.
 */
struct lab_rand {
	u64 state;
};

/**
 * lab_seed() - the seed of this run
 *
 * Return: poolstack.seed, 1 unless set. Whoever lets chance decide prints it
 * when a case fails.
 */
u32 lab_seed(void);

/**
 * lab_rand_init() - start a stream
 * @rand: the stream.
 * @stream: names it, so that users who share the seed do not share numbers.
 *
 * Context: any, as for the two below; the owner of a stream serializes them.
 */
void lab_rand_init(struct lab_rand *rand, u32 stream);

/* Next number, all 32 bits of it as good as random. */
u32 lab_rand(struct lab_rand *rand);

/* Next number from 0 to @below - 1. @below is not 0. */
u32 lab_rand_below(struct lab_rand *rand, u32 below);

#endif
