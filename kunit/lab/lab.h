/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: everything that the author of a suite opens.
 *
 * A real Ethernet driver runs against a software model of its controller,
 * behind a model of a cache that DMA does not snoop:
 *
 *   wire -- lab_send() --> controller --> cache/DRAM --> irq --> the driver
 *   wire <- lab_take_transmitted() -- controller <-- cache/DRAM <-- doorbell
 *
 * A case is a short story. Take a NIC, bring it up, attach a program, put
 * frames on the wire, look at what came out and at what it cost:
 *
 *	static void drop_keeps_the_stack_quiet(struct kunit *test)
 *	{
 *		struct lab_nic *nic = lab_nic_take(test);
 *
 *		lab_up(nic);
 *		KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_DROP)), 0);
 *		lab_fill(nic->frame, 60, 1);
 *		lab_rx(nic, 0, nic->frame, 60);
 *		lab_expect_silence(nic);
 *	}
 *
 *	static struct kunit_case cases[] = {
 *		LAB_CASE(drop_keeps_the_stack_quiet, lab_each_fec_xdp),
 *		{}
 *	};
 *
 * No case cleans up. When it ends, however it ends, the fixture closes the
 * interface, unbinds the driver and checks the gate: no rule of the DMA API or
 * of the hardware broken, no mapping and no page left behind, no register
 * touched with its clock off, every frame accounted for. See lab_gate().
 *
 * Contexts: everything here is called from the task that runs the case, which
 * holds no lock. The controller acts, and its interrupt is raised, only inside
 * lab_pump() and what calls it, so that a case is deterministic. Helpers that
 * cannot do what they say fail the case and do not return.
 */
#ifndef POOLSTACK_LAB_H
#define POOLSTACK_LAB_H

#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/dma-direction.h>
#include <linux/netdevice.h>
#include <linux/types.h>
#include <net/page_pool/types.h>
#include <net/xdp.h>

/* Longest frame without FCS that the lab carries. */
#define LAB_MAX_FRAME	16000

/* EtherType of the lab's frames: IEEE 802 local experimental 1. */
#define LAB_ETHERTYPE	0x88b5

/* ---- what a case runs on ------------------------------------------------ */

/**
 * enum lab_cache - what a cache maintenance call does on a kind of CPU
 * @LAB_CACHE_ARM64: sync_for_device cleans whatever the direction,
 *	sync_for_cpu invalidates (arch/arm64/mm/dma-mapping.c).
 * @LAB_CACHE_ARMV7: sync_for_device FROM_DEVICE invalidates, so that what the
 *	CPU wrote is lost, the other directions clean; sync_for_cpu invalidates
 *	(arch/arm/mm/dma-mapping.c, cache-v7.S, with or without PL310).
 * @LAB_CACHE_ARMV5: sync_for_cpu does nothing. sync_for_device FROM_DEVICE
 *	invalidates, TO_DEVICE cleans, BIDIRECTIONAL does both
 *	(arch/arm/mm/proc-arm926.S). A line that the CPU was given and that is
 *	not given back stays in the cache and is read stale.
 * @LAB_CACHE_MIPS: the same (arch/mips/mm/dma-noncoherent.c,
 *	cpu_needs_post_dma_flush(): neither 24KEc nor 1004Kc).
 */
enum lab_cache {
	LAB_CACHE_ARM64,
	LAB_CACHE_ARMV7,
	LAB_CACHE_ARMV5,
	LAB_CACHE_MIPS,
};

/* Whether the CPU fetches lines that nobody asked for. */
static inline bool lab_cache_speculates(enum lab_cache cache)
{
	return cache == LAB_CACHE_ARM64 || cache == LAB_CACHE_ARMV7;
}

struct lab_ctrl_ops;

/**
 * struct lab_soc - one SoC, a row of kunit/socs
 * @name: as it appears in results, e.g. "imx6q".
 * @compatible: of the Ethernet controller in the overlay.
 * @ctrl: the model of its controller.
 * @ctrl_data: the model's own description of this SoC's variant.
 * @dtbo_begin: the overlay, linked into the kernel.
 * @dtbo_end: its end.
 * @queues: receive queues (and transmit queues) the overlay asks for.
 * @has_xdp: the driver must accept a native program.
 * @no_pool: receive buffers come from no page_pool.
 * @pools: page_pools of an open interface, 0: as many as queues.
 * @refill: the function that the driver calls for a new receive buffer, NULL:
 *	page_pool_dev_alloc_pages().
 * @has_jumbo: the controller takes frames above 1518 bytes.
 * @has_accel: descriptors tell tags and checksums of a received frame, and ask
 *	for the checksums of a transmitted one.
 * @has_stamps: descriptors hold time stamps.
 * @has_coalesce: the interrupt of reception can wait for more frames.
 * @ring: descriptors of its largest ring, 0: 512.
 * @macs: MACs that share the controller's rings, 0: one.
 * @lro_frame: longest frame of a ring for LRO, queues 1 to 3; 0: there is none.
 * @max_frame: longest frame, without FCS, received at the default MTU.
 * @caches: the caches it has had, .line 0 ends the list.
 */
