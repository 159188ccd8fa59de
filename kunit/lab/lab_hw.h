/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: what the hardware may do to a frame, and when. Part of lab.h, which
 * includes it.
 */
#ifndef POOLSTACK_LAB_HW_H
#define POOLSTACK_LAB_HW_H

#include "lab.h"

/* SoCs whose descriptors tell of checksums; hold time stamps; that coalesce. */
const void *lab_each_fec_accel(struct kunit *test, const void *prev, char *desc);
const void *lab_each_fec_stamps(struct kunit *test, const void *prev, char *desc);
const void *lab_each_fec_coalesce(struct kunit *test, const void *prev, char *desc);
const void *lab_each_mtk_coalesce(struct kunit *test, const void *prev, char *desc);

/* ---- reception ---------------------------------------------------------- */

/**
 * enum lab_rx_fault - what can be wrong with a received frame
 * @LAB_RX_CRC: its FCS does not match.
 * @LAB_RX_ODD: it is no whole number of octets, and its FCS does not match.
 * @LAB_RX_OVERRUN: the receive FIFO overran, half of it is there.
 * @LAB_RX_SHORT: it is below the minimum of 64 octets, says the controller.
 * @LAB_RX_NOT_LAST: its last descriptor does not say so.
 * @LAB_RX_LATE: the data is in memory, but the descriptor is updated only by
 *	lab_settle(), and no event was raised.
 *
 * Bits, which a controller may or may not be able to report together. That a
 * frame is too long, or truncated, follows from its length.
 */
enum lab_rx_fault {
	LAB_RX_CRC = BIT(0),
	LAB_RX_ODD = BIT(1),
	LAB_RX_OVERRUN = BIT(2),
	LAB_RX_SHORT = BIT(3),
	LAB_RX_NOT_LAST = BIT(4),
	LAB_RX_LATE = BIT(5),
};

/**
 * struct lab_rx_flags - what happens to a frame on its way to memory
 * @faults: of enum lab_rx_fault.
 * @forge: its descriptor holds @length instead of what it should.
 * @length: any number.
 * @mac: of several, the one that it arrives at.
 */
struct lab_rx_flags {
	unsigned int faults;
	bool forge;
	u16 length;
	unsigned int mac;
};

/**
 * lab_send_early() - a frame arrives as soon as the controller receives again
 * @nic: the NIC; its receiver is on.
 * @queue: hardware queue.
 * @frame: from the destination address on; stays where it is until it has arrived.
 * @len: length without FCS.
 *
 * The next reset stops the receiver; the frame is there before the driver's next
 * instruction once it is on again, and its interrupt as soon as it is let
 * through, in the middle of what the driver does. One frame at a time.
 */
void lab_send_early(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len);

/* Whether the frame has arrived and the interrupt was taken. */
bool lab_came_early(struct lab_nic *nic);

/**
 * lab_send_with() - put a frame on the wire to which something happens
 * @nic: the NIC.
 * @queue: hardware queue.
 * @frame: from the destination address on.
 * @len: length without FCS.
 * @with: what happens.
 *
 * Return: as lab_try_send(); -EBADMSG when the controller discards it for a
 * wrong checksum; -EBUSY after a frame that is late.
 */
int lab_send_with(struct lab_nic *nic, unsigned int queue, const u8 *frame, u32 len,
		  const struct lab_rx_flags *with);

/**
 * lab_account_parts() - tell the gate of frames that took more descriptors
 * @nic: the NIC.
 * @parts: descriptors beyond the first, each of which the driver counts as an
 *	error.
 */
void lab_account_parts(struct lab_nic *nic, unsigned int parts);

/* Update the descriptors of frames that are late, and raise their events. */
void lab_settle(struct lab_nic *nic);

/* The receive queue that the controller chooses for a frame, by its VLAN tag. */
unsigned int lab_class_of(struct lab_nic *nic, const u8 *frame, u32 len);

/* ---- transmission ------------------------------------------------------- */

/**
 * lab_transmit_begin() - the transmitter starts, and is not done yet
 * @nic: the NIC.
 *
 * What was queued before leaves; the last frame of each queue is on the wire
 * when this returns, its descriptors still the controller's, and the controller
 * has seen that none comes after it. lab_pump() goes on from there.
 */
void lab_transmit_begin(struct lab_nic *nic);

/**
 * lab_spoil() - transmissions fail
 * @nic: the NIC.
 * @frames: so many of the next, over all queues.
 *
 * As with an underrun: the frame does not get out, and its last descriptor says
 * so, in the bit that the first controllers of this family had for it.
 */
void lab_spoil(struct lab_nic *nic, unsigned int frames);

/* Interrupts and what follows them, until none is pending; nothing is sent. */
void lab_interrupt(struct lab_nic *nic);

/* A linear skb of an interface, as the stack hands it down, headers aligned. */
struct sk_buff *lab_make_skb(struct lab_nic *nic, struct net_device *ndev, const u8 *frame,
			     u32 len);

/**
 * lab_stack_xmit_sum() - let the stack transmit a frame without its checksum
 * @nic: the NIC, up.
 * @frame: from the destination address on.
 * @len: length.
 * @start: where the protocol's header starts.
 * @offset: where in it the checksum is.
 *
 * As an application's socket does it: whoever has said that it can, fills in
 * the checksum, the driver or the stack.
 *
 * Return: what dev_queue_xmit() returned.
 */
int lab_stack_xmit_sum(struct lab_nic *nic, const u8 *frame, u32 len, u32 start, u32 offset);

/**
 * lab_stack_xmit_call() - let the stack transmit a frame and hear when it is freed
 * @nic: the NIC, up.
 * @frame: from the destination address on.
 * @len: length.
 * @freed: called when the driver gives up the skb, so in its poll as a rule. It
 *	may put frames on the wire. NULL: nobody hears.
 *
 * The frame begins two bytes into a word, where the IP header is aligned.
 *
 * Return: what dev_queue_xmit() returned.
 */
int lab_stack_xmit_call(struct lab_nic *nic, const u8 *frame, u32 len, void (*freed)(struct sk_buff *skb));

/**
 * lab_stack_xmit_stamped() - let the stack transmit a frame and ask when it left
 * @nic: the NIC, up.
 * @frame: from the destination address on.
 * @len: length.
 *
 * Return: what dev_queue_xmit() returned.
 */
int lab_stack_xmit_stamped(struct lab_nic *nic, const u8 *frame, u32 len);

/* Oldest time stamp of a transmitted frame not yet taken, in ns; 0: none. */
u64 lab_take_stamp(struct lab_nic *nic);

/* ---- time --------------------------------------------------------------- */

/**
 * lab_time_hold() - the controller's clock stands still, but for lab_time_pass()
 * @nic: the NIC.
 *
 * Without it a pump takes as long as whatever waits for a timer.
 */
void lab_time_hold(struct lab_nic *nic);

/* Let the controller's clock go on by so many nanoseconds. */
void lab_time_pass(struct lab_nic *nic, u64 ns);

/**
 * lab_time_jump() - let time go by in the middle of what the driver does
 * @nic: the NIC, its clock held.
 * @writes: so many register writes from here, 1 or more.
 * @ns: nanoseconds.
 *
 * An interrupt that is due then is taken at once, or as soon after another write
 * as the CPU takes interrupts.
 */
void lab_time_jump(struct lab_nic *nic, unsigned int writes, u64 ns);

/* No more; whether it had come to that, and an interrupt was taken. */
bool lab_time_jumped(struct lab_nic *nic);

#endif
