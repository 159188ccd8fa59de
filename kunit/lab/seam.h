/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seam between a driver and what may fail it. Not for suites.
 *
 * The build of the lab puts this file in front of the driver's source (-include,
 * see HOOKS in scripts/poolstack/trees.py), which stays as it is: each call of
 * a function that allocates, maps or brings up becomes a place of its own that
 * counts, and that can be told to fail (lab_inject.h). The kernel's own fault
 * injection tells tasks apart, not places, and does not reach a softirq by
 * task.
 *
 * Each macro has the name of the function or macro it stands in front of. The
 * headers are read first, so that it meets calls only. What a place returns
 * when it fails is what its function returns without memory.
 */
#ifndef POOLSTACK_SEAM_H
#define POOLSTACK_SEAM_H

/* of the SoC at hand: one kernel has them all, see mtk.c */
extern unsigned int lab_net_ip_align;

#include <linux/clk.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/genalloc.h>
#include <linux/of_mdio.h>
#include <linux/phy.h>
#include <linux/pm_runtime.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/page_pool/helpers.h>
#include <net/xdp.h>
#include <net/xdp_sock_drv.h>

/**
 * struct lab_site - a place in the driver that calls what may fail
 * @what: the function it calls.
 * @func: the function it stands in.
 * @line: and its line.
 * @memory: it wants memory, or address space of the device.
 * @buffer: the memory is for frames to be received.
 * @calls: how often it was reached since the count began.
 * @bytes: what it wanted since the count began, where its size is known.
 * @largest: and the most at once.
 */
struct lab_site {
	const char *what;
	const char *func;
	int line;
	bool memory;
	bool buffer;
	atomic_t calls;
	atomic64_t bytes;
	size_t largest;
};

bool lab_site_fails(struct lab_site *site, size_t bytes);

#define LAB_SITE(name, is_memory, is_buffer, size, call, failed)		\
({										\
	static struct lab_site lab_site_ = {					\
		.what = name, .func = __func__, .line = __LINE__,		\
		.memory = is_memory, .buffer = is_buffer,			\
	};									\
	static struct lab_site * const lab_site_at_ __used			\
		__section("lab_sites") = &lab_site_;				\
	lab_site_fails(&lab_site_, size) ? (failed) : (call);			\
})

#define LAB_OTHER(name, call, failed)	LAB_SITE(name, false, false, 0, call, failed)
#define LAB_SEAM(name, call, failed)	LAB_SITE(name, true, false, 0, call, failed)
#define LAB_ALLOC(name, size, call, failed) \
	LAB_SITE(name, true, false, size, call, failed)
#define LAB_BUFFER(name, size, call, failed) \
	LAB_SITE(name, true, true, size, call, failed)

#undef kmalloc
#define kmalloc(size, flags) \
	LAB_ALLOC("kmalloc", size, alloc_hooks(kmalloc_noprof(size, flags)), NULL)
#undef kzalloc
#define kzalloc(size, flags) \
	LAB_ALLOC("kzalloc", size, alloc_hooks(kzalloc_noprof(size, flags)), NULL)

#undef kcalloc
#define kcalloc(n, size, flags) \
	LAB_ALLOC("kcalloc", array_size(n, size), \
		  alloc_hooks(kmalloc_array_noprof(n, size, (flags) | __GFP_ZERO)), NULL)

#define page_pool_create(params) \
	LAB_SEAM("page_pool_create", page_pool_create(params), ERR_PTR(-ENOMEM))
#define page_pool_dev_alloc_pages(pool) \
	LAB_BUFFER("page_pool_dev_alloc_pages", PAGE_SIZE << (pool)->p.order, \
		   page_pool_dev_alloc_pages(pool), NULL)
#define page_pool_alloc_pages(pool, flags) \
	LAB_BUFFER("page_pool_alloc_pages", PAGE_SIZE << (pool)->p.order, \
		   page_pool_alloc_pages(pool, flags), NULL)
#define xsk_buff_alloc(pool) \
	LAB_SEAM("xsk_buff_alloc", xsk_buff_alloc(pool), NULL)
#define xsk_pool_dma_map(pool, dev, attrs) \
	LAB_SEAM("xsk_pool_dma_map", xsk_pool_dma_map(pool, dev, attrs), -ENOMEM)

#define build_skb(data, size) \
	LAB_SEAM("build_skb", build_skb(data, size), NULL)
