// SPDX-License-Identifier: GPL-2.0-only
/*
 * wire - put Ethernet frames of a known pattern on a wire, check what comes back
 *
 *	wire send  -f FD|-i IF -n COUNT [-l LEN] [-d MAC] [-s MAC] [-w WINDOW]
 *		   [-t SECONDS] [-r]
 *	wire check -i IF -n COUNT [-l LEN] [-t SECONDS]
 *
 * FD is an inherited socket to QEMU's `-netdev stream`, which loses nothing: when
 * the guest has no receive buffer, the sender waits. IF is a network interface
 * (a tap, a real port).
 *
 * send	puts COUNT frames of LEN bytes (without FCS, 60 to 1514) on the wire. With
 *	-r each has to come back once, with source and destination exchanged and
 *	every other byte as it was; at most WINDOW are under way.
 * check receives COUNT frames and compares every byte (on the other end of send).
 *
 * Every frame carries its number and, in all bytes after it, a pattern that
 * depends on that number: a stale or half-written buffer shows.
 *
 * One line of JSON on stdout; frames of another type do not count. Exit: 0 all
 * well, 1 frames missing, doubled or altered, 2 wrong use or no such wire.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LEN_MIN		60
#define LEN_MAX		1514
#define SEQ_AT		ETH_HLEN
#define FILL_AT		(SEQ_AT + 4)
#define STREAM_HDR	4	/* QEMU's stream netdev: length, big endian */

/* IEEE 802 local experimental ethertype 1: no protocol, and nobody answers it */
#define TYPE		0x88b5

struct options {
	const char *ifname;
	int fd;			/* -1: ifname */
	uint32_t count;
	uint32_t window;
	unsigned int len;
	unsigned int seconds;
	bool back;
	uint8_t dst[ETH_ALEN];
	uint8_t src[ETH_ALEN];
};

struct wire {
	int fd;
	bool stream;
	size_t in_len;		/* bytes in in[], stream only */
	size_t out_len;		/* bytes in out[], of which out_at are gone */
	size_t out_at;
	uint8_t in[1 << 16];
	uint8_t out[1 << 15];	/* many frames on a stream, to stay ahead of the board */
};

struct tally {
	uint32_t sent;
	uint32_t good;
	uint32_t wrong;
	uint32_t twice;
	uint8_t *seen;		/* one byte for each number */
};

static void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *fmt, ...)
{
	va_list ap;

	fputs("wire: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Numerical Recipes' generator: every byte of the fill depends on the number */
static void fill(uint8_t *p, size_t len, uint32_t seq)
{
	uint32_t x = seq * 2654435761u + 1;

	while (len--) {
		x = x * 1664525u + 1013904223u;
		*p++ = x >> 24;
	}
}

static void build(uint8_t *frame, const struct options *o, uint32_t seq)
{
	uint32_t be = htonl(seq);

	memcpy(frame, o->dst, ETH_ALEN);
	memcpy(frame + ETH_ALEN, o->src, ETH_ALEN);
	frame[12] = TYPE >> 8;
	frame[13] = TYPE & 0xff;
	memcpy(frame + SEQ_AT, &be, sizeof(be));
	fill(frame + FILL_AT, o->len - FILL_AT, seq);
}

/* back: the frame went through XDP_TX, so the addresses changed places */
static void check(struct tally *t, const struct options *o, bool back,
		  const uint8_t *frame, size_t len)
{
	uint8_t want[LEN_MAX];
	uint32_t seq;

	if (len < ETH_HLEN || frame[12] != TYPE >> 8 || frame[13] != (TYPE & 0xff))
		return;
	if (len != o->len) {
		t->wrong++;
		return;
	}
	memcpy(&seq, frame + SEQ_AT, sizeof(seq));
	seq = ntohl(seq);
	if (seq >= o->count) {
		t->wrong++;
		return;
	}
	build(want, o, seq);
	if (back) {
		memcpy(want, o->src, ETH_ALEN);
		memcpy(want + ETH_ALEN, o->dst, ETH_ALEN);
	}
	if (memcmp(want + (back ? 0 : ETH_HLEN), frame + (back ? 0 : ETH_HLEN),
		   len - (back ? 0 : ETH_HLEN))) {
		t->wrong++;
	} else if (t->seen[seq]) {
		t->twice++;
	} else {
		t->seen[seq] = 1;
		t->good++;
	}
}

static void open_stream(struct wire *w, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		die("fd %d: %s", fd, strerror(errno));
	w->fd = fd;
	w->stream = true;
}

static void open_packet(struct wire *w, const char *ifname)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(ifname),
	};
	int size = 32 << 20;	/* a frame of 60 bytes is charged for a page */
	int one = 1;

	if (!sll.sll_ifindex)
		die("%s: no such interface", ifname);
	w->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (w->fd < 0)
		die("packet socket: %s", strerror(errno));
	/* What we send ourselves is no frame that came back */
	if (setsockopt(w->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)))
		die("packet socket: %s", strerror(errno));
	/* A refusal leaves the default; a loss is then seen as a missing frame */
	setsockopt(w->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (bind(w->fd, (struct sockaddr *)&sll, sizeof(sll)))
		die("%s: %s", ifname, strerror(errno));
}

