// SPDX-License-Identifier: GPL-2.0-only
/*
 * A controller that acts by itself, on the second CPU if there is one.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/skbuff.h>

#include "nic.h"

/* Idle rounds after which the controller has nothing to do. */
#define IDLE_ROUNDS	4
#define WAIT		(5 * HZ)

static int run(void *data)
{
	struct nic *nic = data;
	unsigned int idle = 0, seen = 0, asked, skip, spin;
	bool did = false;

	while (!kthread_should_stop()) {
		/* pairs with lab_run_wait(): what was done before it asked is seen */
		asked = smp_load_acquire(&nic->runner.asked);
		if (asked != seen) {
			seen = asked;
			idle = 0;
		}
		skip = did ? lab_rand_below(&nic->runner.rand, 4) : 0;
		did = lab_ctrl_step(nic->ctrl, skip | LAB_SKIP_LINES(READ_ONCE(nic->runner.lines)));
		lab_adversary_idle(nic->pub.dma);
		idle = did || skip ? 0 : idle + 1;
		if (idle >= IDLE_ROUNDS)
			/* pairs with lab_run_wait(): what was done here is seen there */
			smp_store_release(&nic->runner.answered, seen);
		/* meet the other CPU elsewhere each time */
		for (spin = lab_rand_below(&nic->runner.rand, 256); spin; spin--)
			cpu_relax();
		if (did)
			cond_resched();
		else
			schedule();
	}
	return 0;
}

/* Wait until the controller has been idle since the call. */
void lab_run_wait(struct nic *nic)
{
	unsigned long end = jiffies + WAIT;
	unsigned int ask = nic->runner.asked + 1;

	/* pairs with run() */
	smp_store_release(&nic->runner.asked, ask);
	/* and this one, too */
	while (smp_load_acquire(&nic->runner.answered) != ask) {
		if (time_after(jiffies, end)) {
			KUNIT_FAIL(nic->pub.test, "the controller never gets idle");
			return;
		}
		cond_resched();
		cpu_relax();
	}
}

/* Without a second CPU: now, perhaps. */
void lab_run_perhaps(struct nic *nic)
{
	if (nic->runner.free && !nic->runner.task && !lab_rand_below(&nic->runner.rand, 4))
		lab_pump(&nic->pub);
}

static void stop(void *data)
{
	lab_run_stop(data);
}

void lab_run_free(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);
	struct task_struct *task;

	if (nic->runner.free)
		return;
	nic->runner.free = true;
	nic->runner.asked = 0;
	nic->runner.answered = 0;
	KUNIT_ASSERT_EQ(pub->test, kunit_add_action_or_reset(pub->test, stop, pub), 0);
	if (num_online_cpus() < 2)
		return;
	/* lab_nic_take() has put the case on the first one */
	task = kthread_create_on_cpu(run, nic, 1, "lab-controller/%u");
	KUNIT_ASSERT_FALSE(pub->test, IS_ERR(task));
	nic->runner.task = task;
	nic->ctrl->free = true;
	wake_up_process(task);
}

void lab_run_stop(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);

	if (nic->runner.task)
		kthread_stop(nic->runner.task);
	nic->ctrl->free = false;
	nic->runner.task = NULL;
	nic->runner.lines = 0;
	nic->runner.free = false;
}

void lab_take_transmit_irqs(struct lab_nic *pub, bool here)
{
	WRITE_ONCE(to_nic(pub)->runner.lines, here ? BIT(0) : 0);
}

void lab_complete_here(struct lab_nic *pub)
{
	migrate_disable();
	lab_ctrl_raise_some(to_nic(pub)->ctrl, BIT(0));
	local_bh_disable();
	local_bh_enable();
	migrate_enable();
}

bool lab_races(struct lab_nic *nic)
{
	return to_nic(nic)->runner.task;
}

void lab_keep_skbs(struct lab_nic *nic, bool on)
{
	WRITE_ONCE(to_nic(nic)->keep_skbs, on);
}

struct sk_buff *lab_take_skb(struct lab_nic *nic)
{
	struct sk_buff *skb = skb_dequeue(&to_nic(nic)->skbs);

	if (skb)
		skb_push(skb, skb->data - skb_mac_header(skb));
	return skb;
}
