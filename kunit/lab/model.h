/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the author of a controller model needs, beside dma.h.
 *
 * A model knows the hardware: its registers (mmio.c hands it every access),
 * its descriptors and buffers (dma.c), its interrupt line. It never calls the
 * driver and never looks into the driver's structures. A register access only
 * changes the model's state; the model acts when the lab pumps it.
 */
#ifndef POOLSTACK_MODEL_H
#define POOLSTACK_MODEL_H

#include <linux/xarray.h>

#include "dma.h"

struct device;
struct lab_ctrl;

/* ---- registers ---------------------------------------------------------- */

#define LAB_MMIO_WINDOWS	4
#define LAB_MMIO_BASE		0x2000000000ULL
#define LAB_MMIO_STRIDE		0x100000
#define LAB_MMIO_SIZE		0x40000

struct lab_mmio_ops {
	u32 (*read)(void *priv, unsigned int off);
	void (*write)(void *priv, unsigned int off, u32 val);
};

/**
 * struct lab_mmio - a register window
 * @ops: what answers, NULL for a window that nobody models.
 * @priv: its state.
 * @reads: read accesses, with the clock on or off.
 * @writes: write accesses, the same.
 * @gated: accesses with the clock off, which reach no register.
 * @written: called after each write, as the CPU goes on; NULL for nothing.
 * @arg: its argument.
 */
struct lab_mmio {
	const struct lab_mmio_ops *ops;
	void *priv;
	u64 reads, writes, gated;
	void (*written)(void *arg);
	void *arg;
};

int lab_mmio_init(void);
struct lab_mmio *lab_mmio_claim(unsigned int window, const struct lab_mmio_ops *ops,
				void *priv);

/* ---- interrupts and clocks ---------------------------------------------- */

#define LAB_IRQS	8
#define LAB_CLKS	32
/* of all of them, in Hz: fec needs MDC at 2.5 MHz out of a divider of at most 64 */
#define LAB_CLK_RATE	66000000

int lab_irq_init(struct device *dev);
void lab_irq_exit(void);
int lab_irq_of(unsigned int hwirq);
bool lab_irq_raise(unsigned int hwirq);

int lab_clk_init(struct device *dev);
bool lab_clk_running(void);
unsigned int lab_clks_on(void);

/* cables that a GPIO tells of, and the interrupt line of the first */
#define LAB_CABLES	3
#define LAB_CABLE_IRQ	5

int lab_gpio_init(struct device *dev);
void lab_gpio_cable(unsigned int cable, bool in);
void lab_gpio_tell(unsigned int cable);

/* blocks of system registers: those beside MediaTek's Ethernet */
#define LAB_SYSCONS	5

int lab_syscon_init(void);

int lab_board_init(void);
int lab_reset_init(struct device *dev);
void lab_reset_wire(struct lab_ctrl *ctrl);

/* dma_debug.c */
bool lab_dma_debug_again(void);

/* ---- the controller ----------------------------------------------------- */

struct lab_rx_flags;

/**
 * struct lab_buffer - the buffer a receive queue fills next
 * @addr: as the driver gave it.
 * @len: how much the controller may write there.
 * @armed: descriptors of the queue that hold a buffer.
 */
struct lab_buffer {
	dma_addr_t addr;
	u32 len;
	unsigned int armed;
};

/**
 * struct lab_ctrl_ops - a model of a controller
 * @name: e.g. "fec".
 * @power_on: reset everything for this SoC and return the controller. The
 *	model keeps one instance; it is not in use by another case.
 * @reset: the reset line of the board was asserted.
 * @deliver: a frame arrives from the wire; see lab_try_send() for the result.
 * @receive: the same with what happens to it on the way; see lab_send_with().
 * @settle: update the descriptors that are late; returns how many frames.
 * @class_of: the receive queue that the controller's classifier chooses.
 * @begin: start to transmit, and leave the last frame of each queue in flight.
 * @spoil: let the next frames fail on their way out.
 * @time_hold: stop the clock of the model but for @time_pass.
 * @time_pass: let time go by, in ns.
 * @transmit: send what is ready, hand each frame to lab_wire_out(); returns
 *	whether there was anything.
 * @wake: a frame arrives while the system sleeps; an interrupt is all that comes
 *	of it.
 * @irq_lines: the interrupt lines that are up: bit n is line &lab_ctrl.hwirq + n.
 * @next_buffer: describe the buffer that @queue fills next; -ENOENT if none is
 *	armed.
 * @holds: whether an armed buffer lies in this range, so that the controller
 *	may still write to it.
 * @forge_length: change the length in the descriptor filled last.
 * @hang: stand still until the driver resets the controller.
 * @hangs: it does.
 * @xdp_ends: names of the driver's ethtool counters that count received frames
 *	which did not go to the stack, NULL terminated; the gate adds them up.
 * @keeps_counters: the driver does not begin them anew when it is opened.
 * @reopens: the driver closes and opens the interface by itself for a reset, and for
 *	a program; without memory it stays closed.
 * @mtu_live: the driver lets the MTU change while the interface is open.
 *
 * What a controller cannot do is NULL; the generators of the cases that want it
 * give no SoC with it.
 */
