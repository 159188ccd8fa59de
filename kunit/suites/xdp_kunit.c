// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native XDP: verdicts, moved heads and tails, programs coming and going.
 *
 * Transmitting needs receive buffers that the device may also read. Cases that
 * transmit attach before the interface is opened; what a driver makes of a
 * program that comes later is for the suites of its faults.
 */
#include <linux/etherdevice.h>

#include "lab.h"

#define TAG	14	/* bytes that programs push and pop */

/* the FCS shares a line of 32 bytes with the end of the frame */
static const u32 lengths[] = { 60, 1514, 500, 124 };

static u32 length(u32 i)
{
	return lengths[i % ARRAY_SIZE(lengths)];
}

/* A driver that swaps frames by CPU refuses, all others take a program. */
static void programs_are_taken_where_they_can_run(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	KUNIT_EXPECT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)),
			nic->soc->has_xdp ? 0 : -EOPNOTSUPP);
	lab_fill(nic->frame, 60, 1);
	lab_rx(nic, 0, nic->frame, 60);
	lab_expect_delivered(nic, nic->frame, 60);
}

/* Dropped frames reach nobody, are counted, and their pages go round. */
static void drop_recycles_its_page(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts warm, after;
	u32 i;

	lab_up_with(nic, lab_verdict(nic, XDP_DROP));
	for (i = 0; i < 1200; i++) {
		/* a few pages more than the ring holds, then never again */
		if (i == 600)
			lab_counts(nic, &warm);
		lab_fill(nic->frame, length(i), i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, length(i));
	}
	lab_counts(nic, &after);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 1200);
	KUNIT_EXPECT_EQ(test, after.pages, warm.pages);
	KUNIT_EXPECT_EQ(test, after.dma_maps, warm.dma_maps);
}

/* Aborted frames are dropped, too. */
static void aborted_frames_are_dropped(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up_with(nic, lab_verdict(nic, XDP_ABORTED));
	for (i = 0; i < 300; i++) {
		lab_fill(nic->frame, length(i), i);
		lab_rx(nic, 0, nic->frame, length(i));
	}
	lab_expect_silence(nic);
}

/* Frames that a program passes arrive whole. */
static void passed_frames_arrive_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len += 2) {
		lab_fill(nic->frame, len, len);
		lab_rx(nic, len / 2 % nic->soc->queues, nic->frame, len);
		lab_expect_delivered(nic, nic->frame, len);
	}
}

/*
 * Whether the FCS, which the CPU was given and no program touches, lies in the
 * frame's last line. Where not, and the CPU may have read it, it has to be
 * given back all the same: the suites of the driver's faults look at that.
 */
static bool fcs_shares_line(struct lab_nic *nic, u32 len)
{
	u32 line = nic->target->line;

	return lab_cache_speculates(nic->target->cache) ||
	       DIV_ROUND_UP(len, line) == DIV_ROUND_UP(len + ETH_FCS_LEN, line);
}

/* What a program sends back leaves as the program left it. */
static void reflected_frames_leave_whole(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 len;

	lab_up_with(nic, lab_reflect(nic));
	for (len = ETH_ZLEN; len <= ETH_FRAME_LEN; len++) {
		if (!fcs_shares_line(nic, len))
			continue;
		lab_fill(nic->frame, len, len);
		lab_rx(nic, len % nic->soc->queues, nic->frame, len);
		nic->frame[0] = LAB_REFLECT_MARK;
		lab_expect_transmitted(nic, nic->frame, len);
	}
	lab_expect_silence(nic);
}

/* More than both rings hold, many to an interrupt. */
static void reflected_batches_keep_their_order(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 round, i;

	lab_up_with(nic, lab_reflect(nic));
	for (round = 0; round < 40; round++) {
		for (i = 0; i < 64; i++) {
			lab_fill(nic->frame, length(i), round + i);
			lab_send(nic, 0, nic->frame, length(i));
		}
		lab_pump(nic);
		for (i = 0; i < 64; i++) {
			lab_fill(nic->frame, length(i), round + i);
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, length(i));
		}
	}
}

/* A header pushed in front is on the wire. */
static void a_pushed_header_leaves_with_the_frame(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *push = LAB_PROG(nic,
		LAB_BPF_BEGIN,
		LAB_BPF_HEAD(-TAG),
		LAB_BPF_FIELD(BPF_REG_2, data),
		BPF_ST_MEM(BPF_DW, BPF_REG_2, 0, 0x11223344),
		BPF_ST_MEM(BPF_W, BPF_REG_2, 8, 0x55667788),
		BPF_ST_MEM(BPF_H, BPF_REG_2, 12, 0x99aa),
		LAB_BPF_RETURN(XDP_TX));
	u32 i;

	lab_up_with(nic, push);
	for (i = 0; i < 600; i++) {
		u32 len = length(i) - TAG;

		lab_fill(nic->frame + TAG, len, i);
		lab_rx(nic, 0, nic->frame + TAG, len);
		put_unaligned((u64)0x11223344, (u64 *)nic->frame);
		put_unaligned((u32)0x55667788, (u32 *)(nic->frame + 8));
		put_unaligned((u16)0x99aa, (u16 *)(nic->frame + 12));
		lab_expect_transmitted(nic, nic->frame, TAG + len);
	}
}

