# SPDX-License-Identifier: GPL-2.0-only
# What the workloads do on the board itself. Sourced by init; a real board sources it
# too. Each function ends with 0, or says on one line what is wrong.

port=eth0
statistics=/sys/class/net/$port/statistics
objects=${objects:-/bench}		# the compiled programs of bench/bpf

# agent TTY: run what the host asks for there. It writes lines "ID COMMAND"; the
# answer is a line "@begin ID", what COMMAND printed, and a line "@end ID EXITCODE".
agent()
{
	local id command

	exec 3<>"$1"
	stty -F "$1" raw -echo
	printf '\n@ready\n' >&3
	while read -r id command <&3; do
		printf '@begin %s\n' "$id" >&3
		(eval "$command") </dev/null >&3 2>&1 3>&-
		printf '\n@end %s %s\n' "$id" "$?" >&3
	done
}

fail()
{
	echo "$*"
	return 1
}

# port_up ADDRESS/PREFIX: bring the port up, wait for its link
port_up()
{
	ip link set lo up
	ip link set "$port" up || return
	ip addr replace "$1" dev "$port" || return
	port_carrier
}

port_carrier()
{
	local i=0

	while [ "$(cat /sys/class/net/$port/carrier 2>/dev/null)" != 1 ]; do
		i=$((i + 1))
		[ $i -le 100 ] || { fail "$port: no link within 10 s"; return; }
		sleep 0.1
	done
}

# attach PROGRAM: native XDP program bench/bpf/PROGRAM.c on the port
attach()
{
	detach
	if [ "$1" = redirect ]; then
		redirect_path || return
	fi
	ip link set dev "$port" xdpdrv obj "$objects/$1.o" section xdp || return
	port_carrier
}

# The port has no second one to redirect to: a veth pair stands in for it, and
# what reaches the far end is redirected back into the port (ndo_xdp_xmit).
redirect_path()
{
	ip link add veth0 index 100 type veth peer name veth1 || return
	ip link set veth0 up && ip link set veth1 up || return
	[ "$(cat /sys/class/net/$port/ifindex)" = 2 ] ||
		{ fail "$port: ifindex is not 2, bench/bpf/back.c wants that"; return; }
	ip link set dev veth1 xdpdrv obj "$objects/back.o" section xdp
}

detach()
{
	ip link set dev "$port" xdpdrv off
	[ ! -e /sys/class/net/veth0 ] || ip link del veth0
}

# router ADDRESS/PREFIX: route between the port's network and a second one on it
router()
{
	ip addr replace "$1" dev "$port" || return
	# both stations are on one wire: they would be told to talk without us
	for name in all "$port"; do
		echo 0 >/proc/sys/net/ipv4/conf/$name/send_redirects || return
	done
	echo 1 >/proc/sys/net/ipv4/ip_forward
}

# updown ROUNDS: close and open; prints MemAvailable in kB before and after
updown()
{
	local i=0

	# The first rounds fill caches that stay (slab, per-CPU lists)
	while [ $i -lt 5 ]; do
		ip link set "$port" down && ip link set "$port" up || return
		i=$((i + 1))
	done
	available
	i=0
	while [ $i -lt "$1" ]; do
		ip link set "$port" down && ip link set "$port" up || return
		i=$((i + 1))
	done
	available
	port_carrier
}

available()
{
	sleep 0.5			# what is freed by RCU or a work item is back by then
	sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

# environment: what may change results without being the patch under test
environment()
{
	cat /proc/version /proc/cmdline
	sed -n 's/^\(MemTotal\|MemAvailable\)/&/p' /proc/meminfo
	echo "cpus $(grep -c ^processor /proc/cpuinfo)"
	cat /proc/interrupts
	ip -d link show "$port"
	ethtool -a "$port"
	ethtool -k "$port"
	ethtool -g "$port"
	ethtool -i "$port"
}
