//! Tables and reports from records.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use sheave_lab::{Digest, Finding, Results, Run, Selected};

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
    pub fn write(&self, selected: &Selected) -> Result<(), Failure> {
        let folder = self.results.store.folder();
        let written = self.results.write(selected);
        let (report, digest) =
            written.while_doing(format_args!("cannot write to {}", folder.display()))?;
        let page = folder.join("report.html");
        self.tell_skipped(&digest);
        for finding in report.findings() {
            self.tell(finding);
        }
        let runs = digest.runs();
        let fields = json!({ "report": page, "runs": runs });
        self.screen.event("report", fields, || {
            format!("{runs} runs; the report is {}", page.display())
        });
        Ok(())
    }

    /// The reasons why something could not be measured on this machine, each once.
    fn tell_skipped(&self, digest: &Digest) {
        for (study, reason, runs) in digest.skipped() {
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
        (results, runs): (&ResultsWriter, &Arc<Vec<Run>>),
    ) {
        let (writer, stop) = (self.clone(), Arc::clone(stop));
        let (results, runs) = (results.clone(), Arc::clone(runs));
        let watched = interrupts.clone();
        interrupts.on_interrupt(move || {
            stop.store(true, Ordering::Relaxed);
            let (writer, results, runs) = (writer.clone(), results.clone(), Arc::clone(&runs));
            let watched = watched.clone();
            thread::spawn(move || {
                thread::sleep(GRACE);
                if writer.0.swap(true, Ordering::SeqCst) {
                    return;
                }
                watched.take_time();
                // Further seeds of the same runs are wanted, too.
                if let Err(failure) = results.write(&Selected::with_any_seed(&runs)) {
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
