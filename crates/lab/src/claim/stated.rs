//! Rules that studies state in TOML, over the records of any of their experiments.

use std::sync::Arc;

use serde::Deserialize;
use toml::Table as Toml;

use super::Rule;
use crate::formula::Test;
use crate::named::Named;
use crate::place::{Choices, Found, Place, filled};
use crate::{ERROR, Estimate, Evidence, Judgement, SEEDS_MIN, Summary};

/// The rules of a study in TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The versions of each rule that has none of its own.
    #[serde(default)]
    version: Vec<Version>,
    /// The series of each rule that has none of its own.
    #[serde(default)]
    series: Toml,
    rule: Vec<Stated>,
}

/// A version of a rule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    /// The end of the claim's id.
    #[serde(default)]
    end: String,
    /// Settings and words.
    #[serde(default)]
    at: Toml,
    /// The same for today's transports.
    today: Option<Toml>,
}

/// A rule: tests that are made at places, and the texts of the judgement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    id: String,
    /// Id of an earlier rule whose values replace those missing here, but for `at`.
    like: Option<String>,
    version: Option<Vec<Version>>,
    /// The experiment, if the version does not name it.
    of: Option<String>,
    /// Further settings and words.
    #[serde(default)]
    at: Toml,
    /// The places of the parts and texts.
    each: Option<Choices>,
    series: Option<Toml>,
    /// A test without which none holds at a place.
    provided: Option<String>,
    #[serde(default)]
    skipped: Skipped,
    part: Option<Vec<Part>>,
    ours: Option<Vec<Note>>,
    /// The reason, which counts the parts if it is not given.
    why: Option<Vec<Note>>,
}

/// The skipped runs of the experiment that make a claim not testable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Skipped {
    /// Any run.
    #[default]
    Any,
    /// Skipped runs of a cell that has too few others for a test.
    Most,
}

/// Parts of a claim: tests made at each place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The tests are combined apart for each.
    #[serde(default)]
    per: Choices,
    /// Tests that places must meet.
    #[serde(rename = "where")]
    only: Option<String>,
    each: Option<Choices>,
    series: Option<Toml>,
    holds: Vec<String>,
    /// The combination of the tests.
    #[serde(default)]
    by: Combination,
    /// The words if it does not hold.
    says: Option<String>,
    #[serde(default)]
    need: Need,
}

/// Whether a claim can be judged without any run of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Need {
    #[default]
    Must,
    May,
    /// The part fails.
    Fails,
}

/// The parts that tests make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Combination {
    /// Each test is a part.
    #[default]
    Each,
    /// A single part: all tests hold.
    All,
    /// A single part: a test holds.
    Any,
    /// A part at each place: a test holds there.
    AnyAtEach,
    /// A single part: this share of the tests holds.
    Share(f64),
}

/// A text of a judgement, left out if runs lack anything that it names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    text: String,
    #[serde(default)]
    told: Told,
    /// A text for each.
    #[serde(default)]
    each: Choices,
    /// Places in place of the rule's.
    within: Option<Choices>,
    series: Option<Toml>,
    /// A test that places must meet, and one that they must not.
    #[serde(rename = "where")]
    only: Option<String>,
    unless: Option<String>,
    /// The words for a place.
    #[serde(default)]
    at: String,
    /// The words between places; a comma if not given.
    join: Option<String>,
    #[serde(default)]
    before: String,
}

/// The number of texts about the places of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Told {
    /// A text that is not about them.
    #[default]
    Apart,
    /// A text for each.
    Singly,
    /// A text for all.
    Together,
}

