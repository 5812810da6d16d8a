//! A fault, as an oracle reports it.

use core::fmt;

/// An oracle's objection.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// Name of the oracle.
    pub(crate) oracle: &'static str,
    pub(crate) detail: String,
}

/// Result of a check.
pub(crate) type Verdict = Result<(), Box<Fault>>;

pub(crate) fn fault(oracle: &'static str, detail: impl Into<String>) -> Box<Fault> {
    Box::new(Fault {
        oracle,
        detail: detail.into(),
    })
}

/// Objects unless `holds`; the detail is computed only then.
pub(crate) fn ensure(
    holds: bool,
    oracle: &'static str,
    detail: impl FnOnce() -> String,
) -> Verdict {
    if holds {
        Ok(())
    } else {
        Err(fault(oracle, detail()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.oracle, self.detail)
    }
}
