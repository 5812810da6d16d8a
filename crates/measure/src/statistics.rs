use std::borrow::Borrow;

/// Minimum, median and maximum of some measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Minimum.
    pub min: f64,
    /// Median: the middle value, or the mean of the two middle values.
    pub median: f64,
    /// Maximum.
    pub max: f64,
}

impl Spread {
    /// Spread of nothing: all NaN.
    pub const NONE: Self = Self {
        min: f64::NAN,
        median: f64::NAN,
        max: f64::NAN,
    };

    /// Computes the spread of `values`; [`Self::NONE`] if empty.
    #[must_use]
    pub fn of<V: Borrow<f64>>(values: impl IntoIterator<Item = V>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().map(|value| *value.borrow()).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else {
            return Self::NONE;
        };
        let middle = sorted.len() / 2;
        Self {
            min: *min,
            median: f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[middle]),
            max: *max,
        }
    }

    /// Computes the spread of the ratios of two series of samples, round by round.
    #[must_use]
    pub fn of_ratios(of: &[f64], to: &[f64]) -> Self {
        Self::of(of.iter().zip(to).map(|(of, to)| of / to))
    }
}

#[cfg(test)]
mod tests;
