use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::relative_links;
use crate::cargo::cargo;

/// A crate of the workspace that is published, as `cargo metadata` describes it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    manifest_path: PathBuf,
    license: Option<String>,
    description: Option<String>,
    repository: Option<String>,
    homepage: Option<String>,
    readme: Option<String>,
    /// The registries that may have the crate; `None` means all.
    publish: Option<Vec<String>>,
    #[serde(default)]
    metadata: serde_json::Value,
    targets: Vec<Target>,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The crates that are published, each behind those that it depends on.
pub(super) fn published(root: &Path) -> Result<Vec<Package>, Box<dyn Error>> {
    let mut cargo = cargo(root);
    let output = cargo
        .args(["metadata", "--no-deps", "--locked", "--format-version", "1"])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let Metadata { packages } = serde_json::from_slice(&output.stdout)?;
    let published = packages.into_iter().filter(|one| one.publish.is_none());
    Ok(ordered(published.collect())?)
}

/// The packages, each behind those that it depends on.
pub(super) fn ordered(mut packages: Vec<Package>) -> Result<Vec<Package>, String> {
    let mut ordered: Vec<Package> = Vec::new();
    while !packages.is_empty() {
        let waits = |one: &Package| {
            let mut wanted = one.dependencies.iter();
            wanted.any(|wanted| packages.iter().any(|other| other.name == wanted.name))
        };
        let Some(next) = packages.iter().position(|one| !waits(one)) else {
            let names: Vec<&str> = packages.iter().map(|one| one.name.as_str()).collect();
            return Err(format!("depend on each other: {}", names.join(", ")));
        };
        ordered.push(packages.remove(next));
    }
    Ok(ordered)
}

impl Package {
    /// The folder of an unpacked package.
    pub(super) fn folder(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Reasons against publishing the crate.
    pub(super) fn faults(&self, root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
        let mut faults = self.faults_of_metadata();
        let own = self.manifest_path.parent().unwrap_or(root);
        let readme = fs::read_to_string(own.join("README.md"))?;
        for link in relative_links(&readme) {
            faults.push(format!(
                "{}: README.md links to {link}, which a registry lacks",
                self.name
            ));
        }
        let mut cargo = cargo(root);
        cargo.args([
            "package",
            "--list",
            "--allow-dirty",
            "--package",
            &self.name,
        ]);
        let output = cargo.output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let files = String::from_utf8(output.stdout)?;
        for wanted in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            if !files.lines().any(|file| file == wanted) {
                faults.push(format!("{}: {wanted} is missing in the package", self.name));
            }
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            if fs::read(own.join(licence)).ok() != fs::read(root.join(licence)).ok() {
                faults.push(format!(
                    "{}: {licence} differs from the repository's",
                    self.name
                ));
            }
        }
        Ok(faults)
    }

    pub(super) fn faults_of_metadata(&self) -> Vec<String> {
        let fields = [
            ("license", &self.license),
            ("description", &self.description),
            ("repository", &self.repository),
            ("homepage", &self.homepage),
            ("readme", &self.readme),
        ];
        let missing = fields.iter().filter(|(_, value)| value.is_none());
        let mut faults: Vec<String> = missing
            .map(|(field, _)| format!("{}: Cargo.toml has no {field}", self.name))
            .collect();
        let is_library = self
            .targets
            .iter()
            .any(|target| target.kind.iter().any(|kind| kind == "lib"));
        let shows_all = self.metadata.pointer("/docs/rs/all-features") == Some(&true.into());
        if is_library && !shows_all {
            faults.push(format!(
                "{}: docs.rs would not show all features",
                self.name
            ));
        }
        faults
    }
}