/// The rules of a study, as its text states them.
pub(crate) fn rules(study: &'static str, text: &str) -> Vec<Rule> {
    let file: Result<File, _> = toml::from_str(text);
    // A test reads all of them.
    let mut file = file.unwrap_or_else(|error| panic!("the rules of {study}: {error}"));
    if file.version.is_empty() {
        file.version.push(Version::default());
    }
    for at in 0..file.rule.len() {
        let (before, rest) = file.rule.split_at_mut(at);
        let like = before
            .iter()
            .find(|one| Some(&one.id) == rest[0].like.as_ref());
        if let Some(like) = like {
            rest[0].fill(like);
        }
    }
    let File {
        version,
        series,
        rule,
    } = file;
    let rules = rule.into_iter().flat_map(|mut stated| {
        let versions = stated.version.take().unwrap_or_else(|| version.clone());
        stated.series.get_or_insert_with(|| series.clone());
        let stated = Arc::new(stated);
        versions.into_iter().map(move |version| {
            let id = format!("{}{}", stated.id, version.end);
            let judge = |at: Toml| {
                let stated = Arc::clone(&stated);
                move |summary: &Summary| stated.judge(study, &at, summary)
            };
            let rule = Rule::new(id, judge(version.at));
            match version.today {
                Some(today) => rule.today(judge(today)),
                None => rule,
            }
        })
    });
    rules.collect()
}

impl Stated {
    fn fill(&mut self, other: &Self) {
        fn fill<T: Clone>(own: &mut Option<T>, other: &Option<T>) {
            if own.is_none() {
                own.clone_from(other);
            }
        }
        fill(&mut self.version, &other.version);
        fill(&mut self.of, &other.of);
        fill(&mut self.each, &other.each);
        fill(&mut self.series, &other.series);
        fill(&mut self.provided, &other.provided);
        fill(&mut self.part, &other.part);
        fill(&mut self.ours, &other.ours);
        fill(&mut self.why, &other.why);
    }

    fn judge(&self, study: &str, at: &Toml, summary: &Summary) -> Option<Judgement> {
        let mut place = Place::new(study, "", summary).within(at).pop()?;
        if let Some(of) = &self.of {
            place = place.in_experiment(of);
        }
        let place = place.within(&self.at).pop()?;
        if let Some(reason) = self.skipped.reason(&place) {
            return Some(Judgement::not_testable(reason));
        }
        let (mut parts, mut apart, mut said) = (Vec::new(), Vec::new(), Vec::new());
        for part in self.part.iter().flatten() {
            for places in self.groups(part, &place) {
                let tests = self.evidence(part, &places)?;
                apart.extend(tests.clone());
                parts.extend(part.by.combined(tests));
                let says = part.says.as_ref().zip(places.first());
                said.resize(parts.len(), says.map(|(says, place)| place.named(says)));
            }
        }
        let told = with_words(place, &parts, &said);
        let told = told.with_word("counted apart", Evidence::counted(&apart));
        let ours = self.texts(self.ours.as_deref(), &told, "; ");
        let why = match self.why.as_deref() {
            None => Evidence::counted(&parts),
            why => self.texts(why, &told, " "),
        };
        Some(Judgement::new(parts, ours, why))
    }

