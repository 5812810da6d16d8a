use core::borrow::Borrow;
use core::cmp::Ordering;
use core::convert::Infallible;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{Settings, parallel};

/// The complete description of a run; equal runs produce equal records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name of the run's study.
    pub study: String,
    /// The experiment within the study.
    pub experiment: String,
    /// The settings that distinguish the run from others of its experiment.
    pub settings: Settings,
    /// Seed of all random numbers. Runs with different settings share seeds, so that they can be
    /// compared in pairs.
    pub seed: u64,
}

impl Run {
    /// Creates a run of a study's experiment.
    #[must_use]
    pub fn new(study: &str, experiment: &str, settings: Settings, seed: u64) -> Self {
        Self {
            study: study.to_owned(),
            experiment: experiment.to_owned(),
            settings,
            seed,
        }
    }

    /// The key of the run's record: a hash of the run and of the code that affects its result.
    pub fn key(&self, code: &str) -> RunKey {
        let Self {
            study,
            experiment,
            settings,
            seed,
        } = self;
        let content = format!("{code}\n{study}\n{experiment}\n{settings}\n{seed}");
        let hash = blake3::hash(content.as_bytes());
        RunKey(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }

    /// The keys of runs, in order, computed on several threads.
    pub(crate) fn keys(runs: &[impl Borrow<Self> + Sync], code: &str) -> Vec<RunKey> {
        let mut all = Vec::with_capacity(runs.len());
        let keys = |some: &[_]| -> Vec<RunKey> {
            let runs = some.iter().map(Borrow::<Self>::borrow);
            runs.map(|run| run.key(code)).collect()
        };
        let none_fails = parallel::in_order(runs.chunks(4096), keys, |keys| {
            all.extend(keys);
            Ok::<(), Infallible>(())
        });
        let Ok(()) = none_fails;
        all
    }

    /// The order of runs in a store and in tables: by study, experiment, settings and seed.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        self.study
            .cmp(&other.study)
            .then_with(|| self.experiment.cmp(&other.experiment))
            .then_with(|| self.settings.order(&other.settings))
            .then_with(|| self.seed.cmp(&other.seed))
    }

    /// Whether the run's description (its `Display`) contains `words` as whole words: `seed 1` does
    /// not match seed 10, nor does `delay_ms = 2` match a delay of 2.5. A suffix of a dotted key
    /// suffices: `path_max_retrans = 0` matches `flow.main.sctp.path_max_retrans = 0`.
    pub fn says(&self, words: &str) -> bool {
        let text = self.to_string();
        let goes_on = |char: char| char.is_alphanumeric() || "_.-".contains(char);
        let ends = |char: Option<char>| !char.is_some_and(goes_on);
        let is_open = |char: Option<char>| !char.is_some_and(char::is_alphanumeric);
        let is_name = words.starts_with(char::is_alphabetic);
        text.match_indices(words).any(|(at, found)| {
            let last = text[..at].chars().next_back();
            let begins = ends(last) || (is_name && last == Some('.'));
            let before = is_open(words.chars().next()) || begins;
            let after =
                is_open(words.chars().next_back()) || ends(text[at + found.len()..].chars().next());
            before && after
        })
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            study,
            experiment,
            settings,
            seed,
        } = self;
        write!(f, "{study} {experiment} ({settings}), seed {seed}")
    }
}

/// The key under which a finished run is stored.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RunKey(pub(crate) [u8; 16]);

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

#[cfg(test)]
mod tests;
