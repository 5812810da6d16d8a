use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::store::code;
use crate::{Machine, Record, studies};

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
    /// Their seeds.
    pub seeds: BTreeSet<u64>,
    /// Their experiments.
    pub experiments: BTreeSet<String>,
    /// The parameters of the study that all runs share.
    pub parameters: BTreeMap<String, String>,
}

impl Manifest {
    /// A manifest of those records, which `command` made.
    #[must_use]
    pub fn new(records: &[Record], machine: Machine, command: &str) -> Self {
        let mut contents: BTreeMap<String, Contents> = BTreeMap::new();
        for record in records {
            let of_study = contents.entry(record.run.study.clone()).or_default();
            of_study.runs += 1;
            of_study.seeds.insert(record.run.seed);
            of_study.experiments.insert(record.run.experiment.clone());
        }
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
    /// The same, made with those words on the command line.
    #[must_use]
    pub fn with_effort(mut self, effort: &str) -> Self {
        effort.clone_into(&mut self.effort);
        self
    }
}
