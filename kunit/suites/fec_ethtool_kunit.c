// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user does to an interface that carries traffic: each operation has its
 * effect, and the frames before and after it arrive whole.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "lab.h"

/* Frames each way through every queue, several in one interrupt, whole. */
static void exchange(struct lab_nic *nic, u32 seed)
{
	unsigned int q, i;

	for (q = 0; q < nic->soc->queues; q++) {
		for (i = 0; i < 3; i++) {
			lab_fill(nic->frame, 60 + 400 * i, seed + i);
			lab_send(nic, q, nic->frame, 60 + 400 * i);
			KUNIT_EXPECT_EQ(nic->test,
					lab_stack_xmit(nic, nic->frame, 60 + 400 * i, i), 0);
		}
		lab_pump(nic);
		for (i = 0; i < 3; i++) {
			lab_fill(nic->frame, 60 + 400 * i, seed + i);
			lab_expect_delivered(nic, nic->frame, 60 + 400 * i);
			lab_expect_transmitted(nic, nic->frame, 60 + 400 * i);
		}
	}
	lab_expect_silence(nic);
}

/* Frames that the MAC has not sent yet: linear, in pieces, and many. */
static void queue_frames(struct lab_nic *nic)
{
	unsigned int i;

	for (i = 0; i < 24; i++) {
		lab_fill(nic->frame, 700, i);
		KUNIT_EXPECT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, 700, i % 5), 0);
	}
}

/* What is mapped beside the pages of pools, which have some to spare, not always as many. */
static unsigned int mapped(struct lab_nic *nic)
{
	u64 bytes, descriptors;

	lab_ring_memory(nic, &bytes, &descriptors);
	return lab_live_mappings(nic) - (unsigned int)(bytes >> PAGE_SHIFT);
}

/* Open: the mappings of an idle interface. */
static unsigned int up_and_warm(struct lab_nic *nic)
{
	lab_up(nic);
	exchange(nic, 0);
	return mapped(nic);
}

/* What was queued is sent or not, and unmapped in any case. */
static void expect_unmapped(struct lab_nic *nic, unsigned int maps)
{
	lab_calm(nic);
	lab_discard(nic);
	KUNIT_EXPECT_EQ(nic->test, mapped(nic), maps);
}

/* ethtool -K rx, where the driver announces it. */
static void switch_checksums(struct lab_nic *nic, bool on)
{
	int want = nic->ndev->hw_features & NETIF_F_RXCSUM ? 0 : -EOPNOTSUPP;

	KUNIT_EXPECT_EQ(nic->test, lab_rx_checksum(nic, on), want);
}

/* ---- coalescing --------------------------------------------------------- */

/* Thresholds are taken, kept over a restart, and refused when out of range. */
static void coalescing_is_set_and_kept(struct kunit *test)
{
	struct ethtool_coalesce want = {
		.cmd = ETHTOOL_SCOALESCE,
		.rx_coalesce_usecs = 300, .rx_max_coalesced_frames = 20,
		.tx_coalesce_usecs = 400, .tx_max_coalesced_frames = 30,
	};
	struct ethtool_coalesce get = { .cmd = ETHTOOL_GCOALESCE };
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	exchange(nic, 1);
	if (!nic->soc->has_coalesce) {
		KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &get, sizeof(get)), -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &want, sizeof(want)), -EOPNOTSUPP);
		return;
	}
	KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &want, sizeof(want)), 0);
	exchange(nic, 2);
	switch_checksums(nic, false);
	exchange(nic, 3);
	want.rx_max_coalesced_frames = 256;
	KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &want, sizeof(want)), -EINVAL);
	want.rx_max_coalesced_frames = 10;
	want.tx_coalesce_usecs = 1000000;
	KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &want, sizeof(want)), -EINVAL);

	KUNIT_ASSERT_EQ(test, lab_ethtool(nic, &get, sizeof(get)), 0);
	KUNIT_EXPECT_EQ(test, get.rx_coalesce_usecs, 300);
	KUNIT_EXPECT_EQ(test, get.rx_max_coalesced_frames, 20);
	KUNIT_EXPECT_EQ(test, get.tx_coalesce_usecs, 400);
	KUNIT_EXPECT_EQ(test, get.tx_max_coalesced_frames, 30);
	exchange(nic, 4);
}

/* ---- link --------------------------------------------------------------- */

