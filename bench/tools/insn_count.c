// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn_count - QEMU TCG plugin: instructions and cache operations between two marks
 *
 * Load with -plugin insn_count.so,ranges=FILE,out=FILE
 *
 * ranges: lines "start end" in hex without 0x, end exclusive: the functions
 *         that count as "driver" (made from `nm -n vmlinux`; boot with nokaslr).
 * out:    one line per interval, written when the interval ends:
 *         "interval N insns I kernel K driver D cache_ops C"
 *
 * An interval is opened and closed by the guest itself (bench/tools/mark.c),
 * with hint instructions that are not allocated and therefore do nothing,
 * here and on silicon. So boot, userland start-up and idling before the
 * measurement are not in the figures.
 *
 * Counting is done per translated block, with inline additions: a block that
 * is left early by a fault counts in full. That error is the same on both
 * sides of a comparison, and there is none in a loop of DC instructions on
 * kernel memory.
 *
 * One virtual CPU: an interval says nothing about who ran what on several.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * QEMU's plugin interface, version 4 (QEMU 9.1 and later). Debian does not
 * package qemu-plugin.h, which would also want glib; these are the parts in use.
 */
typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_info_t;

typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

typedef void (*qemu_plugin_tb_trans_cb)(qemu_plugin_id_t id,
					struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_udata_cb)(unsigned int vcpu, void *udata);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   qemu_plugin_tb_trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       qemu_plugin_u64 entry,
						       uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_udata_cb cb,
					    enum qemu_plugin_cb_flags flags,
					    void *udata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
			     size_t len);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 4;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info,
			       int argc, char **argv);

/* Arm ARM, HINT: 1101 0101 0000 0011 0010 CRm op2 11111; immediate CRm:op2 */
#define INSN_HINT(imm)	(0xd503201fu | (imm) << 5)
#define MARK_BEGIN	INSN_HINT(0x70)
#define MARK_END	INSN_HINT(0x71)

/* Arm ARM, SYS aliases with Rt masked out */
#define INSN_RT		0x0000001fu
#define DC_IVAC		0xd5087620u
#define DC_CVAC		0xd50b7a20u
#define DC_CVAP		0xd50b7c20u
#define DC_CIVAC	0xd50b7e20u

enum { INSNS, KERNEL, DRIVER, CACHE_OPS, COUNTERS };

struct range {
	uint64_t start;
	uint64_t end;
};

static struct range *ranges;
static size_t n_ranges;
static qemu_plugin_u64 counter[COUNTERS];
static uint64_t begin[COUNTERS];
static unsigned int intervals;
static bool running;
static FILE *out;

static int range_cmp(const void *key, const void *elem)
{
	const uint64_t addr = *(const uint64_t *)key;
	const struct range *r = elem;

	if (addr < r->start)
		return -1;
	return addr >= r->end;
}

static bool in_driver(uint64_t addr)
{
	return bsearch(&addr, ranges, n_ranges, sizeof(*ranges), range_cmp);
}

/* Bit 55 tells the two halves of the address space apart, tagged or not */
static bool in_kernel(uint64_t addr)
{
	return addr >> 55 & 1;
}

/* Maintenance to the point of coherency; DC CVAU is for instruction fetch, not DMA */
static bool is_cache_op(uint32_t insn)
{
	switch (insn & ~INSN_RT) {
	case DC_IVAC:
	case DC_CVAC:
	case DC_CVAP:
	case DC_CIVAC:
		return true;
	default:
		return false;
	}
}

static void mark_begin(unsigned int vcpu, void *udata)
{
	int i;

	for (i = 0; i < COUNTERS; i++)
		begin[i] = qemu_plugin_u64_sum(counter[i]);
	running = true;
}

static void mark_end(unsigned int vcpu, void *udata)
{
	uint64_t d[COUNTERS];
	int i;

	if (!running)
		return;
	running = false;
	for (i = 0; i < COUNTERS; i++)
		d[i] = qemu_plugin_u64_sum(counter[i]) - begin[i];
	fprintf(out, "interval %u insns %" PRIu64 " kernel %" PRIu64
		" driver %" PRIu64 " cache_ops %" PRIu64 "\n", ++intervals,
		d[INSNS], d[KERNEL], d[DRIVER], d[CACHE_OPS]);
	fflush(out);
}

static void tb_trans(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t n[COUNTERS] = { 0 };
	size_t i;

	n[INSNS] = qemu_plugin_tb_n_insns(tb);
	for (i = 0; i < n[INSNS]; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);
		uint32_t code = 0;

		qemu_plugin_insn_data(insn, &code, sizeof(code));
		if (in_kernel(addr)) {
			n[KERNEL]++;
			n[DRIVER] += in_driver(addr);
			n[CACHE_OPS] += is_cache_op(code);
		} else if (code == MARK_BEGIN) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_begin,
							       QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		} else if (code == MARK_END) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_end,
							       QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		}
	}

	for (i = 0; i < COUNTERS; i++)
		if (n[i])
			qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb,
				QEMU_PLUGIN_INLINE_ADD_U64, counter[i], n[i]);
}

static int range_order(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int read_ranges(const char *path)
{
	uint64_t start, end;
	struct range *more;
	FILE *f;

	f = fopen(path, "r");
	if (!f) {
		perror(path);
		return -1;
	}
	while (fscanf(f, "%" SCNx64 " %" SCNx64, &start, &end) == 2) {
		more = realloc(ranges, (n_ranges + 1) * sizeof(*ranges));
		if (!more)
			break;
		ranges = more;
		ranges[n_ranges++] = (struct range){ start, end };
	}
	if (!feof(f) || !n_ranges) {
		fprintf(stderr, "insn_count: %s: want lines \"start end\" in hex\n",
			path);
		fclose(f);
		return -1;
	}
	fclose(f);
	qsort(ranges, n_ranges, sizeof(*ranges), range_order);
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info,
			int argc, char **argv)
{
	struct qemu_plugin_scoreboard *score;
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "ranges=", 7)) {
			if (read_ranges(argv[i] + 7))
				return -1;
		} else if (!strncmp(argv[i], "out=", 4)) {
			out = fopen(argv[i] + 4, "w");
			if (!out)
				perror(argv[i] + 4);
		} else {
			fprintf(stderr, "insn_count: unknown option %s\n", argv[i]);
			return -1;
		}
	}
	if (!out || !n_ranges) {
		fprintf(stderr, "insn_count: want ranges=FILE,out=FILE\n");
		return -1;
	}

	score = qemu_plugin_scoreboard_new(COUNTERS * sizeof(uint64_t));
	for (i = 0; i < COUNTERS; i++)
		counter[i] = (qemu_plugin_u64){ score, i * sizeof(uint64_t) };
	qemu_plugin_register_vcpu_tb_trans_cb(id, tb_trans);
	return 0;
}
