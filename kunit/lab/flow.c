// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbered frames, recognized wherever they come out.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "nic.h"

/*
 * Id and number, twice: where no program of a flow writes, for heads cut by 14
 * at most, and behind all that may be cut.
 */
#define TAG		5
#define TAG_NEAR	(ETH_HLEN + 1)
#define TAG_FAR		80

/* Length of a frame by its number: every length comes, none in a row. */
static u32 length(const struct lab_flow *flow, u32 number)
{
	return flow->min + number * 977 % (flow->max - flow->min + 1);
}

static void put_tag(const struct lab_flow *flow, u32 number, u8 *to)
{
	*to = flow->id;
	put_unaligned_be32(number, to + 1);
}

/* The frame as it goes in; returns its length. */
static u32 build(const struct lab_flow *flow, u32 number, u8 *to)
{
	u32 len = length(flow, number);

	lab_fill(to, len, flow->id * 101 + number);
	put_tag(flow, number, to + TAG_NEAR);
	if (len >= TAG_FAR + TAG)
		put_tag(flow, number, to + TAG_FAR);
	return len;
}

/* The frame as it comes out, in @to or behind; returns where it starts. */
static const u8 *transformed(const struct lab_flow *flow, u32 number, u8 *to, u32 *len)
{
	u8 *frame = to + 64;

	*len = build(flow, number, frame);
	if (flow->tail > 0)
		memset(frame + *len, 0, flow->tail);
	frame += flow->head;
	*len += flow->tail - flow->head;
	if (flow->head < 0)
		memset(frame, LAB_FLOW_PUSHED, -flow->head);
	if (flow->mark)
		frame[0] = LAB_REFLECT_MARK;
	return frame;
}

#define MAX_INSNS	96

static u32 append(struct bpf_insn *insns, u32 n, const struct bpf_insn *part, u32 count)
{
	memcpy(insns + n, part, count * sizeof(*part));
	return n + count;
}

#define APPEND(insns, n, ...) ({						\
	const struct bpf_insn _part[] = { __VA_ARGS__ };			\
	append(insns, n, _part, ARRAY_SIZE(_part));				\
})

struct bpf_prog *lab_flow_prog(struct lab_nic *nic, const struct lab_flow *flow,
			       enum xdp_action verdict)
{
	struct bpf_insn *insns;
	struct bpf_prog *prog;
	int off;
	u32 n;

	insns = kunit_kcalloc(nic->test, MAX_INSNS, sizeof(*insns), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(nic->test, insns);
	n = APPEND(insns, 0, LAB_BPF_BEGIN);
	if (flow->head)
		n = APPEND(insns, n, LAB_BPF_HEAD(flow->head));
	n = APPEND(insns, n, LAB_BPF_FIELD(BPF_REG_2, data));
	for (off = 0; off < -flow->head; off += 2)
		n = APPEND(insns, n,
			   BPF_ST_MEM(BPF_H, BPF_REG_2, off, LAB_FLOW_PUSHED * 0x101));
	if (flow->tail)
		n = APPEND(insns, n, LAB_BPF_TAIL(flow->tail));
	if (flow->mark)
		n = APPEND(insns, n, LAB_BPF_SET(0, LAB_REFLECT_MARK));
	n = APPEND(insns, n, LAB_BPF_RETURN(verdict));
	prog = lab_prog(nic, insns, n);
	kunit_kfree(nic->test, insns);
	return prog;
}

int lab_flow_send(struct lab_nic *nic, struct lab_flow *flow, unsigned int queue)
{
	u32 len = build(flow, flow->sent, nic->frame);
	int ret = lab_try_send(nic, queue, nic->frame, len);

	if (!ret)
		flow->sent++;
	return ret;
}

int lab_flow_xmit(struct lab_nic *nic, struct lab_flow *flow, unsigned int frags)
{
	u32 len = build(flow, flow->sent++, nic->frame);

	/* of a short frame nothing is left to spread */
	return lab_stack_xmit(nic, nic->frame, len, len < 128 ? 0 : frags);
}

/* The flow that a frame says it is of, or NULL. */
static struct lab_flow *flow_of(struct lab_flow *flows, unsigned int n, const u8 *data,
				u32 len, u32 *number)
{
	unsigned int i;
	int tag;

	for (i = 0; i < n; i++) {
		tag = (flows[i].head > ETH_HLEN ? TAG_FAR : TAG_NEAR) - flows[i].head;
		if (tag + TAG > len || data[tag] != flows[i].id)
			continue;
		*number = get_unaligned_be32(data + tag + 1);
		if (*number < flows[i].sent)
			return &flows[i];
	}
	return NULL;
}

void lab_flow_check(struct lab_nic *nic, struct lab_flow *flows, unsigned int n,
		    const u8 *data, u32 len)
{
	u8 *buf = kmalloc(LAB_MAX_FRAME + 128, GFP_KERNEL);
	struct kunit *test = nic->test;
	struct lab_flow *flow;
	u32 number, want, i;
	const u8 *frame;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	flow = flow_of(flows, n, data, len, &number);
	if (!flow) {
		KUNIT_FAIL(test, "a frame of %u that is of no flow came out: %32phN", len, data);
		goto free;
	}
	if (number != flow->seen && !(flow->lossy && number > flow->seen)) {
		KUNIT_FAIL(test, "flow %u: frame %u came out, frame %u was due", flow->id,
			   number, flow->seen);
		goto free;
	}
	flow->lost += number - flow->seen;
	flow->seen = number + 1;

	frame = transformed(flow, number, buf, &want);
	for (i = 0; i < min(len, want) && data[i] == frame[i]; i++)
		;
	if (len != want)
		KUNIT_FAIL(test, "flow %u: frame %u came out with %u bytes, %u were due",
			   flow->id, number, len, want);
	else if (i < len)
		KUNIT_FAIL(test, "flow %u: frame %u of %u: byte %u is %02x instead of %02x",
			   flow->id, number, len, i, data[i], frame[i]);
free:
	kfree(buf);
}

static unsigned int drain(struct lab_nic *nic, struct lab_flow *flows, unsigned int n,
			  struct lab_frame *(*take)(struct lab_nic *nic))
{
	struct lab_frame *frame;
	unsigned int count = 0;

	for (; (frame = take(nic)); count++) {
		/* the first few complaints tell it all */
		if (nic->test->status != KUNIT_FAILURE)
			lab_flow_check(nic, flows, n, frame->data, frame->len);
		kfree(frame);
	}
	return count;
}

unsigned int lab_flow_delivered(struct lab_nic *nic, struct lab_flow *flows, unsigned int n)
{
	return drain(nic, flows, n, lab_take_delivered);
}

unsigned int lab_flow_transmitted(struct lab_nic *nic, struct lab_flow *flows, unsigned int n)
{
	return drain(nic, flows, n, lab_take_transmitted);
}

void lab_flow_complete(struct lab_nic *nic, struct lab_flow *flow)
{
	lab_flow_complete_but(nic, flow, 0);
}

void lab_flow_complete_but(struct lab_nic *nic, struct lab_flow *flow, u64 lost)
{
	KUNIT_EXPECT_EQ_MSG(nic->test, flow->lost + flow->sent - flow->seen, lost,
			    "flow %u: frames are missing", flow->id);
}
