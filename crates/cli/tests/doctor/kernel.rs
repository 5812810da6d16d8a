//! A Linux kernel with SCTP as patient and as peer (`interop/kernel`, user-mode Linux).

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use crate::finding::Findings;
use crate::support::text;

/// Functions of the scripts: `there` is a doctor on this side who asks the kernel, `inside` one in the
/// kernel; both print a name and the JSON lines of the findings.
const FUNCTIONS: &str = r#"
guest() { # COMMAND: runs it in the kernel, prints its output
  before=$(wc -c < "$SHEAVE_PEER_OUTPUT")
  echo "$1" > "$SHEAVE_PEER_INPUT"
  for turn in $(seq 1200); do
    tail -c +$((before + 1)) "$SHEAVE_PEER_OUTPUT" | grep -aq '^=== [0-9]' && break
    sleep 0.05
  done
  tail -c +$((before + 1)) "$SHEAVE_PEER_OUTPUT" | tr -d '\r'
}
there() { echo "@@ $1"; "$sheave" doctor --json -W 1.5 --local 10.99.1.1 "$2"; }
inside() {
  echo "@@ $1"
  # Links of this machine lead elsewhere in the kernel.
  loader=$(realpath /lib64/ld-linux-x86-64.so.2)
  guest "/host$loader --library-path /host$(dirname "$loader") /host$sheave doctor --json"
}
guest "mkdir -p /host /etc/modprobe.d && mount -t hostfs none /host" > /dev/null
"#;

const LOADED: &str = r#"
there loaded 10.99.1.2:7
there closed 10.99.1.2:4711
nft -f - 2> /dev/null << END && there short 10.99.1.2:7
add table ip doctor
add chain ip doctor doctor { type filter hook input priority 0; }
add rule ip doctor doctor udp sport 9899 meta length > 1300 drop
END
nft delete table ip doctor 2> /dev/null
inside inside
echo "@@ end"
"#;

const ABSENT: &str = r#"
there absent 10.99.1.2:7
inside inside
guest "mkdir -p /lib/modules/\$(uname -r) && echo kernel/net/sctp/sctp.ko: > /lib/modules/\$(uname -r)/modules.dep" > /dev/null
inside loadable
guest "echo blacklist sctp > /etc/modprobe.d/no.conf" > /dev/null
inside blacklisted
guest "echo install sctp /bin/true > /etc/modprobe.d/no.conf" > /dev/null
inside replaced
echo "@@ end"
"#;

/// Whether the kernel boots with its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Module {
    Present,
    Absent,
}

/// Runs a script beside the kernel; the findings by their names. `None`, with a line on standard
/// error, where there is no such kernel.
fn parts(module: Module, script: &str) -> Option<HashMap<String, Findings>> {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop/kernel/run.sh");
    let script = format!(
        "sheave={}\n{FUNCTIONS}{script}",
        env!("CARGO_BIN_EXE_sheave")
    );
    let mut command = Command::new(run);
    command.args(["bash", "-c", &script]);
    if module == Module::Absent {
        command.env("SHEAVE_PEER_SCTP", "absent");
    }
    let output = command.output().expect("the script starts");
    let said = text(&output.stdout);
    if let Some(why) = said.lines().find(|line| line.starts_with("skipped: ")) {
        eprintln!("{why}");
        return None;
    }
    assert!(said.contains("@@ end"), "{said}{}", text(&output.stderr));
    let parts = said
        .split("@@ ")
        .skip(1)
        .filter_map(|part| part.split_once('\n'));
    let parts = parts.map(|(name, lines)| (name.to_owned(), Findings::read(lines, None)));
    Some(parts.collect())
}

const UDP: &str = "UDP 10.99.1.1 >";
const IP: &str = "IP 10.99.1.1 >";

#[test]
fn a_kernel_with_its_module_answers_over_both_carriers() {
    let Some(parts) = parts(Module::Present, LOADED) else {
        return;
    };
    let loaded = &parts["loaded"];
    loaded.expect(UDP, "ok", "INIT ACK in ");
    loaded.expect(IP, "ok", "INIT ACK in ");
    loaded.expect("Peer's addresses", "ok", "10.99.2.2");
    loaded.expect("Extensions", "ok", "partial reliability");
    // The kernel pads its cookie to a multiple of 32 bytes.
    loaded.expect("Path MTU", "ok", "1500 bytes there, 14");
    loaded.expect("Path MTU", "ok", "bytes back at least");
    parts["closed"].expect(UDP, "warn", "ABORT in ");
    match parts.get("short") {
        Some(short) => short.expect("Path MTU", "warn", "no more than 12"),
        None => eprintln!("skipped: this machine cannot have these rules of nftables"),
    }

    let inside = &parts["inside"];
    inside.expect("Kernel sockets", "ok", "works");
    inside.expect("Module sctp", "ok", "loaded");
    let answers = "the kernel answers IP protocol 132, and UDP port 9899";
    inside.expect("Other stacks", "warn", answers);
    inside.expect("UDP port 9899", "warn", "taken by the kernel");
}

#[test]
fn a_kernel_without_its_module_is_told_here_and_there() {
    let Some(parts) = parts(Module::Absent, ABSENT) else {
        return;
    };
    let absent = &parts["absent"];
    absent.expect(UDP, "bad", "ICMP port unreachable from the host");
    absent.expect(IP, "bad", "ICMP protocol unreachable from the host");

    let inside = &parts["inside"];
    inside.expect("Kernel sockets", "warn", "EPROTONOSUPPORT (errno 93)");
    inside.expect("Kernel sockets", "warn", "ESOCKTNOSUPPORT (errno 94)");
    inside.expect("Module sctp", "unknown", "is not visible");
    inside.expect("Other stacks", "ok", "nothing else");
    // A call that would load the module is not made.
    parts["loadable"].expect("Kernel sockets", "warn", "asking would load it");
    parts["loadable"].expect("Module sctp", "ok", "sctp.ko, not loaded");
    let line = "/etc/modprobe.d/no.conf: blacklist sctp";
    parts["blacklisted"].expect("Module sctp", "warn", line);
    parts["blacklisted"].expect("Kernel sockets", "warn", "errno 93");
    parts["replaced"].expect("Module sctp", "warn", "install sctp /bin/true");
}