struct lab_soc {
	const char *name;
	const char *compatible;
	const struct lab_ctrl_ops *ctrl;
	const void *ctrl_data;
	const u8 *dtbo_begin;
	const u8 *dtbo_end;
	unsigned int queues;
	bool has_xdp;
	bool no_pool;
	unsigned int pools;
	const char *refill;
	bool has_jumbo;
	bool has_accel;
	bool has_stamps;
	bool has_coalesce;
	unsigned int ring;
	unsigned int macs;
	unsigned int lro_frame;
	unsigned int max_frame;
	struct {
		enum lab_cache cache;
		unsigned int line;
	} caches[3];
};

/**
 * struct lab_target - a SoC with one of the caches it has had: the parameter
 * @name: "<soc>/<class>-<line size>", e.g. "imx6q/armv7-32".
 * @soc: the SoC.
 * @cache: kind of cache.
 * @line: bytes per line, 1 (byte exact), 32 or 64.
 */
struct lab_target {
	const char *name;
	const struct lab_soc *soc;
	enum lab_cache cache;
	unsigned int line;
};

/*
 * Parameter generators: all fec targets; those with native XDP; with more than
 * one queue; that take jumbo frames. poolstack.soc=GLOB on the kernel command
 * line narrows each; a case that keeps no target is reported as skipped.
 */
const void *lab_each_fec(struct kunit *test, const void *prev, char *desc);
const void *lab_each_fec_xdp(struct kunit *test, const void *prev, char *desc);
const void *lab_each_fec_queues(struct kunit *test, const void *prev, char *desc);
const void *lab_each_fec_jumbo(struct kunit *test, const void *prev, char *desc);

/* The same for MediaTek's frame engine. */
const void *lab_each_mtk(struct kunit *test, const void *prev, char *desc);
const void *lab_each_mtk_xdp(struct kunit *test, const void *prev, char *desc);
const void *lab_each_mtk_macs(struct kunit *test, const void *prev, char *desc);
const void *lab_each_mtk_lro(struct kunit *test, const void *prev, char *desc);

/*
 * Whether there is time: poolstack.long=1 on the kernel command line. Cases
 * whose rounds are worth more than the minute of a normal run ask.
 */
bool lab_long(void);

/* A case, run once per target of the generator. */
#define LAB_CASE(fn, each)	KUNIT_CASE_PARAM(fn, each)

/* ---- the NIC ------------------------------------------------------------ */

struct lab_dma;

/**
 * struct lab_nic - a NIC taken for one case
 * @test: the case.
 * @target: what it runs on.
 * @soc: short for @target->soc.
 * @dev: the platform device the driver is bound to.
 * @ndev: its network device.
 * @frame: scratch for building one frame, LAB_MAX_FRAME bytes.
 * @dma: the model of memory that this device sees.
 */
struct lab_nic {
	struct kunit *test;
	const struct lab_target *target;
	const struct lab_soc *soc;
	struct device *dev;
	struct net_device *ndev;
	u8 *frame;
	struct lab_dma *dma;
};

/**
 * lab_nic_take() - probe the driver on the case's target
 * @test: a case run through LAB_CASE().
 *
 * Return: the NIC, down, owned by the case until it ends.
 */
struct lab_nic *lab_nic_take(struct kunit *test);

/* Open the interface and wait for its carrier. Close it. */
void lab_up(struct lab_nic *nic);
void lab_down(struct lab_nic *nic);

/**
 * lab_wait_asleep() - wait until the driver has let its clocks go
 * @nic: the NIC, down.
 *
 * Runtime suspend comes 100 ms after probe or close. With it a register
 * access is an access to a gated block, which the gate reports.
 */
void lab_wait_asleep(struct lab_nic *nic);

/* Change the MTU of a closed interface; the driver must take it. */
void lab_set_mtu(struct lab_nic *nic, unsigned int mtu);

