// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time: interrupts that wait for more frames. DELAY_INT_CFG of PDMA and QDMA has
 * a half for each direction: mtk_dim_rx(), mtk_dim_tx(). MT7621 and MT7628
 * programming guides, "PDMA": the interrupt comes when as many frames wait as
 * PINT says, or when the first of them has waited for PTIME units of 20 us; 0
 * switches a limit off.
 *
 * The lab's time stands still but for mtk_time_pass(). A pump stands for as long
 * as it takes: what waits comes at once, unless the case holds the clock.
 */
#include <linux/bitfield.h>
#include <linux/time64.h>

#include "mtk.h"

/* of a half of DELAY_INT_CFG */
#define DELAY_EN	BIT(15)
#define DELAY_PINT	GENMASK(14, 8)
#define DELAY_PTIME	GENMASK(7, 0)

#define PTIME_NS	(20ULL * NSEC_PER_USEC)

static struct mtk_held *held_of(struct lab_mtk *mtk, bool tx)
{
	return tx ? &mtk->tx_held : &mtk->rx_held;
}

/* Whether what waits has waited enough. As the register is now, not as it was. */
static bool due(struct lab_mtk *mtk, bool tx)
{
	const struct mtk_held *held = held_of(mtk, tx);
	const struct mtk_variant *v = mtk->variant;
	u32 at = tx ? v->tx_delay : v->rx_delay, half;

	/* a "done" that knows no delay */
	if (!at)
		return true;
	half = MTK_REG(mtk, at) >> (tx ? 16 : 0);
	if (!(half & DELAY_EN))
		return false;
	if (!mtk->time_held)
		return true;
	if (FIELD_GET(DELAY_PINT, half) && held->frames >= FIELD_GET(DELAY_PINT, half))
		return true;
	return FIELD_GET(DELAY_PTIME, half) &&
	       mtk->now - held->since >= FIELD_GET(DELAY_PTIME, half) * PTIME_NS;
}

static void look(struct lab_mtk *mtk, bool tx)
{
	const struct mtk_variant *v = mtk->variant;
	struct mtk_held *held = held_of(mtk, tx);

	if (!held->frames || !due(mtk, tx))
		return;
	held->frames = 0;
	MTK_REG(mtk, tx ? v->tx_status : v->rx_status) |= tx ? v->tx_done : v->rx_done;
}

/**
 * mtk_time_event() - a frame is done
 * @mtk: the engine.
 * @tx: transmitted, not received.
 */
void mtk_time_event(struct lab_mtk *mtk, bool tx)
{
	struct mtk_held *held = held_of(mtk, tx);

	if (!held->frames++)
		held->since = mtk->now;
	look(mtk, tx);
}

/* The engine is reset or stops: nothing waits. */
void mtk_time_forget(struct lab_mtk *mtk)
{
	mtk->rx_held.frames = 0;
	mtk->tx_held.frames = 0;
}

/**
 * mtk_time_pass() - let time go by
 * @ctrl: the engine.
 * @ns: nanoseconds.
 */
void mtk_time_pass(struct lab_ctrl *ctrl, u64 ns)
{
	struct lab_mtk *mtk = to_mtk(ctrl);

	mtk->now += ns;
	look(mtk, false);
	look(mtk, true);
}

/* From here on only mtk_time_pass() moves the clock; or a pump does again. */
void mtk_time_hold(struct lab_ctrl *ctrl, bool hold)
{
	to_mtk(ctrl)->time_held = hold;
	mtk_time_pass(ctrl, 0);
}
