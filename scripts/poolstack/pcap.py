# SPDX-License-Identifier: GPL-2.0-only
"""Frames that the lab printed (poolstack.pcap=1), as a capture file that Wireshark and tcpdump read.

A line of the log is a piece of a frame:

    poolstack: frame <number> <rx|tx|up> <queue> <time in ns> <length> <offset> <hex>

rx: the wire to the controller, tx: the controller to the wire, up: the driver to the stack. The file is
pcapng (draft-ietf-opsawg-pcapng) with two interfaces, `wire` and `stack`; every packet has its
direction, its queue and, as comment, the case it belongs to. No check sequence is in the frames.
"""

import re
import struct

from poolstack import cli

_LINE = re.compile(r"poolstack: frame (\d+) (rx|tx|up) (\d+) (\d+) (\d+) (\d+)(?: ([0-9a-f]*))?$")
ETHERNET = 1                        # LINKTYPE_ETHERNET
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
INBOUND, OUTBOUND = 1, 2
WHERE = {"rx": (0, INBOUND), "tx": (0, OUTBOUND), "up": (1, INBOUND)}
NAMES = ("wire", "stack")


def is_frame(line):
    """Whether a line of the log is a piece of a frame."""
    return "poolstack: frame " in line and bool(_LINE.search(line.rstrip()))


def frames(lines):
    """[(way, queue, ns, length, bytes)] in the order they were seen; a piece missing between is an error.

    Of the last frame of a kernel that died there may be less than its length.
    """
    found = {}
    for line in lines:
        match = _LINE.search(line.rstrip())
        if not match:
            continue
        number, length, offset = int(match[1]), int(match[5]), int(match[6])
        data = found.setdefault(number, (match[2], int(match[3]), int(match[4]), length, bytearray()))[-1]
        if len(data) != offset:
            raise cli.Stop(f"frame {number} of the log: {len(data)} bytes where {offset} were due: lines are lost",
                           cli.FAIL)
        try:
            data += bytes.fromhex(match[7] or "")
        except ValueError as error:
            raise cli.Stop(f"frame {number} of the log: {error}", cli.FAIL) from error
        if len(data) > length:
            raise cli.Stop(f"frame {number} of the log: longer than its {length} bytes", cli.FAIL)
    return [(*head, bytes(data)) for *head, data in found.values()]


def _padded(data):
    return data + bytes(-len(data) % 4)


def _options(*pairs):
    """Options (code, bytes) and their end."""
    return b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in pairs) + bytes(4)


def _block(kind, body):
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def head():
    """The section's header and its two interfaces, times in nanoseconds."""
    text = _block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name in NAMES:
        text += _block(INTERFACE, struct.pack("<HHI", ETHERNET, 0, 0) + _options((2, name.encode()), (9, b"\x09")))
    return text


def packet(way, queue, when, length, data, comment):
    """One enhanced packet block."""
    interface, direction = WHERE[way]
    body = struct.pack("<IIIII", interface, when >> 32, when & 0xFFFFFFFF, len(data), length) + _padded(data)
    return _block(PACKET, body + _options((1, comment.encode()), (2, struct.pack("<I", direction)),
                                          (6, struct.pack("<I", queue))))


def write(path, cases):
    """Write what the logs of these ktap.Case hold; returns the number of frames.

    Each boot begins at time 0, so a file of many boots has its frames case by case, not by time.
    """
    blocks = []
    for case in cases:
        blocks += [packet(*frame, f"{case.name} {case.param}".rstrip()) for frame in frames(case.log)]
    cli.atomic_write(path, head() + b"".join(blocks))
    return len(blocks)
