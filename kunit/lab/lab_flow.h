/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: flows. Part of lab.h, which includes it.
 *
 * A flow is a run of numbered frames through the driver. Several may be under way
 * at once and come out in any order between them; within a flow each frame comes
 * out once, whole, in order, and as the flow's program left it.
 */
#ifndef POOLSTACK_LAB_FLOW_H
#define POOLSTACK_LAB_FLOW_H

#include "lab.h"

/* Byte that a program of a flow writes where it has prepended. */
#define LAB_FLOW_PUSHED	0xa5

/**
 * struct lab_flow - numbered frames; the first group is the case's to set
 * @id: tells the flows of a case apart, 1 or more.
 * @min: shortest frame, 20 or more.
 * @max: longest frame.
 * @head: what the program does to the head, even; -64 to 64, positive: cuts. Of
 *	frames cut by more than 14, @min is 100 or more.
 * @tail: what it does to the tail, positive: appends zeros.
 * @mark: it sets the first byte to LAB_REFLECT_MARK.
 * @lossy: numbers may be missing; see @lost.
 * @sent: frames that went in.
 * @seen: number of the frame that comes out next.
 * @lost: numbers missed so far.
 */
struct lab_flow {
	u8 id;
	u32 min, max;
	int head, tail;
	bool mark, lossy;

	u32 sent, seen, lost;
};

/* The program that does what @head, @tail and @mark say, then @verdict. */
struct bpf_prog *lab_flow_prog(struct lab_nic *nic, const struct lab_flow *flow,
			       enum xdp_action verdict);

/**
 * lab_flow_send() - the flow's next frame arrives from the wire
 * @nic: the NIC.
 * @flow: the flow.
 * @queue: hardware queue; a flow stays on one.
 *
 * Return: as lab_try_send(); the number is used up only by 0.
 */
int lab_flow_send(struct lab_nic *nic, struct lab_flow *flow, unsigned int queue);

/* The stack transmits its next frame; see lab_stack_xmit(). */
int lab_flow_xmit(struct lab_nic *nic, struct lab_flow *flow, unsigned int frags);

/**
 * lab_flow_check() - a frame that came out is the next one of some flow
 * @nic: the NIC.
 * @flows: the flows that may come out here.
 * @n: their number.
 * @data: the frame.
 * @len: its length.
 *
 * A frame of none of them, out of order, or with a wrong byte fails the case.
 */
void lab_flow_check(struct lab_nic *nic, struct lab_flow *flows, unsigned int n,
		    const u8 *data, u32 len);

/* lab_flow_check() for all that is waiting on a side; returns how many. */
unsigned int lab_flow_delivered(struct lab_nic *nic, struct lab_flow *flows, unsigned int n);
unsigned int lab_flow_transmitted(struct lab_nic *nic, struct lab_flow *flows, unsigned int n);

/* Nothing is on its way any more: all that went in has come out. */
void lab_flow_complete(struct lab_nic *nic, struct lab_flow *flow);

/* The same for a lossy flow: exactly so many frames have not come out. */
void lab_flow_complete_but(struct lab_nic *nic, struct lab_flow *flow, u64 lost);

#endif
