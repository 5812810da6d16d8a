use super::TRANSPORTS;
use super::properties::PROPERTIES;
use crate::{Claim, Evidence, Judgement, Ruling, Source, Summary, Today};

/// A claim for each property.
pub(super) fn claims() -> Vec<Claim> {
    vec![
        claim::<0>(),
        claim::<1>(),
        claim::<2>(),
        claim::<3>(),
        claim::<4>(),
        claim::<5>(),
        claim::<6>(),
        claim::<7>(),
        claim::<8>(),
        claim::<9>(),
    ]
}

/// A rule is a plain function, so each place of the table has one of its own.
fn claim<const PLACE: usize>() -> Claim {
    let property = &PROPERTIES[PLACE];
    Claim {
        id: property.id,
        statement: property.statement,
        source: Source::Paper(Today::Already(
            "The cells are properties of the protocols, which are today's.",
        )),
        paper: property.paper_line,
        rule: property.rule,
        judge: judge::<PLACE>,
    }
}

/// Reproduced if all three cells are the paper's, partly if some.
fn judge<const PLACE: usize>(summary: &Summary) -> Option<Judgement> {
    let property = &PROPERTIES[PLACE];
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for (transport, paper) in TRANSPORTS.into_iter().zip(property.paper) {
        let cell = property.cell(summary, transport)?;
        parts.push(Evidence::fact(cell == paper));
        let evidence = property.evidence(summary, transport);
        ours.push(format!("{} {cell} ({evidence})", transport.to_uppercase()));
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: format!("{} [{}]", ours.join(", "), property.shown_as),
        why: property.why.to_owned(),
    })
}
