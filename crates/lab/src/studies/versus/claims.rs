use super::alone::{ALONE, LOST, REPEATED};
use super::{NAME, SCTP};
use crate::estimate::shown;
use crate::{Evidence, Judgement, Rule, Settings, Summary};

/// The rule that looks at single runs.
pub(super) fn rules() -> Vec<Rule> {
    vec![Rule::new("VS-6", nothing_repeated)]
}

fn nothing_repeated(summary: &Summary) -> Option<Judgement> {
    let sctp = Settings::new().with("side", SCTP);
    let (mut runs, mut repeated, mut parts) = (0, 0.0, Vec::new());
    for cell in summary.cells(NAME, ALONE, &sctp) {
        let lossless = cell
            .seeds(LOST)
            .filter(|seed| cell.value_at(LOST, *seed) == Some(0.0));
        let again: Vec<f64> = lossless
            .filter_map(|seed| cell.value_at(REPEATED, seed))
            .collect();
        if !again.is_empty() {
            runs += again.len();
            let sum: f64 = again.iter().sum();
            repeated += sum;
            parts.push(Evidence::fact(sum == 0.0));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let why = Evidence::counted(&parts);
    Some(Judgement::new(
        vec![Evidence::all(parts)],
        format!(
            "{} chunks again in {runs} runs without a loss",
            shown(repeated)
        ),
        why,
    ))
}
