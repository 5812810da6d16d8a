//! Forms of values that are more than one number or word.

mod authentication;
mod congestion;
mod methods;

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

pub(in crate::options) use self::authentication::{
    ActiveKey, Algorithms, AuthenticatedChunks, Secret, Secrets,
};
pub(in crate::options) use self::congestion::{Acknowledgements, Congestion, Scheduler};
pub(in crate::options) use self::methods::Methods;
use super::choice::{OrOff, Words};
use super::number::{Size, Span};
use super::{Form, OptionUnit};
use crate::{
    BufferSizes, ConcurrentTransfer, Heartbeats, Multipath, PathMtuDiscovery, PeerRequests,
    Reconfiguration, SourceShare,
};

/// `off`, or the heartbeat interval.
pub(in crate::options) struct ProbeInterval(pub(in crate::options) OrOff<Span>);

/// `fixed`, `auto`, or `auto:MAX`.
pub(in crate::options) struct Buffers(pub(in crate::options) Size);

/// `automatic`, `off`, `on`, or `on:MAX`.
pub(in crate::options) struct MtuDiscovery(pub(in crate::options) Size);

/// `off` or `concurrent`; the details of the transfer are options of their own.
pub(in crate::options) struct Transfer;

/// `free`, `all`, or a number of bytes.
pub(in crate::options) struct Share(pub(in crate::options) Size);

/// `off`, `on`, or `on:REQUEST+REQUEST`.
pub(in crate::options) struct Requests;

impl Form<Heartbeats> for ProbeInterval {
    fn read(&self, text: &str) -> Option<Heartbeats> {
        let interval = self.0.read(text)?;
        Some(interval.map_or(Heartbeats::Off, Heartbeats::Every))
    }

    fn write(&self, value: &Heartbeats) -> String {
        self.0.write(&interval(*value))
    }

    fn contains(&self, value: &Heartbeats) -> bool {
        self.0.contains(&interval(*value))
    }

    fn range(&self) -> String {
        self.0.range()
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Time
    }

    fn words(&self) -> Vec<&'static str> {
        self.0.words()
    }
}

fn interval(heartbeats: Heartbeats) -> Option<core::time::Duration> {
    match heartbeats {
        Heartbeats::Every(interval) => Some(interval),
        Heartbeats::Off => None,
    }
}

impl Form<BufferSizes> for Buffers {
    fn read(&self, text: &str) -> Option<BufferSizes> {
        match (text.trim(), text.trim().strip_prefix("auto:")) {
            ("fixed", _) => Some(BufferSizes::Fixed),
            ("auto", _) => Some(BufferSizes::AUTO),
            (_, max) => self.0.read(max?).map(|max| BufferSizes::Auto { max }),
        }
    }

    fn write(&self, value: &BufferSizes) -> String {
        match value {
            BufferSizes::Fixed => "fixed".into(),
            &BufferSizes::AUTO => "auto".into(),
            BufferSizes::Auto { max } => format!("auto:{}", self.0.write(max)),
        }
    }

    fn contains(&self, value: &BufferSizes) -> bool {
        match value {
            BufferSizes::Fixed => true,
            BufferSizes::Auto { max } => self.0.contains(max),
        }
    }

    fn range(&self) -> String {
        let max = Form::<usize>::range(&self.0);
        format!("fixed, auto or auto:MAX with MAX from {max}")
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["fixed", "auto"]
    }
}

impl Form<SourceShare> for Share {
    fn read(&self, text: &str) -> Option<SourceShare> {
        match text.trim() {
            "free" => Some(SourceShare::AsMuchAsIsFree),
            "all" => Some(SourceShare::All),
            bytes => self.0.read(bytes).map(SourceShare::Bytes),
        }
    }

    fn write(&self, value: &SourceShare) -> String {
        match value {
            SourceShare::AsMuchAsIsFree => "free".into(),
            SourceShare::All => "all".into(),
            SourceShare::Bytes(bytes) => self.0.write(bytes),
        }
    }

    fn contains(&self, value: &SourceShare) -> bool {
        match value {
            SourceShare::AsMuchAsIsFree | SourceShare::All => true,
            SourceShare::Bytes(bytes) => self.0.contains(bytes),
        }
    }

