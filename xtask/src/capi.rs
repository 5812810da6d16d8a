//! `cargo xtask capi`: the C library, built and installed below a folder.

use std::error::Error;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use crate::cargo::{cargo, target_folder};

/// Libraries of the system that the static library needs.
const SYSTEM_LIBRARIES: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

/// The profile that the library is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Dist,
    Debug,
}

impl Profile {
    /// Name of the folder that cargo keeps its files in.
    pub(crate) const fn folder(self) -> &'static str {
        match self {
            Self::Dist => "dist",
            Self::Debug => "debug",
        }
    }
}

/// The request on the command line.
pub(crate) struct Request {
    pub(crate) prefix: PathBuf,
    pub(crate) profile: Profile,
}

impl Request {
    pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let mut arguments = arguments;
        let (mut prefix, mut profile) = (None, Profile::Dist);
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--prefix") => prefix = arguments.next().map(PathBuf::from),
                Some("--debug") => profile = Profile::Debug,
                _ => return Err(format!("{}: no such flag", argument.display()).into()),
            }
        }
        let prefix = prefix.ok_or("a folder is missing: --prefix DIR [--debug]")?;
        Ok(Self {
            prefix: std::path::absolute(prefix)?,
            profile,
        })
    }
}

/// Builds the library and installs it: `include/sheave.h`, `lib/libsheave.a`, `lib/libsheave.so` with
/// its versions, and `lib/pkgconfig/sheave.pc`. Returns the installed files.
/// Errors: the arguments are wrong, the library cannot be built, or a file cannot be written.
pub(crate) fn install(
    root: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let Request { prefix, profile } = Request::parse(arguments)?;
    let archive = build(root, "sheave-capi", profile)?.join("libsheave.a");
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    fs::create_dir_all(&include)?;
    fs::create_dir_all(lib.join("pkgconfig"))?;

    let header = include.join("sheave.h");
    fs::copy(root.join("crates/capi/include/sheave.h"), &header)?;
    let installed_archive = lib.join("libsheave.a");
    fs::copy(&archive, &installed_archive)?;
    let version = env!("CARGO_PKG_VERSION");
    let shared = lib.join(format!("libsheave.so.{version}"));
    link(root, &archive, &shared, version)?;
    let linked = [soname(version), "libsheave.so".into()].map(|name| lib.join(name));
    for link in &linked {
        replace_link(&shared, link)?;
    }
    let package = lib.join("pkgconfig/sheave.pc");
    fs::write(&package, package_text(&prefix, version))?;
    let mut files = vec![header, installed_archive, shared, package];
    files.extend(linked);
    Ok(files)
}

/// Builds the library of a package; the folder that it is in.
pub(crate) fn build(
    root: &Path,
    package: &str,
    profile: Profile,
) -> Result<PathBuf, Box<dyn Error>> {
    let mut cargo = cargo(root);
    cargo.args(["build", "--quiet", "--locked", "--lib"]);
    match profile {
        Profile::Dist => cargo.args(["--profile", "dist", "--package", package]),
        // As `cargo test --workspace`, whose builds are kept: with fewer packages or kinds of targets the features of
        // dependencies are others, and all of them are built once more.
        Profile::Debug => cargo.args(["--workspace", "--bins", "--tests", "--examples"]),
    };
    run(&mut cargo)?;
    Ok(target_folder(root).join(profile.folder()))
}

/// Links the shared library from the static one: with a name for the loader, versions of symbols, and
/// nothing else to be seen, which cargo alone has no way to ask for.
fn link(root: &Path, archive: &Path, shared: &Path, version: &str) -> Result<(), Box<dyn Error>> {
    let mut cc = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    let map = root.join("crates/capi/sheave.map");
    cc.arg("-shared").arg("-o").arg(shared);
    cc.arg(format!("-Wl,-soname,{}", soname(version)));
    cc.arg(format!("-Wl,--version-script={}", map.display()));
    cc.args([
        "-Wl,--gc-sections",
        "-Wl,--no-undefined",
        "-Wl,--whole-archive",
    ]);
    cc.arg(archive).arg("-Wl,--no-whole-archive");
    cc.args(SYSTEM_LIBRARIES.split(' '));
    run(&mut cc)
}

pub(crate) fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command
        .status()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{} failed: {status}", command.get_program().display()).into()),
    }
}

/// The name that programs are bound to: before 1.0 a minor version may break them.
fn soname(version: &str) -> String {
    let parts: Vec<&str> = version.split('.').take(2).collect();
    format!("libsheave.so.{}", parts.join("."))
}

pub(crate) fn replace_link(shared: &Path, link: &Path) -> io::Result<()> {
    match fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    symlink(shared.file_name().unwrap_or_default(), link)
}

fn package_text(prefix: &Path, version: &str) -> String {
    format!(
        "prefix={}\n\
         includedir=${{prefix}}/include\n\
         libdir=${{prefix}}/lib\n\
         \n\
         Name: sheave\n\
         Description: SCTP in user space, over UDP and plain IP\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -lsheave\n\
         Libs.private: {SYSTEM_LIBRARIES}\n",
        prefix.display()
    )
}

#[test]
fn a_program_is_bound_to_a_minor_version() {
    assert_eq!(soname("0.1.7"), "libsheave.so.0.1");
}

#[test]
fn a_request_needs_a_folder() {
    let parse = |words: &[&str]| Request::parse(words.iter().map(OsString::from));
    assert!(parse(&["--debug"]).is_err());
    assert!(parse(&["--prefix"]).is_err());
    assert!(parse(&["--prefix", "a", "--fast"]).is_err());
    let request = parse(&["--prefix", "a", "--debug"]).unwrap();
    assert!(request.prefix.is_absolute() && request.profile == Profile::Debug);
}
