#!/usr/bin/env bash
# ns-2 2.35 (Debian ns2): a DropTail queue with a limit of one packet drops each, over an idle link too; others hold one less.
#
# Guess: `queue-limit 5` lets five packets wait while one is sent, as pfifo with limit 5 of tc does: of 20 sent at once six
#   arrive. With a limit of 1 two arrive, and a lone packet over an idle link always does.
# Seen: five of 20, and none at all with 1: a packet goes through the queue even if the link is idle, and one that would make
#   it as long as the limit is dropped. The room is the limit less one. With buffers of few packets, as for bufferbloat, this
#   is a tenth or half of the buffer; a limit of 1, "no buffer", cuts the link without a word.
# Source: queue/drop-tail.cc, DropTail::enque (q_->length() + 1 >= qlim_).
# Output seen: "limit 1: 0 of 20, alone 0 of 1", "limit 2: 2 of 20, alone 1 of 1", "limit 5: 5 of 20, alone 1 of 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ns2=2.35+dfsg-5 libotcl1=1.14+dfsg-8 libtclcl1=1.20-10 libtcl8.6=8.6.13+dfsg-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib
export TCL_LIBRARY=$folder/root/usr/share/tcltk/tcl8.6
cat >run.tcl <<'TCL'
set limit [lindex $argv 0]
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 1Mb 1ms DropTail
$ns queue-limit $from $to $limit
set source [new Agent/UDP]
set sink [new Agent/LossMonitor]
$ns attach-agent $from $source
$ns attach-agent $to $sink
$ns connect $source $sink
for {set packet 0} {$packet < 20} {incr packet} {
    $ns at 1 "$source send 1000"
}
$ns at 5 {set together [$sink set npkts_]}
$ns at 6 "$source send 1000"
$ns at 10 {
    puts "limit $limit: $together of 20, alone [expr [$sink set npkts_] - $together] of 1"
    exit 0
}
$ns run
TCL
seen=$(for limit in 1 2 5; do root/usr/bin/ns run.tcl $limit; done)
echo "$seen"
[ "$seen" = "limit 1: 0 of 20, alone 0 of 1
limit 2: 2 of 20, alone 1 of 1
limit 5: 5 of 20, alone 1 of 1" ] || { echo "changed" >&2; exit 1; }