    /// The places of a part or text, which may have places of its own.
    fn places<'a>(&self, own: Option<&Choices>, place: &Place<'a>) -> Vec<Place<'a>> {
        let each = own.or(self.each.as_ref());
        each.map_or_else(|| vec![place.clone()], |each| place.each(each))
    }

    fn found<'a>(&self, series: Option<&Toml>, place: &Place<'a>) -> Found<'a> {
        let series = series.or(self.series.as_ref());
        place.found(series.unwrap_or(&Toml::new()))
    }

    /// The places of a part, by groups in which the tests are combined.
    fn groups<'a>(&self, part: &Part, place: &Place<'a>) -> Vec<Vec<Place<'a>>> {
        let groups = place.each(&part.per).into_iter();
        let groups = groups.map(|place| self.places(part.each.as_ref(), &place));
        match part.by {
            Combination::AnyAtEach => groups.flatten().map(|place| vec![place]).collect(),
            _ => groups.collect(),
        }
    }

    /// The evidence of a part's tests; `None` if runs are missing.
    fn evidence(&self, part: &Part, places: &[Place<'_>]) -> Option<Vec<Evidence>> {
        let (mut all, mut is_run) = (Vec::new(), false);
        for place in places {
            let found = self.found(part.series.as_ref(), place);
            is_run |= found.any();
            if found.any() && meets(&found, part.only.as_ref()) {
                for holds in &part.holds {
                    all.push(self.tested(&found, holds)?);
                }
            }
        }
        match (all.is_empty(), part.need) {
            (false, _) | (true, Need::May) => Some(all),
            (true, Need::Fails) if is_run => Some(vec![Evidence::fact(false)]),
            (true, _) => None,
        }
    }

    fn tested(&self, found: &Found<'_>, text: &str) -> Option<Evidence> {
        match meets(found, self.provided.as_ref()) {
            true => found.evidence(&test(found, text)),
            false => Some(Evidence::fact(false)),
        }
    }

    fn texts(&self, notes: Option<&[Note]>, place: &Place<'_>, join: &str) -> String {
        let notes = notes.unwrap_or_default().iter();
        let texts = notes.flat_map(|note| {
            let places = place.each(&note.each).into_iter();
            let places = places.filter(|place| !place.cells().is_empty());
            places.filter_map(|place| Some(place.named(&note.before) + &self.text(note, &place)?))
        });
        texts.collect::<Vec<String>>().join(join)
    }

    /// Whether a note is about a place with these cells.
    fn is_about(note: &Note, found: &Found<'_>) -> bool {
        let unless = note.unless.as_ref();
        let is_out = unless.is_some_and(|unless| found.meets(&test(found, unless)));
        !is_out && meets(found, note.only.as_ref())
    }

    fn text(&self, note: &Note, place: &Place<'_>) -> Option<String> {
        let text = note.text.trim();
        let one = |place: Place<'_>| {
            let found = self.found(note.series.as_ref(), &place);
            let is_about = Self::is_about(note, &found);
            is_about.then(|| found.text(&place.worded(text), None))?
        };
        let places = || self.places(note.within.as_ref(), place).into_iter();
        match note.told {
            Told::Apart => one(place.clone()),
            Told::Singly => {
                let texts: Vec<String> = places().filter_map(one).collect();
                (!texts.is_empty()).then(|| texts.join(note.join.as_deref().unwrap_or(", ")))
            }
            Told::Together => {
                let all = places().map(|place| self.found(note.series.as_ref(), &place));
                let together = Together {
                    rule: self,
                    own: self.found(note.series.as_ref(), place),
                    all: all.filter(Found::any).collect(),
                    at: &note.at,
                };
                filled(text, |piece| together.piece(piece))
            }
        }
    }
}

/// Whether the cells at a place meet a test, if there is one.
fn meets(found: &Found<'_>, text: Option<&String>) -> bool {
    text.is_none_or(|text| found.meets(&test(found, text)))
}

/// A test at a place, where it may contain words.
fn test(found: &Found<'_>, text: &str) -> Test {
    let test = Test::try_from(found.place.named(text));
    // A test judges all claims.
    test.unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// The place with words about the parts: how many hold, and what those say that do and do not.
fn with_words<'a>(place: Place<'a>, parts: &[Evidence], said: &[Option<String>]) -> Place<'a> {
    let (mut holding, mut failing) = (Vec::new(), Vec::new());
    for (part, says) in parts.iter().zip(said) {
        match says.clone() {
            Some(says) if part.holds <= ERROR => holding.push(says),
            Some(says) if part.fails <= ERROR => failing.push(says),
            Some(says) => failing.push(format!("{says} (open)")),
            None => {}
        }
    }
    let following = match holding.is_empty() {
        true => "Nothing follows the paper beyond doubt.".to_owned(),
        false => format!("The paper's way: {}.", holding.join(", ")),
    };
    let failing = match failing.is_empty() {
        true => "Everything holds.".to_owned(),
        false => format!("What does not hold beyond doubt: {}.", failing.join("; ")),
    };
    let sure = parts.iter().filter(|part| part.holds <= ERROR).count();
    place
        .with_word("counted", Evidence::counted(parts))
        .with_word("following", following)
        .with_word("failing", failing)
        .with_word("holding", sure.to_string())
        .with_word("parts", parts.len().to_string())
}

impl Skipped {
    /// The reason why the cells at a place cannot be judged, if so.
    fn reason(self, place: &Place<'_>) -> Option<String> {
        let mut cells = place.cells().into_iter();
        let cell = cells.find(|cell| {
            let measured = || {
                cell.metrics()
                    .map(|metric| cell.seeds(metric).count())
                    .max()
            };
            let is_enough = self == Self::Most && measured().unwrap_or(0) >= SEEDS_MIN;
            cell.skipped().is_some() && !is_enough
        });
        cell?.skipped().map(str::to_owned)
    }
}

