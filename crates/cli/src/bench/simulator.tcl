# A lossless flow over 1 Gb/s in ns-2: ns /dev/stdin TRANSPORT SECONDS COUNTED
#
# With COUNTED 1 prints its trace, of which each line "r ..." is a packet that arrived; else
# "cpu NANOSECONDS" that the run has taken.

lassign $argv transport seconds counted
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 1000Mb 0.05ms DropTail
foreach {one other} [list $from $to $to $from] {
    $ns queue-limit $one $other 1000
    if {$counted} {
        $ns trace-queue $one $other stdout
    }
}

if {$transport == "sctp"} {
    set sender [new Agent/SCTP]
    set receiver [new Agent/SCTP]
    foreach agent [list $sender $receiver] {
        $agent set dataChunkSize_ 1468
        $agent set initialRwnd_ 65536
        $agent set initialSsthresh_ 1000000
    }
} else {
    set sender [new Agent/TCP/Sack1]
    set receiver [new Agent/TCPSink/Sack1/DelAck]
    $sender set packetSize_ 1460
    $sender set window_ 44
}
$ns attach-agent $from $sender
$ns attach-agent $to $receiver
$ns connect $sender $receiver
set source [new Application/FTP]
$source attach-agent $sender

# Time of this thread on a processor.
proc on_processor {} {
    set file [open /proc/thread-self/schedstat]
    set nanoseconds [lindex [gets $file] 0]
    close $file
    return $nanoseconds
}

$ns at 0 "$source start"
$ns at $seconds {
    if {!$counted} {
        puts "cpu [expr {[on_processor] - $began}]"
    }
    exit 0
}
set began [on_processor]
$ns run
