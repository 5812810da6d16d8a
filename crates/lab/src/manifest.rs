use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::store::code;
use crate::{Digest, Machine, Record, Run, studies};

/// The contents and the origin of a folder of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this program.
    pub version: String,
    /// The revision of its sources, as it was built.
    pub revision: String,
    /// The sources that decide what a run gives, in one number.
    pub code: String,
    /// The machine.
    pub machine: Machine,
    /// The command that makes the same again.
    pub command: String,
    /// The words of it that say how much was run, such as `--full --seeds 5`.
    #[serde(default)]
    pub effort: String,
    /// Contents by study.
    pub studies: BTreeMap<String, Contents>,
}

/// The contents for one study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    /// Finished runs.
    pub runs: usize,
    /// Their seeds, as ranges of which both ends belong to them.
    pub seeds: Vec<[u64; 2]>,
    /// Their experiments.
    pub experiments: BTreeSet<String>,
    /// The parameters of the study that all runs share.
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
        // Two ranges may touch now.
        if let Some([[_, last], [next, end]]) = self.seeds.get(place..).and_then(<[_]>::first_chunk)
            && last.saturating_add(1) >= *next
        {
            self.seeds[place][1] = *end;
            self.seeds.remove(place + 1);
        }
    }
}

impl Manifest {
    /// A manifest of records with that digest, which `command` made.
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

    /// A manifest of those records, which `command` made.
    #[must_use]
    pub fn new(records: &[Record], machine: Machine, command: &str) -> Self {
        Self::of(&Digest::of(records), machine, command)
    }

    /// The same, made with those words on the command line.
    #[must_use]
    pub fn with_effort(mut self, effort: &str) -> Self {
        effort.clone_into(&mut self.effort);
        self
    }
}
