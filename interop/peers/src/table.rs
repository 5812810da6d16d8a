//! `interop/peers.toml`: the other stacks, and the features that are tried with each.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The features of data channels that are tried.
    #[serde(rename = "feature")]
    pub features: Vec<Feature>,
    /// The features of SCTP alone that are tried.
    #[serde(rename = "plain-feature")]
    pub plain_features: Vec<Feature>,
    /// The stacks.
    #[serde(rename = "stack")]
    pub stacks: Vec<Stack>,
}

/// A feature of data channels, or of SCTP alone.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The name of its case.
    pub name: String,
    /// The feature in words.
    pub about: String,
    /// Whether it is tried with those stacks alone that list it.
    #[serde(default)]
    pub optional: bool,
}

/// Another stack.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// A short name.
    pub name: String,
    /// The full name, and the language that it is written in.
    pub about: String,
    /// The registry that has it: `crates`, `debian`, `go`, `npm` or `pypi`.
    pub registry: String,
    /// The packages, the main one first.
    pub packages: Vec<String>,
    /// The file that pins their versions, from the root of the repository; none for `debian`.
    pub pinned: Option<String>,
    /// The data channels of a whole WebRTC stack.
    pub channels: Option<Channels>,
    /// The stack as a peer of SCTP alone.
    pub plain: Option<Plain>,
}

/// The data channels of a stack: the program that is a peer, and its limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Channels {
    /// The way in which the program is made.
    pub made: String,
    /// The folder of its sources, in `interop`.
    pub folder: String,
    /// Bytes of the longest message that it takes.
    pub takes: usize,
    /// Bytes of the longest message that it sends.
    pub sends: usize,
    /// Bytes of the longest IP packet that is looked for with it.
    #[serde(default = "usual_pmtu")]
    pub max_pmtu: u16,
    /// Words of its command line.
    #[serde(default)]
    pub words: Vec<String>,
    /// Words of its command line in place of those, by feature.
    #[serde(default)]
    pub words_for: BTreeMap<String, Vec<String>>,
    /// The variable of the environment without which it is not tried.
    #[serde(rename = "where")]
    pub condition: Option<String>,
    /// The optional features that are tried.
    #[serde(default)]
    pub with: Vec<String>,
    /// The features that are not tried, each with the reason.
    #[serde(default)]
    pub without: BTreeMap<String, String>,
}

/// A stack as a peer of SCTP alone, and what it has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    /// The way to it.
    pub reached: Reach,
    /// For a program, the way in which it is made; its sources are in `folder`, in `interop`.
    pub made: Option<String>,
    /// The folder of the program's sources, in `interop`.
    pub folder: Option<String>,
    /// Number of streams that it is tried with.
    #[serde(default = "many_streams")]
    pub streams: u16,
    /// Whether its streams take turns where messages are interleaved.
    #[serde(default)]
    pub takes_turns: bool,
    /// Words that make the program give messages up, one way each.
    #[serde(default)]
    pub gives_up: Vec<String>,
    /// The optional features that are tried.
    #[serde(default)]
    pub with: Vec<String>,
    /// The features that are not tried, each with the reason.
    #[serde(default)]
    pub without: BTreeMap<String, String>,
    /// The features with tests that are written by hand, each with their file in `interop/peers/tests`.
    #[serde(default)]
    pub own: BTreeMap<String, String>,
}

/// The way in which a stack is reached.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// In this process, in virtual time.
    Memory,
    /// A program over UDP encapsulation (RFC 6951).
    Udp,
    /// A program over DTLS (RFC 8261).
    Dtls,
    /// A Linux kernel, in a process of its own.
    Kernel,
}

/// A part of the table: features, and the stacks that are tried with them in two roles.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    /// The features.
    pub features: &'a [Feature],
    /// Each role with its value in the tests.
    pub roles: [(&'static str, &'static str); 2],
    /// The stacks.
    pub columns: Vec<Column<'a>>,
}

/// A stack's answers in a [`Matrix`].
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The stack.
    pub stack: &'a Stack,
    /// The optional features that are tried.
    pub with: &'a [String],
    /// The features, or one role of them, that are not tried, each with the reason.
    pub without: &'a BTreeMap<String, String>,
    /// The files of the features with tests that are written by hand.
    pub own: Option<&'a BTreeMap<String, String>>,
}

impl Table {
    /// The features of data channels.
    pub fn channels(&self) -> Matrix<'_> {
        let columns = self.stacks.iter().filter_map(|stack| {
            let channels = stack.channels.as_ref()?;
            Some(Column {
                stack,
                with: &channels.with,
                without: &channels.without,
                own: None,
            })
        });
        Matrix {
            features: &self.features,
            roles: [
                ("we_offer", "Offerer::Here"),
                ("it_offers", "Offerer::Peer"),
            ],
            columns: columns.collect(),
        }
    }

    /// The features of SCTP alone.
    pub fn plain(&self) -> Matrix<'_> {
        let columns = self.stacks.iter().filter_map(|stack| {
            let plain = stack.plain.as_ref()?;
            Some(Column {
                stack,
                with: &plain.with,
                without: &plain.without,
                own: Some(&plain.own),
            })
        });
        Matrix {
            features: &self.plain_features,
            roles: [("we_call", "Side::Left"), ("it_calls", "Side::Right")],
            columns: columns.collect(),
        }
    }
}

impl Column<'_> {
    /// Whether a test of that feature and role is made.
    pub fn tries(&self, feature: &Feature, role: &str) -> bool {
        let name = &feature.name;
        let one_role = format!("{name}_where_{role}");
        let left_out = |key: &String| self.without.contains_key(key);
        (!feature.optional || self.with.contains(name))
            && self.file(feature).is_none()
            && ![name, &one_role].into_iter().any(left_out)
    }

    /// The file with tests of that feature that are written by hand, in `interop/peers/tests`.
    pub fn file(&self, feature: &Feature) -> Option<&str> {
        Some(self.own?.get(&feature.name)?.as_str())
    }
}

const fn usual_pmtu() -> u16 {
    1500
}

const fn many_streams() -> u16 {
    1000
}
