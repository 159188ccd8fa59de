// SPDX-License-Identifier: GPL-2.0-only
/* drop: receive, look, drop */
#include "frame.h"

SEC("xdp") int drop(struct xdp_md *ctx)
{
	return bench_verdict(bench_frame(ctx) ? XDP_DROP : XDP_PASS);
}

SEC("license") char bench_license[] = "GPL";