/* Hand on what is in out[]; true when it is all gone */
static bool flush_out(struct wire *w)
{
	ssize_t n;

	while (w->out_at < w->out_len) {
		n = send(w->fd, w->out + w->out_at, w->out_len - w->out_at,
			 MSG_NOSIGNAL);
		if (n < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return false;
			die("send: %s", strerror(errno));
		}
		w->out_at += n;
	}
	w->out_at = 0;
	w->out_len = 0;
	return true;
}

/* A stream has no borders between frames, so it takes many at once */
static bool has_space(const struct wire *w, const struct options *o)
{
	if (!w->stream)
		return !w->out_len;
	return w->out_len + STREAM_HDR + o->len <= sizeof(w->out);
}

static void queue_frame(struct wire *w, const struct options *o, uint32_t seq)
{
	size_t hdr = w->stream ? STREAM_HDR : 0;
	uint32_t be = htonl(o->len);

	memcpy(w->out + w->out_len, &be, hdr);
	build(w->out + w->out_len + hdr, o, seq);
	w->out_len += hdr + o->len;
}

/* Take all frames that are there */
static void receive(struct wire *w, struct tally *t, const struct options *o,
		    bool back)
{
	size_t at, len;
	uint32_t be;
	ssize_t n;

	for (;;) {
		n = recv(w->fd, w->in + w->in_len, sizeof(w->in) - w->in_len, 0);
		if (n < 0) {
			if (errno == EAGAIN)
				return;
			die("receive: %s", strerror(errno));
		}
		if (!n)
			die("receive: the other end is gone");
		if (!w->stream) {
			check(t, o, back, w->in, n);
			continue;
		}
		w->in_len += n;
		for (at = 0; w->in_len - at >= STREAM_HDR; at += STREAM_HDR + len) {
			memcpy(&be, w->in + at, sizeof(be));
			len = ntohl(be);
			if (len > sizeof(w->in) - STREAM_HDR)
				die("receive: %zu bytes in one frame", len);
			if (w->in_len - at < STREAM_HDR + len)
				break;
			check(t, o, back, w->in + at + STREAM_HDR, len);
		}
		memmove(w->in, w->in + at, w->in_len - at);
		w->in_len -= at;
	}
}

static uint32_t in_flight(const struct tally *t)
{
	return t->sent - t->good - t->wrong;
}

