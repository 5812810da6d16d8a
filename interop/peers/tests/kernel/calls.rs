//! The answers of Linux to calls of all kinds are still those that `crates/sockets` is tested with.

use std::time::Duration;

use sheave_interop::beside_kernel;

const CALLS: &str = include_str!("../../../../crates/sockets/tests/rfc6458/linux/calls.txt");
const FOUND: &str = include_str!("../../../../crates/sockets/tests/rfc6458/linux/found.txt");
const AUTHENTICATION: &str =
    include_str!("../../../../crates/sockets/tests/rfc6458/linux/authentication.txt");
/// A list takes some 20 s, most of them waits.
const LIMIT: Duration = Duration::from_secs(100);

/// Compares the answers that a list gets with those that stand in it. `switches`: of the kernel, with
/// their values.
fn compare(test: &str, list: &'static str, file: &'static str, switches: &str) {
    beside_kernel(test, |kernel| {
        for switch in switches.split(' ') {
            let (name, value) = switch.split_once('=').expect("a name and a value");
            let _ = kernel.run(&format!("echo {value} > /proc/sys/net/sctp/{name}"));
        }
        kernel.start(
            "calls",
            &format!("{{ calls < /calls/{file}; echo ended; }}"),
        );
        let answers = kernel.wait_for_line("calls", "ended", LIMIT);
        let wanted = list.lines().filter(|line| !line.starts_with("! "));
        let wanted = wanted.chain(["ended"]);
        let differences: Vec<_> = wanted
            .zip(answers.lines())
            .filter(|(a, b)| a != b)
            .collect();
        assert!(differences.is_empty(), "{differences:#?}");
    });
}

#[test]
#[ignore = "takes long, and what it waits for comes late on a busy machine"]
fn linux_answers_calls_of_all_kinds_as_the_list_says() {
    compare(
        "calls::linux_answers_calls_of_all_kinds_as_the_list_says",
        CALLS,
        "calls.txt",
        "auth_enable=0",
    );
}

#[test]
#[ignore = "takes long, and what it waits for comes late on a busy machine"]
fn linux_answers_calls_that_a_search_found_as_the_list_says() {
    compare(
        "calls::linux_answers_calls_that_a_search_found_as_the_list_says",
        FOUND,
        "found.txt",
        "auth_enable=0 intl_enable=1 udp_port=0",
    );
}

#[test]
#[ignore = "takes long, and what it waits for comes late on a busy machine"]
fn linux_answers_calls_about_authentication_as_the_list_says() {
    compare(
        "calls::linux_answers_calls_about_authentication_as_the_list_says",
        AUTHENTICATION,
        "authentication.txt",
        "auth_enable=1",
    );
}
