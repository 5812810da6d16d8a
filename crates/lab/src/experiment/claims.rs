use std::sync::Arc;

use serde::Deserialize;
use toml::Table;

use super::places::{Cells, Found, Known, Places};
use super::{Name, Wrong, hint, part};
use crate::formula::{Formula, Test};
use crate::named::Named;
use crate::words::{ClaimWords, Text};
use crate::{Claim, Judgement, Rule, Summary};

/// A claim as stated in TOML: its words, and its rule.
#[derive(Clone, Debug)]
pub(super) struct StatedClaim {
    words: ClaimWords,
    parts: Arc<[Part]>,
    why: Option<Arc<str>>,
}

/// A part of a claim: tests that are made at each of its places.
#[derive(Clone, Debug)]
struct Part {
    places: Places,
    tests: Vec<Test>,
}

/// Most places in the words of a judgement.
const TOLD: usize = 12;

/// The keys of a claim that are not words.
const RULE: [&str; 5] = ["at", "series", "holds", "why", "part"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    #[serde(default)]
    at: Table,
    #[serde(default)]
    series: Table,
    #[serde(default)]
    holds: Vec<Test>,
    why: Option<Text>,
    #[serde(default)]
    part: Vec<PartText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartText {
    #[serde(default)]
    at: Table,
    holds: Vec<Test>,
}

impl StatedClaim {
    /// Reads the claim in a table, which is the `number`th, counted from 0.
    pub(super) fn read(number: usize, mut table: Table, known: &Known<'_>) -> Result<Self, Wrong> {
        let id = table.get("id").and_then(|id| id.as_str());
        let at = id.map_or_else(
            || format!("claim {}", number + 1),
            |id| format!("claim.{id}"),
        );
        let rule = RULE.iter().filter_map(|key| table.remove_entry(*key));
        let rule: RuleText = part(&at, rule.collect())?;
        let mut words: ClaimWords = part(&at, table)?;
        let own = PartText {
            at: Table::new(),
            holds: rule.holds,
        };
        let parts = [own].into_iter().filter(|own| !own.holds.is_empty());
        let parts = parts.chain(rule.part).map(|text| {
            let mut within = rule.at.clone();
            within.extend(text.at);
            let places = Places::read(&at, &rule.series, &within, known)?;
            let holds = format!("{at}.holds");
            for test in &text.holds {
                let mut formulas = test.formulas();
                formulas.try_for_each(|formula| places.check(&holds, formula, known))?;
                if !places.measure(test) {
                    let problem = format!("`{test}` compares no metric");
                    return Err(Wrong::new(&holds, &problem));
                }
            }
            Ok(Part {
                places,
                tests: text.holds,
            })
        });
        let parts = parts.collect::<Result<Vec<Part>, Wrong>>()?;
        if parts.is_empty() {
            let problem = "is missing: a list of tests, such as [\"one.main.mbit_per_s > other.main.mbit_per_s\"]";
            return Err(Wrong::new(&format!("{at}.holds"), problem));
        }
        words.rule.get_or_insert_with(|| {
            let tests = parts.iter().flat_map(|part| &part.tests);
            let tests: Vec<String> = tests.map(ToString::to_string).collect();
            Text(tests.join("; "))
        });
        Ok(Self {
            words,
            parts: parts.into(),
            why: rule.why.map(|why| why.0.into()),
        })
    }

    /// The claim, judged by the records of that experiment.
    pub(super) fn claim(&self, name: Name) -> Claim {
        let (parts, why) = (Arc::clone(&self.parts), self.why.clone());
        let rule = Rule::new(self.words.id.clone(), move |summary| {
            judge(&parts, why.as_deref(), (&name, summary))
        });
        Claim::new(&self.words, rule)
    }
}

fn judge(
    parts: &[Part],
    why: Option<&str>,
    (name, summary): (&Name, &Summary),
) -> Option<Judgement> {
    let cells = Cells::of_experiment(name, summary);
    let (mut evidence, mut ours) = (Vec::new(), Vec::new());
    for part in parts {
        let found = part.places.found(&cells)?;
        if let Some(reason) = found.first().and_then(|found| part.lacks(found, &cells)) {
            return Some(Judgement::not_testable(reason));
        }
        for found in &found {
            for test in &part.tests {
                evidence.push(found.evidence(test)?);
            }
            ours.push(part.told(found));
        }
    }
    if let Some(others) = ours.len().checked_sub(TOLD).filter(|others| *others > 0) {
        ours.truncate(TOLD);
        ours.push(format!("and {others} more, which the data has"));
    }
    let ours = ours.join("; ");
    match (evidence.is_empty(), why) {
        (true, _) => None,
        (_, Some(why)) => Some(Judgement::new(evidence, ours, why)),
        (_, None) => Some(Judgement::counted(evidence, ours)),
    }
}

impl Part {
    fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.tests.iter().flat_map(Test::formulas)
    }

    /// The reason why the part cannot be tested, if no run has one of its metrics.
    fn lacks(&self, found: &Found<'_>, cells: &Cells<'_>) -> Option<String> {
        let known = cells.metrics();
        let metrics = found.metrics(self.formulas());
        let mut metrics = metrics.iter().map(|(_, _, metric)| metric.as_str());
        let missing = metrics.find(|metric| !known.contains(metric))?;
        let hint = hint(missing, known.iter().copied());
        Some(format!("No run has the metric `{missing}`{hint}"))
    }

    /// The estimates at a place, in words.
    fn told(&self, found: &Found<'_>) -> String {
        let metrics = found.metrics(self.formulas());
        let metrics = metrics.iter().map(|(name, cell, metric)| {
            let shown = cell.estimate(metric);
            let shown = shown.map_or_else(|| "never".to_owned(), |one| one.to_string());
            format!("{} {shown}", name.replacen('.', " ", 1))
        });
        let metrics = metrics.collect::<Vec<_>>().join(", ");
        match found.place.words.as_str() {
            "" => metrics,
            words => format!("{words}: {metrics}"),
        }
    }
}

impl Places {
    /// Whether a test has a metric.
    fn measure(&self, test: &Test) -> bool {
        let names = test.formulas().flat_map(Formula::names);
        let mut names = names.collect::<Vec<_>>().into_iter();
        names.any(|name| self.all.iter().all(|place| !place.has(name)))
    }
}
