use core::fmt;
use core::ops::Mul;

use crate::settings::whole;

/// The mean of a sample with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Size of the sample.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// Standard deviation of the sample (n - 1 in the denominator); 0 for a single value.
    pub deviation: f64,
    /// Half the width of the 95 % confidence interval of the mean (Student's t); infinite for a
    /// single value.
    pub half_width: f64,
}

impl Estimate {
    /// Estimates the mean of values; `None` if there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        if n == 1 {
            return Some(Self {
                n,
                mean,
                deviation: 0.0,
                half_width: f64::INFINITY,
            });
        }
        // Rounding may make the sum of equal values differ from the multiple.
        if values.iter().all(|value| *value == values[0]) {
            return Some(Self {
                n,
                mean: values[0],
                deviation: 0.0,
                half_width: 0.0,
            });
        }
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (n - 1) as f64).sqrt();
        Some(Self {
            n,
            mean,
            deviation,
            half_width: student_t(n - 1) * deviation / (n as f64).sqrt(),
        })
    }

    /// Half the width of the interval for drawing; 0 if it is infinite.
    pub const fn drawn_half_width(&self) -> f64 {
        if self.half_width.is_finite() {
            self.half_width
        } else {
            0.0
        }
    }

    /// The lower end of the interval.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }

    /// The upper end of the interval.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }

    /// Whether the interval contains `value`.
    pub fn contains(&self, value: f64) -> bool {
        self.low() <= value && value <= self.high()
    }
}

/// Converts an estimate to another unit.
impl Mul<f64> for Estimate {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            n: self.n,
            mean: self.mean * factor,
            deviation: self.deviation * factor.abs(),
            half_width: self.half_width * factor.abs(),
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", shown(self.mean))?;
        // For equal values, the width is only a rounding error.
        if self.half_width.is_finite() && self.half_width > self.mean.abs() * 1e-9 {
            write!(f, " ± {}", shown(self.half_width))?;
        }
        Ok(())
    }
}

/// Size, mean and variance of a sample, computed without storing the values (Welford's algorithm).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    n: usize,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1;
        let before = value - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (value - self.mean);
    }

    /// The estimate of the mean; `None` without values.
    pub(crate) fn estimate(&self) -> Option<Estimate> {
        let Self { n, mean, squares } = *self;
        if n < 2 {
            return Estimate::of(&[mean][..n]);
        }
        let deviation = (squares / (n - 1) as f64).sqrt();
        Some(Estimate {
            n,
            mean,
            deviation,
            half_width: student_t(n - 1) * deviation / (n as f64).sqrt(),
        })
    }
}

/// The difference between two samples measured in pairs: same seed, and otherwise equal runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Mean difference, one minus other.
    pub difference: Estimate,
    /// Mean of one divided by mean of other.
    pub ratio: f64,
}

impl Paired {
    /// Compares pairs; `None` if there are none.
    #[must_use]
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let differences: Vec<f64> = pairs.iter().map(|(one, other)| one - other).collect();
        let one: f64 = pairs.iter().map(|(one, _)| one).sum();
        let other: f64 = pairs.iter().map(|(_, other)| other).sum();
        Some(Self {
            difference: Estimate::of(&differences)?,
            ratio: one / other,
        })
    }

    /// Whether one is significantly above the other: the whole interval is positive.
    pub fn is_above(&self) -> bool {
        self.difference.low() > 0.0
    }

    /// Whether one is significantly below the other: the whole interval is negative.
    pub fn is_below(&self) -> bool {
        self.difference.high() < 0.0
    }
}

/// Range and median of values; used for ratios of times measured on a busy machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Number of values.
    pub n: usize,
    /// The smallest value.
    pub min: f64,
    /// The median: the middle value, or the mean of the middle two.
    pub median: f64,
    /// The largest value.
    pub max: f64,
}

impl Spread {
    /// Computes range and median; `None` if there are no values.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let (min, max) = (*values.first()?, *values.last()?);
        Some(Self {
            n,
            min,
            median: f64::midpoint(values[(n - 1) / 2], values[n / 2]),
            max,
        })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", shown(self.median))?;
        if self.n > 1 {
            write!(f, " ({} to {})", shown(self.min), shown(self.max))?;
        }
        Ok(())
    }
}

/// The quantile of sorted values for a share from 0 to 1.
pub(crate) fn quantile_of(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place: usize = whole((share * last as f64).ceil());
    sorted.get(place.min(last)).copied()
}

/// Formats a number with a sensible number of digits.
pub(crate) fn shown(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e7).contains(&size) {
        format!("{value:.2e}")
    } else if size >= 1000.0 {
        format!("{value:.0}")
    } else if size >= 100.0 {
        format!("{value:.1}")
    } else if size >= 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// The probability that Student's t exceeds `t`.
pub(crate) fn student_tail(t: f64, degrees: usize) -> f64 {
    if !t.is_finite() || degrees == 0 {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    // Finite sums, Abramowitz and Stegun 26.7.3 and 26.7.4.
    let freedom = degrees as f64;
    let (angle, square) = (
        (t.abs() / freedom.sqrt()).atan(),
        freedom / (freedom + t * t),
    );
    let (sine, cosine) = (angle.sin(), square.sqrt());
    let odd = degrees % 2 == 1;
    let (mut term, mut sum) = (if odd { cosine } else { 1.0 }, 0.0);
    let mut next = if odd { 2.0 } else { 1.0 };
    let terms = if odd { (degrees - 1) / 2 } else { degrees / 2 };
    for _ in 0..terms {
        sum += term;
        term *= square * next / (next + 1.0);
        next += 2.0;
    }
    let within = if odd {
        (angle + sine * sum) * core::f64::consts::FRAC_2_PI
    } else {
        sine * sum
    };
    let beyond = ((1.0 - within) / 2.0).clamp(0.0, 0.5);
    if t > 0.0 { beyond } else { 1.0 - beyond }
}

/// The factor of the two-sided 95 % interval (Student's t): close to the normal quantile for many
/// degrees of freedom, infinite for none.
#[must_use]
pub fn student_t(degrees: usize) -> f64 {
    // 97.5 % quantiles for 1 to 30 degrees of freedom.
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    match degrees {
        0 => f64::INFINITY,
        1..=30 => TABLE[degrees - 1],
        _ => {
            // Cornish-Fisher expansion around the normal quantile.
            let (z, n): (f64, f64) = (1.959_964, degrees as f64);
            z + (z.powi(3) + z) / (4.0 * n)
                + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
        }
    }
}

/// Widens the estimate's interval so that the intervals of all `points` hold together with 95 %
/// (Bonferroni).
pub(crate) fn joint(estimate: Estimate, points: usize) -> Estimate {
    let degrees = estimate.n.saturating_sub(1);
    if degrees == 0 || points < 2 {
        return estimate;
    }
    let wider = quantile(0.025 / points as f64, degrees) / student_t(degrees);
    Estimate {
        half_width: estimate.half_width * wider,
        ..estimate
    }
}

/// The value that Student's t exceeds with probability `tail`, which is at most 0.5.
fn quantile(tail: f64, degrees: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if student_tail(middle, degrees) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests;
