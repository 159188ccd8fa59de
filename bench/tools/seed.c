// SPDX-License-Identifier: GPL-2.0-only
/*
 * seed - runs in the emulated board's init: credit the random pool at once
 *
 * An emulated board has neither a seed from firmware nor a random generator, so
 * the first program that wants random bytes (iperf3's cookie) would wait for the
 * jitter of the timer, some seconds. The bytes are fixed: nothing here is secret,
 * and all boots shall be the same.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void)
{
	struct {
		struct rand_pool_info info;
		unsigned char bytes[64];
	} pool = {
		.info = { .entropy_count = 8 * sizeof(pool.bytes),
			  .buf_size = sizeof(pool.bytes) },
	};
	int fd;

	fd = open("/dev/urandom", O_WRONLY);
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool.info)) {
		perror("seed: /dev/urandom");
		return 1;
	}
	close(fd);
	return 0;
}
