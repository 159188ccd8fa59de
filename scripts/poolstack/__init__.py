# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts in this repository share. Standard library only."""
