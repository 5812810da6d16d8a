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
    pub fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtMost(bound) => figure <= bound,
            Self::AtLeast(bound) => figure >= bound,
        }
    }

    /// The goal as text, with ", missed" if the figure misses it.
    pub fn cell(self, figure: f64) -> String {
        let missed = if self.is_met(figure) { "" } else { ", missed" };
        format!("{}{missed}", self.text())
    }

    /// Adds goal and outcome to a JSON row that has no other goal.
    pub fn note(self, figure: f64, row: &mut Value) {
        if let (Some(row), Value::Object(fields)) = (row.as_object_mut(), self.fields(figure)) {
            row.extend(fields);
        }
    }

    /// Goal and outcome as JSON.
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
