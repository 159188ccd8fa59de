/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A NIC of the lab from the inside. Not for suites.
 */
#ifndef POOLSTACK_NIC_H
#define POOLSTACK_NIC_H

#include <linux/delay.h>
#include <linux/notifier.h>
#include <linux/skbuff.h>

#include "model.h"

struct netpoll;
struct platform_device;

/**
 * struct lab_ledger - where frames went, for the gate
 * @sent: frames the controller took from the wire and wrote to memory.
 * @ended: counted by the driver as ended by a program, up to the last close.
 * @told: frames a case accounts for itself.
 * @told_sent: the same on the transmit side: sent, and counted by nobody.
 */
struct lab_ledger {
	u64 sent;
	u64 ended;
	u64 told;
	u64 told_sent;
};

#define LAB_LATE_QUEUES	8
#define LAB_MACS	3

/**
 * struct lab_late - a controller that takes its time, see lab_adversary()
 * @on: it does.
 * @rand: when; the case's task only.
 * @frames: still on the wire towards the NIC, oldest first.
 * @held: how many of them, by queue.
 */
struct lab_late {
	bool on;
	struct lab_rand rand;
	struct list_head frames;
	unsigned int held[LAB_LATE_QUEUES];
};

/**
 * struct lab_runner - a controller that acts by itself, see lab_run_free()
 * @free: it does.
 * @task: on the second CPU; NULL when there is none.
 * @asked: number of the newest question whether it is idle.
 * @answered: of the newest that it has answered: yes, since.
 * @rand: of the task, or of the case without one.
 * @lines: interrupt lines that it leaves to the case, see lab_take_transmit_irqs().
 */
struct lab_runner {
	bool free;
	struct task_struct *task;
	unsigned int asked, answered;
	struct lab_rand rand;
	u32 lines;
};

/**
 * struct lab_early - a frame that waits for the controller, see lab_send_early()
 * @frame: the frame, as it was given.
 * @len: its length.
 * @queue: where it goes.
 * @state: what has become of it.
 */
struct lab_early {
	const u8 *frame;
	u32 len;
	unsigned int queue;
	enum { LAB_EARLY_NONE, LAB_EARLY_SENT, LAB_EARLY_WAITS, LAB_EARLY_CAME, LAB_EARLY_TOLD } state;
};

/**
 * struct lab_jump - time that passes all at once, see lab_time_jump()
 * @writes: register writes left until then.
 * @ns: how much.
 */
struct lab_jump {
	unsigned int writes;
	u64 ns;
};

struct lab_prog {
	struct list_head node;
	struct bpf_prog *prog;
};

/**
 * struct nic - what lab_nic_take() makes
 * @pub: what the suite sees.
 * @ctrl: the model.
 * @mac: interfaces of the controller, the first is @pub's.
 * @macs: their number.
 * @delivered: frames the stack was given.
 * @others: the same by the other interfaces.
 * @transmitted: frames that left through the transmitter.
 * @ledger: see above.
 * @progs: programs of the case.
 * @loads: frames of another interface, see lab_redirect.h.
 * @netpoll: see lab_netpoll.h.
 * @on_delivery: called for each frame that the stack is given.
 * @delivery_arg: its argument.
 * @bus: notifier that puts the DMA model in place before the driver probes.
 * @pdev: device of the controller.
 * @overlay: id of the overlay, 0 when not applied.
 * @sinking: the receive handler is registered.
 * @up: the interface was opened by lab_up().
 * @scratch: for one frame in the receive handler.
 * @rand: the case's own choices.
 * @late: chance in time.
 * @runner: the controller on its own.
 * @early: a frame that waits for it.
 * @jump: time that is about to pass.
 * @forward: the receive handler transmits what it is given.
 * @keep_skbs: the receive handler keeps skbs in @skbs.
 * @skbs: kept, oldest first.
 */
struct nic {
	struct lab_nic pub;
	struct lab_ctrl *ctrl;
	struct net_device *mac[LAB_MACS];
	unsigned int macs;
	struct lab_wire delivered, others, transmitted;
	struct lab_ledger ledger;
	struct list_head progs;
	struct list_head loads;
	struct netpoll *netpoll;
	void (*on_delivery)(struct lab_nic *nic, void *arg);
	void *delivery_arg;
	struct notifier_block bus;
	struct platform_device *pdev;
	int overlay;
	bool sinking;
	bool up;
	u8 *scratch;
	struct lab_rand rand;
	struct lab_late late;
	struct lab_runner runner;
	struct lab_early early;
	struct lab_jump jump;
	bool forward;
	bool keep_skbs;
	struct sk_buff_head skbs;
};

static inline struct nic *to_nic(struct lab_nic *pub)
{
	return container_of(pub, struct nic, pub);
}

/* How long the lab waits for what another task or a timer does. */
#define LAB_WAIT_MS	3000

/**
 * lab_wait_until() - sleep until a condition holds, LAB_WAIT_MS at most
 * @cond: looked at every 10 ms.
 *
 * Return: whether it holds.
 */
#define lab_wait_until(cond)							\
({										\
	int _ms;								\
										\
	for (_ms = 0; _ms < LAB_WAIT_MS && !(cond); _ms += 10)			\
		msleep(10);							\
	_ms < LAB_WAIT_MS || (cond);						\
})

/* adversary.c */
void lab_adversary_init(struct nic *nic);
bool lab_late_hold(struct nic *nic, unsigned int queue, const u8 *frame, u32 len);
bool lab_late_arrive(struct nic *nic, int queue);
void lab_late_flush(struct nic *nic);

/* traffic.c */
int lab_arrive(struct nic *nic, unsigned int queue, const u8 *frame, u32 len);

/* race.c */
void lab_run_wait(struct nic *nic);
void lab_run_perhaps(struct nic *nic);

/* params.c */
bool lab_listing(void);
const struct lab_target *lab_target_named(const char *name);

/* sink.c */
int lab_sink_register(struct nic *nic);
void lab_sink_unregister(struct nic *nic);

/* xdp.c */
int lab_attach_to(struct lab_nic *nic, struct net_device *ndev, struct bpf_prog *prog);
void lab_progs_free(struct nic *nic);

/* link.c */
bool lab_settled(struct net_device *ndev, bool link);
void lab_carrier_wait(struct lab_nic *nic, bool up);

/* mac.c */
unsigned int lab_macs_of(struct device *dev, struct net_device **mac);
void lab_mac_stats(struct nic *nic, struct rtnl_link_stats64 *sum);
unsigned int lab_mac_of(const struct nic *nic, const struct net_device *ndev);

/* fixture.c */
void lab_closed_by_itself(struct lab_nic *nic);
struct nic *lab_nic_power_on(struct kunit *test, const struct lab_target *target);
const char *lab_nic_plug(struct nic *nic);

/* bql.c */
void lab_queues_unlimited(struct nic *nic);

/* bind.c */
void lab_bind_leftovers(struct nic *nic);

/* load.c */
unsigned int lab_loads_owed(struct nic *nic, unsigned int *twice);
void lab_loads_free(struct nic *nic);

/* figures.c */
bool lab_ethtool_stat(struct net_device *ndev, const char *name, u64 *value);

/* gate.c */
u64 lab_xdp_ended(struct nic *nic);
void lab_ledger_close(struct nic *nic);
void lab_gate_report(struct nic *nic);
void lab_gate_unbound(struct nic *nic);

#endif
