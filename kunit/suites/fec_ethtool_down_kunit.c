// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user may do to an interface that is closed, its controller asleep: the
 * operation is refused or kept for the next open, but no register is touched
 * while the clock is off.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/slab.h>

#include "lab.h"

static int read_word(struct lab_nic *nic, u32 cmd)
{
	struct ethtool_value value = { .cmd = cmd };

	return lab_ethtool(nic, &value, sizeof(value));
}

static void link(struct lab_nic *nic)
{
	read_word(nic, ETHTOOL_GLINK);
}

static void renegotiate(struct lab_nic *nic)
{
	KUNIT_EXPECT_NE(nic->test, read_word(nic, ETHTOOL_NWAY_RST), 0);
}

static void coalesce(struct lab_nic *nic)
{
	struct ethtool_coalesce c = { .cmd = ETHTOOL_GCOALESCE };

	if (lab_ethtool(nic, &c, sizeof(c)))
		return;
	c.cmd = ETHTOOL_SCOALESCE;
	c.rx_max_coalesced_frames = 40;
	KUNIT_EXPECT_EQ(nic->test, lab_ethtool(nic, &c, sizeof(c)), 0);
}

static void pause(struct lab_nic *nic)
{
	struct ethtool_pauseparam p = { .cmd = ETHTOOL_GPAUSEPARAM };

	KUNIT_EXPECT_EQ(nic->test, lab_ethtool(nic, &p, sizeof(p)), 0);
	p.cmd = ETHTOOL_SPAUSEPARAM;
	KUNIT_EXPECT_NE(nic->test, lab_ethtool(nic, &p, sizeof(p)), 0);
}

static void wake_on_lan(struct lab_nic *nic)
{
	struct ethtool_wolinfo w = { .cmd = ETHTOOL_GWOL };

	KUNIT_EXPECT_EQ(nic->test, lab_ethtool(nic, &w, sizeof(w)), 0);
	w.cmd = ETHTOOL_SWOL;
	w.wolopts = w.supported;
	lab_ethtool(nic, &w, sizeof(w));
}

static void energy(struct lab_nic *nic)
{
	struct ethtool_eee e = { .cmd = ETHTOOL_GEEE };

	KUNIT_EXPECT_NE(nic->test, lab_ethtool(nic, &e, sizeof(e)), 0);
	e = (struct ethtool_eee){ .cmd = ETHTOOL_SEEE };
	KUNIT_EXPECT_NE(nic->test, lab_ethtool(nic, &e, sizeof(e)), 0);
}

static void driver_info(struct lab_nic *nic)
{
	struct ethtool_drvinfo d = { .cmd = ETHTOOL_GDRVINFO };

	KUNIT_EXPECT_EQ(nic->test, lab_ethtool(nic, &d, sizeof(d)), 0);
	KUNIT_EXPECT_GT(nic->test, strlen(d.driver), 0);
}

static void registers(struct lab_nic *nic)
{
	unsigned int len = nic->ndev->ethtool_ops->get_regs_len(nic->ndev);
	struct ethtool_regs *regs = kzalloc(sizeof(*regs) + len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(nic->test, regs);
	*regs = (struct ethtool_regs){ .cmd = ETHTOOL_GREGS, .len = len };
	KUNIT_EXPECT_EQ(nic->test, lab_ethtool(nic, regs, sizeof(*regs) + len), 0);
	kfree(regs);
}

static void statistics(struct lab_nic *nic)
{
	struct rtnl_link_stats64 stats;

	lab_stat(nic, "rx_packets");
	dev_get_stats(nic->ndev, &stats);
}

static void time_stamps(struct lab_nic *nic)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };

	KUNIT_EXPECT_EQ(nic->test, lab_ethtool(nic, &info, sizeof(info)), 0);
	KUNIT_EXPECT_NE(nic->test, lab_hwtstamp(nic, true), 0);
}

static void checksums(struct lab_nic *nic)
{
	int want = nic->ndev->hw_features & NETIF_F_RXCSUM ? 0 : -EOPNOTSUPP;

	KUNIT_EXPECT_EQ(nic->test, lab_rx_checksum(nic, false), want);
}

static void address(struct lab_nic *nic)
{
	static const u8 addr[ETH_ALEN] = { 0x02, 0x12, 0x34, 0x56, 0x78, 0x9a };

	KUNIT_EXPECT_EQ(nic->test, lab_set_address(nic, addr), 0);
}

static void groups(struct lab_nic *nic)
{
	static const u8 group[ETH_ALEN] = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 };

	lab_join(nic, group);
	lab_promiscuous(nic, true);
	lab_promiscuous(nic, false);
	lab_leave(nic, group);
}

static void mtu(struct lab_nic *nic)
{
	lab_set_mtu(nic, 1000);
	lab_set_mtu(nic, 1500);
}

