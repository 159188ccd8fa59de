// SPDX-License-Identifier: GPL-2.0-only
/*
 * Byte queue limits, as /sys/class/net/<interface>/queues shows and sets them.
 */
#include <linux/netdevice.h>

#include "nic.h"

/* As a queue is that never completed anything, with at least this limit. */
static void begin(struct net_device *ndev, unsigned int limit)
{
	unsigned int i;

	for (i = 0; i < ndev->num_tx_queues; i++) {
		struct dql *dql = &netdev_get_tx_queue(ndev, i)->dql;

		dql->min_limit = limit;
		dql_reset(dql);
		/* dql_reset() leaves it to the first completion */
		dql->adj_limit = limit;
	}
}

/**
 * lab_queues_unlimited() - the interfaces' queues only count
 * @nic: the NIC, its interfaces new.
 */
void lab_queues_unlimited(struct nic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->macs; i++)
		begin(nic->mac[i], DQL_MAX_LIMIT);
}

void lab_queue_limits(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);
	struct lab_bytes bytes;
	unsigned int i;

	for (i = 0; i < nic->macs; i++) {
		bytes = lab_queue_bytes(pub, i);
		KUNIT_ASSERT_EQ(pub->test, bytes.queued, bytes.completed);
		begin(nic->mac[i], 0);
	}
}

struct lab_bytes lab_queue_bytes(struct lab_nic *nic, unsigned int mac)
{
	struct net_device *ndev = lab_mac_ndev(nic, mac);
	struct lab_bytes bytes = {};
	unsigned int i;

	for (i = 0; i < ndev->num_tx_queues; i++) {
		const struct dql *dql = &netdev_get_tx_queue(ndev, i)->dql;

		bytes.queued += READ_ONCE(dql->num_queued);
		bytes.completed += READ_ONCE(dql->num_completed);
	}
	return bytes;
}

bool lab_queue_limited(struct lab_nic *nic, unsigned int mac)
{
	struct net_device *ndev = lab_mac_ndev(nic, mac);
	unsigned int i;

	for (i = 0; i < ndev->num_tx_queues; i++)
		if (test_bit(__QUEUE_STATE_STACK_XOFF, &netdev_get_tx_queue(ndev, i)->state))
			return true;
	return false;
}
