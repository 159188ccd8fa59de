# SPDX-License-Identifier: GPL-2.0-only
"""What iperf3's JSON says, or one line on why it says nothing."""

import json

from poolstack import cli


def parse(text, where):
    """The report as a dict; broken, doubled or failed reports are refused. where: for the complaint."""
    if not text.strip():
        raise cli.Failed(f"iperf3 printed nothing: {where}")
    try:
        report = json.loads(text)
    except ValueError as error:
        short = error.pos >= len(text.rstrip()) - 1 or not text.rstrip().endswith("}")
        raise cli.Failed(f"iperf3's JSON is {'cut short' if short else 'broken'} ({error}): {where}") from error
    if not isinstance(report, dict):
        raise cli.Failed(f"iperf3's JSON is no report: {where}")
    if report.get("error"):
        raise cli.Failed(f"iperf3: {report['error']}: {where}")
    if not report.get("end") or not report.get("start"):
        raise cli.Failed(f"iperf3's JSON has no result: {where}")
    return report


def _number(report, where, *names):
    value = report
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise cli.Failed(f"iperf3's JSON has no {'.'.join(names)}: {where}")
    return value


def server(report):
    """The server's own report, as --get-server-output brings it, or {}."""
    return report.get("server_output_json") or {}


def versions(report):
    """(client's, server's) version; the server's is '' if it did not tell."""
    return (report["start"].get("version", ""), server(report).get("start", {}).get("version", ""))


def received_mbps(report, where):
    """Mbit/s at the receiver, warm-up left out."""
    end = report["end"]
    total = "sum_received" if "sum_received" in end else "sum"
    rate = _number(report, where, "end", total, "bits_per_second") / 1e6
    if rate <= 0:
        raise cli.Failed(f"iperf3 received nothing: {where}")
    return rate


def udp(report, where):
    """(Mbit/s received, per cent lost). Both ends' figures must agree that something arrived.

    The client sends; what was lost only the server knows, and it tells in the report's total.
    """
    lost = _number(report, where, "end", "sum", "lost_percent")
    if _number(report, where, "end", "sum", "packets") <= 0 or lost >= 100:
        raise cli.Failed(f"iperf3 received nothing: {where}")
    if "sum_received" in report["end"]:
        return received_mbps(report, where), lost
    return _number(report, where, "end", "sum", "bits_per_second") / 1e6 * (100 - lost) / 100, lost
