//! Selects the runs requested on the command line.

use std::fs;
use std::path::Path;

use sheave_lab::{Effort, Run, Study, UserScenario, find, studies};

use super::RunArgs;
use crate::failure::{Failure, While};

/// Selected runs, including user-defined scenarios.
pub struct Selection {
    pub runs: Vec<Run>,
    pub scenarios: Vec<UserScenario>,
}

impl Selection {
    /// Resolves the selected studies, in command-line order.
    /// Errors: a study does not exist, a scenario cannot be read, or the selection is empty.
    pub fn of(args: &RunArgs) -> Result<Self, Failure> {
        let effort = Effort {
            extent: args.extent(),
            seeds: args.seeds,
            after: args.seeds_after,
        };
        let mut selection = Self {
            runs: Vec::new(),
            scenarios: Vec::new(),
        };
        for name in &args.what {
            if is_file(name) {
                selection.add_scenario(Path::new(name), effort)?;
            } else {
                selection.runs.extend(study(name)?.plan(effort));
            }
        }
        if args.what.is_empty() {
            let all = studies().iter();
            selection.runs = all.flat_map(|study| study.plan(effort)).collect();
        }
        let wanted = |run: &Run| args.only.iter().all(|words| run.says(words));
        selection.runs.retain(wanted);
        if selection.runs.is_empty() {
            let fix =
                "--only takes words of a run, such as --only 'loss_percent = 5' --only 'seed 1'";
            return Err(Failure::usage("no run is left").fix(fix));
        }
        Ok(selection)
    }

    fn add_scenario(&mut self, file: &Path, effort: Effort) -> Result<(), Failure> {
        let shown = file.display();
        let text = fs::read_to_string(file).while_doing(format_args!("cannot read {shown}"))?;
        let name = UserScenario::name_of(file);
        if self.scenarios.iter().any(|known| known.name() == name) {
            return Err(Failure::usage(format_args!(
                "two scenarios are called {name}"
            )));
        }
        let scenario = UserScenario::read(&name, &text);
        let scenario = scenario
            .map_err(|error| Failure::usage(format_args!("{}: {}", shown, error.reason())))?;
        let plan = scenario.plan(effort.seeds).into_iter().map(|run| Run {
            seed: run.seed + effort.after,
            ..run
        });
        self.runs.extend(plan);
        self.scenarios.push(scenario);
        Ok(())
    }
}

fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    path.extension()
        .is_some_and(|extension| extension == "toml")
        || path.is_file()
}

fn study(name: &str) -> Result<&'static Study, Failure> {
    let unknown = || Failure::usage(format_args!("there is no study {name}"));
    let names = studies().iter().map(|study| study.name());
    let names = names.collect::<Vec<_>>().join(", ");
    find(name).ok_or_else(|| {
        unknown().fix(format_args!(
            "There are {names}; a scenario of your own is a file that ends in .toml"
        ))
    })
}
