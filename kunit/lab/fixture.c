// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a NIC for a case, and giving it back.
 *
 * One action of KUnit undoes everything, in the order that works: close, gate,
 * unbind, gate again, overlay, memory. The driver has to be unbound before the
 * overlay goes, since removing the overlay detaches the child nodes first and
 * a driver that then looks for its fixed-link node leaves the fixed PHY behind.
 */
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "nic.h"
#include "pcap.h"

/* The operations must be there before the driver calls dma_set_mask(). */
static int on_bus_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct nic *nic = container_of(nb, struct nic, bus);
	struct device *dev = data;

	if (action != BUS_NOTIFY_BIND_DRIVER || nic->pub.dma->dev || !dev->of_node ||
	    !of_device_is_compatible(dev->of_node, nic->pub.soc->compatible))
		return NOTIFY_DONE;
	lab_dma_attach(nic->pub.dma, dev);
	return NOTIFY_OK;
}

static void release(void *data)
{
	struct nic *nic = data;

	lab_late_flush(nic);
	skb_queue_purge(&nic->skbs);
	if (nic->up)
		lab_down(&nic->pub);
	if (nic->pub.ndev)
		lab_gate_report(nic);
	lab_sink_unregister(nic);
	bus_unregister_notifier(&platform_bus_type, &nic->bus);
	if (nic->pdev) {
		device_release_driver(&nic->pdev->dev);
		lab_gate_unbound(nic);
		if (nic->pub.dma->dev)
			lab_dma_detach(nic->pub.dma);
		platform_device_put(nic->pdev);
	}
	if (nic->overlay)
		of_overlay_remove(&nic->overlay);
	lab_progs_free(nic);
	lab_loads_free(nic);
	lab_discard(&nic->pub);
	lab_reset_wire(NULL);
	lab_dma_destroy(nic->pub.dma);
	kfree(nic->pub.frame);
	kfree(nic->scratch);
	kfree(nic);
}

static struct nic *alloc_nic(struct kunit *test, const struct lab_target *target)
{
	struct nic *nic = kzalloc_obj(*nic);

	if (!nic)
		return NULL;
	nic->pub.test = test;
	nic->pub.target = target;
	nic->pub.soc = target->soc;
	nic->pub.frame = kzalloc(LAB_MAX_FRAME, GFP_KERNEL);
	nic->scratch = kzalloc(LAB_MAX_FRAME, GFP_KERNEL);
	nic->pub.dma = lab_dma_create(target->cache, target->line);
	if (!nic->pub.frame || !nic->scratch || !nic->pub.dma) {
		if (nic->pub.dma)
			lab_dma_destroy(nic->pub.dma);
		kfree(nic->scratch);
		kfree(nic->pub.frame);
		kfree(nic);
		return NULL;
	}
	INIT_LIST_HEAD(&nic->progs);
	INIT_LIST_HEAD(&nic->loads);
	lab_wire_init(&nic->delivered, LAB_PCAP_UP);
	lab_wire_init(&nic->others, LAB_PCAP_UP);
	lab_wire_init(&nic->transmitted, LAB_PCAP_TX);
	skb_queue_head_init(&nic->skbs);
	lab_adversary_init(nic);
	return nic;
}

/**
 * lab_nic_power_on() - a SoC with its memory and its controller, nothing plugged in
 * @test: the case that takes it, NULL for none.
 * @target: which SoC.
 *
 * From here on a device of the SoC that appears gets the memory model.
 *
 * Return: NULL without memory.
 */
struct nic *lab_nic_power_on(struct kunit *test, const struct lab_target *target)
{
	struct nic *nic;

	if (lab_mmio_init() || lab_board_init())
		return NULL;
	nic = alloc_nic(test, target);
	if (!nic)
		return NULL;
	nic->ctrl = target->soc->ctrl->power_on(target->soc, nic->pub.dma);
	nic->ctrl->wire = &nic->transmitted;
	nic->ctrl->late = &nic->late;
	lab_reset_wire(nic->ctrl);
	nic->bus.notifier_call = on_bus_event;
	bus_register_notifier(&platform_bus_type, &nic->bus);
	return nic;
}

