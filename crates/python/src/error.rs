use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sheave_lab::UserScenarioError;

create_exception!(
    sheave.lab,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run; `field` names the key that is wrong, such as `link.radio.loss`."
);

create_exception!(
    sheave.lab,
    RunError,
    PyRuntimeError,
    "Runs that failed; `failures` says which and why, `results` holds the others."
);

/// The exception for a key of a scenario.
pub(crate) fn wrong_field(py: Python<'_>, field: &str, message: String) -> PyErr {
    let error = ScenarioError::new_err(message);
    // An exception takes any attribute.
    let _ = error.value(py).setattr("field", field);
    error
}

/// The exception for a scenario that cannot be read.
pub(crate) fn wrong_scenario(py: Python<'_>, error: &UserScenarioError) -> PyErr {
    wrong_field(py, error.field(), error.to_string())
}
