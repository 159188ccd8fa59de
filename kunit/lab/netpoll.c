// SPDX-License-Identifier: GPL-2.0-only
/*
 * netpoll on the NIC, and a console that counts what is logged.
 */
#include <linux/console.h>
#include <linux/etherdevice.h>
#include <linux/netpoll.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "nic.h"

static void free_netpoll(void *data)
{
	struct nic *nic = data;
	struct netpoll *np = nic->netpoll;

	nic->netpoll = NULL;
	rtnl_lock();
	if (np->dev)
		__netpoll_free(np);
	else
		kfree(np);
	rtnl_unlock();
}

void lab_netpoll_start(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);
	struct kunit *test = pub->test;
	int ret;

	nic->netpoll = kzalloc_obj(*nic->netpoll);
	KUNIT_ASSERT_NOT_NULL(test, nic->netpoll);
	nic->netpoll->name = "poolstack";
	rtnl_lock();
	ret = __netpoll_setup(nic->netpoll, pub->ndev);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_netpoll, nic), 0);
	KUNIT_ASSERT_EQ(test, ret, 0);
}

void lab_netpoll_poll(struct lab_nic *nic)
{
	unsigned long flags;

	local_irq_save(flags);
	netpoll_poll_dev(nic->ndev);
	local_irq_restore(flags);
}

void lab_netpoll_send(struct lab_nic *pub, const u8 *frame, u32 len)
{
	struct nic *nic = to_nic(pub);
	unsigned long flags;
	struct sk_buff *skb;

	local_irq_save(flags);
	skb = alloc_skb(len, GFP_ATOMIC);
	if (skb) {
		skb_put_data(skb, frame, len);
		skb_reset_mac_header(skb);
		skb->dev = pub->ndev;
		skb->protocol = eth_hdr(skb)->h_proto;
		netpoll_send_skb(nic->netpoll, skb);
	}
	local_irq_restore(flags);
	if (!skb)
		KUNIT_FAIL(pub->test, "no skb for netpoll");
}

void lab_on_delivery(struct lab_nic *nic, void (*fn)(struct lab_nic *nic, void *arg),
		     void *arg)
{
	to_nic(nic)->delivery_arg = arg;
	to_nic(nic)->on_delivery = fn;
}

static unsigned int lines;

static void count_lines(struct console *con, const char *text, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
}

static struct console counter = {
	.name = "poolstack",
	.write = count_lines,
	.flags = CON_ENABLED,
	.index = -1,
};

static void stop_counting(void *unused)
{
	unregister_console(&counter);
}

unsigned int lab_log_lines(struct lab_nic *nic)
{
	unsigned int n;

	if (!console_is_registered(&counter)) {
		register_console(&counter);
		KUNIT_ASSERT_EQ(nic->test,
				kunit_add_action_or_reset(nic->test, stop_counting, NULL), 0);
	}
	/* what is logged from here is on the console when it returns */
	console_lock();
	n = lines;
	lines = 0;
	console_unlock();
	return n;
}