/**
 * lab_nic_plug() - apply the overlay and wait for the driver
 * @nic: powered on.
 *
 * Return: NULL, or what went wrong.
 */
const char *lab_nic_plug(struct nic *nic)
{
	const struct lab_soc *soc = nic->pub.soc;
	struct device_node *np;

	if (of_overlay_fdt_apply(soc->dtbo_begin, soc->dtbo_end - soc->dtbo_begin,
				 &nic->overlay, NULL))
		return "the overlay does not apply";
	np = of_find_compatible_node(NULL, NULL, soc->compatible);
	if (!np)
		return "the overlay has no controller";
	nic->pdev = of_find_device_by_node(np);
	of_node_put(np);
	if (!nic->pdev)
		return "the overlay made no device";
	if (!lab_wait_until(device_is_bound(&nic->pdev->dev)))
		return "the driver did not probe";
	if (nic->pub.dma->dev != &nic->pdev->dev)
		return "the memory model was not in place in time";
	nic->pub.dev = &nic->pdev->dev;
	nic->macs = lab_macs_of(nic->pub.dev, nic->mac);
	if (!nic->macs)
		return "the driver has no interface";
	nic->pub.ndev = nic->mac[0];
	return NULL;
}

struct lab_nic *lab_nic_take(struct kunit *test)
{
	const struct lab_target *target = test->param_value;
	struct nic *nic;
	const char *why;

	KUNIT_ASSERT_NOT_NULL_MSG(test, target, "not a LAB_CASE()");
	if (lab_listing())
		kunit_skip(test, "listed");
	KUNIT_ASSERT_TRUE(test, lab_dma_debug_again());
	/* the second CPU, if there is one, is the controller's: lab_run_free() */
	if (num_online_cpus() > 1)
		KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);

	nic = lab_nic_power_on(test, target);
	KUNIT_ASSERT_NOT_NULL(test, nic);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, release, nic), 0);
	why = lab_nic_plug(nic);
	KUNIT_ASSERT_NULL_MSG(test, why, "%s: %s", target->soc->name, why);
	lab_queues_unlimited(nic);
	KUNIT_ASSERT_EQ(test, lab_sink_register(nic), 0);
	return &nic->pub;
}

int lab_try_up(struct lab_nic *nic)
{
	int ret;

	rtnl_lock();
	ret = dev_open(nic->ndev, NULL);
	rtnl_unlock();
	to_nic(nic)->up = !ret;
	return ret;
}

void lab_up(struct lab_nic *nic)
{
	KUNIT_ASSERT_EQ_MSG(nic->test, lab_try_up(nic), 0, "open");
	lab_wait_link(nic);
	/* whatever the stack says hello with */
	lab_pump(nic);
	lab_discard(nic);
}

void lab_down(struct lab_nic *nic)
{
	lab_pump(nic);
	lab_cut(nic);
}

void lab_cut(struct lab_nic *pub)
{
	struct nic *nic = to_nic(pub);

	/* the driver clears its counters on close */
	lab_ledger_close(nic);
	nic->up = false;
	rtnl_lock();
	dev_close(pub->ndev);
	rtnl_unlock();
}

/* The driver has closed the interface, and whoever saw it tells. Its counters go on. */
void lab_closed_by_itself(struct lab_nic *nic)
{
	to_nic(nic)->up = false;
}

void lab_wait_asleep(struct lab_nic *nic)
{
	KUNIT_ASSERT_TRUE_MSG(nic->test, lab_wait_until(pm_runtime_suspended(nic->dev)),
			      "the driver keeps its clocks running");
	KUNIT_ASSERT_FALSE(nic->test, lab_clk_running());
}

void lab_set_mtu(struct lab_nic *nic, unsigned int mtu)
{
	int ret;

	rtnl_lock();
	ret = dev_set_mtu(nic->ndev, mtu);
	rtnl_unlock();
	KUNIT_ASSERT_EQ_MSG(nic->test, ret, 0, "MTU %u", mtu);
}
