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
    /// The stacks.
    #[serde(rename = "stack")]
    pub stacks: Vec<Stack>,
}

/// A feature of data channels.
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
    /// Its full name, and the language that it is written in.
    pub about: String,
    /// The registry that has it: `crates`, `debian`, `go`, `npm` or `pypi`.
    pub registry: String,
    /// Its packages, the main one first.
    pub packages: Vec<String>,
    /// The file that pins their versions, from the root of the repository; none for `debian`.
    pub pinned: Option<String>,
    /// The data channels of a whole WebRTC stack.
    pub channels: Option<Channels>,
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

impl Channels {
    /// Whether a feature is tried.
    #[must_use]
    pub fn tries(&self, feature: &Feature) -> bool {
        match feature.optional {
            true => self.with.contains(&feature.name),
            false => !self.without.contains_key(&feature.name),
        }
    }
}

const fn usual_pmtu() -> u16 {
    1500
}
