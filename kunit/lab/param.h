/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the lab: "poolstack.name" on the kernel command line, whichever
 * file they are in. Instead of linux/moduleparam.h, which would name them after
 * the file.
 */
#ifndef POOLSTACK_PARAM_H
#define POOLSTACK_PARAM_H

#include <linux/moduleparam.h>

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "poolstack."

#endif
