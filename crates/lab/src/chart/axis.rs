use serde::Deserialize;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Linear; starts at 0 unless values are negative or far from 0.
    #[default]
    Linear,
    /// Logarithmic; values of at most 0 are drawn at the lower end.
    Logarithmic,
}

/// Start of a linear axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// At 0, unless all values are far from 0.
    Zero,
    /// Near the smallest value.
    Least,
}

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    /// The values with ticks of their own, if there are few.
    places: Vec<f64>,
    /// Whether all values are whole numbers.
    whole: bool,
}

/// Most values with ticks of their own.
const PLACES: usize = 10;
/// Minimum distance between such ticks, as a share of the axis.
const APART: f64 = 0.055;
/// The axis starts at 0 if the smallest value is below this share of the largest.
const FAR: f64 = 0.5;

impl Axis {
    /// Creates an axis that covers all values.
    pub(super) fn new(scale: Scale, base: Base, values: impl Iterator<Item = f64>) -> Self {
        let positive = |value: &f64| scale == Scale::Linear || *value > 0.0;
        let mut values: Vec<f64> = values
            .filter(|value| value.is_finite())
            .filter(positive)
            .collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let low = values.first().copied().unwrap_or(0.1);
        let high = values.last().copied().unwrap_or(1.0);
        let whole = !values.is_empty() && values.iter().all(|value| value.fract() == 0.0);
        let (low, high) = match (scale, base) {
            (Scale::Linear, Base::Least) => {
                let room = if high > low { 0.03 * (high - low) } else { 0.5 };
                (low - room, high + room)
            }
            (Scale::Linear, Base::Zero) => {
                let from = match low > FAR * high && high > low {
                    true => low - 0.15 * (high - low),
                    false => low.min(0.0),
                };
                let high = if high > from { high } else { from + 1.0 };
                (from, high + (high - from) * 0.04)
            }
            (Scale::Logarithmic, _) => (low / 1.15, (high * 1.15).max(low * 2.0)),
        };
        let mut axis = Self {
            scale,
            low,
            high,
            places: Vec::new(),
            whole,
        };
        if base == Base::Least && values.len() <= PLACES {
            let shares: Vec<f64> = values.iter().map(|value| axis.share(*value)).collect();
            if shares.windows(2).all(|pair| pair[1] - pair[0] >= APART) {
                axis.places = values;
            }
        }
        axis
    }

    /// Whether the axis is linear and starts above 0.
    pub(super) fn is_cut(&self) -> bool {
        self.scale == Scale::Linear && self.low > 0.0
    }

    /// Position of a value along the axis, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => {
                let value = value.max(self.low);
                (value / self.low).ln() / (self.high / self.low).ln()
            }
        };
        share.clamp(0.0, 1.0)
    }

    /// Whether a value is within the axis.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The ticks of the axis, at round values or at the values themselves.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if !self.places.is_empty() {
            return self.places.clone();
        }
        match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Logarithmic => self.logarithmic_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 6.0;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
        let step = steps.iter().map(|step| step * power);
        let step = step
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let step = if self.whole { step.max(1.0) } else { step };
        let mut ticks = Vec::new();
        let mut number = (self.low / step).ceil();
        while number * step <= self.high {
            ticks.push(number * step);
            number += 1.0;
        }
        ticks
    }

    fn logarithmic_ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let within: &[f64] = if decades < 1.5 {
            &[1.0, 2.0, 3.0, 5.0, 7.0]
        } else if decades < 3.5 {
            &[1.0, 3.0]
        } else {
            &[1.0]
        };
        let mut ticks = Vec::new();
        let mut power = 10_f64.powf(self.low.log10().floor());
        while power <= self.high {
            ticks.extend(within.iter().map(|step| step * power));
            power *= 10.0;
        }
        ticks.retain(|tick| (self.low..=self.high).contains(tick));
        ticks
    }
}