/* Pause frames on, off and negotiated, with frames queued meanwhile. */
static void pause_is_set_under_traffic(struct kunit *test)
{
	static const struct ethtool_pauseparam want[] = {
		{ .cmd = ETHTOOL_SPAUSEPARAM, .rx_pause = 1, .tx_pause = 1 },
		{ .cmd = ETHTOOL_SPAUSEPARAM },
		{ .cmd = ETHTOOL_SPAUSEPARAM, .autoneg = 1, .rx_pause = 1, .tx_pause = 1 },
		{ .cmd = ETHTOOL_SPAUSEPARAM, .autoneg = 1 },
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct ethtool_pauseparam pause;
	unsigned int i, maps;

	maps = up_and_warm(nic);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		exchange(nic, i);
		queue_frames(nic);
		pause = want[i];
		KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &pause, sizeof(pause)), 0);
		expect_unmapped(nic, maps);
		pause.cmd = ETHTOOL_GPAUSEPARAM;
		KUNIT_ASSERT_EQ(test, lab_ethtool(nic, &pause, sizeof(pause)), 0);
		KUNIT_EXPECT_EQ(test, pause.autoneg, want[i].autoneg);
		KUNIT_EXPECT_EQ(test, pause.rx_pause, want[i].rx_pause);
		KUNIT_EXPECT_EQ(test, pause.tx_pause, want[i].tx_pause);
	}
	exchange(nic, i);
	/* the MAC has one switch for both directions */
	pause = (struct ethtool_pauseparam){ .cmd = ETHTOOL_SPAUSEPARAM, .rx_pause = 1 };
	KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &pause, sizeof(pause)), -EINVAL);
	exchange(nic, i + 1);
}

/* A link that is lost and found, negotiated again or set to another speed. */
static void a_link_comes_back_under_traffic(struct kunit *test)
{
	struct ethtool_value nway = { .cmd = ETHTOOL_NWAY_RST };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, maps;

	maps = up_and_warm(nic);
	for (i = 0; i < 3; i++) {
		exchange(nic, i);
		queue_frames(nic);
		lab_cable(nic, false);
		lab_cable(nic, true);
		expect_unmapped(nic, maps);
	}
	exchange(nic, i);
	KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &nway, sizeof(nway)), 0);
	lab_calm(nic);
	exchange(nic, i + 1);
}

/* ---- features and filters ----------------------------------------------- */

/* Checksumming goes off and on: the MAC restarts, the queued frames are freed. */
static void checksums_are_switched_under_traffic(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, maps;

	maps = up_and_warm(nic);
	for (i = 0; i < 4; i++) {
		exchange(nic, i);
		queue_frames(nic);
		switch_checksums(nic, i & 1);
		expect_unmapped(nic, maps);
	}
	exchange(nic, i);
	/* on a closed interface the choice is kept for the next open */
	lab_down(nic);
	switch_checksums(nic, false);
	lab_up(nic);
	exchange(nic, i + 1);
	KUNIT_EXPECT_FALSE(test, nic->ndev->features & NETIF_F_RXCSUM);
}

/* Address and groups change while frames flow, and over a restart. */
static void filters_change_under_traffic(struct kunit *test)
{
	static const u8 group[ETH_ALEN] = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 };
	static const u8 addr[ETH_ALEN] = { 0x02, 0x12, 0x34, 0x56, 0x78, 0x9a };
	static const u8 bad[ETH_ALEN] = { 0x03, 0, 0, 0, 0, 1 };
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	lab_join(nic, group);
	exchange(nic, 1);
	lab_promiscuous(nic, true);
	exchange(nic, 2);
	KUNIT_EXPECT_EQ(test, lab_set_address(nic, addr), 0);
	KUNIT_EXPECT_MEMEQ(test, nic->ndev->dev_addr, addr, ETH_ALEN);
	exchange(nic, 3);
	KUNIT_EXPECT_NE(test, lab_set_address(nic, bad), 0);
	lab_promiscuous(nic, false);
	lab_leave(nic, group);
	exchange(nic, 4);
}

/* ---- what can be read --------------------------------------------------- */

/* As many names as values, no name twice, and they count what was carried. */
static void statistics_say_what_happened(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	const struct ethtool_ops *ops = nic->ndev->ethtool_ops;
	unsigned int frames = 3 * nic->soc->queues;
	struct rtnl_link_stats64 before, after;
	struct ethtool_gstrings *names;
	unsigned int i, k, n;

	n = ops->get_sset_count(nic->ndev, ETH_SS_STATS);
	names = kunit_kzalloc(test, sizeof(*names) + n * ETH_GSTRING_LEN, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, names);
	lab_up(nic);
	exchange(nic, 1);
	*names = (struct ethtool_gstrings){
		.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = n,
	};
	KUNIT_ASSERT_EQ(test, lab_ethtool(nic, names, sizeof(*names) + n * ETH_GSTRING_LEN), 0);
	KUNIT_EXPECT_EQ(test, names->len, n);
	for (i = 0; i < n; i++) {
		const char *name = names->data + i * ETH_GSTRING_LEN;

		KUNIT_EXPECT_GT(test, strnlen(name, ETH_GSTRING_LEN), 0);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_STRNEQ(test, name, names->data + k * ETH_GSTRING_LEN);
	}
	KUNIT_EXPECT_GE(test, lab_stat(nic, "rx_packets"), frames);
	KUNIT_EXPECT_GE(test, lab_stat(nic, "tx_packets"), frames);
	dev_get_stats(nic->ndev, &before);
	KUNIT_EXPECT_EQ(test, before.rx_packets, frames);
	/* closing takes nothing from what was counted */
	lab_down(nic);
	dev_get_stats(nic->ndev, &after);
	KUNIT_EXPECT_MEMEQ(test, &before, &after, sizeof(before));
	lab_stat(nic, "rx_packets");
}

