use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::store::code;
use crate::{Digest, Machine, Record, Run, studies};

/// Contents and origin of a folder of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this program.
    pub version: String,
    /// Source revision of the build.
    pub revision: String,
    /// Hash of the sources that affect results.
    pub code: String,
    /// The machine.
    pub machine: Machine,
    /// Command that reproduces the results.
    pub command: String,
    /// The words of the command that set the effort, such as `--full --seeds 5`.
    #[serde(default)]
    pub effort: String,
    /// Contents by study.
    pub studies: BTreeMap<String, Contents>,
}

/// Contents of one study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    /// Number of finished runs.
    pub runs: usize,
    /// Their seeds, as inclusive ranges.
    pub seeds: Vec<[u64; 2]>,
    /// Their experiments.
    pub experiments: BTreeSet<String>,
    /// Parameters of the study shared by all runs.
    pub parameters: BTreeMap<String, String>,
}

impl Contents {
    /// Counts a run.
    pub(crate) fn add(&mut self, run: &Run) {
        self.runs += 1;
        if !self.experiments.contains(&run.experiment) {
            self.experiments.insert(run.experiment.clone());
        }
        let seed = run.seed;
        let place = self
            .seeds
            .partition_point(|[_, last]| last.saturating_add(1) < seed);
        match self.seeds.get_mut(place) {
            Some([first, last]) if first.saturating_sub(1) <= seed => {
                *first = seed.min(*first);
                *last = seed.max(*last);
            }
            _ => self.seeds.insert(place, [seed, seed]),
        }
        // Two ranges may now be adjacent.
        if let Some([[_, last], [next, end]]) = self.seeds.get(place..).and_then(<[_]>::first_chunk)
            && last.saturating_add(1) >= *next
        {
            self.seeds[place][1] = *end;
            self.seeds.remove(place + 1);
        }
    }
}

impl Manifest {
    /// Creates the manifest of condensed records that `command` produced.
    #[must_use]
    pub fn of(digest: &Digest, machine: Machine, command: &str) -> Self {
        let mut contents = digest.contents();
        for study in studies() {
            if let Some(of_study) = contents.get_mut(study.name()) {
                let parameters = study.parameters().into_iter();
                of_study.parameters = parameters
                    .map(|parameter| (parameter.name.to_owned(), parameter.value))
                    .collect();
            }
        }
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: env!("SHEAVE_LAB_REVISION").to_owned(),
            code: code().to_owned(),
            machine,
            command: command.to_owned(),
            effort: String::new(),
            studies: contents,
        }
    }

    /// Creates the manifest of records that `command` produced.
    #[must_use]
    pub fn new(records: &[Record], machine: Machine, command: &str) -> Self {
        Self::of(&Digest::of(records, &[]), machine, command)
    }

    /// Sets the words of the command line for the effort.
    #[must_use]
    pub fn with_effort(mut self, effort: &str) -> Self {
        effort.clone_into(&mut self.effort);
        self
    }
}
