// SPDX-License-Identifier: GPL-2.0-only
/* back: from the far end of the veth out of the port, addresses exchanged */
#include "frame.h"

SEC("xdp") int back(struct xdp_md *ctx)
{
	struct ethhdr *eth = bench_frame(ctx);

	if (!eth)
		return bench_verdict(XDP_DROP);
	bench_swap_addresses(eth);
	return bench_verdict(bench_redirect(BENCH_PORT, 0));
}

SEC("license") char bench_license[] = "GPL";
