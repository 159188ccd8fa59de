/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: AF_XDP sockets with zero copy. Part of lab.h, which includes it.
 *
 * A socket here is what an application has: a umem cut into chunks, four rings,
 * and the knowledge of whose each chunk is. A chunk is the application's, or
 * it was given to the kernel for reception or for transmission, and then it is
 * in exactly one place: a ring, the pool's list of free buffers, or the MAC.
 * lab_xsk_check() looks; it does so by itself when a socket is closed.
 */
#ifndef POOLSTACK_LAB_XSK_H
#define POOLSTACK_LAB_XSK_H

#include "lab.h"

struct lab_xsk;

/* For a fill ring: more than a receive ring of the driver has descriptors. */
#define LAB_XSK_CHUNKS	300

/**
 * struct lab_xsk_setup - how an application sets a socket up
 * @queue: queue to bind to.
 * @chunks: chunks in the umem.
 * @chunk_size: bytes of each, 2048 or 4096.
 * @headroom: bytes of each that the application wants in front of a frame.
 * @ring: entries of each of the four rings, a power of two.
 * @rx_ring: entries of the receive ring when not @ring, else 0.
 * @fill: chunks in the fill ring before it binds.
 */
struct lab_xsk_setup {
	unsigned int queue;
	unsigned int chunks;
	unsigned int chunk_size;
	unsigned int headroom;
	unsigned int ring;
	unsigned int rx_ring;
	unsigned int fill;
};

/**
 * lab_xsk_open() - bind a socket with zero copy and need_wakeup
 * @nic: the NIC, up or down.
 * @setup: see above.
 *
 * Return: the socket, closed when the case ends.
 */
struct lab_xsk *lab_xsk_open(struct lab_nic *nic, const struct lab_xsk_setup *setup);

/**
 * lab_xsk_bind() - the usual socket: 512 chunks of 4 KiB, rings of 512
 * @nic: the NIC, up or down.
 * @queue: the queue.
 * @chunks: how many chunks are in its fill ring, at most 448.
 *
 * Return: as lab_xsk_open().
 */
struct lab_xsk *lab_xsk_bind(struct lab_nic *nic, unsigned int queue, unsigned int chunks);

/**
 * lab_xsk_try() - as lab_xsk_bind(), for a bind that may fail
 * @nic: the NIC, up or down.
 * @queue: the queue.
 * @chunks: how many chunks are in its fill ring, at most 448.
 * @xsk: the socket, NULL when bind() failed.
 *
 * Return: what bind() returned. A socket that is not bound is closed again.
 */
int lab_xsk_try(struct lab_nic *nic, unsigned int queue, unsigned int chunks,
		struct lab_xsk **xsk);

/**
 * lab_xsk_close() - close the socket as exit() would
 * @xsk: the socket.
 *
 * Pumps, checks the chunks, closes, and waits until the driver has given the
 * queue back. Chunks that are with the kernel stay lost to the application.
 */
void lab_xsk_close(struct lab_xsk *xsk);

/* As lab_xsk_close(), without pumping before: frames are on their way. */
void lab_xsk_kill(struct lab_xsk *xsk);

/* ---- transmission ------------------------------------------------------- */

/* Put a frame into the transmit ring, without telling the driver. */
void lab_xsk_send(struct lab_xsk *xsk, const u8 *frame, u32 len);

/* sendto() without data: tell the driver. Returns 0 or a negative error. */
int lab_xsk_kick(struct lab_xsk *xsk);

/* Whether the kernel asks for that call. */
bool lab_xsk_wants_kick(struct lab_xsk *xsk);

/**
 * lab_xsk_completed() - read the completion ring
 * @xsk: the socket.
 *
 * A chunk that was not on its way out fails the case.
 *
 * Return: frames that were completed so far.
 */
u32 lab_xsk_completed(struct lab_xsk *xsk);

/* ---- reception ---------------------------------------------------------- */

/**
 * lab_xsk_fill() - give free chunks to the kernel
 * @xsk: the socket.
 * @chunks: how many.
 *
 * Return: how many there were room and chunks for.
 */
unsigned int lab_xsk_fill(struct lab_xsk *xsk, unsigned int chunks);

/* recvfrom(), which wakes the driver if it asked for that. As lab_xsk_kick(). */
int lab_xsk_wake(struct lab_xsk *xsk);

/* Whether the driver asks for that call. */
bool lab_xsk_wants_wake(struct lab_xsk *xsk);

/**
 * lab_xsk_take() - oldest frame in the receive ring
 * @xsk: the socket.
 *
 * Its chunk is the application's again. A frame that does not lie in a chunk
 * which was given for reception fails the case.
 *
 * Return: a copy, which the caller frees with kfree(), or NULL.
 */
struct lab_frame *lab_xsk_take(struct lab_xsk *xsk);

/* The oldest frame in the receive ring must be exactly these bytes. */
void lab_xsk_expect(struct lab_xsk *xsk, const u8 *frame, u32 len);

/**
 * lab_xsk_steer() - a program that does with a frame what the frame says
 * @nic: owner of the program.
 *
 * The first byte behind the Ethernet header is the verdict, enum xdp_action;
 * from XDP_REDIRECT on the frame goes to the socket of its queue, or to the
 * stack when there is none, as with an XSKMAP whose flags are XDP_PASS.
 *
 * Return: the program.
 */
struct bpf_prog *lab_xsk_steer(struct lab_nic *nic);

/* lab_fill() of nic->frame, for lab_xsk_steer() to do @act with. */
void lab_xsk_frame(struct lab_nic *nic, u32 len, u32 seed, enum xdp_action act);

/* Open the interface, with lab_xsk_steer() attached. */
void lab_xsk_up(struct lab_nic *nic);

/**
 * lab_xsk_exchange() - a frame each way through the socket, whole
 * @xsk: the socket; its NIC is up with lab_xsk_steer(), nothing is on its way.
 * @seed: of the frames.
 *
 * A chunk is filled for the one received.
 */
void lab_xsk_exchange(struct lab_xsk *xsk, u32 seed);

/* ---- whose is what ------------------------------------------------------ */

/**
 * lab_xsk_check() - every chunk is in exactly one place
 * @xsk: the socket; the driver has nothing to do (after lab_pump()).
 *
 * What is not fails the case, and so does a receiver that may write past the end
 * of a chunk.
 */
void lab_xsk_check(struct lab_xsk *xsk);

#endif
