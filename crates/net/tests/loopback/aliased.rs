//! Two networks that check sources, in one of which a host has two addresses.

use std::io::{BufRead, BufReader};
use std::process::{self, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use sheave::stats::PathState;
use sheave::{Config, Endpoint, Profile, Target};

use crate::pair::{LONG, PORT};
use crate::routed::{Receiver, ip};

const UDP_PORT: u16 = 9899;
/// The role of a process, in its environment.
const ROLE: &str = "SHEAVE_TEST_ROLE";
/// Addresses of the caller, and of the called end.
const A: [&str; 2] = ["10.7.1.1", "10.7.2.1"];
const B: [&str; 3] = ["10.7.1.2", "10.7.1.3", "10.7.2.2"];

/// Two network namespaces with two links between them.
struct Links(String);

impl Links {
    /// `None` where namespaces cannot be made.
    fn new() -> Option<Self> {
        let links = Self(format!("sl{}", process::id()));
        let [a, b] = ["a", "b"].map(|end| links.name(end));
        let strict = "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 1 > $f; done";
        let made = [&a, &b].map(|name| ip(&["netns", "add", name]));
        let mut ready = !made.contains(&false);
        for n in ["1", "2"] {
            let [near, far] = ["va", "vb"].map(|device| device.to_owned() + n);
            let link = ["link", "add", &near, "netns", &a, "type", "veth"];
            ready &= ip(&[&link[..], &["peer", "name", &far, "netns", &b]].concat());
        }
        let networks = |ips: &[&str]| -> Vec<(String, String)> {
            let of = |ip: &&str| (format!("{ip}/24"), ip[5..6].to_owned());
            ips.iter().map(of).collect()
        };
        for (name, device, ips) in [(&a, "va", networks(&A)), (&b, "vb", networks(&B))] {
            for (address, n) in ips {
                let device = device.to_owned() + &n;
                ready &= ip(&["-n", name, "addr", "add", &address, "dev", &device]);
                ready &= ip(&["-n", name, "link", "set", &device, "up"]);
            }
            ready &= ip(&["netns", "exec", name, "sh", "-c", strict]);
        }
        if !ready {
            eprintln!("skipped: no right to make network namespaces and veth devices");
        }
        ready.then_some(links)
    }

    fn name(&self, end: &str) -> String {
        format!("{}{end}", self.0)
    }

    /// This program's [`role`], in one of the namespaces.
    fn role(&self, end: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name(end)]);
        command.arg(env::current_exe().expect("a test has a file"));
        command.args(["--exact", "aliased::role", "--ignored", "--nocapture"]);
        command.env(ROLE, end).stdout(Stdio::piped());
        command
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        for end in ["a", "b"] {
            ip(&["netns", "del", &self.name(end)]);
        }
    }
}

#[test]
#[ignore = "a part of the test below, in a process of its own"]
fn role() {
    let Ok(end) = env::var(ROLE) else { return };
    let own = if end == "a" { &A[..] } else { &B[..] };
    let own = own.iter().map(|ip| ip.parse().expect("an address"));
    let endpoint = Endpoint::bind(Config::udp(own, UDP_PORT)).expect("an endpoint");
    let options = Profile::Modern.options();
    let association = if end == "b" {
        let listener = endpoint.listen(PORT, options).expect("a listener");
        println!("ready");
        let association = listener.accept_timeout(LONG);
        association.expect("a client")
    } else {
        let called = ["10.7.1.3".parse().expect("an address")];
        let target = Target::over_udp(called, UDP_PORT, PORT).with_options(options);
        endpoint.connect_timeout(target, LONG).expect("a server")
    };
    let until = Instant::now() + LONG;
    let all_up = || {
        let paths = association.path_stats();
        paths.len() > 1 && paths.iter().all(|path| path.state == PathState::Active)
    };
    while !all_up() && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    for path in association.path_stats() {
        println!("path {} {} {:?}", path.local, path.remote, path.state);
    }
    if end == "a" {
        association.shutdown_timeout(LONG).expect("a graceful end");
    } else {
        assert_eq!(association.receive_timeout(LONG), Ok(None));
    }
}

#[test]
fn paths_leave_by_the_interfaces_of_their_routes() {
    let Some(links) = Links::new() else { return };
    let mut server = Receiver(links.role("b").spawn().expect("a server"));
    let mut lines = BufReader::new(server.0.stdout.take().expect("a pipe")).lines();
    let is_ready = |line: std::io::Result<String>| line.is_ok_and(|line| line.ends_with("ready"));
    assert!(lines.any(is_ready), "the server is not ready");
    let client = links.role("a").output().expect("a client");
    let client = String::from_utf8_lossy(&client.stdout).into_owned();
    let served: Vec<String> = lines.map_while(Result::ok).collect();
    for (said, count) in [(client, 3), (served.join("\n"), 2)] {
        let paths: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix("path "))
            .collect();
        assert_eq!(paths.len(), count, "{said}");
        for path in paths {
            let words: Vec<&str> = path.split(' ').collect();
            assert_eq!(words[0][..7], words[1][..7], "{said}");
            assert_eq!(words[2], "Active", "{said}");
        }
    }
}