/* ---- frames ------------------------------------------------------------- */

/**
 * struct lab_marks - what is known of a frame beside its bytes
 * @padding: transmitted: bytes that the controller added to its end, not in the
 *	frame's length.
 * @ip_summed: delivered: what the driver says of its checksum, CHECKSUM_NONE
 *	or CHECKSUM_UNNECESSARY.
 * @stamp: delivered: hardware time stamp in ns, 0 when there is none.
 */
struct lab_marks {
	u16 padding;
	u8 ip_summed;
	u64 stamp;
};

/**
 * struct lab_frame - a frame that came out of the driver
 * @node: for the lab.
 * @marks: see there.
 * @len: bytes, without FCS.
 * @queue: hardware queue it was received on or transmitted from.
 * @data: the bytes, from the destination address on.
 */
struct lab_frame {
	struct list_head node;
	struct lab_marks marks;
	u32 len;
	u16 queue;
	u8 data[] __counted_by(len);
};

/**
 * lab_fill() - make a frame whose every byte depends on its place and the seed
 * @frame: destination, at least @len bytes.
 * @len: length without FCS, 14 or more.
 * @seed: any number, e.g. the index of the frame.
 *
 * Broadcast, from the lab's station, EtherType LAB_ETHERTYPE.
 */
void lab_fill(u8 *frame, u32 len, u32 seed);

/**
 * lab_fill_tagged() - the same with a VLAN tag
 * @frame: destination, at least @len bytes.
 * @len: length with the tag, without FCS, 18 or more.
 * @tci: priority and number of the VLAN.
 * @seed: any number.
 *
 * EtherType LAB_ETHERTYPE behind a tag of IEEE 802.1Q.
 */
void lab_fill_tagged(u8 *frame, u32 len, u16 tci, u32 seed);

/**
 * lab_try_send() - put a frame on the wire towards the NIC
 * @nic: the NIC.
 * @queue: hardware queue, as the controller's classifier would have chosen it.
 * @frame: from the destination address on.
 * @len: length without FCS.
 *
 * The controller writes it to memory and raises its event. The driver runs in
 * the next lab_pump(): several sends before one pump are one interrupt.
 *
 * Return: 0, -ENETDOWN when the receiver is off, -ENOBUFS when no descriptor
 * is armed (the frame is lost on the wire), -EFAULT when the descriptors
 * cannot be read.
 */
int lab_try_send(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len);

/* As lab_try_send(); a frame that is not taken fails the case. */
void lab_send(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len);

/* Run the transmitter and the interrupt until both are idle. */
void lab_pump(struct lab_nic *nic);

/* Run the transmitter alone: the frames are out, the interrupt is pending. */
void lab_transmit_only(struct lab_nic *nic);

/* lab_send(), then lab_pump(). */
void lab_rx(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len);

/**
 * lab_stack_xmit() - let the stack transmit a frame
 * @nic: the NIC, up.
 * @frame: from the destination address on.
 * @len: length.
 * @frags: page fragments to spread the part after the first 64 bytes over; 0
 *	for a linear skb.
 *
 * The driver has it when this returns; it is on the wire after lab_pump().
 *
 * Return: what dev_queue_xmit() returned.
 */
int lab_stack_xmit(struct lab_nic *nic, const u8 *frame, u32 len, unsigned int frags);

/*
 * Oldest frame not yet taken: that the stack was given, that left through the
 * transmitter. NULL if there is none. The caller frees it with kfree().
 */
struct lab_frame *lab_take_delivered(struct lab_nic *nic);
struct lab_frame *lab_take_transmitted(struct lab_nic *nic);

/* The oldest frame not yet taken must be exactly these bytes. */
void lab_expect_delivered(struct lab_nic *nic, const u8 *frame, u32 len);
void lab_expect_transmitted(struct lab_nic *nic, const u8 *frame, u32 len);

/**
 * lab_receive() - frames of one length arrive one after the other, on all queues in turn
 * @nic: the NIC.
 * @n: their number.
 * @len: bytes of each.
 * @seed: of the first one's bytes.
 *
 * Each of them must reach the stack, whole, before the next arrives.
 */
void lab_receive(struct lab_nic *nic, unsigned int n, u32 len, u32 seed);

/**
 * lab_exchange() - frames each way through every queue, and nothing else
 * @nic: the NIC, up, without a program.
 * @seed: of the first.
 *
 * A short and a long one in each direction, one at a time, whole.
 */
