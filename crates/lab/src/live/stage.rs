use core::fmt;
use std::fs;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sheave_emulate::switch_segmentation_off;

use super::Process;

/// MTU of the loopback interface in a separate namespace.
const MTU: u16 = 1500;

/// Prefix of error messages if the interface cannot be configured for a sample.
pub(crate) const UNFIT: &str = "the network cannot be set up";

/// The network between the processes of a live run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A separate network namespace, whose loopback interface has an MTU of 1500 bytes. It
    /// disappears when its last process ends.
    Own(Right),
    /// The loopback interface of this machine, unchanged; the text is the reason.
    Shared(String),
}

/// The privilege with which a namespace is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// The superuser's.
    Root,
    /// Any user's, through a user namespace.
    User,
}

/// Whether an interface accepts packets larger than the MTU, to be split by the network card or the
/// receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Segmentation {
    /// Segmentation offload is off: each packet is sent separately.
    Off,
    /// The kernel may combine packets.
    On,
}

impl Right {
    const fn prefix(self) -> &'static [&'static str] {
        match self {
            Self::Root => &["unshare", "--net"],
            Self::User => &["unshare", "--user", "--map-root-user", "--net"],
        }
    }
}

impl Stage {
    /// Chooses a separate namespace if this machine allows one.
    #[must_use]
    pub fn best() -> Self {
        let tools = [("nsenter", "--version"), ("ip", "-V")];
        if let Some((missing, _)) = tools.iter().find(|(tool, word)| !has(tool, &[word])) {
            return Self::Shared(format!("there is no {missing} to make another one with"));
        }
        let right = [Right::Root, Right::User].into_iter().find(|right| {
            let prefix = right.prefix();
            let rest = prefix[1..].iter().chain(&["true"]).copied();
            has(prefix[0], &rest.collect::<Vec<_>>())
        });
        match right {
            Some(right) => Self::Own(right),
            None => Self::Shared("no right to make a network namespace".to_owned()),
        }
    }

    /// Starts the first part, through the command `by` unless that is empty. If the stage
    /// [`is_own`](Self::is_own), the part must call [`set`](Self::set) first.
    pub fn first(&self, study: &str, part: &Value, by: &[String]) -> Result<Process, String> {
        let prefix = match self {
            Self::Own(right) => right.prefix(),
            Self::Shared(_) => &[],
        };
        start(prefix, by, study, part)
    }

    /// Starts another part in the namespace of the first one, through the command `by` unless that
    /// is empty.
    pub fn beside(
        &self,
        first: &Process,
        study: &str,
        part: &Value,
        by: &[String],
    ) -> Result<Process, String> {
        let id = first.id().to_string();
        let enter = ["nsenter", "--target", &id, "--net"];
        let as_user = ["--user", "--preserve-credentials"];
        let prefix = match self {
            Self::Own(Right::Root) => enter.to_vec(),
            Self::Own(Right::User) => [&enter[..], &as_user].concat(),
            Self::Shared(_) => Vec::new(),
        };
        start(&prefix, by, study, part)
    }

    /// Whether the stage is a separate namespace.
    pub const fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// Configures the loopback interface; called in the first part of a separate namespace.
    pub fn set(segmentation: Segmentation) -> Result<(), String> {
        let mtu = MTU.to_string();
        run("ip", &["link", "set", "lo", "up", "mtu", &mtu])
            .map_err(|error| format!("{UNFIT}: {error}"))?;
        match segmentation {
            Segmentation::On => Ok(()),
            Segmentation::Off => switch_segmentation_off("lo")
                .map_err(|error| format!("{UNFIT}: segmentation offload: {error}")),
        }
    }

    /// Drops `percent` of the incoming packets at random; called in the first part of a separate
    /// namespace.
    pub fn lose(percent: f64) -> Result<(), String> {
        run("nft", &[&losing(percent)]).map_err(|error| format!("{UNFIT}: random loss: {error}"))
    }

    /// The reason why samples that need packets of the papers' size cannot be taken here, if so.
    pub fn shortcoming(&self) -> Option<String> {
        match self {
            Self::Own(_) => None,
            Self::Shared(why) => Some(format!(
                "packets of {MTU} bytes without segmentation offload take a network of their own: \
                 {why}"
            )),
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(_) => write!(
                f,
                "loopback of a network namespace of its own, MTU {MTU} bytes"
            ),
            Self::Shared(why) => write!(
                f,
                "this machine's loopback with its MTU and its offloads ({why})"
            ),
        }
    }
}

/// The nftables rules that drop `percent` of the incoming packets.
fn losing(percent: f64) -> String {
    let of = format!("numgen random mod 100000 < {:.0}", percent * 1000.0);
    format!("table ip lab {{ chain lose {{ type filter hook input priority 0; {of} drop; }}; }}")
}

/// Runs a command until it exits.
pub(super) fn run(program: &str, words: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(words).output();
    let output = output.map_err(|error| format!("cannot start {program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} {}: {}", words.join(" "), said.trim()))
}

/// Starts a part through two commands, each of which may be empty.
fn start(prefix: &[&str], by: &[String], study: &str, part: &Value) -> Result<Process, String> {
    let by = by.iter().map(String::as_str);
    let words: Vec<&str> = prefix.iter().copied().chain(by).collect();
    Process::part_within(&words, study, part)
}

/// Bytes and packets that the loopback interface has carried.
#[must_use]
pub fn carried() -> Option<(u64, u64)> {
    let table = fs::read_to_string("/proc/self/net/dev").ok()?;
    let line = table
        .lines()
        .find_map(|line| line.trim().strip_prefix("lo:"))?;
    let mut numbers = line.split_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn has(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests;
