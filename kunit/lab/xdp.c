// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP programs and how they are attached.
 */
#include <linux/bpf.h>
#include <linux/fdtable.h>
#include <linux/filter.h>
#include <linux/pm_runtime.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "../../../../../net/core/dev.h"
#include "nic.h"

/* kernel/bpf/syscall.c; for light skeletons, no header of the kernel has it */
int kern_sys_bpf(int cmd, union bpf_attr *attr, unsigned int size);

struct bpf_prog *lab_prog(struct lab_nic *nic, const struct bpf_insn *insns, u32 n)
{
	struct kunit *test = nic->test;
	struct bpf_prog *prog;
	struct lab_prog *entry;
	int err;

	entry = kzalloc_obj(*entry);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	prog = bpf_prog_alloc(bpf_prog_size(n), 0);
	if (!prog) {
		kfree(entry);
		KUNIT_FAIL_AND_ABORT(test, "no memory for a program");
	}
	prog->len = n;
	prog->type = BPF_PROG_TYPE_XDP;
	prog->gpl_compatible = 1;
	memcpy(prog->insnsi, insns, n * sizeof(*insns));
	prog->aux->stack_depth = MAX_BPF_STACK;
	atomic64_set(&prog->aux->refcnt, 1);
	entry->prog = bpf_prog_select_runtime(prog, &err);
	list_add(&entry->node, &to_nic(nic)->progs);
	KUNIT_ASSERT_EQ(test, err, 0);
	return entry->prog;
}

/* After the driver is gone: a reference it still has does not matter then. */
void lab_progs_free(struct nic *nic)
{
	struct lab_prog *entry, *tmp;

	list_for_each_entry_safe(entry, tmp, &nic->progs, node) {
		bpf_prog_free(entry->prog);
		kfree(entry);
	}
}

struct bpf_prog *lab_verdict(struct lab_nic *nic, enum xdp_action verdict)
{
	return LAB_PROG(nic, LAB_BPF_RETURN(verdict));
}

struct bpf_prog *lab_adjust(struct lab_nic *nic, int head, int tail,
			    enum xdp_action verdict)
{
	return LAB_PROG(nic,
			LAB_BPF_BEGIN,
			LAB_BPF_HEAD(head),
			LAB_BPF_TAIL(tail),
			LAB_BPF_RETURN(verdict));
}

struct bpf_prog *lab_reflect(struct lab_nic *nic)
{
	return LAB_PROG(nic,
			LAB_BPF_BEGIN,
			LAB_BPF_SET(0, LAB_REFLECT_MARK),
			LAB_BPF_RETURN(XDP_TX));
}

/* A driver may take the link down: lab_counts() tells. */
static void wait_as_before(struct lab_nic *nic, struct net_device *ndev, bool link)
{
	if (link && netif_running(ndev))
		KUNIT_ASSERT_TRUE_MSG(nic->test, lab_wait_until(lab_settled(ndev, true)),
				      "the link does not come back");
}

int lab_attach_to(struct lab_nic *nic, struct net_device *ndev, struct bpf_prog *prog)
{
	struct netdev_bpf xdp = { .command = XDP_SETUP_PROG, .prog = prog };
	bool link = netif_carrier_ok(ndev);
	int ret;

	/* as for the core, a reference goes to the driver if it takes it */
	if (prog)
		bpf_prog_inc(prog);
	rtnl_lock();
	ret = dev_xdp_propagate(ndev, &xdp);
	rtnl_unlock();
	if (ret && prog)
		bpf_prog_put(prog);
	if (!ret)
		wait_as_before(nic, ndev, link);
	return ret;
}

int lab_attach(struct lab_nic *nic, struct bpf_prog *prog)
{
	return lab_attach_to(nic, nic->ndev, prog);
}

int lab_attach_awake(struct lab_nic *nic, struct bpf_prog *prog)
{
	int ret;

	ret = pm_runtime_resume_and_get(nic->dev);
	KUNIT_ASSERT_EQ(nic->test, ret, 0);
	ret = lab_attach(nic, prog);
	pm_runtime_put_autosuspend(nic->dev);
	return ret;
}

void lab_up_with(struct lab_nic *nic, struct bpf_prog *prog)
{
	KUNIT_ASSERT_EQ(nic->test, lab_attach_awake(nic, prog), 0);
	lab_up(nic);
}

static int change_fd(struct lab_nic *nic, int fd, u32 flags)
{
	bool link = netif_carrier_ok(nic->ndev);
	int ret;

	rtnl_lock();
	ret = dev_change_xdp_fd(nic->ndev, NULL, fd, -1, flags);
	rtnl_unlock();
	if (!ret)
		wait_as_before(nic, nic->ndev, link);
	return ret;
}

static int load_and_attach(struct lab_nic *nic, struct bpf_insn *insns, u32 n, u32 flags)
{
	static const char license[] = "GPL";
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_XDP,
		.insns = (unsigned long)insns,
		.insn_cnt = n,
		.license = (unsigned long)license,
	};
	int fd, ret;

	fd = kern_sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		return fd;
	ret = change_fd(nic, fd, flags);
	close_fd(fd);
	return ret;
}

int lab_attach_verified(struct lab_nic *nic, struct bpf_insn *insns, u32 n)
{
	return load_and_attach(nic, insns, n, XDP_FLAGS_DRV_MODE);
}

int lab_attach_generic(struct lab_nic *nic, enum xdp_action verdict)
{
	struct bpf_insn insns[] = { LAB_BPF_RETURN(verdict) };

	return load_and_attach(nic, insns, ARRAY_SIZE(insns), XDP_FLAGS_SKB_MODE);
}

int lab_detach_verified(struct lab_nic *nic)
{
	return change_fd(nic, -1, XDP_FLAGS_DRV_MODE);
}
