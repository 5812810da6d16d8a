use std::path::Path;

use crate::captures::first_run_file;
use crate::sheet::Sheet;
use crate::{
    Claim, Contrast, Digest, Exhibit, Finding, Manifest, Page, Parameter, Record, Run, Study,
    Summary, UserScenario, html, markdown, ruling,
};

/// A report: all findings, ready for rendering.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) manifest: Manifest,
    pub(crate) chapters: Vec<StudyReport>,
}

/// The chapter of a study or scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct StudyReport {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) about: String,
    /// The drawing of the network, as SVG.
    pub(crate) drawing: String,
    /// The network in words.
    pub(crate) network: String,
    pub(crate) parameters: Vec<Parameter>,
    /// The TOML text of a scenario.
    pub(crate) text: Option<String>,
    pub(crate) findings: Vec<Finding>,
    /// Ratios that are both in the papers and in our runs.
    pub(crate) contrasts: Vec<Contrast>,
    pub(crate) exhibits: Vec<Exhibit>,
    pub(crate) command: String,
    pub(crate) runs: usize,
    /// Number of settings that were run.
    pub(crate) cases: usize,
    /// The first of those settings.
    pub(crate) samples: Vec<Sample>,
    /// Path of the capture of the first run, if it exists.
    pub(crate) capture: Option<String>,
}

impl StudyReport {
    pub(crate) fn contrasts_of<'a>(&'a self, claim: &'a str) -> impl Iterator<Item = &'a Contrast> {
        let all = self.contrasts.iter();
        all.filter(move |contrast| contrast.claim == claim)
    }

    /// The command for the chapter's runs that match all these words.
    pub(crate) fn command_for(&self, words: &[String]) -> String {
        let only = words
            .iter()
            .map(|words| format!(" --only '{}'", words.replace('\'', "'\\''")));
        core::iter::once(self.command.clone()).chain(only).collect()
    }
}

/// Runs that differ only in their seeds.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Number of seeds.
    pub(crate) seeds: usize,
    /// The command for one of these runs.
    pub(crate) command: String,
}

impl Report {
    /// Judges every claim of every study by the records. Studies are omitted if only scenarios were
    /// run.
    #[must_use]
    pub fn render(records: &[Record], scenarios: &[UserScenario], manifest: Manifest) -> Self {
        Self::of(&Digest::of(records, scenarios), scenarios, manifest)
    }

    /// Creates the report on condensed records.
    #[must_use]
    pub fn of(digest: &Digest, scenarios: &[UserScenario], manifest: Manifest) -> Self {
        let maker = ReportBuilder {
            digest,
            summary: &digest.summary(),
            effort: &manifest.effort,
        };
        let mut names = digest.studies();
        let studies = if scenarios.is_empty() || names.any(|name| crate::find(name).is_some()) {
            crate::studies()
        } else {
            &[]
        };
        let mut chapters: Vec<StudyReport> =
            studies.iter().map(|study| maker.of_study(study)).collect();
        chapters.extend(scenarios.iter().map(|one| maker.of_scenario(one)));
        let findings = chapters
            .iter_mut()
            .flat_map(|chapter| &mut chapter.findings);
        ruling::correct(&mut findings.collect::<Vec<_>>());
        Self { manifest, chapters }
    }

    /// Adds links to the captures that exist in `folder`, the folder of results.
    #[must_use]
    pub fn with_captures(mut self, folder: &Path) -> Self {
        for chapter in &mut self.chapters {
            let file = first_run_file(&chapter.name);
            chapter.capture = folder.join(&file).is_file().then_some(file);
        }
        self
    }

