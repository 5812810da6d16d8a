//! Man pages and completions, which the tool itself writes.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::emptied;
use crate::capi::run;

/// Shells and the names that they look for.
pub(super) const SHELLS: [(&str, &str); 3] = [
    ("bash", "sheave.bash"),
    ("zsh", "_sheave"),
    ("fish", "sheave.fish"),
];

/// Writes the man pages below a folder; their folder.
pub(super) fn man(tool: &Path, folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let man = emptied(folder.join("man"))?;
    let mut pages = Command::new(tool);
    run(pages.arg("man").arg(man.join("man1")).stdout(Stdio::null()))?;
    Ok(man)
}

/// Writes the completion scripts below a folder; their folder.
pub(super) fn completions(tool: &Path, folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let completions = emptied(folder.join("completions"))?;
    for (shell, name) in SHELLS {
        let output = Command::new(tool).args(["completions", shell]).output()?;
        if !output.status.success() {
            return Err(
                format!("{} completions {shell}: {}", tool.display(), output.status).into(),
            );
        }
        fs::write(completions.join(name), output.stdout)?;
    }
    Ok(completions)
}
