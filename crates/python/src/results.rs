use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::{PyOSError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use sheave_lab::{Columns, Record, Report, Run, Series, Summary};

use crate::table::Table;

/// Finished runs: as tables, and as charts in a notebook. It is an Arrow C stream itself, of
/// [`runs`](Self::runs).
#[pyclass(frozen, module = "sheave.lab")]
pub(crate) struct Results {
    folder: PathBuf,
    records: Vec<Record>,
    report: Report,
    runs: Py<Table>,
}

impl Results {
    /// The results of those records, which are written as tables and reports.
    pub(crate) fn written(
        py: Python<'_>,
        results: sheave_lab::Results,
        records: Vec<Record>,
    ) -> PyResult<Self> {
        let results = Arc::new(results);
        let report = py.detach(|| results.write(&records))?;
        let rows: Vec<&Record> = records.iter().collect();
        let runs = Py::new(py, Table::new(Columns::of(&rows)))?;
        Ok(Self {
            folder: results.store.folder().to_owned(),
            records,
            report,
            runs,
        })
    }
}

#[pymethods]
impl Results {
    /// The folder of records, tables and reports.
    #[getter]
    fn folder(&self) -> &Path {
        &self.folder
    }

    /// The runs, a row each: settings and metrics.
    #[getter]
    fn runs(&self, py: Python<'_>) -> Py<Table> {
        self.runs.clone_ref(py)
    }

    /// Means with 95 % confidence intervals, a row for each metric of each setting.
    #[getter]
    fn cells(&self) -> Table {
        Table::new(Columns::of_cells(&Summary::of(&self.records)))
    }

    /// Quantities over time, of the runs that kept them: those with seed 1.
    #[getter]
    fn series(&self) -> Table {
        let runs = self.records.iter();
        let runs: Vec<(&Run, &[Series])> = runs
            .map(|record| (&record.run, &record.measured.series[..]))
            .collect();
        Table::new(Columns::of_series(&runs))
    }

    /// The claims of the studies among them, with the verdicts.
    #[getter]
    fn verdicts(&self) -> Table {
        let ran = |study: &str| self.records.iter().any(|record| record.run.study == study);
        let findings: Vec<_> = self.report.findings_of(ran).collect();
        Table::new(Columns::of_findings(&findings))
    }

    fn __len__(&self) -> usize {
        self.records.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Results: {} runs in {}>",
            self.records.len(),
            self.folder.display()
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
        self.runs.get().__arrow_c_stream__(py, requested_schema)
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
    Results::written(py, gathered.results, gathered.records)
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
