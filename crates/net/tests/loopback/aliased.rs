//! Two networks that check sources, in one of which a host has two addresses.

use std::thread;
use std::time::{Duration, Instant};

use sheave::stats::PathState;
use sheave::{Config, Endpoint, Profile, Target};

use crate::namespaces::{Namespaces, Part, UDP_PORT, task};
use crate::pair::{LONG, PORT};

/// Addresses of the caller, and of the called end.
const A: [&str; 2] = ["10.7.1.1", "10.7.2.1"];
const B: [&str; 3] = ["10.7.1.2", "10.7.1.3", "10.7.2.2"];

/// Two network namespaces with two links between them.
fn join(links: &Namespaces) -> bool {
    let strict = "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 1 > $f; done";
    let up = |end: &str, ips: &[&str]| {
        let each = |ip: &&str| {
            let device = format!("v{end}{}", &ip[5..6]);
            links.ip(end, &["addr", "add", &format!("{ip}/24"), "dev", &device])
                && links.ip(end, &["link", "set", &device, "up"])
        };
        ips.iter().all(each) && links.shell(end, strict)
    };
    links.veth(["va1", "a"], ["vb1", "b"])
        && links.veth(["va2", "a"], ["vb2", "b"])
        && up("a", &A)
        && up("b", &B)
}

#[test]
#[ignore = "a part of the test below, in a process of its own"]
fn role() {
    let Some(end) = task() else { return };
    let own = if end == ["a"] { &A[..] } else { &B[..] };
    let own = own.iter().map(|ip| ip.parse().expect("an address"));
    let endpoint = Endpoint::bind(Config::udp(own, UDP_PORT)).expect("an endpoint");
    let options = Profile::Modern.options();
    let association = if end == ["b"] {
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
    if end == ["a"] {
        association.shutdown_timeout(LONG).expect("a graceful end");
    } else {
        assert_eq!(association.receive_timeout(LONG), Ok(None));
    }
}

#[test]
fn paths_leave_by_the_interfaces_of_their_routes() {
    let Some(links) = Namespaces::new("l", &["a", "b"], join) else {
        return;
    };
    let role = |end| links.part(end, "aliased::role", end);
    let mut server = Part::spawn(role("b"));
    let lines = server.ready();
    let client = role("a").output().expect("a client");
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
