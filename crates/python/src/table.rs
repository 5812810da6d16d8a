use arrow_array::RecordBatchIterator;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use sheave_lab::{Column, Columns, Values};

/// Rows that are shown of a table: those beyond are counted.
const SHOWN: usize = 20;

/// A table of tidy data, for anything that reads the Arrow C stream interface: `pyarrow.table(t)`,
/// `polars.DataFrame(t)`, `pandas.DataFrame.from_arrow(t)`, and duckdb by the name of the variable.
#[pyclass(frozen, module = "sheave.lab")]
pub(crate) struct Table {
    columns: Columns,
    rows: usize,
}

impl Table {
    pub(crate) fn new(columns: Columns) -> Self {
        let rows = columns.rows();
        Self { columns, rows }
    }

    fn column(&self, name: &str) -> PyResult<&Column> {
        let mut columns = self.columns.0.iter();
        columns
            .find(|column| column.name == name)
            .ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

#[pymethods]
impl Table {
    /// The table as an Arrow C stream.
    #[pyo3(signature = (requested_schema=None))]
    pub(crate) fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer give its own schema.
        drop(requested_schema);
        let batch = self.columns.clone().batch();
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        let columns = self.columns.0.iter();
        columns.map(|column| column.name.as_str()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    /// The values of a column: numbers or texts, `None` where there is none.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        match &self.column(name)?.values {
            Values::Numbers(numbers) => PyList::new(py, numbers),
            Values::Texts(texts) => PyList::new(py, texts),
        }
    }

    /// The rows, a dict each.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for at in 0..self.rows {
            let row = PyDict::new(py);
            for Column { name, values } in &self.columns.0 {
                match values {
                    Values::Numbers(numbers) => row.set_item(name, numbers[at])?,
                    Values::Texts(texts) => row.set_item(name, texts[at].as_deref())?,
                }
            }
            rows.append(row)?;
        }
        Ok(rows)
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.columns();
        format!("<Table: {} rows of {}>", self.rows, names.join(", "))
    }

    fn _repr_html_(&self) -> String {
        self.columns.fragment(SHOWN)
    }
}
