use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyOSError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;
use sheave_lab::{Columns, Digest, Record, Report, Run, Selected, Series};

use crate::table::Table;

/// Finished runs: as tables, and as charts in a notebook. It is an Arrow C stream itself, of
/// [`runs`](Self::runs).
#[pyclass(frozen, module = "sheave.lab")]
pub(crate) struct Results {
    results: sheave_lab::Results,
    selected: Selected,
    report: Report,
    digest: Digest,
    /// The table of runs, once somebody has asked for it.
    runs: PyOnceLock<Py<Table>>,
}

impl Results {
    /// The results of those runs, which are written as tables and reports.
    pub(crate) fn written(
        py: Python<'_>,
        results: sheave_lab::Results,
        selected: Selected,
    ) -> PyResult<Self> {
        let (report, digest) = py.detach(|| results.write(&selected))?;
        Ok(Self {
            results,
            selected,
            report,
            digest,
            runs: PyOnceLock::new(),
        })
    }
}

#[pymethods]
impl Results {
    /// The folder of records, tables and reports.
    #[getter]
    fn folder(&self) -> &Path {
        self.results.store.folder()
    }

    /// The runs, a row each: settings and metrics.
    #[getter]
    fn runs(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        let runs = self.runs.get_or_try_init(py, || {
            let columns = py.detach(|| self.results.table(&self.selected))?;
            Py::new(py, Table::new(columns))
        })?;
        Ok(runs.clone_ref(py))
    }

    /// Means with 95 % confidence intervals, a row for each metric of each setting.
    #[getter]
    fn cells(&self) -> Table {
        Table::new(Columns::of_cells(&self.digest.summary()))
    }

    /// Quantities over time, of the runs that kept them: those with seed 1.
    #[getter]
    fn series(&self, py: Python<'_>) -> PyResult<Table> {
        let with_series = py.detach(|| {
            let records = self.results.records(&self.selected)?;
            let has_series = |record: &std::io::Result<Record>| {
                record
                    .as_ref()
                    .map_or(true, |one| !one.measured.series.is_empty())
            };
            records
                .filter(has_series)
                .collect::<std::io::Result<Vec<Record>>>()
        })?;
        let runs = with_series.iter();
        let runs: Vec<(&Run, &[Series])> = runs
            .map(|record| (&record.run, &record.measured.series[..]))
            .collect();
        Ok(Table::new(Columns::of_series(&runs)))
    }

    /// The claims of the studies among them, with the verdicts.
    #[getter]
    fn verdicts(&self) -> Table {
        let ran = |study: &str| self.digest.studies().any(|name| name == study);
        let findings: Vec<_> = self.report.findings_of(ran).collect();
        Table::new(Columns::of_findings(&findings))
    }

    fn __len__(&self) -> usize {
        self.digest.runs()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Results: {} runs in {}>",
            self.digest.runs(),
            self.folder().display()
        )
    }

    fn _repr_html_(&self) -> String {
        self.report.fragment()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.runs(py)?
            .get()
            .__arrow_c_stream__(py, requested_schema)
    }
}

/// Reads results from the folders of one or more executions, such as the shards of one plan, and
/// writes tables and reports of all of them to the first.
#[pyfunction]
#[pyo3(signature = (*folders))]
pub(crate) fn read(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Results> {
    if folders.is_empty() {
        return Err(PyOSError::new_err("read: no folder is named"));
    }
    let gathered = py.detach(|| sheave_lab::Results::gather(&folders))?;
    let warnings = py.import("warnings")?;
    for error in &gathered.wrong {
        let kind = py.get_type::<PyRuntimeWarning>();
        warnings.call_method1("warn", (error.to_string(), kind))?;
    }
    Results::written(py, gathered.results, Selected::All)
}

/// Keeps the records of the folder `other` in the folder `out`, too.
#[pyfunction]
pub(crate) fn absorb(py: Python<'_>, out: PathBuf, other: PathBuf) -> PyResult<()> {
    let (store, other) = (
        sheave_lab::Store::open(&out)?,
        sheave_lab::Store::existing(&other)?,
    );
    Ok(py.detach(|| store.absorb(&other))?)
}
