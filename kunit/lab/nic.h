/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A NIC of the lab from the inside. Not for suites.
 */
#ifndef POOLSTACK_NIC_H
#define POOLSTACK_NIC_H

#include <linux/notifier.h>

#include "model.h"

struct platform_device;

/**
 * struct lab_ledger - where frames went, for the gate
 * @sent: frames the controller took from the wire and wrote to memory.
 * @ended: counted by the driver as ended by a program, up to the last close.
 * @told: frames a case accounts for itself.
 */
struct lab_ledger {
	u64 sent;
	u64 ended;
	u64 told;
};

struct lab_prog {
	struct list_head node;
	struct bpf_prog *prog;
};

/**
 * struct nic - what lab_nic_take() makes
 * @pub: what the suite sees.
 * @ctrl: the model.
 * @delivered: frames the stack was given.
 * @transmitted: frames that left through the transmitter.
 * @ledger: see above.
 * @progs: programs of the case.
 * @bus: notifier that puts the DMA model in place before the driver probes.
 * @pdev: device of the controller.
 * @overlay: id of the overlay, 0 when not applied.
 * @sinking: the receive handler is registered.
 * @up: the interface was opened by lab_up().
 * @scratch: for one frame in the receive handler.
 */
struct nic {
	struct lab_nic pub;
	struct lab_ctrl *ctrl;
	struct lab_wire delivered, transmitted;
	struct lab_ledger ledger;
	struct list_head progs;
	struct notifier_block bus;
	struct platform_device *pdev;
	int overlay;
	bool sinking;
	bool up;
	u8 *scratch;
};

static inline struct nic *to_nic(struct lab_nic *pub)
{
	return container_of(pub, struct nic, pub);
}

/* sink.c */
int lab_sink_register(struct nic *nic);
void lab_sink_unregister(struct nic *nic);

/* xdp.c */
void lab_progs_free(struct nic *nic);

/* figures.c */
bool lab_ethtool_stat(struct net_device *ndev, const char *name, u64 *value);

/* gate.c */
void lab_ledger_close(struct nic *nic);
void lab_gate_report(struct nic *nic);
void lab_gate_unbound(struct nic *nic);

#endif
