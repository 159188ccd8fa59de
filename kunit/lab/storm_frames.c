// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of the storm. The content of a frame says what a program is to do
 * with it, so that the walk knows what must come out, and on which side.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "storm.h"

enum { TO_STACK, TO_WIRE };

/* Where a frame says what is to be done with it: behind a tag, before byte 60. */
#define CODE_AT		20
#define CUT		14	/* bytes that a program takes off the head */
#define PUSHED		8	/* and puts in front */
#define TRIMMED		5	/* takes off the tail */
#define GROWN		12	/* and adds to it, zeroes */

enum code {
	PASS,
	DROP,
	REFLECT,
	PASS_CUT,
	PASS_PUSHED,
	PASS_TRIMMED,
	PASS_GROWN,
	REFLECT_CUT,
	REFLECT_PUSHED,
	REFLECT_TRIMMED,
	REFLECT_GROWN,
	ABORT,
	CODES
};

/**
 * struct due - a frame that a side owes
 * @node: in the list of its side.
 * @wire: came from the wire: it may be missing if it is counted as lost.
 * @len: bytes.
 * @data: these.
 */
struct due {
	struct list_head node;
	bool wire;
	u32 len;
	u8 data[] __counted_by(len);
};

/* ---- the program -------------------------------------------------------- */

#define MAX_INSNS	256

/* if the frame says @code: the instructions, of which the last ends the program */
#define IF_CODE(code, ...)						\
({									\
	const struct bpf_insn _branch[] = { __VA_ARGS__ };		\
									\
	insn[n++] = BPF_JMP_IMM(BPF_JNE, BPF_REG_7, code, ARRAY_SIZE(_branch)); \
	memcpy(insn + n, _branch, sizeof(_branch));			\
	n += ARRAY_SIZE(_branch);					\
})

#define MARK	LAB_BPF_SET(0, LAB_REFLECT_MARK)
/* what adjust_head() put in front is nobody's: all of it is written */
#define WRITE_PUSHED							\
	LAB_BPF_FIELD(BPF_REG_2, data),					\
	BPF_ST_MEM(BPF_DW, BPF_REG_2, 0, 0x02030405)

static struct bpf_prog *by_content(struct lab_nic *nic)
{
	const struct bpf_insn head[] = {
		LAB_BPF_BEGIN,
		LAB_BPF_FIELD(BPF_REG_2, data),
		BPF_LDX_MEM(BPF_B, BPF_REG_7, BPF_REG_2, CODE_AT),
	};
	const struct bpf_insn tail[] = { LAB_BPF_RETURN(XDP_DROP) };
	unsigned int n = ARRAY_SIZE(head);
	struct bpf_insn *insn;

	insn = kunit_kcalloc(nic->test, MAX_INSNS, sizeof(*insn), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(nic->test, insn);
	memcpy(insn, head, sizeof(head));
	IF_CODE(PASS, LAB_BPF_RETURN(XDP_PASS));
	IF_CODE(DROP, LAB_BPF_RETURN(XDP_DROP));
	IF_CODE(ABORT, LAB_BPF_RETURN(XDP_ABORTED));
	IF_CODE(PASS_CUT, LAB_BPF_HEAD(CUT), LAB_BPF_RETURN(XDP_PASS));
	IF_CODE(PASS_PUSHED, LAB_BPF_HEAD(-PUSHED), WRITE_PUSHED, LAB_BPF_RETURN(XDP_PASS));
	IF_CODE(PASS_TRIMMED, LAB_BPF_TAIL(-TRIMMED), LAB_BPF_RETURN(XDP_PASS));
	IF_CODE(PASS_GROWN, LAB_BPF_TAIL(GROWN), LAB_BPF_RETURN(XDP_PASS));
	IF_CODE(REFLECT, MARK, LAB_BPF_RETURN(XDP_TX));
	IF_CODE(REFLECT_CUT, LAB_BPF_HEAD(CUT), MARK, LAB_BPF_RETURN(XDP_TX));
	IF_CODE(REFLECT_PUSHED, LAB_BPF_HEAD(-PUSHED), WRITE_PUSHED, LAB_BPF_RETURN(XDP_TX));
	IF_CODE(REFLECT_TRIMMED, LAB_BPF_TAIL(-TRIMMED), MARK, LAB_BPF_RETURN(XDP_TX));
	IF_CODE(REFLECT_GROWN, LAB_BPF_TAIL(GROWN), MARK, LAB_BPF_RETURN(XDP_TX));
	memcpy(insn + n, tail, sizeof(tail));
	return lab_prog(nic, insn, n + ARRAY_SIZE(tail));
}

void storm_programs(struct storm *storm)
{
	struct lab_nic *nic = storm->nic;

	storm->progs[STORM_BY_CONTENT] = by_content(nic);
	storm->progs[STORM_DROP_ALL] = lab_verdict(nic, XDP_DROP);
	storm->progs[STORM_REFLECT_ALL] = lab_reflect(nic);
	storm->progs[STORM_PASS_ALL] = lab_verdict(nic, XDP_PASS);
}

/* ---- what is due -------------------------------------------------------- */

static struct due *owe(struct storm *storm, int side, u32 len)
{
	struct due *due = kmalloc_flex(*due, data, len);

