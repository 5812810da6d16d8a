//! The kernel module `sctp`: loaded, absent, or blocked.

use std::fs;
use std::path::{Path, PathBuf};

use super::kernel_stack::KernelStack;
use super::value;
use crate::doctor::check::{Check, State};

/// Directories of modprobe's configuration, in its order.
const CONFIGURATION: [&str; 4] = [
    "/etc/modprobe.d",
    "/run/modprobe.d",
    "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
];

/// A line of modprobe's configuration that blocks the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The configuration file.
    pub file: String,
    pub line: String,
    /// The effect.
    pub kind: RuleKind,
}

/// The effect of a [`Rule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// `blacklist`: a program's socket does not load the module, but `modprobe sctp` does.
    Blacklist,
    /// `install`: a command runs instead of loading the module.
    Replaced,
}

/// The location of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Compiled into the kernel.
    BuiltIn,
    /// A file for this kernel.
    File(String),
    /// Missing for this kernel.
    Absent,
    /// Invisible, as in containers.
    Hidden,
}

/// The module and the conditions of loading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The kernel's release.
    pub release: String,
    /// The module's location.
    pub source: Source,
    /// The rule that blocks the module.
    pub rule: Option<Rule>,
    /// Whether the kernel can load modules.
    pub loading: Loading,
}

/// Whether the kernel can load modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loading {
    /// Modules can be loaded.
    Possible,
    /// `kernel.modules_disabled` is set until the next boot.
    Disabled,
    /// The kernel has no module support.
    Unsupported,
}

impl Module {
    /// Reads modprobe's files.
    pub fn look() -> Self {
        let release = value("/proc/sys/kernel/osrelease").unwrap_or_default();
        let source = source(&PathBuf::from("/lib/modules").join(&release));
        Self {
            release,
            source,
            rule: rules().into_iter().next(),
            loading: match value("/proc/sys/kernel/modules_disabled").as_deref() {
                None if !Path::new("/proc/modules").exists() => Loading::Unsupported,
                Some("1") => Loading::Disabled,
                _ => Loading::Possible,
            },
        }
    }

    /// Whether a program's call of `socket` would load the module.
    pub fn would_load(&self) -> bool {
        self.loading == Loading::Possible
            && self.rule.is_none()
            && matches!(self.source, Source::File(_))
    }

    /// Reports the module; `sockets` is whether the kernel provides SCTP sockets.
    pub fn check(&self, stack: &KernelStack, sockets: bool) -> Check {
        let check = |state, saw: &str, means: &str| Check::new(state, "Module sctp", saw, means);
        if stack.is_there {
            return match self.source {
                Source::BuiltIn => check(State::Ok, "built into the kernel", "SCTP is there"),
                _ => check(State::Ok, "loaded", "SCTP is there"),
            };
        }
        if sockets {
            return check(State::Ok, "not seen, but sockets work", "SCTP is there");
        }
        if let Some(rule) = &self.rule {
            return self.kept_out(rule);
        }
        match (&self.source, self.loading) {
            (_, Loading::Unsupported) => check(
                State::Ok,
                "this kernel has no loadable modules",
                "The kernel's SCTP cannot be had without another kernel.",
            ),
            (_, Loading::Disabled) => check(
                State::Warn,
                "kernel.modules_disabled = 1",
                "No module can be loaded until the next boot.",
            )
            .fix("sheave run -- PROGRAM, which needs no module"),
            (Source::File(file), _) => check(
                State::Ok,
                &format!("{file}, not loaded"),
                "The first SCTP socket of any program loads it.",
            )
            .fix("sudo modprobe sctp, if the kernel's SCTP is wanted"),
            (Source::Absent, _) => check(
                State::Ok,
                &format!("none for Linux {}", self.release),
                "The kernel's SCTP has to be installed first (Debian, Ubuntu: \
                 linux-modules-extra; Fedora: kernel-modules-extra).",
            ),
            (Source::BuiltIn, _) => check(
                State::Unknown,
                "built in, by the list of modules, but not seen in /proc",
                "The kernel has SCTP, perhaps not in this network namespace.",
            ),
            (Source::Hidden, _) => check(
                State::Unknown,
                &format!("/lib/modules/{} is not visible", self.release),
                "The modules belong to the host of this container or virtual machine.",
            )
            .more("on the host, `sheave doctor` sees whether the module is absent or blacklisted"),
        }
    }

    fn kept_out(&self, rule: &Rule) -> Check {
        let saw = format!("{}: {}", rule.file, rule.line);
        let means = match rule.kind {
            RuleKind::Blacklist => {
                "The module is blacklisted: no program's socket loads it, but modprobe does."
            }
            RuleKind::Replaced => {
                "Loading is replaced by a command: neither sockets nor modprobe load the module."
            }
        };
        let fix = match rule.kind {
            RuleKind::Blacklist => "sudo modprobe sctp".to_owned(),
            RuleKind::Replaced => format!(
                "take the line out of {}, then sudo modprobe sctp",
                rule.file
            ),
        };
        Check::new(State::Warn, "Module sctp", saw, means).fix(format!(
            "sheave run -- PROGRAM, which needs no module; or {fix}"
        ))
    }
}

/// Finds the module in a kernel's module directory.
fn source(folder: &Path) -> Source {
    let Ok(list) = fs::read_to_string(folder.join("modules.dep")) else {
        return Source::Hidden;
    };
    if let Some(file) = module_in(&list) {
        return Source::File(folder.join(file).display().to_string());
    }
    let built_in = fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
    match built_in.lines().any(is_module) {
        true => Source::BuiltIn,
        false => Source::Absent,
    }
}

/// The path of the module in `modules.dep`.
fn module_in(list: &str) -> Option<&str> {
    let paths = list.lines().filter_map(|line| line.split(':').next());
    paths.into_iter().find(|path| is_module(path))
}

/// Whether a path is the module's, compressed or not.
fn is_module(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == "sctp.ko" || name.starts_with("sctp.ko.")
}

/// Every rule that blocks the module, the strictest first.
fn rules() -> Vec<Rule> {
    let mut rules = Vec::new();
    for folder in CONFIGURATION {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "conf")
        });
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file).unwrap_or_default();
            rules.extend(rules_in(&file.display().to_string(), &text));
        }
    }
    rules.sort_by_key(|rule| rule.kind == RuleKind::Blacklist);
    rules
}

/// Parses the rules of a file.
fn rules_in(file: &str, text: &str) -> Vec<Rule> {
    let text = text.replace("\\\n", " ");
    let rule = |line: &str| {
        let mut words = line.split_whitespace();
        let kind = match (words.next()?, words.next()?, words.next()) {
            ("blacklist", "sctp", _) => RuleKind::Blacklist,
            ("install", "sctp", Some(command)) if !command.contains("modprobe") => {
                RuleKind::Replaced
            }
            _ => return None,
        };
        Some(Rule {
            file: file.to_owned(),
            line: line.split_whitespace().collect::<Vec<_>>().join(" "),
            kind,
        })
    };
    text.lines().filter_map(rule).collect()
}

#[cfg(test)]
mod tests;
