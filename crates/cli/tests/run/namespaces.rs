//! Two machines, each a network namespace: over IP protocol 132 and over UDP, both families.

use super::*;

#[test]
fn programs_of_two_machines_talk_over_raw_ip_and_udp() {
    if !has(&["iperf3", "ip", "nft", "unshare", "nsenter", "bash"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(FOLDER).join("namespaces.sh");
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
        .arg(script)
        .arg(SHEAVE)
        .current_dir(folder.path());
    let out = output(command);
    if out.contains("skipped: ") {
        eprintln!("{out}");
        return;
    }
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
