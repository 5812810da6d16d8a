//! This machine.

use std::process::Command;

use crate::finding::Findings;
use crate::network::{Host, beside, within};
use crate::support::{free_port, run, text};

#[test]
fn every_check_has_a_state_an_observation_and_a_meaning() {
    let found = Findings::of(Command::new(env!("CARGO_BIN_EXE_sheave")).args(["doctor", "--json"]));
    let names = "Kernel sockets, Module sctp, Other stacks, sheave run, UDP port 9899, Raw IP, Socket buffers, \
                 UDP offload, Addresses, MTU, Checksum offload, Conntrack";
    let mut worst = 0;
    for name in names.split(", ") {
        let finding = found.get(name);
        for field in ["state", "saw", "means"] {
            assert!(
                finding[field].as_str().is_some_and(|text| !text.is_empty()),
                "{finding}"
            );
        }
        worst = worst.max(match finding["state"].as_str() {
            Some("bad") => 2,
            Some("warn") => 1,
            _ => 0,
        });
    }
    assert_eq!(found.code, Some(worst));
}

#[test]
fn the_text_ends_with_the_next_command() {
    let output = run(&["doctor"]);
    let said = text(&output.stdout);
    let json = Findings::of(Command::new(env!("CARGO_BIN_EXE_sheave")).args(["doctor", "--json"]));
    let next = json.summary().unwrap()["next"].as_str().map(str::to_owned);
    if let Some(next) = next {
        assert!(
            said.trim_end().ends_with(&format!("Next: {next}")),
            "{said}"
        );
    }
    assert!(
        said.lines()
            .all(|line| line.chars().count() <= 100 || line.starts_with("Next: ")),
        "{said}"
    );
}

#[test]
fn inside_another_run_the_one_listener_is_taken() {
    let port = free_port();
    let own = env!("CARGO_BIN_EXE_sheave");
    let mut nested = Command::new(own);
    nested.args(["run", "--udp", &port, "--", own, "doctor", "--json"]);
    let found = Findings::of(&mut nested);
    // A socket for SCTP is what the outer one gives.
    found.expect("Kernel sockets", "ok", "works");
    found.expect("sheave run", "warn", "EBUSY");
}

#[test]
fn a_port_that_is_taken_is_told_with_its_program() {
    beside("udp", |network| {
        let mut doctor = network.sheave(Host::Far, &["doctor", "--json"]);
        let found = Findings::of(&mut doctor);
        found.expect("UDP port 9899", "warn", "taken by sheave (process ");
    });
}

#[test]
fn a_stack_in_user_space_is_told() {
    beside("raw", |network| {
        let found = Findings::of(&mut network.sheave(Host::Far, &["doctor", "--json"]));
        found.expect(
            "Other stacks",
            "warn",
            "raw sockets for IP protocol 132 are open",
        );
    });
}

#[test]
fn the_address_of_a_container_bridge_leaks() {
    within(|network| {
        let bridge = ["link", "add", "docker0", "type", "bridge"];
        if !network.ip(Host::Near, &bridge) {
            eprintln!("skipped: this kernel has no bridges");
            return;
        }
        assert!(network.ip(
            Host::Near,
            &["addr", "add", "172.17.0.1/16", "dev", "docker0"]
        ));
        assert!(network.ip(Host::Near, &["link", "set", "docker0", "up"]));
        let found = Findings::of(&mut network.sheave(Host::Near, &["doctor", "--json"]));
        found.expect("Addresses", "warn", "internal: 172.17.0.1 (docker0)");
        assert_eq!(found.get("Addresses")["fix"], "add --local 10.17.1.1");
    });
}
