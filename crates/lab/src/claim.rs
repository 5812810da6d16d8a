use core::fmt;
use std::sync::Arc;

use crate::estimate::shown;
use crate::words::{ClaimWords, Text};
use crate::{Conclusion, Judgement, Ruling, Summary, Verdict};

/// Judges the records; gives `None` where the records that it needs are not there.
pub type Judge = Arc<dyn Fn(&Summary) -> Option<Judgement> + Send + Sync>;

/// The rule of the claim of that name, as code.
pub struct Rule {
    pub(crate) id: String,
    pub(crate) judge: Judge,
    pub(crate) today: Option<Judge>,
}

impl Rule {
    /// The rule by which the claim is judged.
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

    /// The same, and how the claim is judged with both sides as they are today.
    #[must_use]
    pub fn today(
        mut self,
        judge: impl Fn(&Summary) -> Option<Judgement> + Send + Sync + 'static,
    ) -> Self {
        self.today = Some(Arc::new(judge));
        self
    }
}

/// Something that a paper claims, and the rule by which it is judged here.
#[derive(Clone)]
pub struct Claim {
    /// The name of the claim, as in the list of studies.
    pub id: &'static str,
    /// The claim in one sentence.
    pub statement: &'static str,
    /// The origin of the claim.
    pub source: Source,
    /// The published value.
    pub paper: &'static str,
    /// The rule in words.
    pub rule: &'static str,
    /// The rule.
    pub judge: Judge,
}

/// The origin of a claim.
#[derive(Clone)]
pub enum Source {
    /// One of the five papers, whose conclusion may stand today or not.
    Paper(Today),
    /// Our own choice, such as from an RFC: it stands apart in the counts.
    Ours,
}

/// The claim of a paper beside the transports of today: Sheave's default profile and Linux's TCP.
#[derive(Clone)]
pub enum Today {
    /// The claim's rule with both sides as they are today.
    Judged(Judge),
    /// The verdict is about today's transports already, for this reason.
    Already(&'static str),
    /// Something that it compares has no counterpart today, for this reason.
    NotComparable(&'static str),
}

/// Claims that are counted together.
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
    /// The claim of those words with its rule.
    pub(crate) fn new(words: &'static ClaimWords, rule: Rule) -> Self {
        let text = |text: &'static Option<Text>| text.as_ref().map_or("", |text| &text.0);
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
            id: &words.id,
            statement: &words.statement.0,
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

/// A claim and what became of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// The judgement; `None` where it was not run.
    pub judgement: Option<Judgement>,
    /// The judgement with both sides of today, where there is a rule for it and it was run.
    pub today: Option<Judgement>,
}

impl Finding {
    /// Holds a claim against the records.
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

    /// All of its rulings: that on the claim itself, and that on it today.
    pub fn rulings(&self) -> impl Iterator<Item = &Ruling> {
        let judgements = self.judgement.iter().chain(&self.today);
        judgements.map(|judgement| &judgement.ruling)
    }

    pub(crate) fn rulings_mut(&mut self) -> impl Iterator<Item = &mut Ruling> {
        let judgements = self.judgement.iter_mut().chain(&mut self.today);
        judgements.map(|judgement| &mut judgement.ruling)
    }

    /// Our numbers, and why the verdict is what it is.
    #[must_use]
    pub fn account(&self) -> (&str, String) {
        account(self.judgement.as_ref())
    }

    /// The paper's conclusion today, with our numbers and the reason; `None` for a claim of ours.
    #[must_use]
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
                (conclusion, "", (*reason).to_owned())
            }
            Today::NotComparable(reason) => (Conclusion::NotComparable, "", (*reason).to_owned()),
        })
    }

    /// The verdict in words.
    #[must_use]
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
