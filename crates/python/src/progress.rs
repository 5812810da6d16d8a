use pyo3::prelude::*;

/// The progress of runs.
#[pyclass(frozen, get_all, module = "sheave.lab")]
pub(crate) struct Progress {
    /// Runs that are there, those of earlier times included.
    done: usize,
    /// Runs whose records existed already.
    reused: usize,
    /// Runs that failed.
    failed: usize,
    /// Runs that are wanted.
    total: usize,
    /// Seconds until all are done, as it looks; `None` before the first.
    seconds_left: Option<f64>,
    /// Which of the looks at growing numbers of seeds the runs are for, from 1 on.
    look: u32,
}

impl Progress {
    pub(crate) fn new(look: u32, progress: sheave_lab::Progress) -> Self {
        let sheave_lab::Progress {
            done,
            reused,
            failed,
            total,
            left,
        } = progress;
        Self {
            done,
            reused,
            failed,
            total,
            seconds_left: left.map(|left| left.as_secs_f64()),
            look,
        }
    }
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        let Self { done, total, .. } = self;
        format!("<Progress: {done} of {total} runs>")
    }
}
