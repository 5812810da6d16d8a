//! Two machines, each a network namespace: over IP protocol 132 and over UDP.

use super::*;

#[test]
fn programs_of_two_machines_talk_over_raw_ip_and_udp() {
    needs!("iperf3", "ip", "nft", "unshare", "nsenter", "bash");
    let Some(out) = between_two("namespaces.sh", &[]) else {
        return;
    };
    for (flags, to) in [
        ("--raw", "10.7.0.2"),
        ("--raw", "fd07::2"),
        ("--udp 9899", "10.7.0.2"),
        ("--udp 9899", "fd07::2"),
    ] {
        let line = format!("{flags} {to}: ");
        let rate = out.lines().find_map(|found| found.strip_prefix(&line));
        let rate = rate.unwrap_or_else(|| panic!("no line for {line}{out}"));
        let words: Vec<_> = rate.split(' ').collect();
        let [amount, "Mbits/sec", near, far] = words[..] else {
            panic!("{out}");
        };
        assert_ne!(amount, "0.00", "{out}");
        let [near, far] = [near, far].map(|seen| {
            let (marked, all) = seen.split_once('/').unwrap();
            [marked, all].map(|count| count.parse::<u32>().unwrap())
        });
        // Programs mark what comes after the handshake, the server when it gets to it.
        assert!(
            near[0] > 20 && near[0] + 10 > near[1] && far[0] > 20,
            "{out}"
        );
    }
}

#[test]
fn a_peer_hears_that_the_address_of_a_host_has_changed() {
    needs!("python3", "ip", "unshare", "nsenter", "bash");
    let program = Path::new(FOLDER).join("addresses.py");
    let Some(out) = between_two("addresses.sh", &[&program]) else {
        return;
    };
    for flags in ["--raw", "--udp 9899"] {
        for known in ["10.7.0.1", "10.7.0.1 10.8.0.1", "10.8.0.1"] {
            let line = format!("{flags}: known by {known}");
            assert!(out.lines().any(|found| found == line), "{line}: {out}");
        }
    }
}

/// The output of a script in a network namespace of its own; `None` where it says that it cannot run.
pub(crate) fn between_two(script: &str, args: &[&Path]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args([
        "--map-root-user",
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
    ]);
    command
        .args(["--mount-proc", "bash"])
        .arg(Path::new(FOLDER).join(script))
        .arg(SHEAVE)
        .args(args)
        .current_dir(folder.path());
    let out = output(command);
    if out.contains("skipped: ") {
        eprintln!("{out}");
        return None;
    }
    Some(out)
}