static void run(struct wire *w, struct tally *t, const struct options *o, bool sender)
{
	bool back = o->back || !sender;
	double end = now() + o->seconds;
	struct pollfd pfd = { .fd = w->fd };
	bool room;

	while (now() < end) {
		room = flush_out(w);
		while (sender && room && t->sent < o->count &&
		       !(o->back && in_flight(t) >= o->window)) {
			do {
				queue_frame(w, o, t->sent++);
			} while (has_space(w, o) && t->sent < o->count &&
				 !(o->back && in_flight(t) >= o->window));
			room = flush_out(w);
		}
		if (back)
			receive(w, t, o, sender);
		if ((!sender || (t->sent == o->count && room)) &&
		    (!back || t->good + t->wrong >= o->count))
			return;
		pfd.events = (back ? POLLIN : 0) | (room ? 0 : POLLOUT);
		poll(&pfd, 1, 100);
	}
}

static int report(const struct tally *t, const struct options *o, bool sender,
		  double seconds)
{
	bool counted = o->back || !sender;
	uint32_t missing = counted ? o->count - t->good : 0;

	printf("{\"frames\": %" PRIu32 ", \"len\": %u, ", o->count, o->len);
	if (sender)
		printf("\"sent\": %" PRIu32 ", ", t->sent);
	if (counted)
		printf("\"good\": %" PRIu32 ", \"wrong\": %" PRIu32
		       ", \"twice\": %" PRIu32 ", \"missing\": %" PRIu32 ", ",
		       t->good, t->wrong, t->twice, missing);
	printf("\"seconds\": %.6f}\n", seconds);
	return missing || t->wrong || t->twice || (sender && t->sent < o->count);
}

static void read_mac(const char *text, uint8_t *mac)
{
	char junk;

	if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx%c", mac, mac + 1, mac + 2,
		   mac + 3, mac + 4, mac + 5, &junk) != ETH_ALEN)
		die("%s: want a MAC address", text);
}

static uint32_t read_number(const char *text, uint32_t min, uint32_t max)
{
	unsigned long long value;
	char *end;

	value = strtoull(text, &end, 10);
	if (*end || end == text || value < min || value > max)
		die("%s: want a number from %" PRIu32 " to %" PRIu32, text, min, max);
	return value;
}

int main(int argc, char **argv)
{
	/* The MACs of an option that is not given: locally administered, and QEMU's */
	struct options o = {
		.fd = -1, .len = LEN_MIN, .window = 1024, .seconds = 10,
		.dst = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 },
		.src = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x01 },
	};
	static struct wire w;
	struct tally t = { 0 };
	double start;
	bool sender;
	int opt;

	if (argc < 2 || (strcmp(argv[1], "send") && strcmp(argv[1], "check")))
		die("usage: wire send|check -f FD|-i IF -n COUNT [-l LEN] [-d MAC] [-s MAC] "
		    "[-w WINDOW] [-t SECONDS] [-r]");
	sender = !strcmp(argv[1], "send");
	while ((opt = getopt(argc - 1, argv + 1, "f:i:n:l:d:s:w:t:r")) != -1) {
		switch (opt) {
		case 'f':
			o.fd = read_number(optarg, 0, 1 << 20);
			break;
		case 'i':
			o.ifname = optarg;
			break;
		case 'n':
			o.count = read_number(optarg, 1, 1 << 28);
			break;
		case 'l':
			o.len = read_number(optarg, LEN_MIN, LEN_MAX);
			break;
		case 'd':
			read_mac(optarg, o.dst);
			break;
		case 's':
			read_mac(optarg, o.src);
			break;
		case 'w':
			o.window = read_number(optarg, 1, 1 << 20);
			break;
		case 't':
			o.seconds = read_number(optarg, 1, 3600);
			break;
		case 'r':
			o.back = true;
			break;
		default:
			exit(2);
		}
	}
	if ((o.fd < 0) == !o.ifname || !o.count)
		die("want -n COUNT and one of -f FD and -i IF");

	t.seen = calloc(o.count, 1);
	if (!t.seen)
		die("no memory for %" PRIu32 " frames", o.count);
	if (o.fd >= 0)
		open_stream(&w, o.fd);
	else
		open_packet(&w, o.ifname);
	if (!sender) {
		puts("ready");
		fflush(stdout);
	}
	start = now();
	run(&w, &t, &o, sender);
	return report(&t, &o, sender, now() - start);
}
