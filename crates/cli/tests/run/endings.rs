//! Connections that do not come about, and those that are gone.

use super::*;

const ENDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/ends.py");
const DOORS: [&str; 2] = ["listener", "preload"];

#[test]
fn an_attempt_ends_where_nobody_is_at_the_peer_s_udp_port() {
    needs!("python3");
    for door in DOORS {
        let nobody = free_port();
        let program = ["python3", ENDS, "absent", "127.0.0.1", "5004"];
        let flags = ["--door", door, "--encap-port", &nobody];
        let out = output(run_with_own_ports("0", &flags, &program));
        assert_eq!(out, "ETIMEDOUT ETIMEDOUT CANT_STR_ASSOC\n", "{door}");
    }
}

#[test]
fn a_server_is_found_that_starts_after_its_client() {
    needs!("python3");
    for door in DOORS {
        let port = free_port();
        let server = [
            SHEAVE,
            "run",
            "--door",
            "preload",
            "-X",
            "127.0.0.1",
            "--udp",
            &port,
            "--",
            "python3",
            ECHO,
            "server",
            "5004",
        ];
        let program = [&["python3", ENDS, "late", "127.0.0.1", "5004"], &server[..]].concat();
        let flags = ["--door", door, "--encap-port", &port];
        let out = output(run_with_own_ports("0", &flags, &program));
        assert!(out.contains("found"), "{door}: {out}");
    }
}

#[test]
fn a_peer_without_sctp_refuses_over_raw_ip_and_over_udp_in_time() {
    needs!("python3", "ip", "unshare", "nsenter", "bash");
    let Some(out) = namespaces::between_two("refused.sh", &[Path::new(ENDS)]) else {
        return;
    };
    let raw = "--raw: ECONNREFUSED ECONNREFUSED CANT_STR_ASSOC\n";
    let udp = "--udp 9899: ETIMEDOUT ETIMEDOUT CANT_STR_ASSOC\n";
    assert_eq!(out, [raw, raw, udp, udp].concat());
}

#[test]
fn a_program_that_ignores_sigpipe_for_one_call_survives_it() {
    needs!("python3");
    for door in DOORS {
        let program = ["python3", ENDS, "broken", "5004"];
        let out = output(run(&free_port(), &["--door", door], &program));
        assert_eq!(out, "survived, pending 20\n", "{door}");
    }
}

/// `sheave run` on loopback with that UDP port, whose peers are at the port that the flags say.
fn run_with_own_ports(udp: &str, flags: &[&str], program: &[&str]) -> Command {
    let mut command = Command::new(SHEAVE);
    command.args(["run", "--udp", udp, "-X", "127.0.0.1"]);
    command.args(flags).arg("--").args(program);
    command
}
