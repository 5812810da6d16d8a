//! Path MTU discovery between the tool's own processes, through a router with a narrow link.

mod support;

use std::io::ErrorKind;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{process, thread};

use serde_json::Value;
use support::{sheave, text};

/// Three network namespaces: a host, a router, a host. The second link takes packets of 1300 bytes.
struct Road {
    prefix: String,
}

/// Whether the router tells what is too long for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Router {
    Tells,
    IsSilent,
}

const NARROW: u16 = 1300;

impl Road {
    /// `None` where such a thing cannot be made.
    fn new(number: u32, router: Router) -> Option<Self> {
        let prefix = format!("sp{}-{number}", process::id());
        let road = Self { prefix };
        let made = ["a", "r", "b"].map(|name| ip(&["netns", "add", &road.name(name)]));
        if made.contains(&false) || !road.join() {
            eprintln!("skipped: no right to make network namespaces and veth devices");
            return None;
        }
        // What the kernel itself sends over ICMP finds no route.
        let silent = ["rule", "add", "ipproto", "icmp", "blackhole"];
        if router == Router::IsSilent && !road.ip("r", &silent) {
            eprintln!("skipped: this ip cannot keep a router silent");
            return None;
        }
        Some(road)
    }

    fn name(&self, end: &str) -> String {
        format!("{}{end}", self.prefix)
    }

    fn ip(&self, end: &str, args: &[&str]) -> bool {
        ip(&[&["-n", &self.name(end)], args].concat())
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

    /// The tool, in one of the namespaces.
    fn sheave(&self, end: &str, args: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(end)]);
        command.arg(sheave(&[]).get_program()).args(args);
        command
    }
}

impl Drop for Road {
    fn drop(&mut self) {
        for end in ["a", "r", "b"] {
            ip(&["netns", "del", &self.name(end)]);
        }
    }
}

/// Ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ip(args: &[&str]) -> bool {
    let quiet = Command::new("ip").args(args).stderr(Stdio::null()).status();
    match quiet {
        Ok(status) => status.success(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("ip: {error}"),
    }
}

/// Sends for some seconds; the path MTU at the end, and the bytes that arrived.
fn through(road: &Road, carrier: &str, [near, far]: [&str; 2], seconds: &str) -> (u64, f64) {
    let listen = ["perf", "-s", "-1", "--carrier", carrier, "--local", far];
    let mut server = road.sheave("b", &listen);
    let server = server.stdout(Stdio::null()).spawn().expect("a server");
    let _server = Server(server);
    thread::sleep(Duration::from_millis(500));
    let call = [
        "perf",
        "-c",
        far,
        "-J",
        "--carrier",
        carrier,
        "--local",
        near,
    ];
    let output = road
        .sheave("a", &[&call[..], &["-t", seconds]].concat())
        .output();
    let output = output.expect("a client");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let bytes = &result["end"]["sum_received"]["bytes"];
    let mut pmtus = Vec::new();
    collect(&result, &mut pmtus);
    let last = pmtus
        .last()
        .unwrap_or_else(|| panic!("no pmtu in {result}"));
    (*last, bytes.as_f64().expect("bytes"))
}

/// All path MTUs that are told, in order.
fn collect(value: &Value, pmtus: &mut Vec<u64>) {
    match value {
        Value::Object(map) => {
            pmtus.extend(map.get("pmtu").and_then(Value::as_u64));
            map.values().for_each(|value| collect(value, pmtus));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, pmtus)),
        _ => {}
    }
}

const V4: [&str; 2] = ["10.7.1.1", "10.7.2.1"];
const V6: [&str; 2] = ["fd07:1::1", "fd07:2::1"];

#[test]
fn a_router_that_tells_is_heard_over_udp_and_over_raw_ip() {
    for (number, (carrier, ends)) in (0..).zip([("udp", V4), ("raw", V4), ("udp", V6), ("raw", V6)])
    {
        let Some(road) = Road::new(number, Router::Tells) else {
            return;
        };
        let (pmtu, bytes) = through(&road, carrier, ends, "2");
        let least = u64::from(NARROW) - 8;
        assert!(
            (least..=u64::from(NARROW)).contains(&pmtu),
            "{carrier} {ends:?}: {pmtu}"
        );
        assert!(bytes > 1e6, "{carrier} {ends:?}: {bytes} bytes");
    }
}

#[test]
fn a_black_hole_is_found_and_passed() {
    for (number, carrier) in (10..).zip(["udp", "raw"]) {
        let Some(road) = Road::new(number, Router::IsSilent) else {
            return;
        };
        let (pmtu, bytes) = through(&road, carrier, V4, "8");
        assert!(
            (1200..=u64::from(NARROW)).contains(&pmtu),
            "{carrier}: {pmtu}"
        );
        assert!(bytes > 1e6, "{carrier}: {bytes} bytes");
    }
}