impl Combination {
    fn combined(self, tests: Vec<Evidence>) -> Vec<Evidence> {
        match self {
            _ if tests.is_empty() => Vec::new(),
            Self::Each => tests,
            Self::All => vec![Evidence::all(tests)],
            Self::Any | Self::AnyAtEach => vec![Evidence::any(tests)],
            Self::Share(share) => {
                let wanted = crate::settings::whole((share * tests.len() as f64).ceil());
                vec![Evidence::at_least(wanted, tests)]
            }
        }
    }
}

/// Places that a text is about.
struct Together<'a> {
    rule: &'a Stated,
    /// The place that has them all.
    own: Found<'a>,
    all: Vec<Found<'a>>,
    /// The words for each.
    at: &'a str,
}

impl<'a> Together<'a> {
    /// A piece of text: `places`, their number; `sure TEST`, the number of those where a test holds
    /// beyond doubt; `FORMULA < NUMBER`, of those whose mean is below; a formula's `:least`,
    /// `:median`, `:most`, `:average` and, if it is above 0, `:sum`; the words for the first and the
    /// last of them, `:least at` and `:most at`, and for all that no other exceeds beyond doubt,
    /// `:best`. Any other piece is that of the place that has them all.
    fn piece(&self, piece: &str) -> Option<String> {
        if piece == "places" {
            return Some(self.all.len().to_string());
        }
        if let Some(text) = piece.strip_prefix("sure ") {
            let sure = |found: &&Found<'_>| {
                let evidence = self.rule.tested(found, text);
                evidence.is_some_and(|evidence| evidence.holds <= ERROR)
            };
            return Some(self.all.iter().filter(sure).count().to_string());
        }
        if let Some((formula, bound)) = piece.split_once(" < ") {
            let below = self.sorted(formula).into_iter();
            let bound: f64 = bound.parse().ok()?;
            let below = below.filter(|(estimate, _)| estimate.mean < bound);
            return Some(below.count().to_string());
        }
        let Some((formula, form)) = piece.rsplit_once(':') else {
            return self.own.piece(piece);
        };
        let sorted = self.sorted(formula);
        let (least, most) = (sorted.first(), sorted.last());
        let at = |found: &Found<'_>| found.text(self.at, None);
        match form {
            "least" => Some(least?.0.to_string()),
            "median" => Some(sorted.get(sorted.len() / 2)?.0.to_string()),
            "most" => Some(most?.0.to_string()),
            "least at" => at(least?.1),
            "most at" => at(most?.1),
            "average" => {
                let means = sorted.iter().map(|(estimate, _)| estimate.mean);
                let mean = Estimate::of(&means.collect::<Vec<f64>>())?.mean;
                Some(crate::estimate::shown(mean))
            }
            "best" => self.best(formula),
            "sum" => {
                let values = self.all.iter().map(|found| {
                    let (cell, metric) = found.cell_of(formula)?;
                    Some(cell.values(&metric).iter().sum::<f64>())
                });
                let sum: f64 = values.flatten().sum();
                (sum > 0.0).then(|| sum.to_string())
            }
            _ => self.own.piece(piece),
        }
    }

    /// The places where no other one has more of a metric, beyond doubt.
    fn best(&self, metric: &str) -> Option<String> {
        let cells = self.all.iter().map(|found| found.cell_of(metric));
        let cells: Vec<_> = cells.collect::<Option<_>>()?;
        let places = self.all.iter().zip(&cells);
        let best = places.filter(|(_, (one, metric))| {
            cells.iter().all(|(other, _)| {
                let above = other.is_above(one, metric);
                above.is_some_and(|above| above.holds > ERROR)
            })
        });
        let best = best.filter_map(|(found, _)| found.text(self.at, None));
        Some(best.collect::<Vec<String>>().join(", "))
    }

    /// The places with the estimates of a formula, by ascending mean.
    fn sorted(&self, formula: &str) -> Vec<(Estimate, &Found<'a>)> {
        let all = self.all.iter();
        let all = all.filter_map(|found| Some((found.estimate(formula)?, found)));
        let mut all: Vec<_> = all.collect();
        all.sort_by(|one, other| one.0.mean.total_cmp(&other.0.mean));
        all
    }
}

#[cfg(test)]
mod tests;
