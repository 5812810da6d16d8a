//! A shape as a script for two network namespaces.

use std::fmt::Write as _;

use crate::plan::{Carrier, Direction, Event, Shape, Version};

/// Fails where a script could not run.
pub(crate) const PROBE: &str = "PATH=$PATH:/usr/sbin:/sbin; set -e; ip link add probe0 type veth peer name probe1; \
    ip addr add fd07::1/64 dev probe0; \
    nft add table ip probe; nft 'add chain ip probe out { type nat hook postrouting priority 100; }'; \
    nft add rule ip probe out masquerade; nsenter --version > /dev/null; python3 --version > /dev/null";

/// Bytes of a transfer in one direction, and the rate at which they are sent.
const BYTES: u64 = 2_000_000;
const RATE: &str = "16M";

const HEAD: &str = r#"
set -eu
PATH=$PATH:/usr/sbin:/sbin
ip link set lo up
unshare --net sleep 1000 &
far=$!
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
there() { nsenter --target $far --net "$@"; }
there ip link set lo up
# Nobody else has an address: each can be used at once.
echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad
there sh -c 'echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad'
"#;

pub(crate) fn of(shape: &Shape, sheave: &str) -> String {
    let mut script = HEAD.to_owned();
    for (at, link) in shape.links.iter().enumerate() {
        let _ = writeln!(
            script,
            "ip link add near{at} type veth peer name far{at} netns $far"
        );
        let _ = writeln!(
            script,
            "ip link set near{at} up; there ip link set far{at} up"
        );
        for host in 1..=link.near {
            let _ = writeln!(
                script,
                "ip addr add {} dev near{at}",
                on_link(shape, at, host)
            );
        }
        for host in 101..=100 + link.far {
            let _ = writeln!(
                script,
                "there ip addr add {} dev far{at}",
                on_link(shape, at, host)
            );
        }
    }
    filters(&mut script, shape);
    if let Some(link) = shape.detour {
        let via = format!("via 10.7.{link}.101 dev near{link}");
        let _ = writeln!(script, "ip route replace 10.7.1.101/32 {via}");
    }
    programs(&mut script, shape, sheave);
    script
}

/// A host's address on a link, with the length of its prefix.
fn on_link(shape: &Shape, link: usize, host: u8) -> String {
    let version = shape.links[link].version;
    let length = match version {
        Version::V4 => "/24",
        Version::V6 => "/64",
    };
    version.address(link, host) + length
}

/// Return-path filters, translators and the table in which links are cut.
fn filters(script: &mut String, shape: &Shape) {
    let strict = u8::from(shape.is_strict);
    for where_ in ["", "there "] {
        let _ = writeln!(
            script,
            "for file in /proc/sys/net/ipv4/conf/*/rp_filter; do {where_}sh -c \"echo {strict} > $file\" 2> /dev/null || true; done"
        );
    }
    script.push_str("nft add table ip nat; nft 'add chain ip nat out { type nat hook postrouting priority 100; }'\n");
    script.push_str(
        "nft add table inet cut; nft 'add chain inet cut in { type filter hook input priority 0; }'\n",
    );
    script.push_str("nft 'add chain inet cut out { type filter hook output priority 0; }'\n");
    for (at, link) in shape.links.iter().enumerate() {
        if link.is_translated {
            let _ = writeln!(
                script,
                "nft add rule ip nat out oifname near{at} meta l4proto udp masquerade to :20000-30000 fully-random"
            );
        }
    }
    script.push_str("for name in udp_timeout udp_timeout_stream; do echo 1 > /proc/sys/net/netfilter/nf_conntrack_$name || true; done 2> /dev/null\n");
}

fn programs(script: &mut String, shape: &Shape, sheave: &str) {
    let flags = shape.flags.join(" ");
    let (carrier, ports) = match shape.carrier {
        Carrier::Udp => ("udp", "--udp-port 9899"),
        Carrier::Raw => ("raw", ""),
    };
    let direction = match shape.direction {
        Direction::Forward => "",
        Direction::Reverse => "-R",
        Direction::Both => "--bidir",
    };
    let (link, address) = shape.target;
    let _ = writeln!(
        script,
        "there timeout 90 '{sheave}' perf -s -1 --carrier {carrier} {ports} > server.log 2>&1 & server=$!\n\
         for _ in $(seq 200); do grep -qi listening server.log && break; sleep 0.05; done\n\
         timeout 60 '{sheave}' perf -c {} --carrier {carrier} {flags} {direction} -n {BYTES} -b {RATE} -J \
         > client.json 2> client.log & client=$!\n\
         for _ in $(seq 400); do grep -q 'connected to' server.log && break; sleep 0.05; done; sleep 0.3",
        shape.links[link].version.address(link, 101 + address)
    );
    let drop = |at: usize| {
        format!(
            "nft add rule inet cut in iifname near{at} drop; nft add rule inet cut out oifname near{at} drop"
        )
    };
    let event = match shape.event {
        Event::Nothing => "true".to_owned(),
        Event::Cut(at) => drop(at),
        Event::Outage(at) => format!(
            "{}; sleep 2; nft flush chain inet cut in; nft flush chain inet cut out",
            drop(at)
        ),
        Event::Down(at) => format!("ip link set near{at} down"),
        Event::Removed(at) => {
            let last = on_link(shape, at, shape.links[at].near);
            format!("ip addr del {last} dev near{at}")
        }
        Event::Added(at) => format!("ip addr add {} dev near{at}", on_link(shape, at, 9)),
    };
    let ways = match shape.direction {
        Direction::Both => 2,
        Direction::Forward | Direction::Reverse => 1,
    };
    let _ = writeln!(
        script,
        "{event}\n\
         wait $client || {{ echo \"client: $?\"; cat client.log client.json server.log; exit 1; }}\n\
         wait $server || {{ echo \"server: $?\"; cat server.log; exit 1; }}\n\
         python3 - {BYTES} {ways} {limit} << 'EOF'\n\
         import json, sys\n\
         end = json.load(open('client.json'))['end']\n\
         bytes, ways = map(int, sys.argv[1:3])\n\
         sums = [end[key] for key in ('sum_received', 'sum_received_bidir_reverse') if key in end]\n\
         got = [sum['bytes'] for sum in sums]\n\
         took = max(sum['seconds'] for sum in sums)\n\
         print('took', took)\n\
         if got != [bytes] * ways: sys.exit(f'received {{got}}')\n\
         if took > float(sys.argv[3]): sys.exit('took too long')\n\
         EOF",
        limit = shape.limit()
    );
}
