// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another interface, to which programs of the NIC redirect: it keeps frames as
 * a ring for transmission does, and returns them when the case says so.
 */
#include <linux/bottom_half.h>
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "nic.h"

#define ROOM	2048	/* frames a peer can keep; no case redirects as many */

/**
 * struct lab_peer - the private part of its net_device
 * @nic: whose programs redirect to it.
 * @ndev: its interface.
 * @wire: the bytes of each frame it took.
 * @room: see lab_peer_room().
 * @calls: of ndo_xdp_xmit().
 * @largest: frames in one of them.
 * @first: oldest frame it has.
 * @held: how many.
 * @frame: a ring of them.
 */
struct lab_peer {
	struct lab_nic *nic;
	struct net_device *ndev;
	struct lab_wire wire;
	int room;
	unsigned int calls, largest;
	unsigned int first, held;
	struct xdp_frame *frame[ROOM];
};

static netdev_tx_t peer_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	dev_kfree_skb_any(skb);		/* whatever the stack says hello with */
	return NETDEV_TX_OK;
}

static int peer_xdp_xmit(struct net_device *ndev, int n, struct xdp_frame **frames, u32 flags)
{
	struct lab_peer *peer = netdev_priv(ndev);
	int i;

	peer->calls++;
	peer->largest = max_t(unsigned int, peer->largest, n);
	if (peer->room < 0)
		return peer->room;
	for (i = 0; i < min(n, peer->room) && peer->held < ROOM; i++) {
		lab_wire_out(&peer->wire, 0, frames[i]->data, frames[i]->len);
		peer->frame[(peer->first + peer->held++) % ROOM] = frames[i];
	}
	return i;
}

static const struct net_device_ops peer_ops = {
	.ndo_start_xmit = peer_xmit,
	.ndo_xdp_xmit = peer_xdp_xmit,
};

static void peer_release(void *data)
{
	struct lab_peer *peer = data;

	lab_peer_complete(peer, peer->held, LAB_RETURN);
	lab_wire_flush(&peer->wire);
	unregister_netdev(peer->ndev);
	free_netdev(peer->ndev);
}

struct lab_peer *lab_peer_take(struct lab_nic *nic)
{
	struct kunit *test = nic->test;
	struct net_device *ndev;
	struct lab_peer *peer;
	int ret;

	ndev = alloc_etherdev(sizeof(*peer));
	KUNIT_ASSERT_NOT_NULL(test, ndev);
	peer = netdev_priv(ndev);
	peer->nic = nic;
	peer->ndev = ndev;
	peer->room = LAB_BULK_MAX;
	lab_wire_init(&peer->wire, NULL);
	eth_hw_addr_random(ndev);
	ndev->netdev_ops = &peer_ops;
	ndev->max_mtu = LAB_MAX_FRAME;
	ndev->mtu = LAB_MAX_FRAME;
	ndev->xdp_features = NETDEV_XDP_ACT_NDO_XMIT;
	ret = register_netdev(ndev);
	if (ret) {
		free_netdev(ndev);
		KUNIT_FAIL_AND_ABORT(test, "no second interface: %d", ret);
	}
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, peer_release, peer), 0);
	rtnl_lock();
	ret = dev_open(ndev, NULL);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, ret, 0);
	return peer;
}

int lab_peer_ifindex(struct lab_peer *peer)
{
	return peer->ndev->ifindex;
}

struct bpf_prog *lab_redirect(struct lab_nic *nic, struct lab_peer *peer)
{
	return LAB_PROG(nic,
			BPF_MOV64_IMM(BPF_REG_1, peer->ndev->ifindex),
			BPF_MOV64_IMM(BPF_REG_2, 0),
			BPF_EMIT_CALL(bpf_xdp_redirect),
			BPF_EXIT_INSN());
}

void lab_peer_room(struct lab_peer *peer, int room)
{
	peer->room = room;
}

unsigned int lab_peer_held(struct lab_peer *peer)
{
	return peer->held;
}

unsigned int lab_peer_calls(struct lab_peer *peer)
{
	return peer->calls;
}

unsigned int lab_peer_largest(struct lab_peer *peer)
{
	return peer->largest;
}

void lab_peer_expect(struct lab_peer *peer, const u8 *frame, u32 len)
{
	struct kunit *test = peer->nic->test;
	struct lab_frame *got = lab_wire_take(&peer->wire);

	KUNIT_ASSERT_NOT_NULL_MSG(test, got, "no frame was redirected");
	KUNIT_EXPECT_EQ(test, got->len, len);
	if (got->len == len)
		KUNIT_EXPECT_MEMEQ(test, got->data, frame, len);
	kfree(got);
}

void lab_peer_expect_held(struct lab_peer *peer, unsigned int i, const u8 *frame, u32 len)
{
	struct kunit *test = peer->nic->test;
	struct xdp_frame *xdpf;

	KUNIT_ASSERT_LT(test, i, peer->held);
	xdpf = peer->frame[(peer->first + i) % ROOM];
	KUNIT_ASSERT_EQ(test, xdpf->len, len);
	KUNIT_EXPECT_MEMEQ(test, xdpf->data, frame, len);
}

static struct xdp_frame *pop(struct lab_peer *peer)
{
	struct xdp_frame *frame = peer->frame[peer->first];

	peer->first = (peer->first + 1) % ROOM;
	peer->held--;
	return frame;
}

void lab_peer_complete(struct lab_peer *peer, unsigned int n, enum lab_return how)
{
	struct bpf_net_context context, *ours;
	struct xdp_frame_bulk bulk;

	n = min(n, peer->held);
	if (how == LAB_RETURN) {
		while (n--)
			xdp_return_frame(pop(peer));
		return;
	}

	xdp_frame_bulk_init(&bulk);
	local_bh_disable();
	ours = bpf_net_ctx_set(&context);
	rcu_read_lock();
	while (n--) {
		if (how == LAB_RETURN_BULK)
			xdp_return_frame_bulk(pop(peer), &bulk);
		else
			xdp_return_frame(pop(peer));
	}
	xdp_flush_frame_bulk(&bulk);
	rcu_read_unlock();
	bpf_net_ctx_clear(ours);
	local_bh_enable();
}
