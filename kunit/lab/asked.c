// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much memory the driver asks for, and in how large blocks: seam.h again.
 */
#include <linux/mm.h>

#include "nic.h"
#include "seam.h"

void lab_asked_from_here(struct lab_nic *nic)
{
	struct lab_site * const *at;
	unsigned int sites = 0;

	lab_for_each_site(at) {
		atomic64_set(&(*at)->bytes, 0);
		WRITE_ONCE((*at)->largest, 0);
		sites += (*at)->buffer;
	}
	KUNIT_ASSERT_GT_MSG(nic->test, sites, 0, "the driver has no place that takes a buffer");
}

void lab_asked(struct lab_nic *nic, struct lab_asked *asked)
{
	struct lab_site * const *at;

	*asked = (struct lab_asked){};
	lab_for_each_site(at) {
		unsigned int order = (*at)->largest ? get_order((*at)->largest) : 0;

		asked->order = max(asked->order, order);
		if (!(*at)->buffer)
			continue;
		asked->buffer_order = max(asked->buffer_order, order);
		asked->buffer_bytes += atomic64_read(&(*at)->bytes);
	}
}
