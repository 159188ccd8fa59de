// SPDX-License-Identifier: GPL-2.0-only
/* redirect: from the port into a veth, at whose far end back.c sits */
#include "frame.h"

SEC("xdp") int redirect(struct xdp_md *ctx)
{
	if (!bench_frame(ctx))
		return bench_verdict(XDP_PASS);
	return bench_verdict(bench_redirect(BENCH_VETH, 0));
}

SEC("license") char bench_license[] = "GPL";