/* Each operation on its own: a register touched asleep names the operation. */
static void no_operation_touches_a_sleeping_controller(struct kunit *test)
{
	static const struct {
		const char *name;
		void (*run)(struct lab_nic *nic);
	} operations[] = {
		{ "link", link }, { "renegotiate", renegotiate }, { "coalesce", coalesce },
		{ "pause", pause }, { "wake-on-LAN", wake_on_lan }, { "EEE", energy },
		{ "driver info", driver_info }, { "registers", registers },
		{ "statistics", statistics }, { "time stamps", time_stamps },
		{ "checksums", checksums }, { "address", address }, { "groups", groups },
		{ "MTU", mtu },
	};
	struct lab_nic *nic = lab_nic_take(test);
	unsigned int i;
	u64 gated;

	lab_up(nic);
	lab_down(nic);
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		lab_sleep_now(nic);
		gated = lab_gated(nic);
		operations[i].run(nic);
		KUNIT_EXPECT_EQ_MSG(test, lab_gated(nic), gated, "%s", operations[i].name);
	}
	/* and the next open finds an interface that works */
	lab_up(nic);
	lab_fill(nic->frame, 300, 1);
	lab_rx(nic, 0, nic->frame, 300);
	lab_expect_delivered(nic, nic->frame, 300);
}

/* The PTP clock cannot be set, steered or read while it has no clock itself. */
static void no_clock_operation_touches_a_sleeping_controller(struct kunit *test)
{
	struct ptp_clock_request pps = { .type = PTP_CLK_REQ_PPS };
	struct ptp_clock_request perout = { .type = PTP_CLK_REQ_PEROUT };
	struct lab_nic *nic = lab_nic_take(test);
	struct ptp_clock_info *phc = lab_phc(nic);
	struct timespec64 ts = {};

	KUNIT_ASSERT_NOT_NULL(test, phc);
	lab_up(nic);
	KUNIT_EXPECT_EQ(test, phc->gettime64(phc, &ts), 0);
	KUNIT_EXPECT_EQ(test, phc->adjfine(phc, 1000 << 16), 0);
	lab_down(nic);
	lab_sleep_now(nic);

	KUNIT_EXPECT_NE(test, phc->gettime64(phc, &ts), 0);
	KUNIT_EXPECT_NE(test, phc->settime64(phc, &ts), 0);
	KUNIT_EXPECT_EQ_MSG(test, lab_gated(nic), 0, "reading or setting the clock");
	phc->adjtime(phc, 1000);
	KUNIT_EXPECT_EQ_MSG(test, lab_gated(nic), 0, "adjtime");
	phc->adjfine(phc, 2000 << 16);
	KUNIT_EXPECT_EQ_MSG(test, lab_gated(nic), 0, "adjfine");
	phc->enable(phc, &pps, 1);
	phc->enable(phc, &pps, 0);
	KUNIT_EXPECT_EQ_MSG(test, lab_gated(nic), 0, "PPS");
	phc->enable(phc, &perout, 0);
	KUNIT_EXPECT_EQ_MSG(test, lab_gated(nic), 0, "periodic output");

	lab_up(nic);
	KUNIT_EXPECT_EQ(test, phc->gettime64(phc, &ts), 0);
}

/* one target is enough where a second passes */
static const void *one_with_stamps(struct kunit *test, const void *prev, char *desc)
{
	return prev ? NULL : lab_each_fec_stamps(test, prev, desc);
}

/*
 * A periodic output that starts further ahead than the counter reaches waits for
 * a timer of the kernel: a second before its start, but not on a closed interface.
 */
static void a_periodic_output_ends_with_close(struct kunit *test)
{
	struct ptp_clock_request perout = {
		.type = PTP_CLK_REQ_PEROUT, .perout.period.sec = 1,
	};
	struct lab_nic *nic = lab_nic_take(test);
	struct ptp_clock_info *phc = lab_phc(nic);
	struct timespec64 ts = {};

	KUNIT_ASSERT_NOT_NULL(test, phc);
	lab_up(nic);
	KUNIT_ASSERT_EQ(test, phc->gettime64(phc, &ts), 0);
	ts = timespec64_add(ts, (struct timespec64){ 2, 200 * NSEC_PER_MSEC });
	perout.perout.start.sec = ts.tv_sec;
	perout.perout.start.nsec = ts.tv_nsec;
	KUNIT_ASSERT_EQ(test, phc->enable(phc, &perout, 1), 0);
	lab_down(nic);
	lab_sleep_now(nic);
	msleep(1300);
	KUNIT_EXPECT_EQ(test, lab_gated(nic), 0);

	/* and it can be asked for again */
	lab_up(nic);
	KUNIT_ASSERT_EQ(test, phc->gettime64(phc, &ts), 0);
	ts = timespec64_add(ts, (struct timespec64){ 3 });
	perout.perout.start.sec = ts.tv_sec;
	perout.perout.start.nsec = ts.tv_nsec;
	KUNIT_EXPECT_EQ(test, phc->enable(phc, &perout, 1), 0);
	KUNIT_EXPECT_EQ(test, phc->enable(phc, &perout, 0), 0);
}

static struct kunit_case cases[] = {
	LAB_CASE(no_operation_touches_a_sleeping_controller, lab_each_fec),
	LAB_CASE(no_clock_operation_touches_a_sleeping_controller, lab_each_fec_stamps),
	LAB_CASE(a_periodic_output_ends_with_close, one_with_stamps),
	{}
};

static struct kunit_suite suite = {
	.name = "fec_ethtool_down",
	.test_cases = cases,
};

kunit_test_suite(suite);