	KUNIT_ASSERT_NOT_NULL(storm->nic->test, due);
	due->len = len;
	due->wire = true;
	list_add_tail(&due->node, &storm->due[side]);
	return due;
}

static void owe_copy(struct storm *storm, int side, const u8 *frame, u32 len)
{
	memcpy(owe(storm, side, len)->data, frame, len);
}

static u8 verdict_of(const struct storm *storm, const u8 *frame)
{
	switch (storm->prog) {
	case STORM_BY_CONTENT:
		return frame[CODE_AT];
	case STORM_DROP_ALL:
		return DROP;
	case STORM_REFLECT_ALL:
		return REFLECT;
	default:
		return PASS;
	}
}

static void owe_pushed(struct storm *storm, int side, const u8 *frame, u32 len)
{
	static const u8 pushed[PUSHED] = { 5, 4, 3, 2 };
	struct due *due = owe(storm, side, len + PUSHED);

	memcpy(due->data, pushed, PUSHED);
	memcpy(due->data + PUSHED, frame, len);
}

static void owe_grown(struct storm *storm, int side, const u8 *frame, u32 len)
{
	struct due *due = owe(storm, side, len + GROWN);

	memcpy(due->data, frame, len);
	memset(due->data + len, 0, GROWN);
}

/* A frame from the wire was taken by the controller: what becomes of it? */
static void owe_for(struct storm *storm, const u8 *frame, u32 len)
{
	u8 code = verdict_of(storm, frame);
	bool mark = false;
	int side = TO_STACK;

	switch (code) {
	case REFLECT:
	case REFLECT_CUT:
	case REFLECT_TRIMMED:
	case REFLECT_GROWN:
		mark = true;
		fallthrough;
	case REFLECT_PUSHED:
		side = TO_WIRE;
	}
	switch (code) {
	case DROP:
	case ABORT:
		return;
	case PASS_CUT:
	case REFLECT_CUT:
		owe_copy(storm, side, frame + CUT, len - CUT);
		break;
	case PASS_PUSHED:
	case REFLECT_PUSHED:
		owe_pushed(storm, side, frame, len);
		break;
	case PASS_TRIMMED:
	case REFLECT_TRIMMED:
		owe_copy(storm, side, frame, len - TRIMMED);
		break;
	case PASS_GROWN:
	case REFLECT_GROWN:
		owe_grown(storm, side, frame, len);
		break;
	default:
		owe_copy(storm, side, frame, len);
	}
	if (mark)
		list_last_entry(&storm->due[side], struct due, node)->data[0] = LAB_REFLECT_MARK;
}

/* ---- what came ---------------------------------------------------------- */

static u64 lost_so_far(struct storm *storm)
{
	struct rtnl_link_stats64 stats;

	dev_get_stats(storm->nic->ndev, &stats);
	return stats.rx_dropped + stats.rx_errors;
}

/* Of frames that a program sent back; the driver starts it again at each open. */
static u64 no_room_so_far(struct storm *storm)
{
	u64 value = 0;

	lab_ethtool_stat(storm->nic->ndev, "rx_xdp_tx_errors", &value);
	return value;
}

void storm_settle_begin(struct storm *storm)
{
	storm->lost = lost_so_far(storm);
	storm->no_room = no_room_so_far(storm);
}

/* The frame is none that is due: say in what it differs from one that could be. */
static void complain(struct storm *storm, int side, const struct lab_frame *frame)
{
	const char *came = side == TO_STACK ? "was delivered" : "left";
	u32 at, best = 0, want = 0;
	const struct due *due;

	list_for_each_entry(due, &storm->due[side], node) {
		for (at = 0; at < min(due->len, frame->len); at++)
			if (due->data[at] != frame->data[at])
				break;
		if (at >= best) {
			best = at;
			want = due->len;
		}
	}
	if (want)
		storm_wrong(storm, "a frame of %u %s that was not due, as one of %u was but for byte %u",
			    frame->len, came, want, best);
	else
		storm_wrong(storm, "a frame of %u %s where none was due", frame->len, came);
}

/* Take what a side gave: each frame must be one that is due, in any order. */
static void collect(struct storm *storm, int side)
{
	struct lab_frame *frame;
	struct due *due;
	bool found;

	while ((frame = side == TO_STACK ? lab_take_delivered(storm->nic) :
					   lab_take_transmitted(storm->nic))) {
		found = false;
		list_for_each_entry(due, &storm->due[side], node) {
			if (due->len != frame->len || memcmp(due->data, frame->data, due->len))
				continue;
			list_del(&due->node);
			kfree(due);
			found = true;
			break;
		}
		if (!found)
			complain(storm, side, frame);
		kfree(frame);
	}
}

/* What is still due is missing: from the wire it must be counted as lost. */
static void write_off(struct storm *storm, int side, u64 *lost)
{
	struct due *due, *tmp;

	list_for_each_entry_safe(due, tmp, &storm->due[side], node) {
		if (due->wire && *lost)
			(*lost)--;
		else if (due->wire || !storm->starving)
			storm_wrong(storm, "a frame of %u is missing %s", due->len,
				    side == TO_STACK ? "at the stack" : "on the wire");
		list_del(&due->node);
		kfree(due);
	}
}

void storm_settle(struct storm *storm)
{
	u64 lost = lost_so_far(storm) - storm->lost, no_room = no_room_so_far(storm);

	if (no_room > storm->no_room)
		lost += no_room - storm->no_room;
	if (lost && !storm->starving)
		storm_wrong(storm, "%llu frames lost with memory to spare", lost);
	collect(storm, TO_STACK);
	collect(storm, TO_WIRE);
	write_off(storm, TO_STACK, &lost);
	write_off(storm, TO_WIRE, &lost);
}

void storm_forget(struct storm *storm)
{
	struct due *due, *tmp;
	int side;

	for (side = 0; side < 2; side++)
		list_for_each_entry_safe(due, tmp, &storm->due[side], node) {
			list_del(&due->node);
			kfree(due);
		}
}

/* ---- steps -------------------------------------------------------------- */

/* Up to what the MTU lets in: what is longer is an error, and another suite's. */
static u32 some_length(struct storm *storm, struct lab_rand *rand)
{
	u32 max = storm->mtu + ETH_HLEN, len;

	switch (lab_rand_below(rand, 5)) {
	case 0:		/* the shortest */
		return 60 + lab_rand_below(rand, 5);
	case 1:		/* around the end of a line */
		len = (1 + lab_rand_below(rand, max / 64)) * 64 + lab_rand_below(rand, 9) - 4;
		return clamp(len, 60, max);
	case 2:
		return max - lab_rand_below(rand, 3);
	default:
		return 60 + lab_rand_below(rand, max - 59);
	}
}

static u32 some_frame(struct storm *storm, struct lab_rand *rand)
{
	u32 len = some_length(storm, rand);
	u8 *frame = storm->nic->frame;

	lab_fill(frame, len, lab_rand(rand));
	frame[CODE_AT] = lab_rand_below(rand, CODES);
	/* what a cut makes the EtherType must not look like a tag */
	put_unaligned_be16(LAB_ETHERTYPE, frame + CUT + 2 * ETH_ALEN);
	/* frames that differ in nothing but their place would hide a swap */
	put_unaligned_be32(lab_rand(rand), frame + CUT + ETH_HLEN);
	if (frame[CODE_AT] < PASS_CUT && !lab_rand_below(rand, 4)) {
		put_unaligned_be16(ETH_P_8021Q, frame + 2 * ETH_ALEN);
		put_unaligned_be16(lab_rand_below(rand, VLAN_N_VID), frame + ETH_HLEN);
	}
	return len;
}

/* Frames from the wire, the driver not run yet. A cable that is out carries none. */
static void arrive(struct storm *storm, struct lab_rand *rand, unsigned int frames)
{
	struct lab_nic *nic = storm->nic;
	unsigned int i, queue;
	int ret;
	u32 len;

	if (storm->up && !storm->link)
		return;
	for (i = 0; i < frames; i++) {
		len = some_frame(storm, rand);
		queue = lab_rand_below(rand, nic->soc->queues);
		ret = lab_try_send(nic, queue, nic->frame, len);
		if (!storm->up) {
			if (!ret)
				storm_wrong(storm, "a closed interface took a frame");
		} else if (ret) {
			storm_wrong(storm, "a frame was not taken: %d", ret);
		} else {
			owe_for(storm, nic->frame, len);
		}
	}
}

/* Frames of the stack, given to the driver and not on the wire yet. */
static void depart(struct storm *storm, struct lab_rand *rand, unsigned int frames)
{
	struct lab_nic *nic = storm->nic;
	unsigned int i, frags;
	u32 len;

	if (!storm->up)
		return;
	for (i = 0; i < frames; i++) {
		len = 60 + lab_rand_below(rand, ETH_FRAME_LEN - 59);
		lab_fill(nic->frame, len, lab_rand(rand));
		frags = len < 80 ? 0 : lab_rand_below(rand, 4);
		if (!lab_stack_xmit(nic, nic->frame, len, frags)) {
			owe_copy(storm, TO_WIRE, nic->frame, len);
			list_last_entry(&storm->due[TO_WIRE], struct due, node)->wire = false;
		}
	}
}

static void start(struct lab_rand *rand, const struct storm_step *step)
{
	rand->state = step->arg[0];
	lab_rand(rand);
}

void storm_receive(struct storm *storm, const struct storm_step *step)
{
	unsigned int i, n = 1 + step->arg[1] % 6, burst = 1 + step->arg[2] % 3;
	struct lab_rand rand;

	storm_say(storm, "receive %u times %u frames", n, burst);
	start(&rand, step);
	for (i = 0; i < n; i++) {
		arrive(storm, &rand, burst);
		lab_pump(storm->nic);
	}
}

/* Frames that arrive, are transmitted, arrive: then the controller runs. */
static void mix(struct storm *storm, const struct storm_step *step, unsigned int in,
		unsigned int out, unsigned int in_again)
{
	struct lab_rand rand;

	start(&rand, step);
	arrive(storm, &rand, in);
	depart(storm, &rand, out);
	arrive(storm, &rand, in_again);
	lab_pump(storm->nic);
}

/* More than one poll may take. */
void storm_burst(struct storm *storm, const struct storm_step *step)
{
	unsigned int n = 65 + step->arg[1] % 64;

	storm_say(storm, "receive %u frames at once", n);
	mix(storm, step, n, 0, 0);
}

void storm_transmit(struct storm *storm, const struct storm_step *step)
{
	unsigned int n = 1 + step->arg[1] % 8;

	storm_say(storm, "transmit %u frames", n);
	mix(storm, step, 0, n, 0);
}

void storm_both(struct storm *storm, const struct storm_step *step)
{
	unsigned int n = 1 + step->arg[1] % 16, m = 1 + step->arg[2] % 6;

	storm_say(storm, "transmit %u frames while %u arrive", m, n);
	mix(storm, step, n / 2, m, n - n / 2);
}

/* Interrupts off and a budget of 0, while both sides have something to do. */
void storm_netpoll(struct storm *storm, const struct storm_step *step)
{
	unsigned int n = step->arg[1] % 4, m = 1 + step->arg[2] % 4;
	struct lab_rand rand;

	storm_say(storm, "netpoll with %u frames out and %u in", m, n);
	start(&rand, step);
	depart(storm, &rand, m);
	lab_transmit_only(storm->nic);
	arrive(storm, &rand, n);
	lab_netpoll_poll(storm->nic);
	lab_pump(storm->nic);
}
