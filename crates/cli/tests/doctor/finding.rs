use std::process::Command;

use serde_json::Value;

use crate::support::text;

/// The output of a doctor.
pub(crate) struct Findings {
    pub(crate) code: Option<i32>,
    events: Vec<Value>,
}

impl Findings {
    /// Runs a command that becomes `sheave doctor --json`.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the doctor starts");
        let stderr = text(&output.stderr);
        let findings = Self::read(&text(&output.stdout), output.status.code());
        assert!(findings.summary().is_some(), "no summary: {stderr}");
        findings
    }

    /// Reads JSON lines; others are passed over.
    pub(crate) fn read(text: &str, code: Option<i32>) -> Self {
        let events = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Self {
            code,
            events: events.collect(),
        }
    }

    pub(crate) fn summary(&self) -> Option<&Value> {
        self.events.iter().find(|event| event["event"] == "summary")
    }

    /// The finding whose name begins so.
    pub(crate) fn get(&self, name: &str) -> &Value {
        let is_wanted = |event: &&Value| {
            event["event"] == "check"
                && event["name"]
                    .as_str()
                    .is_some_and(|one| one.starts_with(name))
        };
        let found = self.events.iter().find(is_wanted);
        found.unwrap_or_else(|| panic!("no finding {name}: {:#?}", self.events))
    }

    /// State and observation of a finding.
    pub(crate) fn seen(&self, name: &str) -> (String, String) {
        let finding = self.get(name);
        let field = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        (field("state"), field("saw"))
    }

    /// Asserts the state of a finding, and that its observation says `words`.
    #[track_caller]
    pub(crate) fn expect(&self, name: &str, state: &str, words: &str) {
        let (found, saw) = self.seen(name);
        assert_eq!(found, state, "{name}: {saw}");
        assert!(saw.contains(words), "{name}: {saw}");
    }
}
