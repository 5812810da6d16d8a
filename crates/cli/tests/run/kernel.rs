//! Programs under `sheave run`, whose peers are the same programs on the SCTP of a Linux kernel.

use super::*;

/// Programs beside iperf3 and sctp_test, what each needs, and its result to the guest and from it.
const PROGRAMS: [(&str, &[&str], &str, &str); 5] = [
    ("ncat", &["ncat"], "same", "same"),
    ("socat", &["socat"], "same", "same"),
    ("python3", &["python3", "ncat"], "echoed 300", "hello"),
    ("go", &["ncat"], "echoed 300", "hello"),
    ("sipp", &["sipp"], "0", "0"),
];

/// The script that runs a part of these tests beside a guest kernel, in that folder.
fn beside_a_kernel(folder: &Path, part: &str) -> Command {
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/kernel/run.sh");
    let mut command = Command::new(machine);
    command
        .arg("bash")
        .arg(Path::new(FOLDER).join("kernel.sh"))
        .args([SHEAVE, part])
        .current_dir(folder);
    command
}

/// Output and errors of a script that has run well; `None` where it skipped itself.
fn said(command: Command) -> Option<[String; 2]> {
    let finished = finish(command);
    let (out, err) = (text(&finished.stdout), text(&finished.stderr));
    if out.contains("skipped: ") {
        eprintln!("{out}");
        return None;
    }
    assert!(finished.status.success(), "{out}{err}");
    Some([out, err])
}

#[test]
fn programs_talk_to_the_sockets_of_a_kernel_over_raw_ip_and_udp() {
    needs!("bash", "iperf3", "sctp_test");
    let folder = tempfile::tempdir().unwrap();
    let mut command = beside_a_kernel(folder.path(), "programs");
    let go = folder.path().join("go-sctp");
    if go::is_built("go-sctp", ".", &go) {
        command.arg(&go);
    }
    let Some([out, err]) = said(command) else {
        return;
    };
    for carrier in ["raw", "udp"] {
        for way in ["to-guest", "from-guest"] {
            let rate = format!("{carrier}: iperf3 {way} ");
            let rate = out.lines().find_map(|line| line.strip_prefix(&rate));
            let is_rate = |rate: &str| rate.ends_with("bits/sec") && !rate.starts_with("0.00");
            assert!(rate.is_some_and(is_rate), "{carrier} {way}: {out}{err}");
            let messages = format!("{carrier}: sctp_test {way} 2\n");
            assert!(out.contains(&messages), "{carrier} {way}: {out}{err}");
            for (program, needed, to, from) in PROGRAMS {
                let result = if way == "to-guest" { to } else { from };
                let line = format!("{carrier}: {program} {way} {result}\n");
                let is_run = has(needed) && (program != "go" || go.exists());
                assert!(!is_run || out.contains(&line), "{line}{out}{err}");
            }
        }
    }
}

#[test]
fn free_diameter_opens_a_peer_on_a_kernel_over_raw_ip_and_udp() {
    needs!("bash", "freeDiameterd", "openssl");
    let folder = tempfile::tempdir().unwrap();
    let Some([out, err]) = said(beside_a_kernel(folder.path(), "diameter")) else {
        return;
    };
    for carrier in ["raw", "udp"] {
        for result in [
            "to-guest opened 2 watched yes left 1",
            "from-guest opened 2 left 1",
        ] {
            let line = format!("{carrier}: freeDiameter {result}\n");
            assert!(out.contains(&line), "{line}{out}{err}");
        }
    }
}
