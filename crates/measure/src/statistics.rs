/// The least, the median and the greatest of some measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// The spread of `values`; all NaN if there are none.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else {
            let nan = f64::NAN;
            return Self {
                min: nan,
                median: nan,
                max: nan,
            };
        };
        let middle = sorted.len() / 2;
        Self {
            min: *min,
            median: f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[middle]),
            max: *max,
        }
    }
}

#[cfg(test)]
mod tests;
