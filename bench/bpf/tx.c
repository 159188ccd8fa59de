// SPDX-License-Identifier: GPL-2.0-only
/* tx: send the frame back out of the port, addresses exchanged */
#include "frame.h"

SEC("xdp") int tx(struct xdp_md *ctx)
{
	struct ethhdr *eth = bench_frame(ctx);

	if (!eth)
		return bench_verdict(XDP_PASS);
	bench_swap_addresses(eth);
	return bench_verdict(XDP_TX);
}

SEC("license") char bench_license[] = "GPL";
