//! The lines that the program prints.

/// A call, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The line of the script.
    pub(crate) call: String,
    pub(crate) lines: Vec<String>,
}

/// The steps of a script.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) steps: Vec<Step>,
}

impl Outcome {
    pub(crate) fn parse(text: &str, succeeded: bool) -> Self {
        let mut steps: Vec<Step> = Vec::new();
        for line in text.lines() {
            match (line.strip_prefix(' '), steps.last_mut()) {
                (Some(line), Some(step)) => step.lines.push(line.to_owned()),
                _ => steps.push(Step {
                    call: line.to_owned(),
                    lines: Vec::new(),
                }),
            }
        }
        if let (false, Some(last)) = (succeeded, steps.last_mut()) {
            last.lines.push("FAULT it died".to_owned());
        }
        Self { steps }
    }

    /// The first step with a fault, which needs no other library to be one.
    pub(crate) fn fault(&self) -> Option<&Step> {
        let is_fault = |line: &String| line.starts_with("FAULT");
        self.steps
            .iter()
            .find(|step| step.lines.iter().any(is_fault))
    }
}
