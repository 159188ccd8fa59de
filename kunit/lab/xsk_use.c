// SPDX-License-Identifier: GPL-2.0-only
/*
 * What most cases with an AF_XDP socket do with it.
 */
#include <linux/etherdevice.h>

#include "xsk.h"

void lab_xsk_frame(struct lab_nic *nic, u32 len, u32 seed, enum xdp_action act)
{
	lab_fill(nic->frame, len, seed);
	nic->frame[ETH_HLEN] = act;
}

void lab_xsk_up(struct lab_nic *nic)
{
	lab_up_with(nic, lab_xsk_steer(nic));
}

void lab_xsk_exchange(struct lab_xsk *xsk, u32 seed)
{
	u32 before = lab_xsk_completed(xsk);
	struct lab_nic *nic = xsk->nic;

	lab_xsk_frame(nic, 300, seed, XDP_REDIRECT);
	lab_rx(nic, xsk->setup.queue, nic->frame, 300);
	lab_xsk_expect(xsk, nic->frame, 300);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_fill(xsk, 1), 1);
	lab_xsk_send(xsk, nic->frame, 300);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_kick(xsk), 0);
	lab_pump(nic);
	lab_expect_transmitted(nic, nic->frame, 300);
	KUNIT_EXPECT_EQ(nic->test, lab_xsk_completed(xsk), before + 1);
}
