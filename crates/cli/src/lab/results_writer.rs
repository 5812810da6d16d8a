//! Writes tables and reports from records.

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

/// Time for which Ctrl-C waits for current runs before the report is written without them.
const GRACE: Duration = Duration::from_secs(2);

/// The record directory and the settings of a report.
#[derive(Clone)]
pub struct ResultsWriter {
    pub results: Results,
    pub screen: Screen,
}

impl ResultsWriter {
    /// Writes all outputs and prints the verdicts on the claims.
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

    /// Prints each distinct reason why something could not be measured on this machine.
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
            let (id, verdict) = (&finding.claim.id, finding.verdict());
            format!("{id:<6} {verdict:<18} {}", ours.unwrap_or_default())
        });
    }
}

/// Ensures that the report is written once, either at the end or after Ctrl-C.
#[derive(Clone, Default)]
pub struct WriteOnce(Arc<AtomicBool>);

impl WriteOnce {
    /// Stops the runs at Ctrl-C. Current runs may finish for 2 s; then the report is written
    /// from the available records, and the program exits.
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
                // Includes further seeds of the same runs.
                if let Err(failure) = results.write(&Selected::with_any_seed(&runs)) {
                    eprintln!("{failure}");
                }
                process::exit(watched.exit().unwrap_or(Exit::Failure).code().into());
            });
        });
    }

    /// Claims the writing; if the Ctrl-C handler has already claimed it, blocks until the program
    /// exits.
    pub fn claim(&self) {
        while self.0.swap(true, Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(100));
        }
    }
}
