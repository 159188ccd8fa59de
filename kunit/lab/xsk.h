/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An AF_XDP socket of the lab from the inside. Not for suites.
 */
#ifndef POOLSTACK_XSK_H
#define POOLSTACK_XSK_H

#include <linux/net.h>
#include <net/xdp_sock_drv.h>

#include "../../../../../net/xdp/xsk_queue.h"
#include "nic.h"

/**
 * enum lab_chunk - whom a chunk belongs to
 * @LAB_CHUNK_OURS: the application.
 * @LAB_CHUNK_RX: the kernel, for reception.
 * @LAB_CHUNK_TX: the kernel, for transmission.
 */
enum lab_chunk {
	LAB_CHUNK_OURS,
	LAB_CHUNK_RX,
	LAB_CHUNK_TX,
};

/**
 * struct lab_xsk - a bound socket
 * @nic: whose queue.
 * @setup: as the case asked for.
 * @sock: the socket, NULL when closed.
 * @next: where to look for a free chunk.
 * @sent: frames put into the transmit ring: its producer.
 * @filled: chunks put into the fill ring: its producer.
 * @taken: frames taken from the receive ring: its consumer.
 * @completed: chunks taken from the completion ring: its consumer.
 * @chunk: whose each chunk is, enum lab_chunk.
 */
struct lab_xsk {
	struct lab_nic *nic;
	struct lab_xsk_setup setup;
	struct socket *sock;
	unsigned int next;
	u32 sent, filled, taken, completed;
	u8 *chunk;
};

static inline struct xdp_sock *lab_xs(struct lab_xsk *xsk)
{
	return xdp_sk(xsk->sock->sk);
}

/* xsk_ring.c */
void lab_xsk_steer_to(struct lab_xsk *xsk);
void lab_xsk_steer_away(struct lab_xsk *xsk);

#endif
