// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames in, frames out, and the pump that lets the controller act.
 */
#include <linux/bottom_half.h>
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "nic.h"
#include "pcap.h"

/* Rounds after which a controller that never gets idle is called stuck. */
#define PUMP_ROUNDS	100000

/* A frame reaches the controller, see lab_try_send(). */
int lab_arrive(struct nic *nic, unsigned int queue, const u8 *frame, u32 len)
{
	int ret;

	lab_pcap(LAB_PCAP_RX, queue, frame, len);
	ret = lab_ctrl_deliver(nic->ctrl, queue, frame, len);
	if (!ret)
		nic->ledger.sent++;
	return ret;
}

int lab_try_send(struct lab_nic *pub, unsigned int queue, const u8 *frame, u32 len)
{
	struct nic *nic = to_nic(pub);

	lab_run_perhaps(nic);
	if (lab_late_hold(nic, queue, frame, len))
		return 0;
	return lab_arrive(nic, queue, frame, len);
}

void lab_send(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len)
{
	int ret = lab_try_send(nic, queue, frame, len);

	KUNIT_ASSERT_EQ_MSG(nic->test, ret, 0, "the controller did not take a frame of %u", len);
}

/* Late: some of what is due is left for later, as long as there is something. */
static unsigned int chance(struct nic *nic, bool did)
{
	return nic->late.on && did ? lab_rand_below(&nic->late.rand, 8) : 0;
}

void lab_pump(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);
	int rounds = PUMP_ROUNDS, idle = 0;
	unsigned int skip;
	bool did = true;

	if (nic->runner.task) {
		while (lab_late_arrive(nic, -1))
			;
		lab_run_wait(nic);
		return;
	}
	/* NAPI runs where the interrupt was taken: look for it there */
	migrate_disable();
	while (idle < 2 && rounds--) {
		skip = chance(nic, did);
		did = !(skip & LAB_SKIP_RECEIVE) && lab_late_arrive(nic, -1);
		did |= lab_ctrl_step(nic->ctrl, skip);
		lab_adversary_idle(pub->dma);
		idle = did || skip ? 0 : idle + 1;
		if (!did || local_softirq_pending())
			schedule();
	}
	migrate_enable();
	WARN_ONCE(rounds < 0, "poolstack: the controller never gets idle\n");
}

void lab_rx(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len)
{
	lab_send(nic, queue, frame, len);
	lab_pump(nic);
}

/* Spread @len bytes over @frags pages, the first ones one byte more. */
static bool add_frags(struct sk_buff *skb, const u8 *data, u32 len, unsigned int frags)
{
	unsigned int i;

	for (i = 0; i < frags; i++) {
		u32 n = len / (frags - i) + !!(len % (frags - i));
		struct page *page = alloc_page(GFP_KERNEL);

		if (!page)
			return false;
		memcpy(page_address(page), data, n);
		skb_add_rx_frag(skb, i, page, 0, n, PAGE_SIZE);
		data += n;
		len -= n;
	}
	return true;
}

int lab_stack_xmit(struct lab_nic *nic, const u8 *frame, u32 len, unsigned int frags)
{
	u32 linear = frags ? min(len, 64) : len;
	struct sk_buff *skb;

	skb = netdev_alloc_skb(nic->ndev, linear);
	KUNIT_ASSERT_NOT_NULL(nic->test, skb);
	skb_put_data(skb, frame, linear);
	if (!add_frags(skb, frame + linear, len - linear, frags)) {
		kfree_skb(skb);
		KUNIT_FAIL_AND_ABORT(nic->test, "no page for a fragment");
	}
	skb_reset_mac_header(skb);
	skb->protocol = eth_hdr(skb)->h_proto;
	lab_run_perhaps(to_nic(nic));
	return dev_queue_xmit(skb);
}

struct lab_frame *lab_take_delivered(struct lab_nic *nic)
{
	return lab_wire_take(&to_nic(nic)->delivered);
}

struct lab_frame *lab_take_transmitted(struct lab_nic *nic)
{
	return lab_wire_take(&to_nic(nic)->transmitted);
}

static void expect(struct lab_nic *nic, struct lab_frame *got, const char *where,
		   const u8 *frame, u32 len)
{
	u32 i;

	KUNIT_ASSERT_NOT_NULL_MSG(nic->test, got, "no frame was %s", where);
	for (i = 0; i < min(len, got->len) && got->data[i] == frame[i]; i++)
		;
	if (got->len != len)
		KUNIT_FAIL(nic->test, "a frame of %u was %s instead of %u", got->len, where, len);
	else if (i < len)
		KUNIT_FAIL(nic->test, "frame of %u %s: byte %u is %02x instead of %02x",
			   len, where, i, got->data[i], frame[i]);
	kfree(got);
}

void lab_expect_delivered(struct lab_nic *nic, const u8 *frame, u32 len)
{
	expect(nic, lab_take_delivered(nic), "delivered", frame, len);
}

void lab_expect_transmitted(struct lab_nic *nic, const u8 *frame, u32 len)
{
	expect(nic, lab_take_transmitted(nic), "transmitted", frame, len);
}

void lab_receive(struct lab_nic *nic, unsigned int n, u32 len, u32 seed)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		lab_fill(nic->frame, len, seed + i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

void lab_exchange(struct lab_nic *nic, u32 seed)
{
	static const u32 lengths[] = { 60, 1214 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths) * nic->soc->queues; i++) {
		u32 len = lengths[i % ARRAY_SIZE(lengths)];

		lab_fill(nic->frame, len, seed + i);
		lab_rx(nic, i / ARRAY_SIZE(lengths), nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
		KUNIT_EXPECT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, len, i & 1), 0);
		lab_pump(nic);
		lab_expect_transmitted(nic, nic->frame, len);
	}
	lab_expect_silence(nic);
}

void lab_expect_silence(struct lab_nic *nic)
{
	KUNIT_EXPECT_TRUE_MSG(nic->test, list_empty(&to_nic(nic)->delivered.frames),
			      "a frame was delivered");
	KUNIT_EXPECT_TRUE_MSG(nic->test, list_empty(&to_nic(nic)->transmitted.frames),
			      "a frame was transmitted");
}

void lab_discard(struct lab_nic *nic)
{
	lab_wire_flush(&to_nic(nic)->delivered);
	lab_wire_flush(&to_nic(nic)->others);
	lab_wire_flush(&to_nic(nic)->transmitted);
	skb_queue_purge(&to_nic(nic)->skbs);
}

void lab_sink_frames(struct lab_nic *nic, bool keep)
{
	to_nic(nic)->delivered.keep = keep;
	to_nic(nic)->others.keep = keep;
	to_nic(nic)->transmitted.keep = keep;
}
