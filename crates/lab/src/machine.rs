use core::fmt;
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};

/// The machine that carried out the runs, without host and user names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and kernel version.
    pub system: String,
    /// Instruction set.
    pub architecture: String,
    /// Model name of the processor; empty if unknown.
    pub processor: String,
    /// Number of hardware threads.
    pub cores: usize,
}

impl Machine {
    /// Describes this machine.
    #[must_use]
    pub fn this() -> Self {
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let mut lines = processors.lines();
        let model = lines.find(|line| line.starts_with("model name"));
        let processor = model.and_then(|line| Some(line.split_once(':')?.1.trim().to_owned()));
        Self {
            system: format!("{} {}", env::consts::OS, kernel.trim())
                .trim()
                .to_owned(),
            architecture: env::consts::ARCH.to_owned(),
            processor: processor.unwrap_or_default(),
            cores: thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            architecture,
            processor,
            cores,
        } = self;
        write!(f, "{system} {architecture}, {cores} cores")?;
        if processor.is_empty() {
            Ok(())
        } else {
            write!(f, ", {processor}")
        }
    }
}
