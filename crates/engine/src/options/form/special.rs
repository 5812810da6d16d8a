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

/// `off` or `concurrent`; the details of the transfer are options of their own.
pub(in crate::options) struct Transfer;

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

/// Words, or a number of bytes that stands alone or behind one of the words.
pub(in crate::options) struct WordsOrSize<T: 'static, N> {
    words: Words<T>,
    /// The word that a colon and the bytes may follow, if they do not stand alone.
    before: Option<&'static str>,
    size: Size,
    with: fn(N) -> T,
    of: fn(&T) -> Option<N>,
}

/// `fixed`, `auto`, or `auto:MAX`.
pub(in crate::options) const BUFFERS: WordsOrSize<BufferSizes, usize> = WordsOrSize {
    words: Words(&[("fixed", BufferSizes::Fixed), ("auto", BufferSizes::AUTO)]),
    before: Some("auto"),
    size: Size(4 << 10, 1 << 30),
    with: |max| BufferSizes::Auto { max },
    of: |buffers| match buffers {
        BufferSizes::Fixed => None,
        BufferSizes::Auto { max } => Some(*max),
    },
};

/// `free`, `all`, or a number of bytes.
pub(in crate::options) const SHARE: WordsOrSize<SourceShare, usize> = WordsOrSize {
    words: Words(&[
        ("free", SourceShare::AsMuchAsIsFree),
        ("all", SourceShare::All),
    ]),
    before: None,
    size: Size(1, u64::MAX),
    with: SourceShare::Bytes,
    of: |share| match share {
        SourceShare::AsMuchAsIsFree | SourceShare::All => None,
        SourceShare::Bytes(bytes) => Some(*bytes),
    },
};

/// `automatic`, `off`, `on`, or `on:MAX`.
pub(in crate::options) const MTU_DISCOVERY: WordsOrSize<PathMtuDiscovery, u16> = WordsOrSize {
    words: Words(&[
        ("automatic", PathMtuDiscovery::Automatic),
        ("off", PathMtuDiscovery::Off),
        (
            "on",
            PathMtuDiscovery::Plpmtud {
                max: PathMtuDiscovery::USUAL_MAX,
            },
        ),
    ]),
    before: Some("on"),
    size: Size(576, 65_535),
    with: |max| PathMtuDiscovery::Plpmtud { max },
    of: |discovery| discovery.max(),
};

impl<T, N> Form<T> for WordsOrSize<T, N>
where
    T: Clone + PartialEq + Sync,
    N: Copy + TryFrom<u64> + TryInto<u64>,
{
    fn read(&self, text: &str) -> Option<T> {
        let text = text.trim();
        self.words.read(text).or_else(|| {
            let size = match self.before {
                Some(word) => text.strip_prefix(word)?.strip_prefix(':')?,
                None => text,
            };
            self.size.read(size).map(self.with)
        })
    }

    fn write(&self, value: &T) -> String {
        let word = self.words.write(value);
        match (self.of)(value) {
            Some(size) if word.is_empty() => {
                let size = self.size.write(&size);
                self.before
                    .map_or_else(|| size.clone(), |word| format!("{word}:{size}"))
            }
            _ => word,
        }
    }

    fn contains(&self, value: &T) -> bool {
        (self.of)(value).is_none_or(|size| self.size.contains(&size))
    }

    fn range(&self) -> String {
        let words = self.words().join(", ");
        let sizes = Form::<N>::range(&self.size);
        match self.before {
            Some(word) => format!("{words} or {word}:MAX with MAX from {sizes}"),
            None => format!("{words}, or {sizes}"),
        }
    }

    fn unit(&self) -> OptionUnit {
        match self.before {
            Some(_) => OptionUnit::Word,
            None => OptionUnit::Bytes,
        }
    }

    fn words(&self) -> Vec<&'static str> {
        self.words.words()
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
