//! The two systems that run scripts: the kernel of a guest, and `sheave run`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Seek, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{free_port, text};
use crate::{SHEAVE, has};

/// The program that makes the calls of a script.
const CALLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/kernel/calls.c");
const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/kernel/run.sh");
/// Microseconds after each call: in the guest, packets arrive within it.
const GUEST_PAUSE: &str = "0";

/// The commands of a shell, behind the program's name, that make a link to its far end
/// (`interop/kernel/network.h`).
const LINK: &str = " link; ip link set lo up; ip addr add 127.0.0.2/8 dev lo; ip link set far0 up; \
    ip addr add 10.98.0.1/24 dev far0; ip addr add fd98::1/64 dev far0; \
    while ip addr show dev far0 | grep -q tentative; do sleep 0.1; done;";

/// Calls, one a line.
pub(crate) type Script = Vec<String>;
/// The calls of a script with their answers behind them.
pub(crate) type Answers = Vec<String>;

/// Both systems, and the folder in which they meet.
pub(crate) struct Machines {
    folder: tempfile::TempDir,
    guest: Guest,
    program: PathBuf,
    batches: usize,
}

/// A guest kernel, which ends with its input.
struct Guest {
    process: Child,
    input: PathBuf,
    output: PathBuf,
}

/// Time that programs get before the next call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    Quick,
    /// For what differs otherwise: whether it still does.
    Slow,
}

impl Pace {
    const fn micros(self) -> &'static str {
        match self {
            Self::Quick => "2000",
            Self::Slow => "30000",
        }
    }
}

impl Machines {
    /// Boots the guest; `None`, with a line that says so, where that is impossible.
    pub(crate) fn start() -> Option<Self> {
        if !has(&["cc", "sh"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = build(folder.path());
        let guest = Guest::boot(folder.path())?;
        Some(Self {
            folder,
            guest,
            program,
            batches: 0,
        })
    }

    /// The answers of both to some scripts: the kernel's first.
    pub(crate) fn answers(&mut self, scripts: &[Script], pace: Pace) -> Vec<(Answers, Answers)> {
        let ours = Asked::new(&self.program, scripts, pace, &[], "");
        let theirs = by_carrier(scripts, |carrier, scripts| {
            self.batches += 1;
            let number = self.batches;
            let file = self.folder.path().join(format!("scripts.{number}"));
            fs::write(&file, list(scripts)).unwrap();
            let run = format!(
                "calls scripts {GUEST_PAUSE} < /shared/scripts.{number} > /shared/answers.{number}"
            );
            let udp = match carrier {
                Carrier::Udp => "echo 9899 > udp_port; echo 9899 > encap_port;",
                Carrier::Ip | Carrier::Loopback => "",
            };
            let asked = self.guest.shell(&match carrier {
                Carrier::Loopback => run,
                Carrier::Ip | Carrier::Udp => format!(
                    "unshare -n sh -c 'cd /tmp; cd /proc/sys/net/sctp; echo 1 > intl_enable; {udp} \
                     calls{LINK} exec {run}'"
                ),
            });
            assert!(asked, "the guest ran into an error");
            let answers = self.folder.path().join(format!("answers.{number}"));
            let theirs = text(&fs::read(&answers).unwrap());
            let _ = fs::remove_file(answers);
            let _ = fs::remove_file(file);
            // A script that runs into an error in both would tell nothing.
            assert!(!theirs.contains("*** 0xb"), "{theirs}");
            split(&theirs)
        });
        theirs.into_iter().zip(ours.wait()).collect()
    }
}

/// The packets that carry a script's SCTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Carrier {
    /// Scripts over the loopback device.
    Loopback,
    /// Scripts over a link whose far end they command, by protocol 132 or UDP.
    Ip,
    Udp,
}

impl Carrier {
    fn of(script: &Script) -> Self {
        match script.first().map_or("", |line| line) {
            line if line.starts_with("network ") && line.ends_with("udp") => Self::Udp,
            line if line.starts_with("network ") => Self::Ip,
            _ => Self::Loopback,
        }
    }
}

/// Gives each carrier its scripts, and returns the answers in the order of the scripts.
fn by_carrier(
    scripts: &[Script],
    mut ask: impl FnMut(Carrier, &[Script]) -> Vec<Answers>,
) -> Vec<Answers> {
    let mut all = vec![Answers::new(); scripts.len()];
    for carrier in [Carrier::Loopback, Carrier::Ip, Carrier::Udp] {
        let places: Vec<usize> = (0..scripts.len())
            .filter(|place| Carrier::of(&scripts[*place]) == carrier)
            .collect();
        if places.is_empty() {
            continue;
        }
        let own: Vec<Script> = places.iter().map(|place| scripts[*place].clone()).collect();
        let found = ask(carrier, &own);
        assert_eq!(found.len(), own.len(), "{carrier:?} {found:?}");
        for (place, answers) in places.into_iter().zip(found) {
            all[place] = answers;
        }
    }
    all
}

/// Programs under `sheave run` that run scripts, one for each carrier.
pub(super) struct Asked {
    scripts: Vec<Script>,
    programs: BTreeMap<Carrier, Child>,
}

impl Asked {
    /// Starts them with further flags of `sheave run`, and with ways to make the calls.
    pub(super) fn new(
        program: &Path,
        scripts: &[Script],
        pace: Pace,
        flags: &[&str],
        ways: &str,
    ) -> Self {
        let mut programs = BTreeMap::new();
        by_carrier(scripts, |carrier, own| {
            let mut command = serving(carrier, program);
            command
                .args(["--profile", "linux", "--linger", "10ms"])
                .args(["--set", "net.sctp.prsctp_enable=1"])
                .args(["--set", "net.sctp.ecn_enable=1"])
                .args(flags)
                .arg("--")
                .arg(program)
                .args(["scripts", pace.micros(), ways])
                .stdin(input(&list(own)))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            programs.insert(carrier, command.spawn().unwrap());
            vec![Answers::new(); own.len()]
        });
        Self {
            scripts: scripts.to_vec(),
            programs,
        }
    }

