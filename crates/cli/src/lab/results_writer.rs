//! Tables and reports from records.

use std::collections::BTreeMap;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use sheave_lab::{Finding, Record, Results, Run};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::Screen;

/// Time that Ctrl-C waits for the runs under way before the report is written without them.
const GRACE: Duration = Duration::from_secs(2);

/// The directory of records, and all that a report needs beside them.
#[derive(Clone)]
pub struct ResultsWriter {
    pub results: Results,
    pub screen: Screen,
}

impl ResultsWriter {
    /// Writes all that is made of records, and says what became of the claims.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, records: &[Record]) -> Result<(), Failure> {
        let folder = self.results.store.folder();
        let report = self.results.write(records);
        let report = report.while_doing(format_args!("cannot write to {}", folder.display()))?;
        let page = folder.join("report.html");
        self.tell_skipped(records);
        for finding in report.findings() {
            self.tell(finding);
        }
        let runs = records.len();
        let fields = json!({ "report": page, "runs": runs });
        self.screen.event("report", fields, || {
            format!("{runs} runs; the report is {}", page.display())
        });
        Ok(())
    }

    /// The reasons why something could not be measured on this machine, each once.
    fn tell_skipped(&self, records: &[Record]) {
        let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for record in records {
            if let Some(reason) = &record.measured.skipped {
                *reasons.entry((&record.run.study, reason)).or_default() += 1;
            }
        }
        for ((study, reason), runs) in reasons {
            let fields = json!({ "study": study, "reason": reason, "runs": runs });
            self.screen.event("skipped", fields, || {
                format!("{study}: {runs} runs not testable here: {reason}")
            });
        }
    }

    fn tell(&self, finding: &Finding) {
        let judgement = finding.judgement.as_ref();
        let ours = judgement.map(|judgement| judgement.ours.as_str());
        let fields = json!({
            "id": finding.claim.id,
            "verdict": judgement.map(|judgement| judgement.ruling.verdict),
            "today": finding.conclusion().map(|(conclusion, ..)| conclusion.text()),
            "paper": finding.claim.paper,
            "ours": ours,
        });
        self.screen.event("claim", fields, || {
            let (id, verdict) = (finding.claim.id, finding.verdict());
            format!("{id:<6} {verdict:<18} {}", ours.unwrap_or_default())
        });
    }
}

/// Sees to it that the report is written once: at the end, or after Ctrl-C by whoever comes first.
#[derive(Clone, Default)]
pub struct WriteOnce(Arc<AtomicBool>);

impl WriteOnce {
    /// Tells the runs to stop at Ctrl-C. Those under way may end in peace, but not for long: after
    /// a while the report is written of those that are there, and the program ends.
    pub fn write_on_interrupt(
        &self,
        interrupts: &Interrupts,
        stop: &Arc<AtomicBool>,
        (results, runs): (&ResultsWriter, &[Run]),
    ) {
        let (writer, stop) = (self.clone(), Arc::clone(stop));
        let (results, runs) = (results.clone(), runs.to_vec());
        let watched = interrupts.clone();
        interrupts.on_interrupt(move || {
            stop.store(true, Ordering::Relaxed);
            let (writer, results, runs) = (writer.clone(), results.clone(), runs.clone());
            let watched = watched.clone();
            thread::spawn(move || {
                thread::sleep(GRACE);
                if writer.0.swap(true, Ordering::SeqCst) {
                    return;
                }
                let records = results.results.store.records().unwrap_or_default();
                // Further seeds of the same runs are wanted, too.
                let is_wanted = |record: &Record| {
                    let same = |run: &Run| {
                        Run {
                            seed: record.run.seed,
                            ..run.clone()
                        } == record.run
                    };
                    runs.iter().any(same)
                };
                let wanted: Vec<Record> = records.into_iter().filter(is_wanted).collect();
                if let Err(failure) = results.write(&wanted) {
                    eprintln!("{failure}");
                }
                process::exit(watched.exit().unwrap_or(Exit::Failure).code().into());
            });
        });
    }

    /// Takes over the writing; where Ctrl-C has it already, the program ends in here.
    pub fn claim(&self) {
        while self.0.swap(true, Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(100));
        }
    }
}
