// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must hold after every case, whatever the case looked at.
 */
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <linux/rtnetlink.h>

#include "nic.h"
#include "param.h"

/* empty: nothing */
static char *forgive = "";
module_param(forgive, charp, 0444);
MODULE_PARM_DESC(forgive, "what the gate looks past: <controller>.unmap, <controller>.live, commas between");

/* Whether an unpatched driver is known to fail every case with this. */
static bool forgiven(const struct nic *nic, const char *what)
{
	size_t name = strlen(nic->ctrl->ops->name), len = strlen(what);
	const char *at;

	for (at = forgive; *at; at += strcspn(at, ","), at += *at == ',')
		if (!strncmp(at, nic->ctrl->ops->name, name) && at[name] == '.' &&
		    !strncmp(at + name + 1, what, len) &&
		    (!at[name + 1 + len] || at[name + 1 + len] == ','))
			return true;
	return false;
}

/* Collects complaints; keeps the first in @why. */
struct gate {
	struct nic *nic;
	char *why;
	size_t size;
	unsigned int complaints;
};

static __printf(2, 3) void complain(struct gate *gate, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!gate->complaints++ && gate->why)
		vscnprintf(gate->why, gate->size, fmt, args);
	va_end(args);
}

/* Received frames that the driver counts as ended by a program. */
u64 lab_xdp_ended(struct nic *nic)
{
	const char * const *name;
	u64 sum = 0, value;
	unsigned int i;

	for (i = 0; i < nic->macs; i++)
		for (name = nic->ctrl->ops->xdp_ends; *name; name++)
			if (lab_ethtool_stat(nic->mac[i], *name, &value))
				sum += value;
	return sum;
}

/*
 * Keep what the driver counted so far: it starts again at the next open, if it
 * does. The counters of its MAC can only be read before it is closed.
 */
void lab_ledger_close(struct nic *nic)
{
	struct rtnl_link_stats64 stats;

	lab_mac_stats(nic, &stats);
	if (!nic->ctrl->ops->keeps_counters)
		nic->ledger.ended += lab_xdp_ended(nic);
}

static void check_rules(struct gate *gate)
{
	struct lab_dma *dma = gate->nic->pub.dma;
	const struct lab_dma_event *first = &dma->event[0];
	u64 n = lab_violations(&gate->nic->pub, LAB_V_MAX);

	if (forgiven(gate->nic, "unmap")) {
		n -= lab_violations(&gate->nic->pub, LAB_V_UNMAP);
		while (first->type == LAB_V_UNMAP && first < &dma->event[LAB_DMA_EVENTS - 1])
			first++;
	}
	if (n)
		complain(gate, "%llu times a rule was broken, first: %s (mapping %#llx dir %d, offset %#x, %u bytes, access dir %d)",
			 n, lab_violation_name(first->type), (u64)first->addr,
			 first->map_dir, first->off, first->len, first->dir);
	if (gate->nic->ctrl->mmio->gated)
		complain(gate, "%llu register accesses with the clock off",
			 gate->nic->ctrl->mmio->gated);
}

static void check_memory(struct gate *gate)
{
	struct lab_dma *dma = gate->nic->pub.dma;
	unsigned int pool = lab_map_live_pool(dma);
	unsigned int held = lab_pages_in_flight(&gate->nic->pub);

	if (held)
		complain(gate, "%u pages of page_pools not returned on a closed interface", held);
	if (pool)
		complain(gate, "%u page_pool pages in flight on a closed interface", pool);
	else if (dma->live && !forgiven(gate->nic, "live"))
		complain(gate, "%u live mappings on a closed interface", dma->live);
}

/* Received frames that somebody has accounted for. */
static u64 seen_frames(struct nic *nic, const struct rtnl_link_stats64 *stats)
{
	u64 seen = nic->delivered.count + nic->others.count + nic->ledger.ended + nic->ledger.told +
		   stats->rx_dropped + stats->rx_errors;

	return nic->up || nic->ctrl->ops->keeps_counters ? seen + lab_xdp_ended(nic) : seen;
}

