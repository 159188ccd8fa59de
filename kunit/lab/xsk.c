// SPDX-License-Identifier: GPL-2.0-only
/*
 * An AF_XDP socket with zero copy, as an application would set it up: user
 * memory registered as umem, four rings, bind. The rings are then written
 * through the kernel's own pointers instead of a second mapping.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/if_xdp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/net.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <net/xdp_sock_drv.h>

#include "../../../../../net/xdp/xsk_queue.h"
#include "nic.h"

#define CHUNK		PAGE_SIZE
#define CHUNKS		512
#define RING		512
/* chunks from here on are for transmission */
#define FIRST_TX	(CHUNKS - 64)
#define WAIT_MS		3000

/**
 * struct lab_xsk - a bound socket
 * @nic: whose queue.
 * @queue: bound to.
 * @sock: the socket.
 * @sent: frames put into the transmit ring.
 */
struct lab_xsk {
	struct lab_nic *nic;
	unsigned int queue;
	struct socket *sock;
	u32 sent;
};

static struct xdp_sock *xs_of(struct lab_xsk *xsk)
{
	return xdp_sk(xsk->sock->sk);
}

static bool bound(struct lab_xsk *xsk)
{
	bool ret;

	rtnl_lock();
	ret = xsk_get_pool_from_qid(xsk->nic->ndev, xsk->queue);
	rtnl_unlock();
	return ret;
}

/* The pool leaves the driver in a work item, after the socket is gone. */
static void close_socket(void *data)
{
	struct lab_xsk *xsk = data;
	int ms;

	if (!xsk->sock)
		return;
	sock_release(xsk->sock);
	xsk->sock = NULL;
	for (ms = 0; ms < WAIT_MS && bound(xsk); ms += 10)
		msleep(10);
	KUNIT_EXPECT_FALSE_MSG(xsk->nic->test, bound(xsk),
			       "the driver keeps the pool of a closed socket");
}

static int set_option(struct lab_xsk *xsk, int option, void *value, int size)
{
	return xsk->sock->ops->setsockopt(xsk->sock, SOL_XDP, option,
					  KERNEL_SOCKPTR(value), size);
}

static int set_up(struct lab_xsk *xsk, struct kunit *test)
{
	static const int rings[] = {
		XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING, XDP_TX_RING,
	};
	struct xdp_umem_reg umem = { .len = CHUNKS * CHUNK, .chunk_size = CHUNK };
	int entries = RING, ret;
	unsigned int i;

	umem.addr = kunit_vm_mmap(test, NULL, 0, umem.len, PROT_READ | PROT_WRITE,
				  MAP_ANONYMOUS | MAP_PRIVATE, 0);
	if (!umem.addr)
		return -ENOMEM;
	ret = set_option(xsk, XDP_UMEM_REG, &umem, sizeof(umem));
	for (i = 0; !ret && i < ARRAY_SIZE(rings); i++)
		ret = set_option(xsk, rings[i], &entries, sizeof(entries));
	return ret;
}

/* What the application does: hand chunks to the kernel for reception. */
static void fill(struct lab_xsk *xsk, unsigned int chunks)
{
	struct xdp_umem_ring *ring = (struct xdp_umem_ring *)xs_of(xsk)->fq_tmp->ring;
	unsigned int i;

	for (i = 0; i < chunks; i++)
		ring->desc[i] = i * CHUNK;
	/* entries before producer, see the head of net/xdp/xsk_queue.h */
	smp_store_release(&ring->ptrs.producer, chunks);
}

struct lab_xsk *lab_xsk_bind(struct lab_nic *nic, unsigned int queue, unsigned int chunks)
{
	struct sockaddr_xdp addr = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP,
		.sxdp_ifindex = nic->ndev->ifindex,
		.sxdp_queue_id = queue,
	};
	struct kunit *test = nic->test;
	struct lab_xsk *xsk;

	KUNIT_ASSERT_LE(test, chunks, FIRST_TX);
	xsk = kunit_kzalloc(test, sizeof(*xsk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, xsk);
	xsk->nic = nic;
	xsk->queue = queue;
	KUNIT_ASSERT_EQ(test, sock_create_kern(&init_net, AF_XDP, SOCK_RAW, 0, &xsk->sock), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_socket, xsk), 0);
	KUNIT_ASSERT_EQ(test, set_up(xsk, test), 0);
	fill(xsk, chunks);
	KUNIT_ASSERT_EQ_MSG(test,
			    kernel_bind(xsk->sock, (struct sockaddr_unsized *)&addr, sizeof(addr)),
			    0, "bind an AF_XDP socket");
	return xsk;
}

void lab_xsk_close(struct lab_xsk *xsk)
{
	close_socket(xsk);
}

void lab_xsk_send(struct lab_xsk *xsk, const u8 *frame, u32 len)
{
	struct xdp_sock *xs = xs_of(xsk);
	struct xdp_rxtx_ring *ring = (struct xdp_rxtx_ring *)xs->tx->ring;
	u64 addr = (FIRST_TX + xsk->sent % (CHUNKS - FIRST_TX)) * CHUNK;

	KUNIT_ASSERT_LE(xsk->nic->test, len, CHUNK);
	memcpy(xs->umem->addrs + addr, frame, len);
	ring->desc[xsk->sent % RING] = (struct xdp_desc){ .addr = addr, .len = len };
	/* the entry before producer */
	smp_store_release(&ring->ptrs.producer, ++xsk->sent);
}

int lab_xsk_kick(struct lab_xsk *xsk)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	int ret;

	ret = kernel_sendmsg(xsk->sock, &msg, NULL, 0, 0);
	/* the poll that it scheduled runs now, not when ksoftirqd does */
	local_bh_disable();
	local_bh_enable();
	return ret;
}

u32 lab_xsk_completed(struct lab_xsk *xsk)
{
	/* pairs with the release in xskq_prod_submit_n() */
	return smp_load_acquire(&xs_of(xsk)->pool->cq->ring->producer);
}
