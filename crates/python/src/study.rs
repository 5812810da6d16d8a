use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sheave_lab::{Columns, Effort, Extent, Finding, Summary};

use crate::execution::Looks;
use crate::plan::Plan;
use crate::results::Results;
use crate::table::Table;

/// A published study: its claims, and the runs that decide them.
#[pyclass(frozen, module = "sheave.lab")]
pub(crate) struct Study(&'static sheave_lab::Study);

/// The studies, in the order of the report.
#[pyfunction]
pub(crate) fn studies() -> Vec<Study> {
    let studies = sheave_lab::studies().iter();
    studies.map(|study| Study(study)).collect()
}

#[pymethods]
impl Study {
    /// The study of that name.
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let unknown = || {
            let names = sheave_lab::studies().iter().map(|study| study.name());
            let names = names.collect::<Vec<_>>().join(", ");
            let what = format!("there is no study {name}: there are {names}");
            pyo3::exceptions::PyValueError::new_err(what)
        };
        sheave_lab::find(name).map(Self).ok_or_else(unknown)
    }

    /// The name on the command line.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The title.
    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    /// The subject, and the differences from the paper.
    #[getter]
    fn about(&self) -> &str {
        self.0.about()
    }

    /// The claims, not judged yet.
    #[getter]
    fn claims(&self) -> Table {
        let nothing = Summary::of(&[]);
        let findings: Vec<Finding> = (self.0.claims().into_iter())
            .map(|claim| Finding::new(claim, &nothing))
            .collect();
        Table::new(Columns::of_findings(&findings.iter().collect::<Vec<_>>()))
    }

    /// The runs: with coarse sweeps where `quick`, with `seeds` seeds rather than as many as decide
    /// the claims, or those alone that say all the words of `only`.
    #[pyo3(
        signature = (*, quick=true, seeds=None, only=Vec::new()),
        text_signature = "($self, *, quick=True, seeds=None, only=())"
    )]
    fn plan(&self, quick: bool, seeds: Option<u32>, only: Vec<String>) -> PyResult<Plan> {
        let extent = if quick { Extent::Quick } else { Extent::Full };
        let runs = self.0.plan(Effort {
            extent,
            seeds,
            after: 0,
        });
        let words = [
            (!quick).then(|| "--full".to_owned()),
            seeds.map(|seeds| format!("--seeds {seeds}")),
        ];
        let effort: Vec<String> = words.into_iter().flatten().collect();
        let looks = match seeds {
            Some(_) => Looks::One,
            None => Looks::AsNeeded(extent),
        };
        Plan::of_study(self.name(), runs, effort.join(" "), looks).only(&only)
    }

    /// Carries out the runs of [`plan`](Self::plan); see [`Plan.run`](Plan::run).
    #[pyo3(
        signature = (
            *, quick=true, seeds=None, only=Vec::new(), jobs=None,
            out=PathBuf::from("lab-results"), shard=None, progress=None, ray=false
        ),
        text_signature = "($self, *, quick=True, seeds=None, only=(), jobs=None, \
                          out='lab-results', shard=None, progress=None, ray=False)"
    )]
    #[expect(
        clippy::too_many_arguments,
        reason = "the keywords of a call from Python"
    )]
    fn run(
        &self,
        py: Python<'_>,
        quick: bool,
        seeds: Option<u32>,
        only: Vec<String>,
        jobs: Option<usize>,
        out: PathBuf,
        shard: Option<&str>,
        progress: Option<Bound<'_, PyAny>>,
        ray: bool,
    ) -> PyResult<Results> {
        let plan = Bound::new(py, self.plan(quick, seeds, only)?)?;
        Plan::run(&plan, jobs, out, shard, progress, ray)
    }

    fn __repr__(&self) -> String {
        format!("<Study {}: {}>", self.name(), self.title())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        (py.get_type::<Self>(), (slf.get().name(),)).into_pyobject(py)
    }
}
