// SPDX-License-Identifier: GPL-2.0-only
/*
 * An AF_XDP socket with zero copy, as an application would set it up: user
 * memory registered as umem, four rings, bind. The rings are then written
 * through the kernel's own pointers instead of a second mapping.
 */
#include <linux/if_xdp.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/socket.h>

#include "xsk.h"

/* the usual socket; its last chunks are left for transmission */
#define CHUNKS		512
#define RING		512
#define FIRST_TX	(CHUNKS - 64)

/* Gone with the device, or still with the driver of the queue? */
static bool bound(struct lab_xsk *xsk)
{
	bool ret = false;

	rtnl_lock();
	if (xsk->nic->ndev)
		ret = xsk_get_pool_from_qid(xsk->nic->ndev, xsk->setup.queue);
	rtnl_unlock();
	return ret;
}

/*
 * A driver may count from zero again for a queue that changes hands. What the
 * case sees as lost is not; the gate adds it to what the driver counts later.
 */
static u64 counted(struct lab_xsk *xsk)
{
	struct nic *nic = to_nic(xsk->nic);

	return nic->pub.ndev && nic->up ? lab_xdp_ended(nic) : 0;
}

static void keep_count(struct lab_xsk *xsk, u64 before)
{
	u64 after = counted(xsk);

	if (after < before)
		to_nic(xsk->nic)->ledger.ended += before - after;
}

/* The pool leaves the driver in a work item, after the socket is gone. */
static void release_socket(struct lab_xsk *xsk)
{
	u64 before = counted(xsk);

	lab_xsk_steer_away(xsk);
	sock_release(xsk->sock);
	xsk->sock = NULL;
	KUNIT_EXPECT_TRUE_MSG(xsk->nic->test, lab_wait_until(!bound(xsk)),
			      "the driver keeps the pool of a closed socket");
	keep_count(xsk, before);
}

/* What the gate holds against a socket: see the head of lab_xsk.h. */
static void close_socket(void *data)
{
	struct lab_xsk *xsk = data;

	if (!xsk->sock)
		return;
	if (xsk->nic->ndev) {
		lab_pump(xsk->nic);
		lab_xsk_check(xsk);
	}
	release_socket(xsk);
}

static int set_option(struct lab_xsk *xsk, int option, const void *value, int size)
{
	return xsk->sock->ops->setsockopt(xsk->sock, SOL_XDP, option,
					  KERNEL_SOCKPTR((void *)value), size);
}

static int set_up(struct lab_xsk *xsk, struct kunit *test)
{
	const struct {
		int option, entries;
	} rings[] = {
		{ XDP_UMEM_FILL_RING, xsk->setup.ring },
		{ XDP_UMEM_COMPLETION_RING, xsk->setup.ring },
		{ XDP_RX_RING, xsk->setup.rx_ring ?: xsk->setup.ring },
		{ XDP_TX_RING, xsk->setup.ring },
	};
	struct xdp_umem_reg umem = {
		.len = (u64)xsk->setup.chunks * xsk->setup.chunk_size,
		.chunk_size = xsk->setup.chunk_size,
		.headroom = xsk->setup.headroom,
	};
	unsigned int i;
	int ret;

	umem.addr = kunit_vm_mmap(test, NULL, 0, umem.len, PROT_READ | PROT_WRITE,
				  MAP_ANONYMOUS | MAP_PRIVATE, 0);
	if (!umem.addr)
		return -ENOMEM;
	ret = set_option(xsk, XDP_UMEM_REG, &umem, sizeof(umem));
	for (i = 0; !ret && i < ARRAY_SIZE(rings); i++)
		ret = set_option(xsk, rings[i].option, &rings[i].entries, sizeof(int));
	return ret;
}

/* A socket that is set up and not bound yet. */
static struct lab_xsk *create(struct lab_nic *nic, const struct lab_xsk_setup *setup)
{
	struct kunit *test = nic->test;
	struct lab_xsk *xsk;

	xsk = kunit_kzalloc(test, sizeof(*xsk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, xsk);
	xsk->nic = nic;
	xsk->setup = *setup;
	xsk->chunk = kunit_kzalloc(test, setup->chunks, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, xsk->chunk);
	KUNIT_ASSERT_EQ(test, sock_create_kern(&init_net, AF_XDP, SOCK_RAW, 0, &xsk->sock), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_socket, xsk), 0);
	KUNIT_ASSERT_EQ(test, set_up(xsk, test), 0);
	KUNIT_ASSERT_EQ(test, lab_xsk_fill(xsk, setup->fill), setup->fill);
	return xsk;
}

static int bind_socket(struct lab_xsk *xsk)
{
	struct sockaddr_xdp addr = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP,
		.sxdp_ifindex = xsk->nic->ndev->ifindex,
		.sxdp_queue_id = xsk->setup.queue,
	};
	u64 before = counted(xsk);
	int ret;

	ret = kernel_bind(xsk->sock, (struct sockaddr_unsized *)&addr, sizeof(addr));
	keep_count(xsk, before);
	return ret;
}

struct lab_xsk *lab_xsk_open(struct lab_nic *nic, const struct lab_xsk_setup *setup)
{
	struct lab_xsk *xsk = create(nic, setup);

	KUNIT_ASSERT_EQ_MSG(nic->test, bind_socket(xsk), 0, "bind an AF_XDP socket");
	lab_xsk_steer_to(xsk);
	return xsk;
}

static struct lab_xsk_setup usual(struct lab_nic *nic, unsigned int queue, unsigned int chunks)
{
	KUNIT_ASSERT_LE(nic->test, chunks, FIRST_TX);
	return (struct lab_xsk_setup){
		.queue = queue,
		.chunks = CHUNKS,
		.chunk_size = PAGE_SIZE,
		.ring = RING,
		.fill = chunks,
	};
}

struct lab_xsk *lab_xsk_bind(struct lab_nic *nic, unsigned int queue, unsigned int chunks)
{
	struct lab_xsk_setup setup = usual(nic, queue, chunks);

	return lab_xsk_open(nic, &setup);
}

int lab_xsk_try(struct lab_nic *nic, unsigned int queue, unsigned int chunks,
		struct lab_xsk **xsk)
{
	struct lab_xsk_setup setup = usual(nic, queue, chunks);
	int ret;

	*xsk = create(nic, &setup);
	ret = bind_socket(*xsk);
	if (!ret) {
		lab_xsk_steer_to(*xsk);
		return 0;
	}
	lab_xsk_kill(*xsk);
	*xsk = NULL;
	return ret;
}

void lab_xsk_close(struct lab_xsk *xsk)
{
	close_socket(xsk);
}

void lab_xsk_kill(struct lab_xsk *xsk)
{
	if (xsk->sock)
		release_socket(xsk);
}
