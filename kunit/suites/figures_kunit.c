// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a frame costs, counted: the figures of the bench.
 *
 * Each figure is one log line, see lab_figure(). The counts are exact and the
 * same in every run. A first pass over the ring warms up and is not counted.
 */
#include "lab.h"

#define FRAMES	512

static const unsigned int batches[] = { 1, 32 };

enum source { WIRE, STACK };

static void one_pass(struct lab_nic *nic, enum source source, u32 len, unsigned int batch)
{
	u32 i;

	for (i = 0; i < FRAMES; i++) {
		lab_fill(nic->frame, len, i);
		if (source == WIRE)
			lab_send(nic, 0, nic->frame, len);
		else
			KUNIT_ASSERT_EQ(nic->test, lab_stack_xmit(nic, nic->frame, len, 0), 0);
		if (i % batch == batch - 1)
			lab_pump(nic);
	}
}

static void measure(struct lab_nic *nic, const char *verb, enum source source, u32 len)
{
	struct lab_counts a, b;
	char workload[24];
	unsigned int i;

	snprintf(workload, sizeof(workload), "%s_%u", verb, len);
	lab_sink_frames(nic, false);
	for (i = 0; i < ARRAY_SIZE(batches); i++) {
		one_pass(nic, source, len, batches[i]);
		lab_counts(nic, &a);
		one_pass(nic, source, len, batches[i]);
		lab_counts(nic, &b);
#define FIGURE(metric, field)							\
		lab_figure(nic, workload, batches[i], metric, b.field - a.field, FRAMES)
		FIGURE("dma_lines_for_device", dma_lines_for_device);
		FIGURE("dma_lines_for_cpu", dma_lines_for_cpu);
		FIGURE("dma_sync_calls", dma_sync_calls);
		FIGURE("dma_empty_syncs", dma_empty_syncs);
		FIGURE("dma_maps", dma_maps);
		FIGURE("mmio_writes", mmio_writes);
		FIGURE("mmio_reads", mmio_reads);
		FIGURE("page_allocs", pages);
		FIGURE("pages_recycled", recycled);
#undef FIGURE
		if (b.recycled != a.recycled)
			lab_figure(nic, workload, batches[i], "recycle_cached_share",
				   b.recycled_cached - a.recycled_cached,
				   b.recycled - a.recycled);
	}
	lab_sink_frames(nic, true);
}

static void measure_both(struct lab_nic *nic, const char *verb)
{
	measure(nic, verb, WIRE, 60);
	measure(nic, verb, WIRE, 1514);
}

/* Since the interface was opened, with lab_asked_from_here() before. */
static void ring_memory(struct lab_nic *nic, const char *verb)
{
	u64 bytes, descriptors;
	struct lab_asked asked;
	char workload[24];
	unsigned int i;

	lab_ring_memory(nic, &bytes, &descriptors);
	/* what is in a page_pool is there, the rest was asked for */
	lab_asked(nic, &asked);
	if (nic->soc->no_pool)
		bytes = asked.buffer_bytes;
	for (i = 0; i < 2; i++) {
		snprintf(workload, sizeof(workload), "%s_%u", verb, i ? 1514 : 60);
		lab_figure(nic, workload, 1, "rx_bytes_per_descriptor", bytes, descriptors);
	}
}

/* Receiving for the stack. */
static void plain(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_asked_from_here(nic);
	lab_up(nic);
	ring_memory(nic, "plain");
	measure_both(nic, "plain");
}

/* What open asks for: memory of the receive rings, and the largest block of all. */
static void open(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_asked asked;

	lab_asked_from_here(nic);
	KUNIT_ASSERT_EQ(test, lab_try_up(nic), 0);
	lab_asked(nic, &asked);
	KUNIT_EXPECT_GT(test, asked.buffer_bytes, 0);
	lab_figure(nic, "open", 1, "rx_bytes_per_open", asked.buffer_bytes, 1);
	lab_figure(nic, "open", 1, "rx_page_order", asked.buffer_order, 1);
	lab_figure(nic, "open", 1, "open_page_order", asked.order, 1);
	lab_wait_link(nic);
}

/* Attaching a program to the open interface, and taking it away. */
static void attach(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts a, b;

	lab_up(nic);
	lab_counts(nic, &a);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	lab_pump(nic);
	lab_counts(nic, &b);
	lab_figure(nic, "attach", 1, "link_events", b.link_events - a.link_events, 2);
}

static void with_program(struct kunit *test, const char *verb,
			 struct bpf_prog *(*make)(struct lab_nic *nic))
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_asked_from_here(nic);
	lab_up_with(nic, make(nic));
	ring_memory(nic, verb);
	measure_both(nic, verb);
}

static struct bpf_prog *make_pass(struct lab_nic *nic)
{
	return lab_verdict(nic, XDP_PASS);
}

static struct bpf_prog *make_drop(struct lab_nic *nic)
{
	return lab_verdict(nic, XDP_DROP);
}

/* Native XDP_PASS. */
static void pass(struct kunit *test)
{
	with_program(test, "pass", make_pass);
}

/* Native XDP_DROP. */
static void drop(struct kunit *test)
{
	with_program(test, "drop", make_drop);
}

/* Native XDP_TX. */
static void xdptx(struct kunit *test)
{
	with_program(test, "xdptx", lab_reflect);
}

/* Transmitting for the stack. */
static void xmit(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	measure(nic, "xmit", STACK, 60);
}

/* Receiving for the stack, which sends the frame on. */
static void forward(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct rtnl_link_stats64 stats;

	lab_up(nic);
	lab_forward(nic, true);
	measure_both(nic, "forward");
	dev_get_stats(nic->ndev, &stats);
	KUNIT_EXPECT_EQ(test, stats.tx_packets, 2 * 2 * ARRAY_SIZE(batches) * FRAMES);
}

/* Generic XDP_DROP: the core copies a frame that has not the headroom for it. */
static void skbmode_drop(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	KUNIT_ASSERT_EQ(test, lab_attach_generic(nic, XDP_DROP), 0);
	lab_up(nic);
	measure(nic, "skbmode_drop", WIRE, 60);
	lab_expect_silence(nic);
	lab_account(nic, 2 * ARRAY_SIZE(batches) * FRAMES);
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(open, lab_each_fec),
	LAB_CASE(plain, lab_each_fec),
	LAB_CASE(attach, lab_each_fec_xdp),
	LAB_CASE(pass, lab_each_fec_xdp),
	LAB_CASE(drop, lab_each_fec_xdp),
	LAB_CASE(xdptx, lab_each_fec_xdp),
	LAB_CASE(xmit, lab_each_fec),
	LAB_CASE(forward, lab_each_fec),
	LAB_CASE(skbmode_drop, lab_each_fec),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_figures",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(open, lab_each_mtk),
	LAB_CASE(plain, lab_each_mtk),
	LAB_CASE(attach, lab_each_mtk_xdp),
	LAB_CASE(pass, lab_each_mtk_xdp),
	LAB_CASE(drop, lab_each_mtk_xdp),
	LAB_CASE(xdptx, lab_each_mtk_xdp),
	LAB_CASE(xmit, lab_each_mtk),
	LAB_CASE(forward, lab_each_mtk),
	LAB_CASE(skbmode_drop, lab_each_mtk),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_figures",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
