/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scale {
    /// In equal steps; from 0 on where nothing is below it.
    #[default]
    Linear,
    /// In equal factors; what is not positive stands at the lower end.
    Logarithmic,
}

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// Makes an axis on which all values find room.
    pub(super) fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let positive = |value: &f64| scale == Scale::Linear || *value > 0.0;
        let values: Vec<f64> = values
            .filter(|value| value.is_finite())
            .filter(positive)
            .collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = match scale {
            _ if values.is_empty() => (0.1, 1.0),
            Scale::Linear => {
                let low = low.min(0.0);
                let high = if high > low { high } else { low + 1.0 };
                (low, low + (high - low) * 1.04)
            }
            Scale::Logarithmic => (low / 1.15, (high * 1.15).max(low * 2.0)),
        };
        Self { scale, low, high }
    }

    /// The place of a value along the axis, 0 to 1.
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

    /// Whether a value lies between its ends.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The marks of the axis: round values.
    pub(super) fn ticks(&self) -> Vec<f64> {
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
