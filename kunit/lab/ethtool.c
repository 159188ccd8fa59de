// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user's side of ioctl(): commands go through memory of a process.
 */
#include <linux/etherdevice.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/net_tstamp.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/uaccess.h>

#include "../../../../ptp/ptp_private.h"
#include "nic.h"

/* ioctl() with @size bytes at @data in user memory, copied in and out. */
static int user_ioctl(struct lab_nic *nic, unsigned int request, void *data, size_t size)
{
	struct ifreq ifr = {};
	unsigned long addr;
	void __user *user;
	bool copyout;
	int ret;

	KUNIT_ASSERT_EQ(nic->test, kunit_attach_mm(), 0);
	addr = vm_mmap(NULL, 0, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(nic->test, IS_ERR_VALUE(addr));
	user = (void __user *)addr;
	strscpy(ifr.ifr_name, nic->ndev->name, IFNAMSIZ);
	ifr.ifr_data = user;

	ret = copy_to_user(user, data, size) ? -EFAULT : 0;
	if (!ret)
		ret = dev_ioctl(&init_net, request, &ifr, user, &copyout);
	if (!ret && copy_from_user(data, user, size))
		ret = -EFAULT;
	vm_munmap(addr, size);
	return ret;
}

int lab_ethtool(struct lab_nic *nic, void *cmd, size_t size)
{
	return user_ioctl(nic, SIOCETHTOOL, cmd, size);
}

int lab_hwtstamp(struct lab_nic *nic, bool on)
{
	struct hwtstamp_config config = {
		.tx_type = on ? HWTSTAMP_TX_ON : HWTSTAMP_TX_OFF,
		.rx_filter = on ? HWTSTAMP_FILTER_ALL : HWTSTAMP_FILTER_NONE,
	};

	return user_ioctl(nic, SIOCSHWTSTAMP, &config, sizeof(config));
}

int lab_rx_checksum(struct lab_nic *nic, bool on)
{
	struct ethtool_value value = { .cmd = ETHTOOL_SRXCSUM, .data = on };

	return lab_ethtool(nic, &value, sizeof(value));
}

int lab_set_address(struct lab_nic *nic, const u8 *addr)
{
	struct sockaddr_storage ss = { .ss_family = nic->ndev->type };
	int ret;

	ether_addr_copy(ss.__data, addr);
	rtnl_lock();
	ret = dev_set_mac_address(nic->ndev, &ss, NULL);
	rtnl_unlock();
	return ret;
}

void lab_promiscuous(struct lab_nic *nic, bool on)
{
	rtnl_lock();
	KUNIT_EXPECT_EQ(nic->test, dev_set_promiscuity(nic->ndev, on ? 1 : -1), 0);
	rtnl_unlock();
}

void lab_join(struct lab_nic *nic, const u8 *group)
{
	rtnl_lock();
	KUNIT_EXPECT_EQ(nic->test, dev_mc_add(nic->ndev, group), 0);
	rtnl_unlock();
}

void lab_leave(struct lab_nic *nic, const u8 *group)
{
	rtnl_lock();
	KUNIT_EXPECT_EQ(nic->test, dev_mc_del(nic->ndev, group), 0);
	rtnl_unlock();
}

void lab_switch_feature(struct lab_nic *nic, netdev_features_t feature, bool on)
{
	rtnl_lock();
	if (on)
		nic->ndev->wanted_features |= feature;
	else
		nic->ndev->wanted_features &= ~feature;
	netdev_update_features(nic->ndev);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(nic->test, !!(nic->ndev->features & feature), on);
}

void lab_up_without_gro(struct lab_nic *nic)
{
	lab_switch_feature(nic, NETIF_F_GRO, false);
	lab_up(nic);
}

static int is_phc(struct device *dev, const void *unused)
{
	return dev->class && !strcmp(dev->class->name, "ptp");
}

struct ptp_clock_info *lab_phc(struct lab_nic *nic)
{
	struct device *dev = device_find_child(nic->dev, NULL, is_phc);
	struct ptp_clock *ptp;

	if (!dev)
		return NULL;
	ptp = dev_get_drvdata(dev);
	/* the driver holds it until it is unbound */
	put_device(dev);
	return ptp->info;
}
