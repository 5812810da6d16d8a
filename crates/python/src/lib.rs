//! The Python module `sheave._sheave`: scenarios, studies and results of the laboratory.
//!
//! The laboratory does the work; here its nouns are put into Python classes, results into the Arrow
//! C stream interface, and errors into exceptions.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the arguments of a call from Python arrive as values"
)]

mod congestion;
mod error;
mod execution;
mod plan;
mod progress;
mod results;
mod scenario;
mod study;
mod sweep;
mod table;
mod toml_value;

use pyo3::prelude::*;

/// The classes and functions that `sheave.lab` gives to its users.
#[pymodule]
mod _sheave {
    use std::ffi::OsString;

    use pyo3::prelude::*;
    use sheave_lab::live;

    #[pymodule_export]
    use super::congestion::{Ack, Path};
    #[pymodule_export]
    use super::error::{RunError, ScenarioError};
    #[pymodule_export]
    use super::plan::Plan;
    #[pymodule_export]
    use super::progress::Progress;
    #[pymodule_export]
    use super::results::{Results, absorb, read};
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::study::{Study, studies};
    #[pymodule_export]
    use super::table::Table;

    /// Takes part in a live run as the process that its parent started.
    #[pyfunction]
    fn take_part(py: Python<'_>, study: &str, part: &str) -> bool {
        py.detach(|| live::take_part(study, part).is_ok())
    }

    /// The name of the code that decides what a run gives.
    #[pyfunction]
    fn code() -> &'static str {
        sheave_lab::code()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // Live runs start processes of their own: this interpreter with this module.
        let executable: Option<OsString> = module
            .py()
            .import("sys")?
            .getattr("executable")?
            .extract()?;
        if let Some(executable) = executable {
            live::set_program(vec![executable, "-m".into(), "sheave".into()]);
        }
        Ok(())
    }
}