void lab_exchange(struct lab_nic *nic, u32 seed);

/* Nothing is waiting on either side. */
void lab_expect_silence(struct lab_nic *nic);

/* Forget what is waiting. It stays accounted for. */
void lab_discard(struct lab_nic *nic);

/**
 * lab_sink_frames() - choose whether frames are kept or only counted
 * @nic: the NIC.
 * @keep: false for long runs whose bytes nobody looks at.
 */
void lab_sink_frames(struct lab_nic *nic, bool keep);

/**
 * lab_forward() - choose whether the stack sends frames on
 * @nic: the NIC.
 * @on: true: each frame that is delivered leaves through the interface it came
 *	in by, unchanged and as the same skb, as a router with one port sends it.
 */
void lab_forward(struct lab_nic *nic, bool on);

/* ---- bad days ----------------------------------------------------------- */

/**
 * lab_maps_left() - let streaming mappings fail
 * @nic: the NIC.
 * @maps: how many still succeed. To a driver it looks like memory running out
 *	while it allocates from a page_pool.
 */
void lab_maps_left(struct lab_nic *nic, unsigned int maps);

/* No more failures. */
void lab_maps_plenty(struct lab_nic *nic);

/**
 * lab_watch_buffers() - note buffers that are unmapped while the MAC holds them
 * @nic: the NIC. A violation of LAB_V_UNMAPPED, from here on.
 */
void lab_watch_buffers(struct lab_nic *nic);

/**
 * lab_send_length() - a frame arrives whose descriptor has a wrong length
 * @nic: the NIC.
 * @queue: hardware queue.
 * @len: what the descriptor says, instead of that of a frame of 60.
 *
 * Return: as lab_try_send().
 */
int lab_send_length(struct lab_nic *nic, unsigned int queue, u16 len);

/* ---- what it cost ------------------------------------------------------- */

/**
 * struct lab_counts - running totals since the NIC was taken
 * @dma_lines_for_device: lines named in syncs for the device, called by the
 *	driver or implied by a mapping, in 64-byte lines on every target.
 * @dma_lines_for_cpu: the same for the CPU, implied by an unmapping.
 * @dma_sync_calls: dma_sync_*() calls, both ways.
 * @dma_empty_syncs: of these, for no byte at all.
 * @dma_maps: streaming mappings made.
 * @dma_unmaps: and removed.
 * @mmio_reads: register reads.
 * @mmio_writes: register writes.
 * @irqs: interrupts taken.
 * @link_events: carrier changes of the interface.
 * @pages: pages that page_pool took from the page allocator.
 * @recycled: pages that came back to a pool, whichever way.
 * @recycled_cached: of these, to the lockless cache.
 * @gated: register accesses with the clock off.
 *
 * The page_pool fields cover the pools of the open interface.
 */
struct lab_counts {
	u64 dma_lines_for_device;
	u64 dma_lines_for_cpu;
	u64 dma_sync_calls;
	u64 dma_empty_syncs;
	u64 dma_maps;
	u64 dma_unmaps;
	u64 mmio_reads;
	u64 mmio_writes;
	u64 irqs;
	u64 link_events;
	u64 pages;
	u64 recycled;
	u64 recycled_cached;
	u64 gated;
};

void lab_counts(struct lab_nic *nic, struct lab_counts *counts);

/**
 * lab_figure() - print one figure for the bench
 * @nic: the NIC.
 * @workload: contract name, e.g. "drop_60".
 * @batch: frames per interrupt.
 * @metric: contract name, e.g. "mmio_writes".
 * @sum: value over all frames.
 * @frames: frames; the figure is @sum / @frames.
 */
void lab_figure(struct lab_nic *nic, const char *workload, unsigned int batch,
		const char *metric, u64 sum, u64 frames);

/**
 * lab_stat() - a counter of the driver
 * @nic: the NIC.
 * @name: its name in ethtool -S.
 *
 * Return: the value; an unknown name fails the case.
 */
u64 lab_stat(struct lab_nic *nic, const char *name);

/**
 * lab_pool() - the page_pool of a receive queue
 * @nic: the NIC, up.
 * @queue: the queue.
 *
 * Found through the page that the controller will fill next.
 *
 * Return: the pool, or NULL when the buffer comes from none.
 */
struct page_pool *lab_pool(struct lab_nic *nic, unsigned int queue);

/* Direction in which the buffer is mapped that the controller fills next. */
enum dma_data_direction lab_buffer_direction(struct lab_nic *nic, unsigned int queue);

