# One run of ns-2, beside which the simulator is held: ns /dev/stdin key=value ...
#
#   scene      bulk (one link), dying (two disjoint paths, the first of which dies)
#   transport  sctp, tcp
#   seed, seconds
#   mbit, delay_ms, queue             the link (each path, if there are two)
#   loss                              probability of a loss on the way there
#   beta                              losses in the bad state of a Gilbert channel; negative: none
#   window                            receive window: bytes (sctp), packets (tcp)
#   path_max_retrans, dies_at         the scene dying
#   cwnd                              1: print the window whenever it changes, instead of arrivals
#
# Prints "r TIME ... NUMBER" for each packet of data that reaches the receiver in ns-2's own trace
# format, "w TIME CWND" for the window, "end" at the end.

proc argument {name default} {
    foreach word $::argv {
        if {[string match "$name=*" $word]} {
            return [string range $word [expr {[string length $name] + 1}] end]
        }
    }
    return $default
}

set transport [argument transport sctp]
set scene [argument scene bulk]
set seconds [argument seconds 100]
$defaultRNG seed [argument seed 1]

set ns [new Simulator]
Trace set show_sctphdr_ 1

proc uniform_losses {rate} {
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ $rate
    $model ranvar [new RandomVariable/Uniform]
    $model drop-target [new Agent/Null]
    return $model
}

# Good for 2.5 s and more, bad for 0.5 s and more; the matrix is drawn from by each packet after that.
proc gilbert_losses {beta} {
    set states [list [uniform_losses 0] [uniform_losses $beta]]
    set model [new ErrorModel/MultiState $states {2.5 0.5} {{0.9 0.1} {0.7 0.3}} pkt time 2 \
        [lindex $states 0]]
    $model drop-target [new Agent/Null]
    return $model
}

proc join_nodes {from to} {
    global ns
    $ns duplex-link $from $to [argument mbit 100]Mb [argument delay_ms 20]ms DropTail
    foreach {one other} [list $from $to $to $from] {
        $ns queue-limit $one $other [argument queue 100]
    }
}

proc sctp_agent {} {
    set agent [new Agent/SCTP]
    $agent set mtu_ 1500
    $agent set dataChunkSize_ 1468
    $agent set numOutStreams_ 1
    $agent set initialRwnd_ [argument window 65536]
    $agent set initialSsthresh_ 1000000000
    $agent set initialCwnd_ 2
    $agent set fastRtxTrigger_ 4
    $agent set useMaxBurst_ 1
    $agent set pathMaxRetrans_ [argument path_max_retrans 5]
    $agent set associationMaxRetrans_ 10
    $agent set heartbeatInterval_ 30
    return $agent
}

proc sctp_on_one_link {from to} {
    global ns sender
    set sender [sctp_agent]
    set receiver [sctp_agent]
    $ns attach-agent $from $sender
    $ns attach-agent $to $receiver
    $ns connect $sender $receiver
}

proc tcp_on_one_link {from to} {
    global ns sender
    set sender [new Agent/TCP/Sack1]
    $sender set packetSize_ 1460
    $sender set useHeaders_ true
    $sender set window_ [argument window 44]
    $sender set windowInit_ 3
    $sender set windowInitOption_ 1
    $sender set minrto_ 1.0
    $sender set maxrto_ 60
    $sender set rtxcur_init_ 1.0
    $sender set tcpTick_ 0.001
    $sender set singledup_ 1
    set receiver [new Agent/TCPSink/Sack1/DelAck]
    $receiver set interval_ 200ms
    $ns attach-agent $from $sender
    $ns attach-agent $to $receiver
    $ns connect $sender $receiver
}

# Two hosts of two interfaces each.
proc sctp_on_two_paths {} {
    global ns sender paths
    set sender [sctp_agent]
    set receiver [sctp_agent]
    set hosts {}
    foreach agent [list $sender $receiver] {
        set core [$ns node]
        set interfaces [list [$ns node] [$ns node]]
        foreach interface $interfaces {
            $ns multihome-add-interface $core $interface
        }
        $ns multihome-attach-agent $core $agent
        lappend hosts $interfaces
    }
    set paths {}
    foreach from [lindex $hosts 0] to [lindex $hosts 1] {
        join_nodes $from $to
        lappend paths [list $from $to]
    }
    $ns connect $sender $receiver
    $sender set-primary-destination [lindex [lindex $hosts 1] 0]
}

set out stdout
fconfigure $out -buffering full

if {$scene == "dying"} {
    sctp_on_two_paths
    set lossy [uniform_losses 0]
    foreach {from to} [lindex $paths 0] {
        $ns link-lossmodel $lossy $from $to
    }
    $ns at [argument dies_at 10] "$lossy set rate_ 1"
} else {
    set from [$ns node]
    set to [$ns node]
    join_nodes $from $to
    set paths [list [list $from $to]]
    ${transport}_on_one_link $from $to
    if {[argument beta -1] >= 0} {
        $ns link-lossmodel [gilbert_losses [argument beta -1]] $from $to
    } elseif {[argument loss 0] > 0} {
        $ns link-lossmodel [uniform_losses [argument loss 0]] $from $to
    }
}

if {[argument cwnd 0]} {
    $sender attach $out
    $sender trace cwnd_
} else {
    foreach path $paths {
        foreach {from to} $path {
            $ns trace-queue $from $to $out
        }
    }
}

set source [new Application/FTP]
$source attach-agent $sender
$ns at 0 "$source start"
$ns at $seconds {
    flush $out
    puts "end"
    exit 0
}
$ns run
