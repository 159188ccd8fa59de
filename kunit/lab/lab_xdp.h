/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab: programs. Part of lab.h, which includes it.
 */
#ifndef POOLSTACK_LAB_XDP_H
#define POOLSTACK_LAB_XDP_H

#include <linux/filter.h>

#include "lab.h"

/* ---- XDP ---------------------------------------------------------------- */

/**
 * lab_prog() - a program that did not pass the verifier
 * @nic: owner; the program goes with the case.
 * @insns: instructions.
 * @n: their number.
 *
 * Runs with struct xdp_buff as its context, so that helpers can be called
 * directly. LAB_PROG() with the LAB_BPF_* pieces is what cases use.
 *
 * Return: the program.
 */
struct bpf_prog *lab_prog(struct lab_nic *nic, const struct bpf_insn *insns, u32 n);

#define LAB_PROG(nic, ...) ({						\
	const struct bpf_insn _insns[] = { __VA_ARGS__ };		\
	lab_prog(nic, _insns, ARRAY_SIZE(_insns));			\
})

/* net/core/filter.c makes these global, no header of the kernel has them. */
u64 bpf_xdp_adjust_head(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 bpf_xdp_adjust_tail(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

/*
 * Pieces of a program. LAB_BPF_BEGIN first: r6 holds the context. The others
 * use r0 to r5. Offsets into the frame are constants that the author of the
 * case knows to be inside (nobody verifies).
 */
#define LAB_BPF_BEGIN	BPF_MOV64_REG(BPF_REG_6, BPF_REG_1)

#define LAB_BPF_CALL(fn, arg)						\
	BPF_MOV64_REG(BPF_REG_1, BPF_REG_6),				\
	BPF_MOV64_IMM(BPF_REG_2, arg),					\
	BPF_EMIT_CALL(fn)

/* Positive: towards the end of the frame, as in the UAPI. */
#define LAB_BPF_HEAD(delta)	LAB_BPF_CALL(bpf_xdp_adjust_head, delta)
#define LAB_BPF_TAIL(delta)	LAB_BPF_CALL(bpf_xdp_adjust_tail, delta)

#define LAB_BPF_FIELD(reg, field)					\
	BPF_LDX_MEM(BPF_DW, reg, BPF_REG_6, offsetof(struct xdp_buff, field))

/* byte at data + off := value; ^= value */
#define LAB_BPF_SET(off, value)						\
	LAB_BPF_FIELD(BPF_REG_2, data),					\
	BPF_ST_MEM(BPF_B, BPF_REG_2, off, value)
#define LAB_BPF_XOR(off, value)						\
	LAB_BPF_FIELD(BPF_REG_2, data),					\
	BPF_LDX_MEM(BPF_B, BPF_REG_3, BPF_REG_2, off),			\
	BPF_ALU64_IMM(BPF_XOR, BPF_REG_3, value),			\
	BPF_STX_MEM(BPF_B, BPF_REG_2, BPF_REG_3, off)
/* the same, counted back from data_end: off -1 is the last byte */
#define LAB_BPF_XOR_END(off, value)					\
	LAB_BPF_FIELD(BPF_REG_2, data_end),				\
	BPF_LDX_MEM(BPF_B, BPF_REG_3, BPF_REG_2, off),			\
	BPF_ALU64_IMM(BPF_XOR, BPF_REG_3, value),			\
	BPF_STX_MEM(BPF_B, BPF_REG_2, BPF_REG_3, off)

#define LAB_BPF_RETURN(verdict)						\
	BPF_MOV64_IMM(BPF_REG_0, verdict),				\
	BPF_EXIT_INSN()

/* A program that only returns the verdict. */
struct bpf_prog *lab_verdict(struct lab_nic *nic, enum xdp_action verdict);

/* adjust_head(head), adjust_tail(tail), verdict. */
struct bpf_prog *lab_adjust(struct lab_nic *nic, int head, int tail,
			    enum xdp_action verdict);

/* First byte of the frame := LAB_REFLECT_MARK, XDP_TX. */
#define LAB_REFLECT_MARK	0x5a
struct bpf_prog *lab_reflect(struct lab_nic *nic);

/**
 * lab_attach() - attach a program the way the core does, through ndo_bpf
 * @nic: the NIC, up or down.
 * @prog: program of this case, or NULL to detach.
 *
 * Return: what the driver returned.
 */
int lab_attach(struct lab_nic *nic, struct bpf_prog *prog);

/**
 * lab_attach_awake() - attach to a closed interface whose clocks run
 * @nic: the NIC, down.
 * @prog: program of this case.
 *
 * As lab_attach(), with the device resumed around it. What a driver does to a
 * sleeping controller is another case's business.
 *
 * Return: what the driver returned.
 */
int lab_attach_awake(struct lab_nic *nic, struct bpf_prog *prog);

/**
 * lab_up_with() - open the interface, a program attached from the start
 * @nic: the NIC, down.
 * @prog: program of this case.
 */
void lab_up_with(struct lab_nic *nic, struct bpf_prog *prog);

/**
 * lab_attach_verified() - load through the verifier, attach through the netdev
 * @nic: the NIC.
 * @insns: instructions against struct xdp_md.
 * @n: their number.
 *
 * Return: 0 or a negative error. Undone with lab_detach_verified().
 */
int lab_attach_verified(struct lab_nic *nic, struct bpf_insn *insns, u32 n);

/**
 * lab_attach_generic() - have the core run a program for the driver
 * @nic: the NIC.
 * @verdict: what the program returns for every frame.
 *
 * Goes with the interface. The gate does not see where frames went that the
 * program ended: lab_account().
 *
 * Return: 0, or a negative error.
 */
int lab_attach_generic(struct lab_nic *nic, enum xdp_action verdict);
int lab_detach_verified(struct lab_nic *nic);

#endif
