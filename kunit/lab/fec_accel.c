// SPDX-License-Identifier: GPL-2.0-only
/*
 * The accelerator of an ENET: what it tells about a received frame, and the
 * checksums it puts into a transmitted one. IMX6DQRM "IP accelerator
 * functions", ENETx_RACC, ENETx_TACC, "Enhanced receive buffer descriptor"
 * and "Enhanced transmit buffer descriptor".
 */
#include <linux/unaligned.h>
#include <net/checksum.h>

#include "fec.h"
#include "packet.h"

/**
 * fec_accel_rx() - look at a received frame
 * @fec: the controller.
 * @frame: from the destination address on, without FCS.
 * @len: its length.
 * @ext: bits for the word at offset 8 of the descriptor.
 * @prot: the word after it: protocol and length of the headers.
 *
 * ICE and PCR are set for what is no IP and no known protocol, too.
 *
 * Return: true when the frame is to be discarded (RACC[IPDIS], RACC[PRODIS],
 * which work only with the receive FIFO in store and forward mode: RSFL 0).
 */
bool fec_accel_rx(struct lab_fec *fec, u8 *frame, u32 len, u32 *ext, u32 *prot)
{
	bool storing = !FEC_REG(fec, REG_RSFL), bad_head = false, bad_proto = false;
	u32 racc = FEC_REG(fec, REG_RACC), at;
	struct lab_packet p;

	lab_parse(&p, frame, len);
	*ext = 0;
	*prot = 0;
	if (p.vlan)
		*ext |= BD_RX_VLAN;
	if (p.ip6)
		*ext |= BD_RX_IPV6;
	if (p.fragment)
		*ext |= BD_RX_FRAG;
	if (!p.ip && !p.ip6) {
		*ext |= BD_RX_ICE | BD_RX_PCR;
		return false;
	}
	*prot = (u32)(p.head_len / 4) << 27 | p.proto << 16;
	if (p.ip && ip_fast_csum(p.l3, p.head_len / 4)) {
		*ext |= BD_RX_ICE;
		bad_head = true;
	}
	at = lab_sum_at(&p);
	if (at)
		bad_proto = !lab_proto_ok(&p, at);
	if (!at || bad_proto)
		*ext |= BD_RX_PCR;
	return storing && ((bad_head && racc & RACC_IPDIS) || (bad_proto && racc & RACC_PRODIS));
}

/**
 * fec_accel_tx() - put the checksums into a frame
 * @fec: the controller.
 * @frame: to be sent.
 * @len: its length.
 * @ext: word at offset 8 of its descriptors: BD_TX_IINS, BD_TX_PINS.
 *
 * The fields must be zero before, and the transmit FIFO in store and forward
 * mode (TFWR[STRFWD]), or the frame goes as it is.
 */
void fec_accel_tx(struct lab_fec *fec, u8 *frame, u32 len, u32 ext)
{
	struct lab_packet p;
	u32 at;

	if (!(FEC_REG(fec, REG_TFWR) & TFWR_STRFWD))
		return;
	lab_parse(&p, frame, len);
	if (ext & BD_TX_IINS && p.ip)
		put_unaligned(ip_fast_csum(p.l3, p.head_len / 4), (__sum16 *)(p.l3 + 10));
	at = p.ip || p.ip6 ? lab_sum_at(&p) : 0;
	if (!(ext & BD_TX_PINS) || !at)
		return;
	lab_put_sum(&p, at);
}
