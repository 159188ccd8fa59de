/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - what the bench's XDP programs share
 *
 * Self-contained: no vmlinux.h, no libbpf headers, no BTF in the kernel needed.
 * Each program looks at the frame's type, as any real one does, and lets all but
 * the bench's own frames (bench/tools/wire.c) pass to the stack.
 */
#ifndef BENCH_BPF_FRAME_H
#define BENCH_BPF_FRAME_H

#include <linux/bpf.h>
#include <linux/if_ether.h>

#define SEC(name) __attribute__((section(name), used))

#define BENCH_TYPE	0x88b5	/* as in bench/tools/wire.c */
#define BENCH_PORT	2	/* ifindex of the port: first after lo */
#define BENCH_VETH	100	/* ifindex given to veth0 by bench/workloads/guest/lib.sh */

#ifdef BENCH_COUNT
/* A map of that name counts what the program returned, see bench/tools/verdicts.c */
struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	int (*max_entries)[XDP_REDIRECT + 1];
	__u32 *key;
	__u64 *value;
} BENCH_COUNT SEC(".maps");

static void *(*bench_lookup)(void *map, const void *key) =
	(void *)BPF_FUNC_map_lookup_elem;
#endif

static long (*bench_redirect)(__u32 ifindex, __u64 flags) =
	(void *)BPF_FUNC_redirect;

static __always_inline struct ethhdr *bench_frame(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;

	if ((void *)(eth + 1) > end)
		return 0;
	if (eth->h_proto != __builtin_bswap16(BENCH_TYPE))
		return 0;
	return eth;
}

static __always_inline void bench_swap_addresses(struct ethhdr *eth)
{
	__u8 dst[ETH_ALEN];

	__builtin_memcpy(dst, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, dst, ETH_ALEN);
}

static __always_inline int bench_verdict(int verdict)
{
#ifdef BENCH_COUNT
	__u32 key = verdict;
	__u64 *count = bench_lookup(&BENCH_COUNT, &key);

	if (count)
		++*count;
#endif
	return verdict;
}

#endif /* BENCH_BPF_FRAME_H */
