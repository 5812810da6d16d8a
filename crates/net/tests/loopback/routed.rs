//! Path MTU discovery between two processes, through a router with a narrow link.

use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::IpAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use sheave::{Config, Endpoint, Profile, Target};

use crate::pair::{LONG, PORT, next, number_of, numbered};

/// Three network namespaces: a host, a router, a host. The second link takes packets of 1300 bytes.
struct RoutedNetwork {
    prefix: String,
}

/// Whether the router sends ICMP errors about packets that are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Router {
    SendsIcmp,
    Silent,
}

const NARROW: u16 = 1300;

impl RoutedNetwork {
    /// `None` where namespaces cannot be made.
    fn new(number: u32, router: Router) -> Option<Self> {
        let prefix = format!("sp{}-{number}", process::id());
        let network = Self { prefix };
        let made = ["a", "r", "b"].map(|name| ip(&["netns", "add", &network.name(name)]));
        if made.contains(&false) || !network.join() {
            eprintln!("skipped: no right to make network namespaces and veth devices");
            return None;
        }
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

    fn name(&self, end: &str) -> String {
        format!("{}{end}", self.prefix)
    }

    fn ip(&self, end: &str, args: &[&str]) -> bool {
        ip(&[&["-n", &self.name(end)], args].concat())
    }

    /// Number of times that the router has said over IPv6 that a packet was too long for it.
    fn too_bigs(&self) -> u64 {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name("r"), "cat", "/proc/net/snmp6"]);
        let counters = command.output().expect("counters").stdout;
        let counters = String::from_utf8_lossy(&counters);
        let of = |line: &str| Some(line.strip_prefix("Icmp6OutPktTooBigs")?.trim().to_owned());
        let count = counters.lines().find_map(of).expect("a counter");
        count.parse().expect("a number")
    }

    fn join(&self) -> bool {
        let [a, r, b] = ["a", "r", "b"].map(|end| self.name(end));
        let veth = |one: [&str; 2], other: [&str; 2]| {
            let [name, space] = one;
            let [peer, beyond] = other;
            let args = ["link", "add", name, "netns", space, "type", "veth"];
            ip(&[&args[..], &["peer", "name", peer, "netns", beyond]].concat())
        };
        let narrow = NARROW.to_string();
        let up = |end: &str, device: &str, v4: &str, v6: &str| {
            self.ip(end, &["addr", "add", v4, "dev", device])
                && self.ip(end, &["-6", "addr", "add", v6, "dev", device, "nodad"])
                && self.ip(end, &["link", "set", device, "up"])
        };
        let forward = "echo 1 > /proc/sys/net/ipv4/ip_forward; \
                       echo 1 > /proc/sys/net/ipv6/conf/all/forwarding";
        veth(["va", &a], ["ra", &r])
            && veth(["vb", &b], ["rb", &r])
            && ip(&["netns", "exec", &r, "sh", "-c", forward])
            && up("a", "va", "10.7.1.1/24", "fd07:1::1/64")
            && up("r", "ra", "10.7.1.2/24", "fd07:1::2/64")
            && up("r", "rb", "10.7.2.2/24", "fd07:2::2/64")
            && up("b", "vb", "10.7.2.1/24", "fd07:2::1/64")
            && self.ip("r", &["link", "set", "rb", "mtu", &narrow])
            && self.ip("b", &["link", "set", "vb", "mtu", &narrow])
            && self.ip("a", &["route", "add", "default", "via", "10.7.1.2"])
            && self.ip("b", &["route", "add", "default", "via", "10.7.2.2"])
            && self.ip("a", &["-6", "route", "add", "default", "via", "fd07:1::2"])
            && self.ip("b", &["-6", "route", "add", "default", "via", "fd07:2::2"])
    }

    /// This program's [`part`], in one of the namespaces.
    fn part(&self, end: &str, role: &str, carrier: &str, [own, other]: [&str; 2]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(end)]);
        command.arg(env::current_exe().expect("a test has a file"));
        command.args(["--exact", "routed::part", "--ignored", "--nocapture"]);
        command.env(PART, format!("{role} {carrier} {own} {other}"));
        command.stdout(Stdio::piped());
        command
    }
}