/**
 * lab_ring_memory() - page memory behind the receive rings
 * @nic: the NIC, up, best before any frame.
 * @bytes: page_pool memory that is mapped for the device.
 * @descriptors: descriptors that are armed, over all queues.
 */
void lab_ring_memory(struct lab_nic *nic, u64 *bytes, u64 *descriptors);

/* The descriptors alone. */
u64 lab_armed(struct lab_nic *nic);

/* Live streaming mappings of the device. */
unsigned int lab_live_mappings(struct lab_nic *nic);

/* ---- rules -------------------------------------------------------------- */

/**
 * enum lab_violation - rules of the DMA API and of the hardware
 * @LAB_V_DEVICE_WRITE_DIRTY: the device wrote to a line that the CPU holds
 *	dirty; evicted later, the line overwrites what the device wrote.
 * @LAB_V_DEVICE_READ_STALE: the device read bytes that the CPU had written and
 *	not cleaned.
 * @LAB_V_DIRTY_LOST: sync_for_cpu threw away what the CPU had written.
 * @LAB_V_CPU_STALE: the CPU would read an old line, which was not given back
 *	before the device wrote (LAB_CACHE_ARMV5).
 * @LAB_V_DIRECTION: the device accessed a mapping against its direction.
 * @LAB_V_UNMAPPED: the device was told, or used, an address not mapped.
 * @LAB_V_SYNC_DIRECTION: a sync or unmap with another direction than the map.
 * @LAB_V_SYNC_RANGE: a sync outside any mapping.
 * @LAB_V_UNMAP: an unmap of what is not mapped, or not in full.
 * @LAB_V_DOORBELL: a doorbell rung against the controller's errata.
 * @LAB_V_DESCRIPTOR: a descriptor the controller cannot work with.
 * @LAB_V_PAGE: the controller was given a page that has another owner.
 * @LAB_V_MAX: their number.
 */
enum lab_violation {
	LAB_V_DEVICE_WRITE_DIRTY,
	LAB_V_DEVICE_READ_STALE,
	LAB_V_DIRTY_LOST,
	LAB_V_CPU_STALE,
	LAB_V_DIRECTION,
	LAB_V_UNMAPPED,
	LAB_V_SYNC_DIRECTION,
	LAB_V_SYNC_RANGE,
	LAB_V_UNMAP,
	LAB_V_DOORBELL,
	LAB_V_DESCRIPTOR,
	LAB_V_PAGE,
	LAB_V_MAX
};

/* How often a rule was broken; LAB_V_MAX: all of them together. */
u64 lab_violations(struct lab_nic *nic, enum lab_violation which);

/* For suites that test the lab itself: forget them. */
void lab_violations_forget(struct lab_nic *nic);

/**
 * lab_cache_line() - check with another line size than the target's
 * @nic: the NIC.
 * @line: 1, 32 or 64. 1 shows what a line hides.
 */
void lab_cache_line(struct lab_nic *nic, unsigned int line);

/**
 * lab_cache_evict() - let dirty lines be written back over device data
 * @nic: the NIC.
 * @on: true: right after the device wrote, so that the user's view of the
 *	fault, a corrupted frame, shows too.
 */
void lab_cache_evict(struct lab_nic *nic, bool on);

/**
 * lab_account() - tell the gate where frames went that no counter shows
 * @nic: the NIC.
 * @frames: how many, e.g. that generic XDP consumed.
 */
void lab_account(struct lab_nic *nic, unsigned int frames);

/**
 * lab_gate() - check what must hold after every case
 * @nic: the NIC. Up: only what must hold at any time.
 * @why: room for the first complaint, may be NULL.
 * @size: bytes in @why.
 *
 * The fixture calls it; only a suite that tests the lab does so itself.
 *
 * Return: the number of complaints.
 */
unsigned int lab_gate(struct lab_nic *nic, char *why, size_t size);

/* the rest by area, each in a header of its own for its length only */
#include "lab_adversary.h"
#include "lab_bql.h"
#include "lab_ethtool.h"
#include "lab_flow.h"
#include "lab_hw.h"
#include "lab_inject.h"
#include "lab_ip.h"
#include "lab_link.h"
#include "lab_mac.h"
#include "lab_netpoll.h"
#include "lab_pools.h"
#include "lab_power.h"
#include "lab_race.h"
#include "lab_redirect.h"
#include "lab_second.h"
#include "lab_seed.h"
#include "lab_xdp.h"
#include "lab_xsk.h"

#endif