u64 lab_account_lost(struct lab_nic *pub, u64 at_most)
{
	struct nic *nic = to_nic(pub);
	struct rtnl_link_stats64 stats;
	u64 lost, lost_sent, late = 0;

	lab_mac_stats(nic, &stats);
	lost = nic->ledger.sent - seen_frames(nic, &stats);
	lost_sent = nic->transmitted.count - nic->ledger.told_sent - stats.tx_packets;
	/* counters that are kept: what was lost at a close is read after the next open */
	if (nic->ctrl->ops->keeps_counters && (s64)lost_sent < 0) {
		late = min(-lost_sent, nic->ledger.told_sent);
		nic->ledger.told_sent -= late;
		lost_sent += late;
	}
	/* less than none wraps around to very many */
	KUNIT_EXPECT_LE_MSG(pub->test, lost, at_most, "received frames lost");
	KUNIT_EXPECT_LE_MSG(pub->test, lost_sent, at_most, "completions lost");
	nic->ledger.told += lost;
	nic->ledger.told_sent += lost_sent;
	return lost;
}

/* Frames of other interfaces are back where they came from. */
static void check_loads(struct gate *gate)
{
	unsigned int twice, owed = lab_loads_owed(gate->nic, &twice);

	if (owed)
		complain(gate, "%u frames redirected to the interface not returned exactly once, %u of them more often",
			 owed, twice);
}

/* Every frame went somewhere that a user can see. */
static void check_frames(struct gate *gate)
{
	struct nic *nic = gate->nic;
	struct rtnl_link_stats64 stats;
	u64 seen;

	lab_mac_stats(nic, &stats);
	seen = seen_frames(nic, &stats);
	if (seen != nic->ledger.sent)
		complain(gate, "%llu frames received, %llu accounted for (delivered %llu, ended by a program %llu, dropped %llu, errors %llu, by the case %llu)",
			 nic->ledger.sent, seen, nic->delivered.count + nic->others.count,
			 nic->ledger.ended,
			 stats.rx_dropped, stats.rx_errors, nic->ledger.told);
	if (stats.tx_packets + nic->ledger.told_sent != nic->transmitted.count)
		complain(gate, "%llu frames transmitted, the driver counted %llu (by the case %llu)",
			 nic->transmitted.count, stats.tx_packets, nic->ledger.told_sent);
	if (nic->delivered.lost || nic->transmitted.lost)
		complain(gate, "the lab had no memory to keep %llu frames",
			 nic->delivered.lost + nic->transmitted.lost);
}

unsigned int lab_gate(struct lab_nic *pub, char *why, size_t size)
{
	struct gate gate = { .nic = to_nic(pub), .why = why, .size = size };

	check_rules(&gate);
	if (!gate.nic->up) {
		check_memory(&gate);
		check_loads(&gate);
	}
	check_frames(&gate);
	return gate.complaints;
}

static void print_events(struct nic *nic)
{
	struct lab_dma *dma = nic->pub.dma;
	unsigned int i;

	for (i = 0; i < dma->events && i < 6; i++) {
		const struct lab_dma_event *e = &dma->event[i];

		kunit_info(nic->pub.test, "broken: %s: mapping %#llx dir %d, offset %#x, %u bytes, access dir %d\n",
			   lab_violation_name(e->type), (u64)e->addr, e->map_dir,
			   e->off, e->len, e->dir);
	}
}

/* The gate of a case that is over: complaints fail it. */
void lab_gate_report(struct nic *nic)
{
	char why[256];
	unsigned int n = lab_gate(&nic->pub, why, sizeof(why));

	if (!n)
		return;
	print_events(nic);
	KUNIT_FAIL(nic->pub.test, "gate: %s%s", why, n > 1 ? " (and more)" : "");
}

/* After the driver is unbound nothing of the device's memory may be left. */
void lab_gate_unbound(struct nic *nic)
{
	struct lab_dma *dma = nic->pub.dma;

	if ((dma->live && !forgiven(nic, "live")) || dma->live_coherent)
		KUNIT_FAIL(nic->pub.test, "gate: %u mappings and %u coherent buffers left after unbinding the driver",
			   dma->live, dma->live_coherent);
	lab_bind_leftovers(nic);
}
