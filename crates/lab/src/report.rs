use std::path::Path;

use crate::captures::first_run_file;
use crate::sheet::Sheet;
use crate::studies::sheet;
use crate::{
    Contrast, Digest, Exhibit, Finding, Manifest, Page, Parameter, Record, Run, Study, Summary,
    UserScenario, html, markdown, ruling,
};

/// A report: all findings, ready to be shown.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) manifest: Manifest,
    pub(crate) chapters: Vec<StudyReport>,
}

/// The presentation of a study, or of a scenario.
#[derive(Clone, Debug)]
pub(crate) struct StudyReport {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) about: String,
    /// The drawing of the network, as SVG.
    pub(crate) drawing: String,
    /// The same in words.
    pub(crate) network: String,
    pub(crate) parameters: Vec<Parameter>,
    /// The text of a scenario.
    pub(crate) text: Option<String>,
    pub(crate) findings: Vec<Finding>,
    /// The numbers that its papers and its runs share.
    pub(crate) contrasts: Vec<Contrast>,
    pub(crate) exhibits: Vec<Exhibit>,
    pub(crate) command: String,
    pub(crate) runs: usize,
    /// Settings that were run.
    pub(crate) cases: usize,
    /// The first of them.
    pub(crate) samples: Vec<Sample>,
    /// The capture of the first run, beside the report.
    pub(crate) capture: Option<String>,
}

impl StudyReport {
    /// The shared numbers of a claim.
    pub(crate) fn contrasts_of<'a>(&'a self, claim: &'a str) -> impl Iterator<Item = &'a Contrast> {
        let all = self.contrasts.iter();
        all.filter(move |contrast| contrast.claim == claim)
    }

    /// The command for those of its runs that say all these words.
    pub(crate) fn command_for(&self, words: &[String]) -> String {
        let only = words
            .iter()
            .map(|words| format!(" --only '{}'", words.replace('\'', "'\\''")));
        core::iter::once(self.command.clone()).chain(only).collect()
    }
}

/// Runs that differ in their seeds only.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Number of seeds.
    pub(crate) seeds: usize,
    /// The command that runs one of them.
    pub(crate) command: String,
}

impl Report {
    /// Holds every claim of every study against the records. The studies are left out where
    /// nothing but scenarios was run.
    #[must_use]
    pub fn render(records: &[Record], scenarios: &[UserScenario], manifest: Manifest) -> Self {
        Self::of(&Digest::of(records), scenarios, manifest)
    }

    /// The report on records with that digest.
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
            studies.iter().map(|study| maker.of_study(*study)).collect();
        chapters.extend(scenarios.iter().map(|one| maker.of_scenario(one)));
        let findings = chapters
            .iter_mut()
            .flat_map(|chapter| &mut chapter.findings);
        ruling::correct(&mut findings.collect::<Vec<_>>());
        Self { manifest, chapters }
    }

    /// The same with links to the captures that there are in that folder of results.
    #[must_use]
    pub fn with_captures(mut self, folder: &Path) -> Self {
        for chapter in &mut self.chapters {
            let file = first_run_file(&chapter.name);
            chapter.capture = folder.join(&file).is_file().then_some(file);
        }
        self
    }

    /// The findings of the studies that were run, or of all where none was, in the order of the studies.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.chosen().flat_map(|(_, chapter)| &chapter.findings)
    }

    /// The chapters with runs, or all where nothing was run, with their numbers.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (usize, &StudyReport)> {
        let is_empty = self.chapters.iter().all(|chapter| chapter.runs == 0);
        let chapters = (1..).zip(&self.chapters);
        chapters.filter(move |(_, chapter)| is_empty || chapter.runs > 0)
    }

    /// The other chapters.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (usize, &StudyReport)> {
        let is_empty = self.chapters.iter().all(|chapter| chapter.runs == 0);
        let chapters = (1..).zip(&self.chapters);
        chapters.filter(move |(_, chapter)| !is_empty && chapter.runs == 0)
    }

    /// The findings of some studies, by name.
    pub fn findings_of(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &Finding> {
        let chapters = self.chapters.iter();
        let chapters = chapters.filter(move |chapter| wanted(&chapter.name));
        chapters.flat_map(|chapter| &chapter.findings)
    }

    /// Renders the pages, which need nothing else: they open in any browser, offline, and print.
    /// The first is the index.
    #[must_use]
    pub fn pages(&self) -> Vec<Page> {
        html::pages(self)
    }

    /// The verdicts, charts and tables of what was run, as a part of somebody else's page, such as a
    /// notebook: it runs no script, and its style leaves the page around it alone.
    #[must_use]
    pub fn fragment(&self) -> String {
        html::fragment::report(self)
    }

    /// The same for terminals and version control.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    pub(crate) fn title(&self) -> &'static str {
        if self.findings().next().is_some() {
            "What the papers claim, run again"
        } else {
            "Scenarios"
        }
    }
}

/// The material of the chapters.
struct ReportBuilder<'a> {
    digest: &'a Digest,
    summary: &'a Summary,
    /// The words of the command line that say how much was run.
    effort: &'a str,
}

impl ReportBuilder<'_> {
    fn of_study(&self, study: &dyn Study) -> StudyReport {
        let claims = study.claims().into_iter();
        let mut chapter = self.chapter(study.name(), study.name());
        if chapter.runs > 0 {
            chapter.exhibits = study.exhibits(self.summary);
        }
        let drawing = study.drawing();
        // One that cannot be read is found by a test.
        let sheet = Sheet::read(sheet(study.name())).unwrap_or_default();
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
            findings: claims
                .map(|claim| Finding::new(claim, self.summary))
                .collect(),
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
            ..chapter
        }
    }

    /// Makes a chapter from the records alone.
    fn chapter(&self, name: &str, argument: &str) -> StudyReport {
        let own = self.digest.of_study(name);
        let command = match self.effort {
            "" => format!("sheave lab run {argument}"),
            effort => format!("sheave lab run {argument} {effort}"),
        };
        StudyReport {
            name: name.to_owned(),
            title: String::new(),
            about: String::new(),
            drawing: String::new(),
            network: String::new(),
            parameters: Vec::new(),
            text: None,
            findings: Vec::new(),
            contrasts: Vec::new(),
            exhibits: Vec::new(),
            samples: own.map_or_else(Vec::new, |own| samples(&own.cases, &command)),
            command,
            runs: own.map_or(0, |own| own.contents.runs),
            cases: own.map_or(0, |own| own.cases.len()),
            capture: None,
        }
    }
}

/// Settings whose commands a report lists at most; the data has all.
const SAMPLES: usize = 1000;

/// Makes a sample for each of the first settings, in the order of the records.
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
