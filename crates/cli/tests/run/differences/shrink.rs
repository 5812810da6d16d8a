//! Shrinks scripts to the calls that a difference needs.

use super::Difference;
use super::machines::{Machines, Pace, Script};

/// Leaves calls out, as long as a difference of the same kind remains.
pub(crate) fn shrink(machines: &mut Machines, script: Script) -> (Script, Difference) {
    let first = machines.answers(std::slice::from_ref(&script), Pace::Slow);
    let Some(mut difference) = Difference::find(&first[0]) else {
        let gone = Difference {
            call: String::new(),
            linux: "it differs no more".to_owned(),
            ours: String::new(),
        };
        return (script, gone);
    };
    let kind = difference.kind();
    let mut script = script;
    let mut size = script.len() / 2;
    while size > 0 {
        let shorter: Vec<Script> = (0..script.len())
            .step_by(size)
            .map(|at| {
                let end = script.len().min(at + size);
                [&script[..at], &script[end..]].concat()
            })
            .filter(|shorter| !shorter.is_empty())
            .collect();
        let both = machines.answers(&shorter, Pace::Quick);
        let still = both.iter().map(Difference::find).zip(shorter);
        let still = still.filter_map(|(found, script)| Some((found?, script)));
        let mut still = still.filter(|(found, _)| found.kind() == kind);
        match still.next() {
            Some((found, shorter)) => {
                difference = found;
                script = shorter;
                size = size.min(script.len() / 2).max(1);
            }
            None => size /= 2,
        }
    }
    (script, difference)
}
