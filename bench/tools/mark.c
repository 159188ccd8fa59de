// SPDX-License-Identifier: GPL-2.0-only
/*
 * mark - runs in the guest: open and close an interval of insn_count
 *
 *	mark begin			open an interval
 *	mark end			close it
 *	mark until FILE COUNT SECONDS	open, say "ready", wait until the number in FILE
 *					has grown by COUNT, close, print the growth and
 *					how many seconds it took from the first to the last
 *
 * `until` is for FILE = /sys/class/net/IF/statistics/rx_packets: one process
 * spans the interval, so that starting processes is not part of it. The wait is
 * by sleeping: reading the number enters no function of the driver.
 *
 * Exit: 0, 1 when SECONDS passed before COUNT came, 2 on wrong use.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS		(20 * 1000 * 1000)

/* The instructions that bench/tools/insn_count.c looks for; elsewhere nobody does */
static void mark_begin(void)
{
#ifdef __aarch64__
	asm volatile("hint #0x70" ::: "memory");
#endif
}

static void mark_end(void)
{
#ifdef __aarch64__
	asm volatile("hint #0x71" ::: "memory");
#endif
}

static long long read_number(int fd)
{
	char text[32];
	ssize_t len;

	len = pread(fd, text, sizeof(text) - 1, 0);
	if (len <= 0) {
		perror("mark: read");
		exit(2);
	}
	text[len] = '\0';
	return atoll(text);
}

static int until(const char *path, long long count, long seconds)
{
	const struct timespec nap = { .tv_nsec = POLL_NS };
	struct timespec now, end, begun = { 0 };
	long long first, grown;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0) {
		perror(path);
		return 2;
	}
	first = read_number(fd);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	mark_begin();
	puts("ready");
	fflush(stdout);
	do {
		nanosleep(&nap, NULL);
		grown = read_number(fd) - first;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (!grown || !begun.tv_sec)
			begun = now;
	} while (grown < count && now.tv_sec < end.tv_sec);
	mark_end();
	printf("%lld %.6f\n", grown, now.tv_sec - begun.tv_sec +
	       (now.tv_nsec - begun.tv_nsec + POLL_NS) / 1e9);
	return grown < count;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "begin")) {
		mark_begin();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "end")) {
		mark_end();
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "until"))
		return until(argv[2], atoll(argv[3]), atol(argv[4]));
	fprintf(stderr, "usage: mark begin|end|until FILE COUNT SECONDS\n");
	return 2;
}
