use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::super::answer::Accepted;
use super::*;

const LOCAL: &str = "192.0.2.1";
const REMOTE: &str = "192.0.2.2";

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn attempt(over: Over, heard: Heard) -> Attempt {
    Attempt {
        way: Way {
            over,
            local: ip(LOCAL),
            remote: ip(REMOTE),
        },
        port: 7,
        heard: Ok(heard),
    }
}

fn reply(answer: Answer, from: &str, port: u16) -> Heard {
    Heard {
        answer: Some(Reply {
            answer,
            from: SocketAddr::new(ip(from), port),
            rtt: Duration::from_micros(1500),
            length: 300,
        }),
        ..Heard::default()
    }
}

fn icmp_from(from: &str, kind: u8, code: u8) -> Heard {
    Heard {
        report: Some(QueuedError {
            remote: ip(REMOTE),
            from: Some(ip(from)),
            origin: ErrorOrigin::Icmp,
            kind,
            code,
            info: 0,
            quoted: 0,
        }),
        ..Heard::default()
    }
}

const UDP: Over = Over::Udp(9899);

#[test]
fn an_init_ack_is_well() {
    let accepted = Answer::Accepted(Accepted::default());
    let check = attempt(UDP, reply(accepted, REMOTE, 9899)).check();
    assert_eq!(
        (check.state, check.saw.as_str()),
        (State::Ok, "INIT ACK in 1.500 ms")
    );
}

#[test]
fn an_abort_says_its_causes_and_that_sctp_is_there() {
    let aborted = Answer::Aborted(vec!["out of resource".to_owned()]);
    let attempt = attempt(UDP, reply(aborted, REMOTE, 9899));
    assert!(attempt.has_sctp());
    let check = attempt.check();
    assert_eq!(check.state, State::Warn);
    assert!(
        check.saw.ends_with("ABORT in 1.500 ms, out of resource"),
        "{}",
        check.saw
    );
}

#[test]
fn an_answer_from_another_port_is_a_nat() {
    let accepted = Answer::Accepted(Accepted::default());
    let check = attempt(UDP, reply(accepted, REMOTE, 1024)).check();
    assert_eq!(check.state, State::Bad);
    assert!(check.saw.contains("192.0.2.2:1024"), "{}", check.saw);
}

#[test]
fn a_damaged_answer_is_no_sctp_that_can_be_used() {
    let attempt = attempt(Over::Ip, reply(Answer::Damaged, REMOTE, 0));
    assert!(!attempt.has_sctp());
    assert!(attempt.check().saw.contains("wrong checksum"));
}

#[test]
fn icmp_of_the_host_of_a_router_and_of_the_link_are_told_apart() {
    let means = |heard| attempt(UDP, heard).check().means;
    assert!(means(icmp_from(REMOTE, 3, 3)).contains("nobody has that UDP port"));
    assert!(means(icmp_from("198.51.100.1", 3, 3)).contains("on the way rejects"));
    assert!(means(icmp_from("198.51.100.1", 3, 13)).contains("A firewall rejects"));
    assert!(means(icmp_from("198.51.100.1", 3, 1)).contains("A router knows no way"));
    assert!(means(icmp_from(LOCAL, 3, 1)).contains("host is down"));
}

#[test]
fn a_kernel_without_sctp_is_told_by_protocol_unreachable() {
    let check = attempt(Over::Ip, icmp_from(REMOTE, 3, 2)).check();
    assert!(check.saw.contains("protocol unreachable"), "{}", check.saw);
    assert!(check.fix.unwrap().contains("modprobe sctp"));
}

#[test]
fn silence_names_the_capture_that_tells_more() {
    let check = attempt(UDP, Heard::default()).check();
    assert_eq!(check.state, State::Bad);
    assert!(check.fix.unwrap().contains("tcpdump -n udp port 9899"));
}

#[test]
fn a_firewall_of_this_machine_is_told_by_its_error() {
    let heard = Heard {
        refused: Some(libc::EPERM),
        ..Heard::default()
    };
    assert!(attempt(UDP, heard).check().means.contains("this machine"));
}

#[test]
fn plain_ip_without_the_right_is_unknown_and_says_what_it_takes() {
    let denied = Attempt {
        heard: Err(io::ErrorKind::PermissionDenied.into()),
        ..attempt(Over::Ip, Heard::default())
    };
    let check = denied.check();
    assert_eq!(check.state, State::Unknown);
    assert!(check.more.unwrap().contains("CAP_NET_RAW"));
}

#[test]
fn a_carrier_that_fails_is_no_obstacle_where_another_leads_there() {
    let accepted = Answer::Accepted(Accepted::default());
    let attempts = [
        attempt(UDP, Heard::default()),
        attempt(Over::Ip, reply(accepted, REMOTE, 0)),
    ];
    let states: Vec<State> = checks(&attempts).iter().map(|check| check.state).collect();
    assert_eq!(states, [State::Warn, State::Ok]);
    assert_eq!(checks(&attempts[..1])[0].state, State::Bad);
}
