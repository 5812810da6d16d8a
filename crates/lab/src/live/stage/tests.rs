use std::process::Command;

use super::{Right, Stage, carried, has, losing};

#[test]
fn a_program_that_is_missing_or_fails_is_not_there() {
    assert!(has("true", &[]));
    assert!(!has("false", &[]));
    assert!(!has("no-such-program-anywhere", &[]));
}

#[test]
fn a_stage_of_its_own_has_a_loopback_that_has_carried_nothing() {
    let Stage::Own(right) = Stage::best() else {
        eprintln!("skipped: {}", Stage::best());
        return;
    };
    let [first, rest @ ..] = right.prefix() else {
        unreachable!("a prefix is a command");
    };
    let mut command = Command::new(first);
    let output = command.args(rest).args(["cat", "/proc/self/net/dev"]);
    let output = output.output().expect("it runs").stdout;
    let text = String::from_utf8_lossy(&output);
    let lo = text.lines().find(|line| line.trim().starts_with("lo:"));
    let lo = lo.expect("a loopback interface");
    assert!(
        lo.split_whitespace().skip(1).all(|word| word == "0"),
        "{lo}"
    );
}

#[test]
fn nftables_understands_the_rules_that_lose_packets() {
    let Stage::Own(right) = Stage::best() else {
        eprintln!("skipped: {}", Stage::best());
        return;
    };
    if !has("nft", &["--version"]) {
        eprintln!("skipped: there is no nft");
        return;
    }
    let [first, rest @ ..] = right.prefix() else {
        unreachable!("a prefix is a command");
    };
    let mut command = Command::new(first);
    let output = command.args(rest).args(["nft", &losing(0.5)]);
    let output = output.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    // The kernel may lack support for the rules; then a run reports it.
    assert!(!said.contains("syntax error"), "{said}");
}

#[test]
fn this_machines_loopback_counts() {
    assert!(carried().is_some() || cfg!(not(target_os = "linux")));
    assert_ne!(Right::Root.prefix(), Right::User.prefix());
}
