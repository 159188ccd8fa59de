# SPDX-License-Identifier: GPL-2.0-only
"""The metrics that results may carry."""

# What the counters mean: unit and which way is better. Per frame unless the unit says otherwise.
METRICS = {
    "dma_lines_for_device": ("64-byte lines", "lower"),
    "dma_lines_for_cpu": ("64-byte lines", "lower"),
    "dma_sync_calls": ("calls", "lower"),
    "dma_empty_syncs": ("calls", "lower"),
    "dma_maps": ("calls", "lower"),
    "mmio_writes": ("writes", "lower"),
    "mmio_reads": ("reads", "lower"),
    "link_events": ("events", "lower"),
    "page_allocs": ("pages", "lower"),
    "pages_recycled": ("pages", "info"),
    "recycle_cached_share": ("of recycled", "higher"),
    "rx_bytes_per_descriptor": ("bytes", "lower"),
    "rx_bytes_per_open": ("bytes", "lower"),
    "rx_page_order": ("order", "lower"),
    "open_page_order": ("order", "lower"),
    "insns": ("instructions", "lower"),
    "insns_driver": ("instructions", "lower"),
    "cache_ops": ("operations", "lower"),
    "ns": ("ns", "lower"),
    "pps": ("frames/s", "higher"),
    "mbps": ("Mbit/s", "higher"),
}
# A share, and the count that it is a share of: where that is 0 there is rightly no share.
SHARE_OF = {"recycle_cached_share": "pages_recycled"}
# Metrics that measure time: from an emulator they say nothing about a board's speed.
TIMES = ("ns", "pps", "mbps")
# Column heads where many metrics stand side by side.
SHORT = {
    "dma_lines_for_device": "lines to dev", "dma_lines_for_cpu": "lines to CPU", "dma_sync_calls": "syncs",
    "dma_empty_syncs": "empty syncs", "dma_maps": "maps", "mmio_writes": "MMIO writes", "mmio_reads": "MMIO reads", "link_events": "link events",
    "page_allocs": "pages", "pages_recycled": "recycled", "recycle_cached_share": "cached share", "rx_bytes_per_descriptor": "bytes/descr.",
    "rx_bytes_per_open": "bytes/open", "rx_page_order": "buffer order", "open_page_order": "open order",
}
