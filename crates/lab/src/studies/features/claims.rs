use super::TRANSPORTS;
use super::properties::{PROPERTIES, Property};
use crate::{Evidence, Judgement, Rule, Summary};

/// The rules, one per property.
pub(super) fn rules() -> Vec<Rule> {
    let rule = |property: &'static Property| {
        Rule::new(property.id.clone(), move |summary| judge(property, summary))
    };
    PROPERTIES.iter().map(rule).collect()
}

/// Judges a property by whether our results for the three transports match the paper's.
fn judge(property: &Property, summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for (transport, paper) in TRANSPORTS.into_iter().zip(&property.paper) {
        let cell = property.cell(summary, transport)?;
        parts.push(Evidence::fact(cell == *paper));
        let evidence = property.evidence(summary, transport);
        ours.push(format!("{} {cell} ({evidence})", transport.to_uppercase()));
    }
    Some(Judgement::new(
        parts,
        format!("{} [{}]", ours.join(", "), property.shown_as),
        property.why.0.clone(),
    ))
}
