//! Path MTU discovery between two processes, through a router with a narrow link.

use std::net::IpAddr;
use std::thread;
use std::time::{Duration, Instant};

use sheave::{Config, Endpoint, Profile, Target};

use crate::namespaces::{Namespaces, Part, UDP_PORT, task, wait_until_sent};
use crate::pair::{LONG, PORT, next, number_of, numbered};

/// Whether the router sends ICMP errors about packets that are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Router {
    SendsIcmp,
    Silent,
}

const NARROW: u16 = 1300;

/// Three network namespaces: a host, a router, a host. The second link takes packets of 1300 bytes.
fn routed(number: u32, router: Router) -> Option<Namespaces> {
    let network = Namespaces::new(&format!("p{number}"), &["a", "r", "b"], join)?;
    // What the kernel itself sends over ICMP finds no route.
    let silent = [
        &["rule", "add", "ipproto", "icmp", "blackhole"][..],
        &["-6", "rule", "add", "ipproto", "ipv6-icmp", "blackhole"],
    ];
    if router == Router::Silent && !silent.iter().all(|args| network.ip("r", args)) {
        eprintln!("skipped: this ip cannot keep a router silent");
        return None;
    }
    Some(network)
}

fn join(network: &Namespaces) -> bool {
    let narrow = NARROW.to_string();
    let up = |end: &str, device: &str, v4: &str, v6: &str| {
        network.ip(end, &["addr", "add", v4, "dev", device])
            && network.ip(end, &["-6", "addr", "add", v6, "dev", device, "nodad"])
            && network.ip(end, &["link", "set", device, "up"])
    };
    let forward = "echo 1 > /proc/sys/net/ipv4/ip_forward; \
                   echo 1 > /proc/sys/net/ipv6/conf/all/forwarding";
    network.veth(["va", "a"], ["ra", "r"])
        && network.veth(["vb", "b"], ["rb", "r"])
        && network.shell("r", forward)
        && up("a", "va", "10.7.1.1/24", "fd07:1::1/64")
        && up("r", "ra", "10.7.1.2/24", "fd07:1::2/64")
        && up("r", "rb", "10.7.2.2/24", "fd07:2::2/64")
        && up("b", "vb", "10.7.2.1/24", "fd07:2::1/64")
        && network.ip("r", &["link", "set", "rb", "mtu", &narrow])
        && network.ip("b", &["link", "set", "vb", "mtu", &narrow])
        && network.ip("a", &["route", "add", "default", "via", "10.7.1.2"])
        && network.ip("b", &["route", "add", "default", "via", "10.7.2.2"])
        && network.ip("a", &["-6", "route", "add", "default", "via", "fd07:1::2"])
        && network.ip("b", &["-6", "route", "add", "default", "via", "fd07:2::2"])
}

/// Number of times that the router has said over IPv6 that a packet was too long for it.
fn too_bigs(network: &Namespaces) -> u64 {
    let mut command = network.command("r", "cat");
    let counters = command.arg("/proc/net/snmp6").output();
    let counters = counters.expect("counters").stdout;
    let counters = String::from_utf8_lossy(&counters);
    let of = |line: &str| Some(line.strip_prefix("Icmp6OutPktTooBigs")?.trim().to_owned());
    let count = counters.lines().find_map(of).expect("a counter");
    count.parse().expect("a number")
}

/// Messages of 5000 bytes that are sent.
const MESSAGES: u32 = 400;

/// Time that the search for the path MTU gets once all has arrived.
const SEARCH: Duration = Duration::from_secs(60);

#[test]
#[ignore = "a part of the tests below, in a process of its own"]
fn part() {
    let Some(words) = task() else { return };
    let [role, carrier, own, other] = &words[..] else {
        panic!("{words:?}");
    };
    let [own, other]: [IpAddr; 2] = [own, other].map(|ip| ip.parse().expect("an address"));
    let (config, target) = match carrier.as_str() {
        "udp" => (
            Config::udp([own], UDP_PORT),
            Target::over_udp([other], UDP_PORT, PORT),
        ),
        _ => (Config::raw_ip([own]), Target::over_ip([other], PORT)),
    };
    let endpoint = Endpoint::bind(config).expect("an endpoint");
    match role.as_str() {
        "receive" => {
            let listener = endpoint
                .listen(PORT, Profile::Rfc9260.options())
                .expect("a listener");
            println!("ready");
            let association = listener.accept_timeout(LONG).expect("a client");
            for number in 0..MESSAGES {
                assert_eq!(number_of(&next(&association).message.payload), number);
            }
            assert_eq!(association.receive_timeout(LONG), Ok(None));
        }
        _ => {
            let association = endpoint.connect_timeout(target, LONG).expect("a server");
            for number in 0..MESSAGES {
                association.send(numbered(0, number, 5000)).expect("room");
            }
            wait_until_sent(&association);
            // What is longer than is proved may be fragmented until the search has its answer.
            let searching = Instant::now() + SEARCH;
            while association.path_stats()[0].pmtu > NARROW && Instant::now() < searching {
                thread::sleep(Duration::from_millis(50));
            }
            println!("pmtu {}", association.path_stats()[0].pmtu);
            association.shutdown_timeout(LONG).expect("a graceful end");
        }
    }
}

/// Sends all messages; the path MTU at the end.
fn through(network: &Namespaces, carrier: &str, [near, far]: [&str; 2]) -> u16 {
    let part = |end, task: String| network.part(end, "routed::part", &task);
    let mut receiver = Part::spawn(part("b", format!("receive {carrier} {far} {near}")));
    let lines = receiver.ready();
    // It prints more, which must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    let sent = part("a", format!("send {carrier} {near} {far}")).output();
    let sent = sent.expect("a sender");
    let said = String::from_utf8_lossy(&sent.stdout).into_owned();
    assert!(sent.status.success(), "{said}");
    assert!(receiver.succeeds());
    let mut lines = said.lines();
    let pmtu = lines.find_map(|line| line.split("pmtu ").nth(1));
    pmtu.and_then(|text| text.trim().parse().ok()).expect(&said)
}

const V4: [&str; 2] = ["10.7.1.1", "10.7.2.1"];
const V6: [&str; 2] = ["fd07:1::1", "fd07:2::1"];

#[test]
fn a_packet_too_big_message_lowers_the_path_mtu_over_udp_and_raw_ip() {
    for (number, (carrier, ends)) in (0..).zip([("udp", V4), ("raw", V4), ("udp", V6), ("raw", V6)])
    {
        let Some(network) = routed(number, Router::SendsIcmp) else {
            return;
        };
        let pmtu = through(&network, carrier, ends);
        assert_eq!(pmtu, NARROW, "{carrier} {ends:?}");
        assert_eq!(too_bigs(&network) > 0, ends == V6, "{carrier}");
    }
}

fn pass_a_black_hole(number: u32, carrier: &str, ends: [&str; 2]) {
    let Some(network) = routed(number, Router::Silent) else {
        return;
    };
    let pmtu = through(&network, carrier, ends);
    assert!((1200..=NARROW).contains(&pmtu), "{carrier}: {pmtu}");
    assert_eq!(too_bigs(&network), 0, "{carrier}");
}

#[test]
fn a_black_hole_is_found_and_passed() {
    for (number, carrier) in (10..).zip(["udp", "raw"]) {
        pass_a_black_hole(number, carrier, V4);
    }
}

#[test]
fn a_black_hole_is_found_and_passed_over_ipv6() {
    for (number, carrier) in (20..).zip(["udp", "raw"]) {
        pass_a_black_hole(number, carrier, V6);
    }
}