struct lab_ctrl_ops {
	const char *name;
	struct lab_ctrl *(*power_on)(const struct lab_soc *soc, struct lab_dma *dma);
	void (*reset)(struct lab_ctrl *ctrl);
	int (*deliver)(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len);
	int (*receive)(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len,
		       const struct lab_rx_flags *with);
	unsigned int (*settle)(struct lab_ctrl *ctrl);
	unsigned int (*class_of)(struct lab_ctrl *ctrl, const u8 *frame, u32 len);
	void (*begin)(struct lab_ctrl *ctrl);
	void (*spoil)(struct lab_ctrl *ctrl, unsigned int frames);
	void (*time_hold)(struct lab_ctrl *ctrl, bool hold);
	void (*time_pass)(struct lab_ctrl *ctrl, u64 ns);
	bool (*transmit)(struct lab_ctrl *ctrl);
	void (*wake)(struct lab_ctrl *ctrl, const u8 *frame, u32 len);
	u32 (*irq_lines)(struct lab_ctrl *ctrl);
	int (*next_buffer)(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf);
	bool (*holds)(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size);
	void (*forge_length)(struct lab_ctrl *ctrl, unsigned int queue, u16 len);
	void (*hang)(struct lab_ctrl *ctrl);
	bool (*hangs)(struct lab_ctrl *ctrl);
	const char * const *xdp_ends;
	bool keeps_counters;
	bool reopens;
	bool mtu_live;
};

struct lab_wire;
struct lab_late;

/**
 * struct lab_ctrl - what every model has; embedded in its own structure
 * @ops: the model.
 * @soc: the SoC it is powered on as.
 * @dma: memory.
 * @mmio: its registers.
 * @hwirq: first of its lines of the lab's interrupt controller.
 * @irqs: interrupts taken.
 * @wire: where transmitted frames go, set by the fixture.
 * @free: it acts beside the driver: accesses of two CPUs interleave.
 * @late: whether and when the controller is late, set by the fixture.
 */
struct lab_ctrl {
	const struct lab_ctrl_ops *ops;
	const struct lab_soc *soc;
	struct lab_dma *dma;
	struct lab_mmio *mmio;
	unsigned int hwirq;
	u64 irqs;
	struct lab_wire *wire;
	bool free;
	struct lab_late *late;
};

extern const struct lab_ctrl_ops lab_fec_ops;
extern const struct lab_ctrl_ops lab_mtk_ops;

/* owned.c; with the controller's lock held */
struct lab_owned {
	struct xarray at;
};

void lab_owned_init(struct lab_owned *owned);
void lab_owned_forget(struct lab_owned *owned);
bool lab_own(struct lab_owned *owned, dma_addr_t addr);
bool lab_disown(struct lab_owned *owned, dma_addr_t addr);
bool lab_owns(struct lab_owned *owned, dma_addr_t addr, size_t size);

/*
 * ctrl.c: the lock, which whoever calls an operation through ->ops holds, and
 * the operations that several files need, under it.
 */
void lab_ctrl_lock(void);
void lab_ctrl_unlock(void);
int lab_ctrl_deliver(struct lab_ctrl *ctrl, unsigned int queue, const u8 *frame, u32 len);
bool lab_ctrl_transmit(struct lab_ctrl *ctrl);
bool lab_ctrl_irq_level(struct lab_ctrl *ctrl);
bool lab_ctrl_raise(struct lab_ctrl *ctrl);
bool lab_ctrl_raise_some(struct lab_ctrl *ctrl, u32 lines);
int lab_ctrl_next_buffer(struct lab_ctrl *ctrl, unsigned int queue, struct lab_buffer *buf);
bool lab_ctrl_holds(struct lab_ctrl *ctrl, dma_addr_t addr, size_t size);
void lab_ctrl_forge_length(struct lab_ctrl *ctrl, unsigned int queue, u16 len);

/* for models: see ctrl.c */
void lab_ctrl_pause(struct lab_ctrl *ctrl);

/* what the controller does not get to in a round */
#define LAB_SKIP_TRANSMIT	BIT(0)
#define LAB_SKIP_IRQ		BIT(1)
#define LAB_SKIP_RECEIVE	BIT(2)
/* interrupt lines that another CPU takes, a mask */
#define LAB_SKIP_LINES(lines)	((lines) << 8)

bool lab_ctrl_step(struct lab_ctrl *ctrl, unsigned int skip);

/* ---- the wire ----------------------------------------------------------- */

/**
 * struct lab_wire - frames that left the driver, on one side
 * @way: its name in a capture, see pcap.h.
 * @lock: protects the rest, any context.
 * @frames: kept, oldest first.
 * @count: all that ever came.
 * @lost: of these, not kept for want of memory.
 * @keep: false: count only.
 * @out: called with each frame, any context, the controller's lock held; NULL
 *	for nothing.
 * @arg: its argument.
 */
struct lab_wire {
	const char *way;
	spinlock_t lock;		/* see above */
	struct list_head frames;
	u64 count, lost;
	bool keep;
	void (*out)(void *arg, const u8 *data, u32 len);
	void *arg;
};

void lab_wire_init(struct lab_wire *wire, const char *way);
void lab_wire_out(struct lab_wire *wire, unsigned int queue, const u8 *data, u32 len);
void lab_wire_out_marked(struct lab_wire *wire, unsigned int queue, const u8 *data, u32 len,
			 const struct lab_marks *marks);
void lab_wire_tally(struct lab_wire *wire);
struct lab_frame *lab_wire_take(struct lab_wire *wire);
void lab_wire_flush(struct lab_wire *wire);

#endif
