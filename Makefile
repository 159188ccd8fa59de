# SPDX-License-Identifier: GPL-2.0-only
#
# Thin targets: every one calls a script that works on its own (-h tells).
# Values come in as make variables and reach the scripts through the
# environment, never through the text of a recipe, so that no value is ever
# parsed by the shell.

BOARD ?= $(if $(WALK)$(VARIANTS),lab-fec,lab-fec imx8mp-evk-qemu)
SIDES ?= base patched
SIDE ?= patched
RUNS ?= 5
FILTER ?= *

SEED ?= 1
STEPS ?= 10000

export BOARD FILTER KEEP KSRC ONLY PCAP RUNS SEED SIDE SIDES SOC STEPS TOPIC TREE VARIANT VARIANTS WALK
export SIGN_OFF OUT

.PHONY: help bench test kunit mutants storm nightly coverage affected apply refresh check submit packages
.DEFAULT_GOAL := help

help:
	@sed -n 's/^## //p' Makefile

## make bench        base against patched, from nothing: lab and emulated board, comparison printed
##                   BOARD="lab-fec imx8mp-evk-qemu" SIDES="base patched" RUNS=5 [KSRC=DIR|URL]
##                   SIDES="base mine" KSRC=DIR benches your own driver edits
##                   BOARD=lab-mtk-mt7986|lab-mtk-mt7621|lab-fec-imx6q: with iperf3 and XDP over the driver on its model
##                   WALK=fec-fixes: the stack up to each patch of a topic; which moved what (BOARD=lab-fec)
##                   VARIANTS=xdp-tx: other ways to do one thing, bench/variants, side by side (BOARD=lab-fec)
bench: packages
	@bench/run --board "$$BOARD" --sides "$$SIDES" --runs "$$RUNS" $${WALK:+--walk "$$WALK"} \
		$${VARIANTS:+--variants "$$VARIANTS"} \
		$${KSRC:+--ksrc "$$KSRC"}

## make test         everything CI checks, from nothing; last line 'N passed, N failed, N skipped'
test: packages
	@scripts/test

## make kunit        the lab alone, KTAP out: SIDE=base|patched|mine FILTER='fec*' [SOC=imx6q]
##                   [VARIANT=kasan|lockdep|dma-debug|smp] [KSRC=DIR] [SEED=7] [PCAP=frames.pcapng]
kunit: packages
	@scripts/kunit --side "$$SIDE" --filter "$$FILTER" $${SOC:+--soc "$$SOC"} \
		$${VARIANT:+--variant "$$VARIANT"} $${KSRC:+--ksrc "$$KSRC"} --seed "$$SEED" $${PCAP:+--pcap "$$PCAP"}

## make mutants      small wrong patches; each must turn its case red or move its figure: [ONLY=name]
mutants: packages
	@scripts/mutants $${ONLY:+--only "$$ONLY"}

## make coverage     lines of the driver that the suites reach; each other one must have its reason
coverage: packages
	@scripts/coverage

## make affected     am I hit? faults of the unpatched driver by SoC, cache and first release
affected: packages
	@scripts/affected

## make storm        a random walk over all that happens to an interface; one that goes wrong is cut short
##                   SEED=1 STEPS=10000 [SOC=imx6sx] [SIDE=base|patched|mine] [VARIANT=…] [KEEP=0-3,17]
storm: packages
	@scripts/storm --side "$$SIDE" --seed "$$SEED" --steps "$$STEPS" $${SOC:+--soc "$$SOC"} \
		$${VARIANT:+--variant "$$VARIANT"} $${KEEP:+--keep "$$KEEP"} $${KSRC:+--ksrc "$$KSRC"}

## make nightly      the long form of make test: storms of 10,000 steps, every variant, every mutant, coverage
nightly: packages
	@bad=; scripts/test || bad="$$bad test"; \
	scripts/storm --side patched --seed "$$SEED" --steps "$$STEPS" || bad="$$bad storm"; \
	for filter in 'fec*' 'mtk*'; do \
		scripts/kunit --side patched --long --filter "$$filter" || bad="$$bad long"; \
	done; \
	for variant in kasan lockdep dma-debug smp; do \
		scripts/kunit --side patched --variant "$$variant" || bad="$$bad $$variant"; \
	done; \
	scripts/mutants || bad="$$bad mutants"; \
	scripts/coverage || bad="$$bad coverage"; \
	echo "nightly: $${bad:+failed:}$${bad:-passed}"; [ -z "$$bad" ]

## make apply        git am onto your clone of net or net-next: TREE=DIR [TOPIC=fec-fixes]
apply:
	@scripts/apply $${TOPIC:+--topic "$$TOPIC"} -- "$${TREE:?TREE=DIR names the kernel tree to apply to}"

## make refresh      an edited kernel branch back into patches/: TREE=DIR TOPIC=fec-fixes
refresh:
	@scripts/refresh --topic "$${TOPIC:?TOPIC= names the topic}" -- "$${TREE:?TREE=DIR names the kernel tree to read}"

## make check        checkpatch --strict, W=1 on arm64, arm, x86 and m68k, sparse, every patch builds;
##                   TOPIC=fec-fixes: and the lab runs after each patch of that topic
check: packages
	@scripts/check $${TOPIC:+--topic "$$TOPIC"}

## make submit       b4 branch and a dry run of the mails in a folder, sends nothing:
##                   TREE=DIR TOPIC=fec-fixes [OUT=DIR] [SIGN_OFF=1]
submit: packages
	@scripts/submit --topic "$${TOPIC:?TOPIC= names the topic}" $${OUT:+--out "$$OUT"} \
		$${SIGN_OFF:+--sign-off} -- "$${TREE:?TREE=DIR names your clone of net or net-next}"

## make packages     installs what is missing from Debian, or says the apt line
packages:
	@scripts/packages
