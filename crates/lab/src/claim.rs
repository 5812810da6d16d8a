pub(crate) mod stated;

use core::fmt;
use std::sync::Arc;

use crate::estimate::shown;
use crate::words::{ClaimWords, Text};
use crate::{Conclusion, Judgement, Ruling, Summary, Verdict};

/// Judges a claim from the records; returns `None` if records it needs are missing.
pub type Judge = Arc<dyn Fn(&Summary) -> Option<Judgement> + Send + Sync>;

/// The code that judges the claim with this id.
pub struct Rule {
    pub(crate) id: String,
    pub(crate) judge: Judge,
    pub(crate) today: Option<Judge>,
}

impl Rule {
    /// Creates the rule of a claim.
    pub fn new(
        id: impl Into<String>,
        judge: impl Fn(&Summary) -> Option<Judgement> + Send + Sync + 'static,
    ) -> Self {
        Self {
            id: id.into(),
            judge: Arc::new(judge),
            today: None,
        }
    }

    /// Adds the rule that judges the claim for today's transports.
    #[must_use]
    pub fn today(
        mut self,
        judge: impl Fn(&Summary) -> Option<Judgement> + Send + Sync + 'static,
    ) -> Self {
        self.today = Some(Arc::new(judge));
        self
    }
}

/// A claim of a paper, and the rule that judges it here.
#[derive(Clone)]
pub struct Claim {
    /// Id of the claim, as in the list of studies.
    pub id: String,
    /// The claim in one sentence.
    pub statement: String,
    /// The origin of the claim.
    pub source: Source,
    /// The published value.
    pub paper: String,
    /// The rule in words.
    pub rule: String,
    /// The rule as code.
    pub judge: Judge,
}

/// Origin of a claim.
#[derive(Clone)]
pub enum Source {
    /// A claim of one of the five papers; its conclusion may or may not hold for today's
    /// transports.
    Paper(Today),
    /// A claim of our own, for example from an RFC; counted separately.
    Ours,
}

/// Basis for judging a paper's claim for today's transports: Sheave's default profile and Linux's
/// TCP.
#[derive(Clone)]
pub enum Today {
    /// The claim's rule, with today's transports on both sides.
    Judged(Judge),
    /// The claim's own verdict, which is already about today's transports, for this reason.
    Already(String),
    /// No basis: something that the claim compares no longer exists, for this reason.
    NotComparable(String),
}

/// A group of claims that is counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimsOf {
    Papers,
    Ours,
}

impl ClaimsOf {
    pub(crate) const ALL: [Self; 2] = [Self::Papers, Self::Ours];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Papers => "What the papers claim",
            Self::Ours => "Claims of our own",
        }
    }

    pub(crate) const fn has(self, finding: &Finding) -> bool {
        match finding.claim.source {
            Source::Paper(_) => matches!(self, Self::Papers),
            Source::Ours => matches!(self, Self::Ours),
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Claim {
    /// Combines a claim's words with its rule.
    pub(crate) fn new(words: &ClaimWords, rule: Rule) -> Self {
        let text = |text: &Option<Text>| {
            text.as_ref()
                .map_or_else(String::new, |text| text.0.clone())
        };
        let source = if let Some(judge) = rule.today {
            Source::Paper(Today::Judged(judge))
        } else if words.already.is_some() {
            Source::Paper(Today::Already(text(&words.already)))
        } else if words.not_comparable.is_some() {
            Source::Paper(Today::NotComparable(text(&words.not_comparable)))
        } else {
            Source::Ours
        };
        Self {
            id: words.id.clone(),
            statement: words.statement.0.clone(),
            source,
            paper: text(&words.paper),
            rule: text(&words.rule),
            judge: rule.judge,
        }
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("id", &self.id)
            .field("statement", &self.statement)
            .finish_non_exhaustive()
    }
}

/// A claim and its judgement.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// The judgement; `None` if the needed runs are missing.
    pub judgement: Option<Judgement>,
    /// The judgement for today's transports; `None` without a rule or if the needed runs are
    /// missing.
    pub today: Option<Judgement>,
}

impl Finding {
    /// Judges a claim by the records.
    #[must_use]
    pub fn new(claim: Claim, summary: &Summary) -> Self {
        let today = match &claim.source {
            Source::Paper(Today::Judged(judge)) => judge(summary),
            _ => None,
        };
        Self {
            judgement: (claim.judge)(summary),
            claim,
            today,
        }
    }

    /// The rulings on the claim itself and on the claim for today's transports.
    pub fn rulings(&self) -> impl Iterator<Item = &Ruling> {
        let judgements = self.judgement.iter().chain(&self.today);
        judgements.map(|judgement| &judgement.ruling)
    }

    pub(crate) fn rulings_mut(&mut self) -> impl Iterator<Item = &mut Ruling> {
        let judgements = self.judgement.iter_mut().chain(&mut self.today);
        judgements.map(|judgement| &mut judgement.ruling)
    }

    /// Our numbers, and the reason for the verdict.
    pub fn account(&self) -> (&str, String) {
        account(self.judgement.as_ref())
    }

    /// The paper's conclusion for today's transports, with our numbers and the reason; `None` for
    /// our own claims.
    pub fn conclusion(&self) -> Option<(Conclusion, &str, String)> {
        let Source::Paper(today) = &self.claim.source else {
            return None;
        };
        Some(match today {
            Today::Judged(_) => {
                let (ours, why) = account(self.today.as_ref());
                (Conclusion::of(self.today.as_ref()), ours, why)
            }
            Today::Already(reason) => {
                let conclusion = Conclusion::of(self.judgement.as_ref());
                (conclusion, "", reason.clone())
            }
            Today::NotComparable(reason) => (Conclusion::NotComparable, "", reason.clone()),
        })
    }

    /// The verdict in words.
    pub fn verdict(&self) -> String {
        match &self.judgement {
            Some(judgement) => judgement.ruling.verdict.to_string(),
            None => "not run".to_owned(),
        }
    }
}

fn account(judgement: Option<&Judgement>) -> (&str, String) {
    let Some(Judgement { ruling, ours, why }) = judgement else {
        let why = "Some of the runs that it needs were not made: the study's own command with --full makes all.";
        return ("", why.to_owned());
    };
    if ruling.verdict != Verdict::Undecided {
        return (ours, why.clone());
    }
    let doubt = match ruling.leaning {
        Verdict::Undecided => "There are too few seeds for a test.".to_owned(),
        leaning => format!(
            "The evidence speaks for \"{leaning}\" with an error of {}, which is too much.",
            shown(ruling.error)
        ),
    };
    (ours, format!("{doubt} {why}"))
}
