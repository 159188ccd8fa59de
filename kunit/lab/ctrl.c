// SPDX-License-Identifier: GPL-2.0-only
/*
 * The controller behind its one lock.
 *
 * A register access of any CPU, a frame from the wire and a run of the
 * transmitter exclude each other, as one block of hardware does; models need no
 * lock of their own. The interrupt is raised outside: its handler touches
 * registers.
 */
#include <linux/bitops.h>
#include <linux/bottom_half.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/spinlock.h>

#include "nic.h"

static DEFINE_SPINLOCK(lock);
static unsigned long holder_flags;	/* interrupt state before the lock */

/* Any context. */
void lab_ctrl_lock(void)
	__acquires(&lock)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	holder_flags = flags;
}

void lab_ctrl_unlock(void)
	__releases(&lock)
{
	spin_unlock_irqrestore(&lock, holder_flags);
}

int lab_ctrl_deliver(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len)
{
	int ret;

	lab_ctrl_lock();
	ret = ctrl->ops->deliver(ctrl, queue, frame, len);
	lab_ctrl_unlock();
	return ret;
}

bool lab_ctrl_transmit(struct lab_ctrl *ctrl)
{
	bool did;

	lab_ctrl_lock();
	did = ctrl->ops->transmit(ctrl);
	lab_ctrl_unlock();
	return did;
}

static u32 irq_lines(struct lab_ctrl *ctrl)
{
	u32 lines;

	lab_ctrl_lock();
	lines = ctrl->ops->irq_lines(ctrl);
	lab_ctrl_unlock();
	return lines;
}

bool lab_ctrl_irq_level(struct lab_ctrl *ctrl)
{
	return irq_lines(ctrl);
}

static bool raise(struct lab_ctrl *ctrl, unsigned long lines)
{
	bool took = false;
	unsigned int n;

	for_each_set_bit(n, &lines, BITS_PER_TYPE(u32)) {
		if (!lab_irq_raise(ctrl->hwirq + n))
			continue;
		ctrl->irqs++;
		took = true;
	}
	return took;
}

/**
 * lab_ctrl_raise() - take the interrupts that wait
 * @ctrl: the controller.
 *
 * Context: task, interrupts on, the lock not held.
 *
 * Return: false when there was none, or its line is masked.
 */
bool lab_ctrl_raise(struct lab_ctrl *ctrl)
{
	return raise(ctrl, irq_lines(ctrl));
}

/* The same for some of the lines, a mask. */
bool lab_ctrl_raise_some(struct lab_ctrl *ctrl, u32 lines)
{
	return raise(ctrl, irq_lines(ctrl) & lines);
}

int lab_ctrl_next_buffer(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf)
{
	int ret;

	lab_ctrl_lock();
	ret = ctrl->ops->next_buffer(ctrl, queue, buf);
	lab_ctrl_unlock();
	return ret;
}

bool lab_ctrl_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size)
{
	bool holds;

	lab_ctrl_lock();
	holds = ctrl->ops->holds(ctrl, addr, size);
	lab_ctrl_unlock();
	return holds;
}

void lab_ctrl_forge_length(struct lab_ctrl *ctrl, unsigned int queue, u16 len)
{
	lab_ctrl_lock();
	ctrl->ops->forge_length(ctrl, queue, len);
	lab_ctrl_unlock();
}

/**
 * lab_ctrl_pause() - time may pass between two steps of the controller
 * @ctrl: the controller.
 *
 * For models, e.g. between the bytes of a frame and its status. Under
 * lab_adversary() the driver may take an interrupt that is pending already.
 *
 * Context: inside ->deliver() or ->transmit(), nothing half changed that a
 * register access would see.
 */
void lab_ctrl_pause(struct lab_ctrl *ctrl)
{
	struct lab_late *late = ctrl->late;
	u32 lines;

	if (!late || !late->on || irqs_disabled_flags(holder_flags) ||
	    lab_rand_below(&late->rand, 4))
		return;
	lines = ctrl->ops->irq_lines(ctrl);
	if (!lines)
		return;
	lab_ctrl_unlock();
	raise(ctrl, lines);
	lab_ctrl_lock();
}

/**
 * lab_ctrl_step() - one round of the controller
 * @ctrl: the controller.
 * @skip: LAB_SKIP_*, what it does not get to this time.
 *
 * Context: task, may sleep, does not migrate. NAPI runs on this CPU.
 *
 * Return: whether anything happened.
 */
bool lab_ctrl_step(struct lab_ctrl *ctrl, unsigned int skip)
{
	bool did = false;

	if (!(skip & LAB_SKIP_TRANSMIT))
		did = lab_ctrl_transmit(ctrl);
	if (!(skip & LAB_SKIP_IRQ) && lab_ctrl_raise_some(ctrl, ~(skip >> 8)))
		did = true;
	/* a poll that used up its budget: do not wait for ksoftirqd */
	if (local_softirq_pending()) {
		did = true;
		local_bh_disable();
		local_bh_enable();
	}
	return did;
}