#define napi_build_skb(data, size) \
	LAB_SEAM("napi_build_skb", napi_build_skb(data, size), NULL)
#define napi_alloc_skb(napi, len) \
	LAB_SEAM("napi_alloc_skb", napi_alloc_skb(napi, len), NULL)
#define netdev_alloc_skb(dev, len) \
	LAB_SEAM("netdev_alloc_skb", netdev_alloc_skb(dev, len), NULL)

#define netdev_alloc_frag(size) \
	LAB_BUFFER("netdev_alloc_frag", size, netdev_alloc_frag(size), NULL)
#define napi_alloc_frag(size) \
	LAB_BUFFER("napi_alloc_frag", size, napi_alloc_frag(size), NULL)
#undef __get_free_pages
#define __get_free_pages(gfp, order) \
	LAB_BUFFER("__get_free_pages", PAGE_SIZE << (order), \
		   alloc_hooks(get_free_pages_noprof(gfp, order)), 0)
#undef skb_frag_dma_map
#define skb_frag_dma_map(dev, frag, offset, size, dir) \
	LAB_SEAM("skb_frag_dma_map", __skb_frag_dma_map(dev, frag, offset, size, dir), \
		 DMA_MAPPING_ERROR)

#undef dma_map_single
#define dma_map_single(dev, ptr, size, dir) \
	LAB_SEAM("dma_map_single", dma_map_single_attrs(dev, ptr, size, dir, 0), \
		 DMA_MAPPING_ERROR)
#undef dma_map_page
#define dma_map_page(dev, page, off, size, dir) \
	LAB_SEAM("dma_map_page", dma_map_page_attrs(dev, page, off, size, dir, 0), \
		 DMA_MAPPING_ERROR)
#define dma_alloc_coherent(dev, size, handle, gfp) \
	LAB_ALLOC("dma_alloc_coherent", size, dma_alloc_coherent(dev, size, handle, gfp), NULL)
#undef devres_alloc
#define devres_alloc(release, size, gfp) \
	LAB_SEAM("devres_alloc", \
		 __devres_alloc_node(release, size, gfp, NUMA_NO_NODE, #release), NULL)

#define gen_pool_alloc(pool, size) \
	LAB_SEAM("gen_pool_alloc", gen_pool_alloc(pool, size), 0)
#define __xdp_rxq_info_reg(rxq, dev, queue, napi_id, frag_size) \
	LAB_SEAM("__xdp_rxq_info_reg", \
		 __xdp_rxq_info_reg(rxq, dev, queue, napi_id, frag_size), -ENOMEM)
#define xdp_rxq_info_reg(rxq, dev, queue, napi_id) \
	LAB_SEAM("xdp_rxq_info_reg", xdp_rxq_info_reg(rxq, dev, queue, napi_id), -ENOMEM)
#define xdp_rxq_info_reg_mem_model(rxq, type, allocator) \
	LAB_SEAM("xdp_rxq_info_reg_mem_model", \
		 xdp_rxq_info_reg_mem_model(rxq, type, allocator), -ENOMEM)

#define alloc_etherdev_mqs(size, txqs, rxqs) \
	LAB_SEAM("alloc_etherdev_mqs", alloc_etherdev_mqs(size, txqs, rxqs), NULL)
#define mdiobus_alloc() \
	LAB_SEAM("mdiobus_alloc", mdiobus_alloc(), NULL)
#define clk_prepare_enable(clk) \
	LAB_OTHER("clk_prepare_enable", clk_prepare_enable(clk), -EIO)
#define pm_runtime_resume_and_get(dev) \
	LAB_OTHER("pm_runtime_resume_and_get", pm_runtime_resume_and_get(dev), -EIO)
#define of_phy_connect(dev, node, handler, flags, mode) \
	LAB_OTHER("of_phy_connect", of_phy_connect(dev, node, handler, flags, mode), NULL)
#define phy_connect_direct(dev, phy, handler, mode) \
	LAB_OTHER("phy_connect_direct", phy_connect_direct(dev, phy, handler, mode), -ENODEV)

/*
 * The linker collects what is put into section lab_sites. Weak: without the
 * seam the kernel links, and the suites that need places say so.
 */
extern struct lab_site * const __start_lab_sites[] __weak;
extern struct lab_site * const __stop_lab_sites[] __weak;

#define lab_for_each_site(at)	\
	for (at = __start_lab_sites; at < __stop_lab_sites; at++)

#endif