    pub(super) fn wait(mut self) -> Vec<Answers> {
        by_carrier(&self.scripts, |carrier, _| {
            let rest = self.programs.remove(&carrier).unwrap().wait_with_output();
            let rest = rest.unwrap();
            let out = text(&rest.stdout);
            assert!(rest.status.success(), "{out}{}", text(&rest.stderr));
            split(&out)
        })
    }
}

/// `sheave run` as far as the carrier says, in a network of its own where there is a link.
fn serving(carrier: Carrier, program: &Path) -> Command {
    if carrier == Carrier::Loopback {
        let udp = free_port();
        let mut command = Command::new(SHEAVE);
        command.args(["run", "--udp", &udp, "--encap-port", &udp]);
        command.args(["-X", "127.0.0.1,127.0.0.2,::1"]);
        return command;
    }
    let mut command = within_link(program);
    command.args([
        SHEAVE,
        "run",
        if carrier == Carrier::Ip {
            "--raw"
        } else {
            "--udp"
        },
    ]);
    command.args(["-X", "127.0.0.1,127.0.0.2,::1,10.98.0.1,fd98::1"]);
    command
}

/// A command that runs its arguments in a network that has the link.
fn within_link(program: &Path) -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    let made = format!("{}{LINK} exec \"$0\" \"$@\"", program.display());
    command.args(["--net", "sh", "-ec", &made]);
    command
}

/// The scripts that can be run here: those with a link only where one can be made.
pub(super) fn runnable(program: &Path, scripts: Vec<(u64, Script)>) -> Vec<(u64, Script)> {
    let tried = has(&["unshare", "ip"]).then(|| within_link(program).arg("true").status());
    let has_link = tried.is_some_and(|status| status.is_ok_and(|status| status.success()));
    if !has_link {
        eprintln!("skipped: scripts with a link, which needs root or user namespaces, and TUN");
    }
    let mut scripts = scripts;
    scripts.retain(|(_, script)| has_link || Carrier::of(script) == Carrier::Loopback);
    scripts
}

/// A file with that text, to be read from its beginning.
fn input(text: &str) -> fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.rewind().unwrap();
    file
}

/// Builds the program that makes the calls of a script.
pub(super) fn build(folder: &Path) -> PathBuf {
    let program = folder.join("calls");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .arg(CALLS);
    assert!(cc.status().unwrap().success());
    program
}

/// The input of that program.
fn list(scripts: &[Script]) -> String {
    let mut list = String::new();
    for (at, script) in scripts.iter().enumerate() {
        for line in script {
            let _ = writeln!(list, "{line}");
        }
        let _ = writeln!(list, "=== {at}");
    }
    list
}

/// The answers to each script.
fn split(all: &str) -> Vec<Answers> {
    let mut found = Vec::new();
    let mut lines = Vec::new();
    for line in all.lines() {
        if line.starts_with("=== ") {
            found.push(std::mem::take(&mut lines));
        } else {
            lines.push(line.to_owned());
        }
    }
    found
}

impl Guest {
    fn boot(folder: &Path) -> Option<Self> {
        let mut command = Command::new(MACHINE);
        command
            .args(["sh", "-c"])
            .arg("echo \"$SHEAVE_PEER_INPUT $SHEAVE_PEER_OUTPUT\"; cat > /dev/null")
            .env("SHEAVE_PEER_BOUND", "36000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut first = String::new();
        let mut byte = [0];
        let mut stdout = process.stdout.take().unwrap();
        while stdout.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            first.push(byte[0].into());
        }
        let Some((input, output)) = first.split_once(' ').filter(|_| first.starts_with('/')) else {
            eprintln!("{first}");
            let _ = process.wait();
            return None;
        };
        let mut guest = Self {
            process,
            input: input.into(),
            output: output.into(),
        };
        // Messages are cut as over UDP on a link of 1500 bytes.
        let prepared = guest.shell(&format!(
            "killall peer; mkdir -p /shared && mount -t hostfs none /shared -o {} && \
             ip addr flush dev eth0 && ip addr flush dev eth1 && ip link set lo mtu 1492 && \
             ip addr add 127.0.0.2/8 dev lo && \
             cd /proc/sys/net/sctp && echo 0 > udp_port && echo 1 > intl_enable",
            folder.display()
        ));
        assert!(prepared, "{}", fs::read_to_string(&guest.output).unwrap());
        Some(guest)
    }

    /// Runs a command in the guest; whether it succeeded.
    fn shell(&mut self, command: &str) -> bool {
        let before = self.outcomes().len();
        let mut input = fs::OpenOptions::new()
            .write(true)
            .open(&self.input)
            .unwrap();
        writeln!(input, "{command}").unwrap();
        let began = Instant::now();
        loop {
            let outcomes = self.outcomes();
            if let Some(outcome) = outcomes.get(before) {
                return outcome == "0";
            }
            assert!(
                began.elapsed() < Duration::from_secs(300),
                "the guest does not answer"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The exit status of each command so far.
    fn outcomes(&self) -> Vec<String> {
        let all = fs::read(&self.output).unwrap_or_default();
        let lines = text(&all);
        let found = lines.lines().filter_map(|line| line.strip_prefix("=== "));
        found.map(|word| word.trim().to_owned()).collect()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // It ends at the end of its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
