//! The bound that a figure should keep.

use serde_json::{Value, json};

/// A bound that a figure should keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The greatest figure that is good enough
    AtMost(f64),
    /// The least
    AtLeast(f64),
}

impl Goal {
    /// Whether the figure keeps it.
    pub fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtMost(bound) => figure <= bound,
            Self::AtLeast(bound) => figure >= bound,
        }
    }

    /// The goal in words, and whether the figure misses it.
    pub fn cell(self, figure: f64) -> String {
        let missed = if self.is_met(figure) { "" } else { ", missed" };
        format!("{}{missed}", self.text())
    }

    /// Notes goal and outcome in a row for programs that has no other goal.
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
