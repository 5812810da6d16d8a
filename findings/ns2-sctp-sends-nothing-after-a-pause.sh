#!/usr/bin/env bash
# ns-2 2.35 (Debian ns2): an SCTP agent that has nothing outstanding sends none of the messages that an application gives it.
#
# Guess: messages of 100 bytes each 100 ms, from Application/Traffic/CBR, are sent as they come, over SCTP as over UDP and TCP: the window is
#   open, and nothing waits for an acknowledgement (RFC 9260 §6.1).
# Seen: twenty messages arrive by UDP and by FullTcp, one by SCTP. Once established, the agent sends new data only while it handles an arriving
#   packet: what is given to it in between waits for the next SACK, and, if all is acknowledged, for ever; heartbeats do not
#   free it. FTP, whose data never ends, and loads that keep data outstanding look right. Delays of sparse signalling that were
#   measured so are those of delayed acknowledgements.
# Source: sctp/sctp.cc, sendmsg: in state ESTABLISHED it asks for eSendNewDataChunks, which recv sets and clears.
# Output seen: "udp 20", "tcp 20", "sctp 1"
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
set simulator [new Simulator]
set trace [open trace w]
$simulator trace-all $trace
set left [$simulator node]
set right [$simulator node]
$simulator duplex-link $left $right 10Mb 10ms DropTail
switch [lindex $argv 0] {
    udp { set sender [new Agent/UDP]; set receiver [new Agent/Null] }
    tcp { set sender [new Agent/TCP/FullTcp]; set receiver [new Agent/TCP/FullTcp]; $receiver listen }
    sctp { set sender [new Agent/SCTP]; set receiver [new Agent/SCTP] }
}
$simulator attach-agent $left $sender
$simulator attach-agent $right $receiver
$simulator connect $sender $receiver
set source [new Application/Traffic/CBR]
$source set packetSize_ 100
$source set rate_ 8Kb
$source attach-agent $sender
$simulator at 0.1 "$source start"
$simulator at 2.05 "$source stop"
$simulator at 60.0 "flush $trace; exit 0"
$simulator run
TCL
seen=$(for kind in udp tcp sctp; do
  "$folder/root/usr/bin/ns" run.tcl "$kind" >/dev/null 2>log || { cat log >&2; exit 2; }
  echo "$kind $(awk '$1 == "r" && $4 == 1 && $6 >= 100' trace | wc -l)"
done) || exit 2
echo "$seen"
[ "$seen" = "udp 20
tcp 20
sctp 1" ] || { echo "changed" >&2; exit 1; }