impl Drop for RoutedNetwork {
    fn drop(&mut self) {
        for end in ["a", "r", "b"] {
            ip(&["netns", "del", &self.name(end)]);
        }
    }
}

pub(crate) fn ip(args: &[&str]) -> bool {
    let quiet = Command::new("ip").args(args).stderr(Stdio::null()).status();
    match quiet {
        Ok(status) => status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("ip: {error}"),
    }
}

/// The task of a process, in its environment.
const PART: &str = "SHEAVE_TEST_PART";
/// The UDP port of both ends.
const UDP_PORT: u16 = 9899;
/// Messages of 5000 bytes that are sent.
const MESSAGES: u32 = 400;

/// Time that the search for the path MTU gets once all has arrived.
const SEARCH: Duration = Duration::from_secs(60);

#[test]
#[ignore = "a part of the tests below, in a process of its own"]
fn part() {
    let Ok(words) = env::var(PART) else { return };
    let words: Vec<&str> = words.split(' ').collect();
    let [role, carrier, own, other] = words[..] else {
        panic!("{words:?}");
    };
    let [own, other]: [IpAddr; 2] = [own, other].map(|ip| ip.parse().expect("an address"));
    let (config, target) = match carrier {
        "udp" => (
            Config::udp([own], UDP_PORT),
            Target::over_udp([other], UDP_PORT, PORT),
        ),
        _ => (Config::raw_ip([own]), Target::over_ip([other], PORT)),
    };
    let endpoint = Endpoint::bind(config).expect("an endpoint");
    match role {
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
            let deadline = Instant::now() + LONG;
            while association
                .stats()
                .is_some_and(|stats| stats.send_buffered > 0)
            {
                assert!(Instant::now() < deadline, "something stays unsent");
                thread::sleep(Duration::from_millis(10));
            }
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

/// Ends with the test.
pub(crate) struct Receiver(pub(crate) Child);

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends all messages; the path MTU at the end.
fn through(network: &RoutedNetwork, carrier: &str, [near, far]: [&str; 2]) -> u16 {
    let receiver = network.part("b", "receive", carrier, [far, near]).spawn();
    let mut receiver = Receiver(receiver.expect("a receiver"));
    let mut lines = BufReader::new(receiver.0.stdout.take().expect("a pipe")).lines();
    let is_ready = |line: io::Result<String>| line.is_ok_and(|line| line.ends_with("ready"));
    assert!(lines.any(is_ready), "the receiver is not ready");
    // It prints more, which must not fill the pipe.
    thread::spawn(move || lines.for_each(drop));
    let sent = network.part("a", "send", carrier, [near, far]).output();
    let sent = sent.expect("a sender");
    let said = String::from_utf8_lossy(&sent.stdout).into_owned();
    assert!(sent.status.success(), "{said}");
    assert!(receiver.0.wait().expect("a receiver").success());
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
        let Some(network) = RoutedNetwork::new(number, Router::SendsIcmp) else {
            return;
        };
        let pmtu = through(&network, carrier, ends);
        assert_eq!(pmtu, NARROW, "{carrier} {ends:?}");
        assert_eq!(network.too_bigs() > 0, ends == V6, "{carrier}");
    }
}

fn pass_a_black_hole(number: u32, carrier: &str, ends: [&str; 2]) {
    let Some(network) = RoutedNetwork::new(number, Router::Silent) else {
        return;
    };
    let pmtu = through(&network, carrier, ends);
    assert!((1200..=NARROW).contains(&pmtu), "{carrier}: {pmtu}");
    assert_eq!(network.too_bigs(), 0, "{carrier}");
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
