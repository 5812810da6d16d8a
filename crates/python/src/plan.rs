use std::num::NonZero;
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sheave_lab::{Columns, Run, Selected, Shard, Store, UserScenario};

use crate::congestion::OwnCongestion;
use crate::error::RunError;
use crate::execution::{self, Looks, Order};
use crate::results::Results;
use crate::table::Table;

/// Runs that are to be carried out: here, in parts, or on the workers of a cluster.
#[pyclass(frozen, module = "sheave.lab")]
pub(crate) struct Plan {
    runs: Vec<Run>,
    scenarios: Vec<UserScenario>,
    /// Congestion controls that the scenarios may name.
    own: OwnCongestion,
    /// The command line that makes the same.
    command: String,
    /// The words of it that say how much is run.
    effort: String,
    looks: Looks,
}

impl Plan {
    /// The runs of a scenario.
    pub(crate) fn of_scenario(scenario: UserScenario, own: OwnCongestion) -> Self {
        Self {
            runs: scenario.plan(None),
            command: format!("sheave lab run {}.toml", scenario.name()),
            scenarios: vec![scenario],
            own,
            effort: String::new(),
            looks: Looks::One,
        }
    }

    /// The runs of a study, which need as many seeds as it takes to decide its claims unless their
    /// number is given.
    pub(crate) fn of_study(name: &str, runs: Vec<Run>, effort: String, looks: Looks) -> Self {
        let command = [&format!("sheave lab run {name}"), &effort];
        let command = command.into_iter().filter(|words| !words.is_empty());
        Self {
            runs,
            scenarios: Vec::new(),
            own: OwnCongestion::default(),
            command: command.cloned().collect::<Vec<_>>().join(" "),
            effort,
            looks,
        }
    }

    /// The same with those runs alone that say all those words.
    pub(crate) fn only(mut self, words: &[String]) -> PyResult<Self> {
        if words.is_empty() {
            return Ok(self);
        }
        self.runs
            .retain(|run| words.iter().all(|words| run.says(words)));
        self.looks = Looks::One;
        for words in words {
            self.command += &format!(" --only '{words}'");
        }
        if self.runs.is_empty() {
            return Err(PyValueError::new_err(format!(
                "only: no run says {}",
                words.join(" and ")
            )));
        }
        Ok(self)
    }

    fn begin(&self, out: &Path) -> PyResult<sheave_lab::Results> {
        let begun = sheave_lab::Results::begin(out, self.scenarios.clone(), self.command_of(out))?;
        Ok(sheave_lab::Results {
            effort: self.effort.clone(),
            ..begun
        })
    }

    /// The command for results in that folder, which keeps the text of a scenario: a file of the same name
    /// elsewhere may sweep other values.
    fn command_of(&self, out: &Path) -> String {
        let [scenario] = &self.scenarios[..] else {
            return self.command.clone();
        };
        let file = format!("{}.toml", scenario.name());
        let kept = out.join("scenarios").join(&file);
        self.command.replacen(&file, &kept.display().to_string(), 1)
    }

    fn carry_out(
        &self,
        py: Python<'_>,
        store: &Store,
        how: How,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Selected, Vec<String>)> {
        let order = Order {
            runs: self.runs.clone(),
            scenarios: self.scenarios.clone(),
            store: store.clone(),
            jobs: how.jobs,
            shard: how.shard,
            looks: match how.shard {
                Shard::WHOLE => self.looks,
                _ => Looks::One,
            },
        };
        Ok(execution::carry_out(py, order, progress)??)
    }
}

/// The set-up of an execution.
#[derive(Clone, Copy)]
struct How {
    jobs: Option<NonZero<usize>>,
    shard: Shard,
}

impl How {
    fn of(jobs: Option<usize>, shard: Option<&str>) -> PyResult<Self> {
        let jobs = jobs.map(|jobs| {
            NonZero::new(jobs).ok_or_else(|| PyValueError::new_err("jobs: must be at least 1"))
        });
        let shard = shard.map(|text| {
            text.parse()
                .map_err(|error| PyValueError::new_err(format!("shard: must be {error}")))
        });
        Ok(Self {
            jobs: jobs.transpose()?,
            shard: shard.transpose()?.unwrap_or(Shard::WHOLE),
        })
    }
}

#[pymethods]
impl Plan {
    fn __len__(&self) -> usize {
        self.runs.len()
    }

    fn __repr__(&self) -> String {
        format!("<Plan: {} runs of `{}`>", self.runs.len(), self.command)
    }

    /// The runs in words, such as `radio scenario (delay_ms = 5), seed 1`.
    #[getter]
    fn runs(&self) -> Vec<String> {
        self.runs.iter().map(ToString::to_string).collect()
    }