/* A header popped is not on the wire. */
static void a_popped_header_stays_behind(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up_with(nic, lab_adjust(nic, TAG, 0, XDP_TX));
	for (i = 0; i < 600; i++) {
		lab_fill(nic->frame, length(i), i);
		lab_rx(nic, 0, nic->frame, length(i));
		lab_expect_transmitted(nic, nic->frame + TAG, length(i) - TAG);
	}
}

/* A frame cut at its end leaves cut. */
static void a_shortened_frame_leaves_short(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up_with(nic, lab_adjust(nic, 0, -TAG, XDP_TX));
	for (i = 0; i < 600; i++) {
		lab_fill(nic->frame, length(i), i);
		lab_rx(nic, 0, nic->frame, length(i));
		lab_expect_transmitted(nic, nic->frame, length(i) - TAG);
	}
}

/* A frame grown at its end leaves with the zeros that growing added. */
static void a_lengthened_frame_leaves_long(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	u32 i;

	lab_up_with(nic, lab_adjust(nic, 0, TAG, XDP_TX));
	for (i = 0; i < 600; i++) {
		u32 len = length(i) - TAG;

		lab_fill(nic->frame, len, i);
		lab_rx(nic, 0, nic->frame, len);
		memset(nic->frame + len, 0, TAG);
		lab_expect_transmitted(nic, nic->frame, len + TAG);
	}
}

/* Heads moved without a write cost a dropped frame nothing. */
static void dropped_frames_may_have_moved(struct kunit *test)
{
	static const struct { int head, tail; } moves[] = {
		{ TAG, 0 }, { -TAG, 0 }, { 0, -TAG }, { TAG, -TAG }, { -TAG, -TAG },
	};
	struct lab_nic *nic = lab_nic_take(test);
	u32 i, m;

	lab_up_with(nic, lab_verdict(nic, XDP_PASS));
	for (m = 0; m < ARRAY_SIZE(moves); m++) {
		KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_adjust(nic, moves[m].head,
								 moves[m].tail, XDP_DROP)), 0);
		for (i = 0; i < 300; i++) {
			lab_fill(nic->frame, length(i), i);
			lab_rx(nic, 0, nic->frame, length(i));
		}
	}
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 300 * ARRAY_SIZE(moves));
}

/* Attached and detached under traffic, each frame meets the program of its time. */
static void programs_come_and_go_under_traffic(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *drop = lab_verdict(nic, XDP_DROP);
	struct bpf_prog *pass = lab_verdict(nic, XDP_PASS);
	struct bpf_prog *turn[] = { NULL, drop, pass, drop, NULL, pass };
	u32 i;

	lab_up(nic);
	for (i = 0; i < 120; i++) {
		if (i % 10 == 0)
			KUNIT_ASSERT_EQ(test, lab_attach(nic, turn[i / 10 % ARRAY_SIZE(turn)]), 0);
		lab_fill(nic->frame, length(i), i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, length(i));
		if (turn[i / 10 % ARRAY_SIZE(turn)] == drop)
			lab_expect_silence(nic);
		else
			lab_expect_delivered(nic, nic->frame, length(i));
	}
}

/* From one program to another the verdict changes at once. */
static void programs_are_exchanged_under_traffic(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct bpf_prog *drop = lab_verdict(nic, XDP_DROP);
	struct bpf_prog *pass = lab_verdict(nic, XDP_PASS);
	struct bpf_prog *reflect = lab_reflect(nic);
	struct bpf_prog *turn[] = { drop, reflect, pass };
	u32 i;

	lab_up_with(nic, pass);
	for (i = 0; i < 150; i++) {
		struct bpf_prog *now = turn[i / 10 % ARRAY_SIZE(turn)];

		if (i % 10 == 0)
			KUNIT_ASSERT_EQ(test, lab_attach(nic, now), 0);
		lab_fill(nic->frame, length(i), i);
		lab_rx(nic, i % nic->soc->queues, nic->frame, length(i));
		if (now == pass) {
			lab_expect_delivered(nic, nic->frame, length(i));
		} else if (now == reflect) {
			nic->frame[0] = LAB_REFLECT_MARK;
			lab_expect_transmitted(nic, nic->frame, length(i));
		}
		lab_expect_silence(nic);
	}
}