/* A dump of the registers disturbs nothing. */
static void a_register_dump_disturbs_nothing(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int len = nic->ndev->ethtool_ops->get_regs_len(nic->ndev);
	struct ethtool_regs *regs;
	unsigned int i;

	KUNIT_ASSERT_GT(test, len, 0);
	regs = kunit_kzalloc(test, sizeof(*regs) + len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, regs);
	lab_up(nic);
	for (i = 0; i < 4; i++) {
		exchange(nic, i);
		queue_frames(nic);
		*regs = (struct ethtool_regs){ .cmd = ETHTOOL_GREGS, .len = len };
		KUNIT_ASSERT_EQ(test, lab_ethtool(nic, regs, sizeof(*regs) + len), 0);
		KUNIT_EXPECT_EQ(test, regs->len, len);
		KUNIT_EXPECT_TRUE_MSG(test, memchr_inv(regs->data, 0, len), "the dump is empty");
		lab_pump(nic);
		lab_discard(nic);
	}
	exchange(nic, i);
}

/* Time stamps go on and off while frames flow. */
static void time_stamps_are_switched_under_traffic(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	int want = nic->soc->has_stamps ? 0 : -EOPNOTSUPP;
	unsigned int i;

	KUNIT_EXPECT_NE_MSG(test, lab_hwtstamp(nic, true), 0, "on a closed interface");
	lab_up(nic);
	KUNIT_ASSERT_EQ(test, lab_ethtool(nic, &info, sizeof(info)), 0);
	KUNIT_EXPECT_EQ(test, info.phc_index >= 0, nic->soc->has_stamps);
	for (i = 0; i < 4; i++) {
		exchange(nic, i);
		KUNIT_EXPECT_EQ(test, lab_hwtstamp(nic, !(i & 1)), want);
	}
	exchange(nic, i);
}

/* ---- restarts under load ------------------------------------------------ */

/* What restarts the MAC while it transmits: no mapping stays, no frame is sent twice. */
static void a_restart_under_load_leaves_no_mapping(struct kunit *test)
{
	struct ethtool_pauseparam pause = { .cmd = ETHTOOL_SPAUSEPARAM, .autoneg = 1 };
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i, maps;

	maps = up_and_warm(nic);
	for (i = 0; i < 8; i++) {
		queue_frames(nic);
		switch (i / 2) {
		case 0:
			switch_checksums(nic, i & 1);
			break;
		case 1:
			KUNIT_EXPECT_EQ(test, lab_ethtool(nic, &pause, sizeof(pause)), 0);
			break;
		case 2:
			lab_cable(nic, false);
			lab_cable(nic, true);
			break;
		default:
			if (nic->soc->has_xdp)
				KUNIT_EXPECT_EQ(test, lab_attach(nic, i & 1 ? NULL :
							lab_verdict(nic, XDP_PASS)), 0);
		}
		lab_calm(nic);
		lab_discard(nic);
		KUNIT_EXPECT_EQ(test, mapped(nic), maps);
	}
	exchange(nic, i);
}

static struct kunit_case cases[] = {
	LAB_CASE(coalescing_is_set_and_kept, lab_each_fec),
	LAB_CASE(pause_is_set_under_traffic, lab_each_fec),
	LAB_CASE(a_link_comes_back_under_traffic, lab_each_fec),
	LAB_CASE(checksums_are_switched_under_traffic, lab_each_fec),
	LAB_CASE(filters_change_under_traffic, lab_each_fec),
	LAB_CASE(statistics_say_what_happened, lab_each_fec),
	LAB_CASE(a_register_dump_disturbs_nothing, lab_each_fec),
	LAB_CASE(time_stamps_are_switched_under_traffic, lab_each_fec),
	LAB_CASE(a_restart_under_load_leaves_no_mapping, lab_each_fec),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_ethtool",
	.test_cases = cases,
};

kunit_test_suite(suite);