    /// The findings of the studies that were run, or of all studies if none was, in study order.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.chosen().flat_map(|(_, chapter)| &chapter.findings)
    }

    /// The chapters with runs, or all chapters if nothing was run, with their numbers.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (usize, &StudyReport)> {
        let is_empty = self.chapters.iter().all(|chapter| chapter.runs == 0);
        let chapters = (1..).zip(&self.chapters);
        chapters.filter(move |(_, chapter)| is_empty || chapter.runs > 0)
    }

    /// The chapters that `chosen` leaves out, with their numbers.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (usize, &StudyReport)> {
        let is_empty = self.chapters.iter().all(|chapter| chapter.runs == 0);
        let chapters = (1..).zip(&self.chapters);
        chapters.filter(move |(_, chapter)| !is_empty && chapter.runs == 0)
    }

    /// The findings of the studies that `wanted` selects by name.
    pub fn findings_of(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &Finding> {
        let chapters = self.chapters.iter();
        let chapters = chapters.filter(move |chapter| wanted(&chapter.name));
        chapters.flat_map(|chapter| &chapter.findings)
    }

    /// Renders self-contained HTML pages, which work offline in any browser and can be printed. The
    /// first page is the index.
    pub fn pages(&self) -> Vec<Page> {
        html::pages(self)
    }

    /// Renders verdicts, charts and tables as an HTML fragment for another page, such as a
    /// notebook. The fragment contains no script, and its style does not affect the surrounding
    /// page.
    pub fn fragment(&self) -> String {
        html::fragment::report(self)
    }

    /// Renders the report as Markdown, for terminals and version control.
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// Whether it is about studies, and not only about scenarios.
    pub(crate) fn has_studies(&self) -> bool {
        self.chosen().any(|(_, chapter)| chapter.text.is_none())
    }

    pub(crate) fn title(&self) -> &'static str {
        if self.has_studies() {
            "What the papers claim, run again"
        } else {
            "Scenarios"
        }
    }
}

/// Inputs for building chapters.
struct ReportBuilder<'a> {
    digest: &'a Digest,
    summary: &'a Summary,
    /// The words of the command line that set the effort.
    effort: &'a str,
}

impl ReportBuilder<'_> {
    fn of_study(&self, study: &Study) -> StudyReport {
        let mut chapter = self.chapter(study.name(), study.name());
        if chapter.runs > 0 {
            chapter.exhibits = study.exhibits(self.summary);
        }
        let drawing = study.drawing();
        // A test ensures that each file can be parsed.
        let sheet = Sheet::read(study.paper).unwrap_or_default();
        if chapter.runs > 0 {
            let tables = sheet.tables(study.name(), self.summary);
            chapter.exhibits.splice(0..0, tables);
            for exhibit in &mut chapter.exhibits {
                if let Exhibit::Chart(chart) = exhibit {
                    sheet.draw(chart);
                }
            }
        }
        StudyReport {
            contrasts: sheet.contrasts(study.name(), self.summary),
            title: study.title().to_owned(),
            about: study.about().to_owned(),
            drawing: drawing.svg(),
            network: drawing.words(),
            parameters: study.parameters(),
            findings: self.findings(study.claims()),
            ..chapter
        }
    }

    fn of_scenario(&self, scenario: &UserScenario) -> StudyReport {
        let name = scenario.name();
        let mut chapter = self.chapter(name, &format!("{name}.toml"));
        if chapter.runs > 0 {
            chapter.exhibits = scenario.exhibits(self.summary);
        }
        let drawing = scenario.drawing();
        StudyReport {
            title: scenario.title().to_owned(),
            drawing: drawing.svg(),
            network: drawing.words(),
            text: Some(scenario.text().to_owned()),
            findings: self.findings(scenario.claims()),
            ..chapter
        }
    }

    fn findings(&self, claims: Vec<Claim>) -> Vec<Finding> {
        let claims = claims.into_iter();
        claims
            .map(|claim| Finding::new(claim, self.summary))
            .collect()
    }

    /// Builds a chapter from the records alone.
    fn chapter(&self, name: &str, argument: &str) -> StudyReport {
        let own = self.digest.of_study(name);
        let command = match self.effort {
            "" => format!("sheave lab run {argument}"),
            effort => format!("sheave lab run {argument} {effort}"),
        };
        StudyReport {
            name: name.to_owned(),
            samples: own.map_or_else(Vec::new, |own| samples(&own.cases, &command)),
            command,
            runs: own.map_or(0, |own| own.contents.runs),
            cases: own.map_or(0, |own| own.cases.len()),
            ..StudyReport::default()
        }
    }
}

/// Most settings with a command in a report; the data has all of them.
const SAMPLES: usize = 1000;

/// Makes samples of the first settings, in record order.
fn samples(cases: &[(Run, usize)], command: &str) -> Vec<Sample> {
    let samples = cases.iter().take(SAMPLES).map(|(run, seeds)| {
        let Run {
            experiment,
            settings,
            seed,
            ..
        } = run;
        let which = format!("{experiment} ({settings}), seed {seed}").replace('\'', "'\\''");
        Sample {
            seeds: *seeds,
            command: format!("{command} --only '{which}'"),
        }
    });
    samples.collect()
}

#[cfg(test)]
mod tests;
