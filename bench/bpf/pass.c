// SPDX-License-Identifier: GPL-2.0-only
/* pass: receive, look, hand to the stack (which has no use for the bench's type) */
#include "frame.h"

SEC("xdp") int pass(struct xdp_md *ctx)
{
	/* Keeps the compiler from dropping a look whose result does not matter */
	asm volatile("" : : "r"(bench_frame(ctx)));
	return bench_verdict(XDP_PASS);
}

SEC("license") char bench_license[] = "GPL";