/* Attaching at run time is not seen by the link partner. */
static void attaching_leaves_the_link_alone(struct kunit *test)
{
	struct lab_nic *nic = lab_nic_take(test);
	struct lab_counts before, after;

	lab_up(nic);
	lab_counts(nic, &before);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, lab_verdict(nic, XDP_PASS)), 0);
	KUNIT_ASSERT_EQ(test, lab_attach(nic, NULL), 0);
	lab_pump(nic);
	lab_counts(nic, &after);
	KUNIT_EXPECT_EQ(test, after.link_events, before.link_events);
	lab_fill(nic->frame, 60, 1);
	lab_rx(nic, 0, nic->frame, 60);
	lab_expect_delivered(nic, nic->frame, 60);
}

/* A program that passed the verifier, attached as netlink does it. */
static void a_verified_program_runs(struct kunit *test)
{
	static struct bpf_insn insns[] = {
		BPF_LDX_MEM(BPF_W, BPF_REG_2, BPF_REG_1, offsetof(struct xdp_md, data)),
		BPF_LDX_MEM(BPF_W, BPF_REG_3, BPF_REG_1, offsetof(struct xdp_md, data_end)),
		BPF_MOV64_REG(BPF_REG_4, BPF_REG_2),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_4, ETH_HLEN),
		BPF_MOV64_IMM(BPF_REG_0, XDP_PASS),
		BPF_JMP_REG(BPF_JGT, BPF_REG_4, BPF_REG_3, 2),
		BPF_LDX_MEM(BPF_B, BPF_REG_5, BPF_REG_2, 0),
		BPF_MOV64_IMM(BPF_REG_0, XDP_DROP),
		BPF_EXIT_INSN(),
	};
	struct lab_nic *nic = lab_nic_take(test);

	lab_up(nic);
	KUNIT_ASSERT_EQ(test, lab_attach_verified(nic, insns, ARRAY_SIZE(insns)), 0);
	lab_fill(nic->frame, 124, 1);
	lab_rx(nic, 0, nic->frame, 124);
	lab_expect_silence(nic);
	KUNIT_EXPECT_EQ(test, lab_stat(nic, "rx_xdp_drop"), 1);
	KUNIT_ASSERT_EQ(test, lab_detach_verified(nic), 0);
	lab_rx(nic, 0, nic->frame, 124);
	lab_expect_delivered(nic, nic->frame, 124);
}

static struct kunit_case fec_cases[] = {
	LAB_CASE(programs_are_taken_where_they_can_run, lab_each_fec),
	LAB_CASE(drop_recycles_its_page, lab_each_fec_xdp),
	LAB_CASE(aborted_frames_are_dropped, lab_each_fec_xdp),
	LAB_CASE(passed_frames_arrive_whole, lab_each_fec_xdp),
	LAB_CASE(reflected_frames_leave_whole, lab_each_fec_xdp),
	LAB_CASE(reflected_batches_keep_their_order, lab_each_fec_xdp),
	LAB_CASE(a_pushed_header_leaves_with_the_frame, lab_each_fec_xdp),
	LAB_CASE(a_popped_header_stays_behind, lab_each_fec_xdp),
	LAB_CASE(a_shortened_frame_leaves_short, lab_each_fec_xdp),
	LAB_CASE(a_lengthened_frame_leaves_long, lab_each_fec_xdp),
	LAB_CASE(dropped_frames_may_have_moved, lab_each_fec_xdp),
	LAB_CASE(programs_come_and_go_under_traffic, lab_each_fec_xdp),
	LAB_CASE(programs_are_exchanged_under_traffic, lab_each_fec_xdp),
	LAB_CASE(attaching_leaves_the_link_alone, lab_each_fec_xdp),
	LAB_CASE(a_verified_program_runs, lab_each_fec_xdp),
	{}
};

static struct kunit_suite fec_suite = {
	.name = "fec_xdp",
	.test_cases = fec_cases,
};

static struct kunit_case mtk_cases[] = {
	LAB_CASE(programs_are_taken_where_they_can_run, lab_each_mtk),
	LAB_CASE(drop_recycles_its_page, lab_each_mtk_xdp),
	LAB_CASE(aborted_frames_are_dropped, lab_each_mtk_xdp),
	LAB_CASE(passed_frames_arrive_whole, lab_each_mtk_xdp),
	LAB_CASE(reflected_frames_leave_whole, lab_each_mtk_xdp),
	LAB_CASE(reflected_batches_keep_their_order, lab_each_mtk_xdp),
	LAB_CASE(a_pushed_header_leaves_with_the_frame, lab_each_mtk_xdp),
	LAB_CASE(a_popped_header_stays_behind, lab_each_mtk_xdp),
	LAB_CASE(a_shortened_frame_leaves_short, lab_each_mtk_xdp),
	LAB_CASE(a_lengthened_frame_leaves_long, lab_each_mtk_xdp),
	LAB_CASE(dropped_frames_may_have_moved, lab_each_mtk_xdp),
	LAB_CASE(a_verified_program_runs, lab_each_mtk_xdp),
	{}
};

static struct kunit_suite mtk_suite = {
	.name = "mtk_xdp",
	.test_cases = mtk_cases,
};

kunit_test_suites(&fec_suite, &mtk_suite);
