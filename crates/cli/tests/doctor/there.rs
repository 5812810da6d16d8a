//! The way to a peer.

use std::process::Command;

use crate::finding::Findings;
use crate::network::{FAR, Host, LONG_WAIT, ROUTER, SHORT_WAIT, beside, within};

const UDP: &str = "UDP 10.17.1.1 >";
const IP: &str = "IP 10.17.1.1 >";

#[test]
fn a_peer_that_answers_is_described() {
    within(|network| {
        let _server = network.server_with(&["--partial-reliability=on", "--ecn=on"]);
        let found = network.doctor(LONG_WAIT);
        found.expect(UDP, "ok", "INIT ACK in ");
        found.expect(
            "Extensions",
            "ok",
            "partial reliability, ECN; 65535 streams in",
        );
        found.expect("Timers", "ok", "RTO.Min 200 ms");
        found.expect("Path MTU", "ok", "1500 bytes there");
        // The other carrier is no obstacle.
        found.expect(IP, "warn", "ICMP protocol unreachable from the host");
    });
}

#[test]
fn a_port_that_nobody_listens_on_is_an_abort() {
    beside("udp", |network| {
        let target = format!("{FAR}:999");
        let mut doctor =
            network.sheave(Host::Near, &["doctor", "--json", "-W", LONG_WAIT, &target]);
        let found = Findings::of(&mut doctor);
        found.expect(UDP, "warn", "ABORT in ");
        assert_eq!(found.code, Some(1));
    });
}

#[test]
fn a_host_without_sctp_is_told_by_its_icmp() {
    within(|network| {
        let found = network.doctor(LONG_WAIT);
        found.expect(
            UDP,
            "bad",
            "ICMP port unreachable from the host, UDP port 9899",
        );
        found.expect(IP, "bad", "ICMP protocol unreachable from the host");
        assert_eq!(found.code, Some(2));
    });
}

#[test]
fn a_router_that_drops_is_silence() {
    beside("udp", |network| {
        if !network.forward(&["udp dport 9899 drop", "ip protocol 132 drop"]) {
            return;
        }
        let found = network.doctor(SHORT_WAIT);
        found.expect(UDP, "bad", "silence");
        found.expect(IP, "bad", "silence");
        let fix = found.get(UDP)["fix"].as_str().unwrap().to_owned();
        assert!(fix.contains("tcpdump -n udp port 9899"), "{fix}");
    });
}

#[test]
fn a_router_that_drops_answers_alone_is_silence_too() {
    beside("udp", |network| {
        if network.forward(&["udp sport 9899 drop"]) {
            network.doctor(SHORT_WAIT).expect(UDP, "bad", "silence");
        }
    });
}

#[test]
fn a_router_that_rejects_is_named() {
    beside("udp", |network| {
        let rules = [
            "udp dport 9899 reject with icmp type admin-prohibited",
            "ip protocol 132 reject with icmp type port-unreachable",
        ];
        if !network.forward(&rules) {
            return;
        }
        let found = network.doctor(LONG_WAIT);
        found.expect(
            UDP,
            "bad",
            &format!("administratively prohibited, from {ROUTER}"),
        );
        found.expect(IP, "bad", &format!("from {ROUTER}, which is not the host"));
    });
}

#[test]
fn a_firewall_of_this_machine_is_told_from_one_on_the_way() {
    within(|network| {
        if network.rules(Host::Near, "output", &["udp dport 9899 drop"]) {
            let found = network.doctor(LONG_WAIT);
            found.expect(UDP, "bad", "cannot send: Operation not permitted");
        }
    });
}

#[test]
fn an_answer_whose_port_is_rewritten_is_told() {
    beside("udp", |network| {
        if network.forward(&["udp sport 9899 udp sport set 4711"]) {
            let found = network.doctor(LONG_WAIT);
            found.expect(UDP, "warn", &format!("the answer comes from {FAR}:4711"));
        }
    });
}

#[test]
fn an_answer_that_is_changed_on_the_way_has_a_wrong_checksum() {
    beside("raw", |network| {
        // The last word of the chunk's fixed part, its initial TSN.
        let rule = format!("ip saddr {FAR} ip protocol 132 @th,224,32 set 0x2a");
        if network.forward(&[&rule]) {
            network
                .doctor(LONG_WAIT)
                .expect(IP, "bad", "wrong checksum");
        }
    });
}

#[test]
fn a_raw_peer_is_reached_over_ip_while_udp_is_refused() {
    beside("raw", |network| {
        let found = network.doctor(LONG_WAIT);
        found.expect(IP, "ok", "INIT ACK in ");
        found.expect(UDP, "warn", "ICMP port unreachable from the host");
    });
}

#[test]
fn every_local_address_is_asked_from() {
    beside("udp", |network| {
        assert!(network.ip(Host::Near, &["addr", "add", "10.17.1.9/24", "dev", "va"]));
        let drop_second = ["ip saddr 10.17.1.9 drop"];
        if network.forward(&drop_second) {
            let found = network.doctor(LONG_WAIT);
            found.expect("UDP 10.17.1.1 >", "ok", "INIT ACK");
            found.expect("UDP 10.17.1.9 >", "warn", "silence");
        }
    });
}

#[test]
fn a_narrow_path_is_told_with_the_routers_word_for_it() {
    beside("udp", |network| {
        assert!(network.ip(Host::Router, &["link", "set", "rb", "mtu", "1400"]));
        assert!(network.ip(Host::Far, &["link", "set", "vb", "mtu", "1400"]));
        let found = network.doctor(LONG_WAIT);
        found.expect("Path MTU", "ok", "1400 bytes there");
        found.expect("Path MTU", "ok", "a router reports 1400");
    });
}

#[test]
fn a_black_hole_is_told_by_its_size() {
    beside("udp", |network| {
        if network.forward(&["udp dport 9899 meta length > 1420 drop"]) {
            let found = network.doctor(LONG_WAIT);
            found.expect("Path MTU", "warn", "1420 bytes there");
            found.expect("Path MTU", "warn", "no router reports it");
        }
    });
}

#[test]
fn without_the_right_plain_ip_is_unknown_and_udp_is_asked() {
    beside("udp", |network| {
        let mut doctor = network.on(Host::Near, "setpriv");
        doctor.args(["--bounding-set", "-net_raw", "--inh-caps", "-net_raw"]);
        doctor.arg(env!("CARGO_BIN_EXE_sheave"));
        doctor.args(["doctor", "--json", "-W", LONG_WAIT, FAR]);
        let found = Findings::of(&mut doctor);
        found.expect(UDP, "ok", "INIT ACK");
        found.expect(IP, "unknown", "no CAP_NET_RAW");
        found.expect("Raw IP", "ok", "no CAP_NET_RAW");
        assert!(found.get(IP)["more"].as_str().unwrap().contains("as root"));
    });
}

#[test]
fn an_unknown_host_is_wrong_usage() {
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_sheave"));
    let output = doctor
        .args(["doctor", "no-such-host.invalid"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
