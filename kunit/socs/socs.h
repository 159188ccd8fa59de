/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef POOLSTACK_SOCS_H
#define POOLSTACK_SOCS_H

#include "../lab/lab.h"

extern const struct lab_soc lab_fec_socs[];
extern const unsigned int lab_nr_fec_socs;
extern const struct lab_soc lab_mtk_socs[];
extern const unsigned int lab_nr_mtk_socs;

#define OVERLAY(name)				\
	.dtbo_begin = of_overlay_begin(name),	\
	.dtbo_end = of_overlay_end(name)

#endif
