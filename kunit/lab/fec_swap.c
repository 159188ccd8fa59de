// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames in big-endian words. MCIMX28RM, chapter ENET: the DMA moves words of
 * 32 bits with the first byte of the frame in the most significant place, and
 * a little-endian CPU finds it last. The last word of a buffer moves whole.
 */
#include <linux/swab.h>
#include <linux/unaligned.h>

#include "fec.h"

static void swap_words(u8 *buf, u32 len)
{
	u32 i;

	for (i = 0; i < len; i += 4)
		put_unaligned(swab32(get_unaligned((u32 *)(buf + i))), (u32 *)(buf + i));
}

/**
 * fec_swap_write() - order bytes as the DMA writes them
 * @fec: the controller.
 * @buf: a frame, with room for a whole last word.
 * @len: its bytes.
 *
 * Return: bytes to write.
 */
u32 fec_swap_write(struct lab_fec *fec, u8 *buf, u32 len)
{
	u32 whole = round_up(len, 4);

	if (!fec->variant->swap)
		return len;
	memset(buf + len, 0xd7, whole - len);	/* any value, says the manual */
	swap_words(buf, whole);
	return whole;
}

/**
 * fec_swap_read() - read a transmit buffer
 * @fec: the controller.
 * @addr: bus address of the buffer.
 * @buf: destination, with room for a whole last word.
 * @len: its bytes.
 *
 * The rest of the last word lies in the line of the last byte, since buffers
 * are aligned: what was written there was cleaned with that byte, though it is
 * not part of the mapping.
 */
void fec_swap_read(struct lab_fec *fec, u32 addr, u8 *buf, u32 len)
{
	enum dma_data_direction dir;
	u8 *cpu;

	lab_dma_read(fec->ctrl.dma, addr, buf, len);
	if (!fec->variant->swap)
		return;
	cpu = lab_dma_cpu(fec->ctrl.dma, addr, &dir);
	if (cpu)
		memcpy(buf + len, cpu + len, round_up(len, 4) - len);
	swap_words(buf, round_up(len, 4));
}
