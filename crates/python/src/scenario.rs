use std::fs;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};
use sheave_lab::UserScenario;
use toml::{Table, Value};

use crate::congestion::OwnCongestion;
use crate::error::wrong_field;
use crate::plan::Plan;
use crate::results::Results;
use crate::sweep;
use crate::toml_value;

/// The name of a scenario that has none.
const UNNAMED: &str = "scenario";

/// A network, what happens on it, and what of it is varied.
#[pyclass(frozen, module = "sheave.lab")]
pub(crate) struct Scenario(UserScenario, OwnCongestion);

impl Scenario {
    fn read(py: Python<'_>, text: &str, name: &str, own: OwnCongestion) -> PyResult<Self> {
        Ok(Self(own.read(py, text, name)?, own))
    }
}

#[pymethods]
impl Scenario {
    /// The scenario in a file, or in a dict of the same form; `name` is its name in records and
    /// reports, by default that of the file. `congestion` holds congestion controls of one's own
    /// by the names that the option `congestion` has for them: classes like `CongestionControl`.
    #[new]
    #[pyo3(signature = (source, *, name=None, congestion=None))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        name: Option<String>,
        congestion: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<Self> {
        let (text, usual) = if let Ok(mapping) = source.cast::<PyMapping>() {
            let table = toml_value::table(mapping, "")?;
            (table.to_string(), UNNAMED.to_owned())
        } else {
            let file: PathBuf = source.extract()?;
            let text = fs::read_to_string(&file)
                .map_err(|error| error_about(&file.display().to_string(), error))?;
            (text, UserScenario::name_of(&file))
        };
        let own = OwnCongestion::of(congestion)?;
        Self::read(py, &text, &name.unwrap_or(usual), own)
    }

    /// The scenario that a text in TOML describes.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        Self::read(py, text, name, OwnCongestion::default())
    }

    /// The name in records and reports.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The title, from the scenario's `name`.
    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    /// The text in TOML: as a file, `sheave lab run` gives the same results.
    #[getter]
    fn text(&self) -> &str {
        self.0.text()
    }

    /// The same scenario with these keys varied, each over its values, beside those that it varies
    /// already; all combinations are run, with `seeds` seeds each. A key that is a tuple of keys, or
    /// keys separated by commas, sets all of them to the same value.
    ///
    /// The keys of `zip`, a mapping or several, are gone through side by side. `sample` draws points
    /// at random: `count` of them, from the lists and from the ranges `{"from": .., "to": ..}` of its
    /// other keys.
    #[pyo3(signature = (values=None, *, zip=None, sample=None, seeds=None))]
    fn sweep(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyMapping>>,
        zip: Option<&Bound<'_, PyAny>>,
        sample: Option<&Bound<'_, PyMapping>>,
        seeds: Option<u32>,
    ) -> PyResult<Self> {
        let mut table: Table = (self.0.text().parse())
            .map_err(|error: toml::de::Error| wrong_field(py, "", error.to_string()))?;
        if let Some(seeds) = seeds {
            table.insert("seeds".to_owned(), Value::Integer(seeds.into()));
        }
        if values.is_some() || zip.is_some() || sample.is_some() {
            let sweep = table.entry("sweep");
            let sweep = sweep.or_insert_with(|| Value::Table(Table::new()));
            let sweep = sweep
                .as_table_mut()
                .ok_or_else(|| wrong_field(py, "sweep", "sweep: must be a table".to_owned()))?;
            if let Some(values) = values {
                sweep.extend(sweep::lists(values, "sweep")?);
            }
            if let Some(zip) = zip {
                sweep::add_zipped(sweep, zip)?;
            }
            if let Some(sample) = sample {
                sweep::add_sample(sweep, sample)?;
            }
        }
        Self::read(py, &table.to_string(), self.0.name(), self.1.clone())
    }

    /// The runs: every combination with every seed, or those that say all the words of `only`, such
    /// as `delay_ms = 25`.
    #[pyo3(signature = (*, only=Vec::new()), text_signature = "($self, *, only=())")]
    fn plan(&self, only: Vec<String>) -> PyResult<Plan> {
        Plan::of_scenario(self.0.clone(), self.1.clone()).only(&only)
    }

    /// Carries out all runs; see [`Plan.run`](Plan::run).
    #[pyo3(
        signature = (
            *, only=Vec::new(), jobs=None, out=PathBuf::from("lab-results"), shard=None,
            progress=None, ray=false
        ),
        text_signature = "($self, *, only=(), jobs=None, out='lab-results', shard=None, \
                          progress=None, ray=False)"
    )]
    #[expect(
        clippy::too_many_arguments,
        reason = "the keywords of a call from Python"
    )]
    fn run(
        &self,
        py: Python<'_>,
        only: Vec<String>,
        jobs: Option<usize>,
        out: PathBuf,
        shard: Option<&str>,
        progress: Option<Bound<'_, PyAny>>,
        ray: bool,
    ) -> PyResult<Results> {
        let plan = Bound::new(py, self.plan(only)?)?;
        Plan::run(&plan, jobs, out, shard, progress, ray)
    }

    fn __repr__(&self) -> String {
        let runs = self.0.plan(None).len();
        format!("<Scenario {}: {}, {runs} runs>", self.name(), self.title())
    }

    fn _repr_html_(&self) -> String {
        self.0.fragment()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, scenario) = (slf.py(), slf.get());
        let rebuild = py.get_type::<Self>().getattr("_rebuild")?;
        let (classes, version) = scenario.1.parts(py)?;
        let parts = (scenario.text(), scenario.name(), classes, version);
        (rebuild, parts).into_pyobject(py)
    }

    /// Puts a scenario together again.
    #[staticmethod]
    fn _rebuild(
        py: Python<'_>,
        text: &str,
        name: &str,
        classes: &Bound<'_, PyDict>,
        version: String,
    ) -> PyResult<Self> {
        let own = OwnCongestion::put_together(classes, version)?;
        Self::read(py, text, name, own)
    }
}

/// The error about a file, with its name.
fn error_about(what: &str, error: std::io::Error) -> PyErr {
    std::io::Error::new(error.kind(), format!("{what}: {error}")).into()
}
