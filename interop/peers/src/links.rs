use std::env;
use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{Child, Cut, Program, Watchdog, skip};

/// Names the peer's program to a test that runs in a network of its own.
const PROGRAM: &str = "SHEAVE_PEER_PROGRAM";

/// Longest time for a test.
const LIMIT: Duration = Duration::from_secs(300);

/// Time for a program that sets something up.
const START: Duration = Duration::from_secs(60);

/// Two links between the network of this process, which is its own, and that of a peer. Neither has a name:
/// both are gone with the processes in them.
pub struct Links {
    /// The peer's program, in the peer's network.
    pub peer: Program,
    /// A program that does nothing but live in the peer's network.
    far: Child,
}

/// The two ends of a link.
#[derive(Clone, Copy)]
enum End {
    Ours = 1,
    Theirs = 2,
}

impl Links {
    /// Our addresses, one for each link.
    pub const OURS: [IpAddr; 2] = [End::Ours.ip(0), End::Ours.ip(1)];

    /// The peer's addresses, one for each link.
    pub const THEIRS: [IpAddr; 2] = [End::Theirs.ip(0), End::Theirs.ip(1)];

    /// Makes the links from the network of this process to a new one.
    fn new(peer: Program) -> Self {
        let mut far = Child::start(Command::new("unshare").args(["--net", "cat"]));
        far.tell("there");
        let _ = far.line("there", START);
        let links = Self {
            peer: peer.within(network_of(far.id())),
            far,
        };
        for link in 0..2 {
            let (ours, theirs) = (End::Ours.mac(link), End::Theirs.mac(link));
            let far = links.far.id();
            links.ip(
                End::Ours,
                &format!(
                    "link add link{link} address {ours} type veth \
                     peer name link{link} address {theirs} netns {far}"
                ),
            );
            for end in [End::Ours, End::Theirs] {
                links.ip(end, &format!("addr add {}/24 dev link{link}", end.ip(link)));
                links.ip(end, &format!("link set link{link} up"));
            }
            links.mend(link);
        }
        links
    }

    /// Makes a link, the first one being 0, lose what is sent on it that way, silently at both ends.
    pub fn cut(&self, link: u8, cut: Cut) {
        const NOBODY: &str = "02:00:00:00:00:99";
        if cut != Cut::Back {
            self.address_packets(link, End::Ours, NOBODY);
        }
        if cut != Cut::There {
            self.address_packets(link, End::Theirs, NOBODY);
        }
    }

    /// Makes a link work again.
    pub fn mend(&self, link: u8) {
        for end in [End::Ours, End::Theirs] {
            self.address_packets(link, end, &end.other().mac(link));
        }
    }

    /// Sets the Ethernet address to which one end of a link sends its packets.
    fn address_packets(&self, link: u8, from: End, mac: &str) {
        let to = from.other().ip(link);
        let words = format!("neigh replace {to} lladdr {mac} nud permanent dev link{link}");
        self.ip(from, &words);
    }

    /// Runs `ip` in the network of that end.
    fn ip(&self, end: End, words: &str) {
        let mut command = match end {
            End::Ours => Command::new("ip"),
            End::Theirs => {
                let mut command = Command::new("nsenter");
                command.args([&network_of(self.far.id()), "ip"]);
                command
            }
        };
        let run = command.args(words.split_whitespace()).status();
        assert!(run.is_ok_and(|status| status.success()), "ip {words}");
    }
}

impl End {
    const fn ip(self, link: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 98, link, self as u8))
    }

    fn mac(self, link: u8) -> String {
        format!("02:00:00:00:0{link}:0{}", self as u8)
    }

    const fn other(self) -> Self {
        match self {
            Self::Ours => Self::Theirs,
            Self::Theirs => Self::Ours,
        }
    }
}

/// The option of `nsenter` for the network of a process.
fn network_of(process: u32) -> String {
    format!("--net=/proc/{process}/ns/net")
}

/// Runs the test of which `scenario` is the closure again, in a process and a network of its own, with two links
/// to that of a peer, and `scenario` there. Where that is impossible it says so and returns. Such tests of a
/// process take turns.
pub fn on_two_links<F: FnOnce(&Links)>(peer: fn() -> Result<Program, &'static str>, scenario: F) {
    static TURN: Mutex<()> = Mutex::new(());
    if let Some(file) = env::var_os(PROGRAM) {
        let _watchdog = Watchdog::start(LIMIT);
        scenario(&Links::new(Program::of(file.into())));
        return;
    }
    let (peer, unshare) = match peer().and_then(|peer| Ok((peer, unshare()?))) {
        Ok(both) => both,
        Err(why) => return skip(why),
    };
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    run_again(unshare, test_of::<F>(), &peer);
}

/// Runs the test of that name beside the peer, by way of `unshare`.
fn run_again(mut unshare: Command, name: &str, peer: &Program) {
    let test = env::current_exe().expect("a test has a file");
    unshare
        .arg(test)
        .args(["--exact", name, "--include-ignored", "--nocapture"])
        .env(PROGRAM, peer.file());
    let mut process = Child::start(&mut unshare);
    let deadline = Instant::now() + LIMIT + START;
    let mut text = String::new();
    while let Some(line) = process.next_line(deadline) {
        println!("{line}");
        text.extend([&line, "\n"]);
    }
    assert!(process.succeeds(START), "{name} failed on two links");
    assert!(text.contains("1 passed"), "no test is called {name}");
}

/// A command that runs another one in a network of its own.
/// Errors: What this machine lacks.
fn unshare() -> Result<Command, &'static str> {
    if Command::new("ip").arg("-V").output().is_err() {
        return Err("no `ip` (Debian: iproute2)");
    }
    let link = "ip link add probe0 type veth peer name probe1";
    let ways: [&[&str]; 2] = [&["--net"], &["--net", "--map-root-user"]];
    let works = |words: &&[&str]| {
        let mut probe = Command::new("unshare");
        let probed = probe.args(*words).args(link.split(' ')).output();
        probed.is_ok_and(|output| output.status.success())
    };
    let words = ways.into_iter().find(works);
    let words = words.ok_or("no right to make a network with veth links (root has it)")?;
    let mut command = Command::new("unshare");
    command.args(words);
    Ok(command)
}

/// The name of the test that has this closure.
/// Panics: it is the closure of nothing.
pub fn test_of<F>() -> &'static str {
    let path = std::any::type_name::<F>();
    let name = path.trim_end_matches("::{{closure}}").split_once("::");
    name.expect("the closure of a test").1
}