    /// The places of the runs that have no record in the folder `out` yet.
    #[pyo3(
        signature = (out=PathBuf::from("lab-results")),
        text_signature = "($self, out='lab-results')"
    )]
    fn missing(&self, py: Python<'_>, out: PathBuf) -> PyResult<Vec<usize>> {
        let store = Store::open(&out)?;
        Ok(py.detach(|| store.missing(&self.runs))?)
    }

    /// The runs at those places, as a plan of their own.
    fn part(&self, places: Vec<usize>) -> PyResult<Self> {
        let run = |place: usize| {
            let run = self.runs.get(place).cloned();
            run.ok_or_else(|| PyIndexError::new_err(format!("there is no run {place}")))
        };
        Ok(Self {
            runs: places.into_iter().map(run).collect::<PyResult<_>>()?,
            scenarios: self.scenarios.clone(),
            own: self.own.clone(),
            command: self.command.clone(),
            effort: self.effort.clone(),
            looks: Looks::One,
        })
    }

    /// Carries out the runs and keeps their records in the folder `out`, without tables and
    /// reports. Gives the reasons why runs failed.
    #[pyo3(
        signature = (*, jobs=None, out=PathBuf::from("lab-results"), shard=None, progress=None),
        text_signature = "($self, *, jobs=None, out='lab-results', shard=None, progress=None)"
    )]
    fn fill(
        &self,
        py: Python<'_>,
        jobs: Option<usize>,
        out: PathBuf,
        shard: Option<&str>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<String>> {
        let how = How::of(jobs, shard)?;
        let store = self.begin(&out)?.store;
        let (_, failures) = self.carry_out(py, &store, how, progress.as_ref())?;
        Ok(failures)
    }

    /// Carries out the runs that have no record in the folder `out` yet, and writes tables and
    /// reports of all of them, as `sheave lab run` does.
    #[pyo3(
        signature = (
            *, jobs=None, out=PathBuf::from("lab-results"), shard=None, progress=None, ray=false
        ),
        text_signature = "($self, *, jobs=None, out='lab-results', shard=None, progress=None, \
                          ray=False)"
    )]
    pub(crate) fn run(
        slf: &Bound<'_, Self>,
        jobs: Option<usize>,
        out: PathBuf,
        shard: Option<&str>,
        progress: Option<Bound<'_, PyAny>>,
        ray: bool,
    ) -> PyResult<Results> {
        let (py, plan) = (slf.py(), slf.get());
        let how = How::of(jobs, shard)?;
        let results = plan.begin(&out)?;
        if ray {
            let module = py.import("sheave.lab.ray")?;
            let keywords = PyDict::new(py);
            keywords.set_item("out", out)?;
            module.call_method("fill", (slf,), Some(&keywords))?;
        }
        let (selected, failures) = plan.carry_out(py, &results.store, how, progress.as_ref())?;
        let captured = py.detach(|| results.capture_first_runs(&plan.runs));
        captured.map_err(PyRuntimeError::new_err)?;
        let results = Results::written(py, results, selected)?;
        if failures.is_empty() {
            return Ok(results);
        }
        let error = RunError::new_err(failures.join("\n"));
        let value = error.value(py);
        value.setattr("failures", failures)?;
        value.setattr("results", results)?;
        Err(error)
    }

    /// Quantities over the time of each of the runs, which are carried out once more.
    fn series(&self, py: Python<'_>) -> PyResult<Table> {
        let (runs, scenarios) = (self.runs.clone(), self.scenarios.clone());
        let found = execution::wait_for(py, None, move |stop, _| {
            let of = |run: Run| {
                let scenario = scenarios.iter().find(|one| one.name() == run.study);
                let scenario = scenario.ok_or("studies keep the series of seed 1 alone")?;
                let series = scenario.series(&run, stop)?;
                Ok((run, series.unwrap_or_default()))
            };
            runs.into_iter().map(of).collect::<Result<Vec<_>, String>>()
        })?;
        let found = found.map_err(PyRuntimeError::new_err)?;
        let rows: Vec<_> = found
            .iter()
            .map(|(run, series)| (run, &series[..]))
            .collect();
        Ok(Table::new(Columns::of_series(&rows)))
    }

    /// Takes the plan apart, for other processes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let runs = serde_json::to_string(&self.runs);
        let runs = runs.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let scenarios = self.scenarios.iter();
        let scenarios: Vec<_> = scenarios.map(|one| (one.name(), one.text())).collect();
        let rebuild = py.get_type::<Self>().getattr("_rebuild")?;
        let (classes, version) = self.own.parts(py)?;
        let how = (&self.command, &self.effort, self.looks.name());
        let parts = (runs, scenarios, classes, version, how);
        (rebuild, parts).into_pyobject(py)
    }

    /// Puts a plan together again.
    #[staticmethod]
    fn _rebuild(
        py: Python<'_>,
        runs: &str,
        scenarios: Vec<(String, String)>,
        classes: &Bound<'_, PyDict>,
        version: String,
        how: (String, String, Option<String>),
    ) -> PyResult<Self> {
        let (command, effort, looks) = how;
        let own = OwnCongestion::put_together(classes, version)?;
        let read = |(name, text): (String, String)| own.read(py, &text, &name);
        let runs = serde_json::from_str(runs);
        Ok(Self {
            runs: runs.map_err(|error| PyValueError::new_err(error.to_string()))?,
            scenarios: scenarios.into_iter().map(read).collect::<PyResult<_>>()?,
            own,
            command,
            effort,
            looks: Looks::named(looks.as_deref()),
        })
    }
}
