// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames as lines of the log, for scripts/kunit --pcap, which makes a capture
 * file of them.
 */
#include <linux/atomic.h>
#include <linux/hex.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/printk.h>

#include "param.h"
#include "pcap.h"

static bool pcap;
module_param(pcap, bool, 0444);
MODULE_PARM_DESC(pcap, "print every frame on the wire and to the stack");

/* A line of the log has room for a thousand characters. */
#define PIECE	192

void lab_pcap(const char *way, unsigned int queue, const u8 *data, u32 len)
{
	static atomic_t frames = ATOMIC_INIT(0);
	char hex[2 * PIECE + 1];
	u32 off = 0, n;
	int number;
	u64 now;

	if (!pcap)
		return;
	/* pieces of two frames may mix in the log: they have a number */
	number = atomic_inc_return(&frames);
	now = ktime_get_ns();
	do {
		n = min(len - off, PIECE);
		*bin2hex(hex, data + off, n) = '\0';
		pr_info("poolstack: frame %d %s %u %llu %u %u %s\n", number, way, queue, now,
			len, off, hex);
		off += n;
	} while (off < len);
}
