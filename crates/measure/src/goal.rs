//! Goals: bounds on figures.

use serde_json::{Value, json};

/// A bound on a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Maximum
    AtMost(f64),
    /// Minimum
    AtLeast(f64),
}

impl Goal {
    /// Whether the figure meets the goal.
    #[must_use]
    pub fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtMost(bound) => figure <= bound,
            Self::AtLeast(bound) => figure >= bound,
        }
    }

    /// The goal as text, with ", missed" if the figure misses it.
    #[must_use]
    pub fn cell(self, figure: f64) -> String {
        let missed = if self.is_met(figure) { "" } else { ", missed" };
        format!("{}{missed}", self.text())
    }

    /// Goal and outcome as JSON.
    #[must_use]
    pub fn fields(self, figure: f64) -> Value {
        json!({ "goal": self.text(), "met": self.is_met(figure) })
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(bound) => format!("<= {bound}"),
            Self::AtLeast(bound) => format!(">= {bound}"),
        }
    }
}

#[cfg(test)]
mod tests;
