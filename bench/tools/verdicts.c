// SPDX-License-Identifier: GPL-2.0-only
/*
 * verdicts - runs in the guest: what an XDP program of bench/bpf has returned so far
 *
 *	verdicts MAP		the per-CPU array of that name, a line "verdict count" each
 *
 * Asks bpf(2) itself: neither bpftool nor libbpf is needed.
 *
 * Exit: 0, 1 when there is no such map, 2 on wrong use.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPUS_MAX	1024

static const char * const names[] = {
	[XDP_ABORTED] = "aborted",
	[XDP_DROP] = "drop",
	[XDP_PASS] = "pass",
	[XDP_TX] = "tx",
	[XDP_REDIRECT] = "redirect",
};

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* A descriptor of the map, or -1. */
static int find(const char *name)
{
	struct bpf_map_info info;
	union bpf_attr attr = { 0 };
	uint32_t id = 0;
	int fd;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_MAP_GET_NEXT_ID, &attr))
			return -1;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.map_id = id;
		fd = bpf(BPF_MAP_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;	/* gone meanwhile */
		memset(&info, 0, sizeof(info));
		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = fd;
		attr.info.info_len = sizeof(info);
		attr.info.info = (uintptr_t)&info;
		if (!bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) && info.type == BPF_MAP_TYPE_PERCPU_ARRAY &&
		    info.value_size == sizeof(uint64_t) && !strcmp(info.name, name))
			return fd;
		close(fd);
	}
}

int main(int argc, char **argv)
{
	static uint64_t values[CPUS_MAX];	/* one for each CPU there may be */
	union bpf_attr attr;
	uint32_t key, cpu;
	uint64_t sum;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: verdicts MAP\n");
		return 2;
	}
	fd = find(argv[1]);
	if (fd < 0) {
		fprintf(stderr, "verdicts: no map %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (key = 0; key < sizeof(names) / sizeof(*names); key++) {
		memset(&attr, 0, sizeof(attr));
		attr.map_fd = fd;
		attr.key = (uintptr_t)&key;
		attr.value = (uintptr_t)values;
		if (bpf(BPF_MAP_LOOKUP_ELEM, &attr)) {
			fprintf(stderr, "verdicts: %s: %s\n", argv[1], strerror(errno));
			return 1;
		}
		for (sum = 0, cpu = 0; cpu < CPUS_MAX; cpu++)
			sum += values[cpu];
		printf("%s %llu\n", names[key], (unsigned long long)sum);
	}
	return 0;
}