    fn range(&self) -> String {
        format!("free, all, or {}", Form::<usize>::range(&self.0))
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Bytes
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["free", "all"]
    }
}

impl Form<PathMtuDiscovery> for MtuDiscovery {
    fn read(&self, text: &str) -> Option<PathMtuDiscovery> {
        match (text.trim(), text.trim().strip_prefix("on:")) {
            ("automatic", _) => Some(PathMtuDiscovery::Automatic),
            ("off", _) => Some(PathMtuDiscovery::Off),
            ("on", _) => Some(PathMtuDiscovery::Plpmtud {
                max: PathMtuDiscovery::USUAL_MAX,
            }),
            (_, max) => self
                .0
                .read(max?)
                .map(|max| PathMtuDiscovery::Plpmtud { max }),
        }
    }

    fn write(&self, value: &PathMtuDiscovery) -> String {
        match value {
            PathMtuDiscovery::Automatic => "automatic".into(),
            PathMtuDiscovery::Off => "off".into(),
            PathMtuDiscovery::Plpmtud { max } if *max == PathMtuDiscovery::USUAL_MAX => "on".into(),
            PathMtuDiscovery::Plpmtud { max } => format!("on:{}", self.0.write(max)),
        }
    }

    fn contains(&self, value: &PathMtuDiscovery) -> bool {
        value.max().is_none_or(|max| self.0.contains(&max))
    }

    fn range(&self) -> String {
        let max = Form::<u16>::range(&self.0);
        format!("automatic, off, on or on:MAX with MAX from {max}")
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["automatic", "off", "on"]
    }
}

impl Form<Multipath> for Transfer {
    fn read(&self, text: &str) -> Option<Multipath> {
        match text.trim() {
            "off" => Some(Multipath::Off),
            "concurrent" => Some(Multipath::Concurrent(ConcurrentTransfer::default())),
            _ => None,
        }
    }

    fn write(&self, value: &Multipath) -> String {
        match value {
            Multipath::Off => "off".into(),
            Multipath::Concurrent(_) => "concurrent".into(),
        }
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["off", "concurrent"]
    }

    fn merge(&self, old: &Multipath, new: Multipath) -> Multipath {
        match (old, new) {
            (Multipath::Concurrent(_), Multipath::Concurrent(_)) => *old,
            _ => new,
        }
    }
}

/// The reconfiguration requests by name.
const REQUESTS: Words<PeerRequests> = Words(&[
    ("reset-incoming", PeerRequests::RESET_INCOMING),
    ("reset-outgoing", PeerRequests::RESET_OUTGOING),
    ("reset-tsns", PeerRequests::RESET_TSNS),
    ("add-incoming", PeerRequests::ADD_INCOMING),
    ("add-outgoing", PeerRequests::ADD_OUTGOING),
]);

impl Requests {
    fn names(requests: PeerRequests) -> String {
        let granted = REQUESTS.0.iter().filter(|(_, one)| requests.contains(*one));
        let names: Vec<&str> = granted.map(|(name, _)| *name).collect();
        names.join("+")
    }

    fn listed(names: &str) -> Option<PeerRequests> {
        let mut names = names.split('+');
        names.try_fold(PeerRequests::NONE, |all, name| {
            Some(all.union(REQUESTS.read(name)?))
        })
    }
}

impl Form<Reconfiguration> for Requests {
    fn read(&self, text: &str) -> Option<Reconfiguration> {
        let granted = match (text.trim(), text.trim().strip_prefix("on:")) {
            ("off", _) => return Some(Reconfiguration::Off),
            ("on", _) => PeerRequests::ALL,
            (_, Some("none")) => PeerRequests::NONE,
            (_, names) => Self::listed(names?)?,
        };
        Some(Reconfiguration::On(granted))
    }

    fn write(&self, value: &Reconfiguration) -> String {
        match value {
            Reconfiguration::Off => "off".into(),
            &Reconfiguration::On(PeerRequests::ALL) => "on".into(),
            &Reconfiguration::On(PeerRequests::NONE) => "on:none".into(),
            Reconfiguration::On(requests) => format!("on:{}", Self::names(*requests)),
        }
    }

    fn range(&self) -> String {
        let names = Self::names(PeerRequests::ALL);
        format!("off, on, on:none or on: with some of {names}")
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["off", "on"]
    }
}
