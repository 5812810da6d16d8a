//! Binaries that need nothing of the machine but its kernel, and archives of them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{
    Build, Machine, Request, VERSION, elf, emptied, folder, has_library, host_tool, pages,
};
use crate::capi::{Profile, run};
use crate::cargo::{cargo, target_folder};

/// A setting of cargo: no names for debuggers.
const STRIPPED: [&str; 2] = ["--config", "profile.dist.strip=true"];

/// Settings of cargo for a build that is over soon: nothing is made faster than it must be.
const QUICK: [&str; 8] = [
    "profile.dev.debug=false",
    "profile.dev.build-override.opt-level=0",
    "profile.dev.package.\"*\".opt-level=0",
    "profile.dev.package.sheave-engine.opt-level=0",
    "profile.dev.package.sheave-lab.opt-level=0",
    "profile.dev.package.sheave-measure.opt-level=0",
    "profile.dev.package.sheave-sim.opt-level=0",
    "profile.dev.package.sheave-wire.opt-level=0",
];

/// Files of the repository that go with a binary.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Builds an archive for each machine: the binary, man pages, completions, licences.
pub(super) fn archives(root: &Path, request: &Request) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut archives = Vec::new();
    for machine in &request.machines {
        let binary = binary(root, *machine, request.build.profile())?;
        let name = format!("sheave-{VERSION}-{}", machine.triple);
        let contents = emptied(folder(root).join(&name))?;
        fs::copy(&binary, contents.join("sheave"))?;
        for file in BESIDE {
            fs::copy(root.join(file), contents.join(file))?;
        }
        let tool = match machine.is_this() {
            true => binary,
            false => host_tool(root, Build::Plain(Profile::Debug))?,
        };
        pages::man(&tool, &contents)?;
        pages::completions(&tool, &contents)?;
        archives.push(archive(root, &name)?);
        fs::remove_dir_all(contents)?;
    }
    Ok(archives)
}

/// Builds the tool for a machine, statically; its path.
/// Errors: the build fails, no C compiler for the machine is there, or the binary needs a loader or
/// lacks the library that `sheave run` preloads.
pub(super) fn binary(
    root: &Path,
    machine: Machine,
    profile: Profile,
) -> Result<PathBuf, Box<dyn Error>> {
    let compiler = Compiler::find(root, machine)?;
    // Where there is no rustup, the compiler says what it lacks.
    let mut rustup = Command::new("rustup");
    let rustup = rustup
        .current_dir(root)
        .args(["target", "add", machine.triple]);
    let _ = rustup.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let mut cargo = cargo(root);
    match compiler {
        Compiler::Zig => cargo.arg("zigbuild"),
        Compiler::Musl => cargo.arg("build").env(
            format!("CC_{}", machine.triple.replace('-', "_")),
            Compiler::MUSL,
        ),
    };
    cargo.args(["--quiet", "--locked", "--bin", "sheave"]);
    cargo.args(["--target", machine.triple]);
    match profile {
        Profile::Dist => cargo
            .args(["--profile", "dist", "--package", "sheave-cli"])
            .args(STRIPPED),
        Profile::Debug => {
            cargo.args(["--package", "sheave-cli"]);
            QUICK.iter().fold(&mut cargo, |cargo, setting| {
                cargo.args(["--config", setting])
            })
        }
    };
    run(&mut cargo)?;
    let folder = target_folder(root).join(machine.triple);
    let binary = folder.join(profile.folder()).join("sheave");
    let bytes = fs::read(&binary)?;
    if elf::is_static(&bytes) != Some(true) {
        return Err(format!("{}: not static", binary.display()).into());
    }
    has_library(&binary, &bytes)?;
    Ok(binary)
}

/// A compiler of C for static binaries: AWS-LC, under DTLS, is written in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compiler {
    /// `cargo zigbuild`, for every machine.
    Zig,
    /// The compiler of this machine with the headers of musl.
    Musl,
}

impl Compiler {
    const MUSL: &str = "musl-gcc";

    /// The compiler for a machine that is there.
    fn find(root: &Path, machine: Machine) -> Result<Self, Box<dyn Error>> {
        let is_there = |look: &mut Command| {
            let there = look.stdout(Stdio::null()).stderr(Stdio::null()).status();
            there.is_ok_and(|status| status.success())
        };
        if is_there(cargo(root).args(["zigbuild", "--help"])) {
            return Ok(Self::Zig);
        }
        let own = machine.is_this();
        if own && is_there(Command::new(Self::MUSL).arg("-dumpversion")) {
            return Ok(Self::Musl);
        }
        let own = match own {
            true => ", or for this machine alone apt install musl-tools",
            false => "",
        };
        Err(format!("`cargo zigbuild` is missing: pip install cargo-zigbuild{own}").into())
    }
}

/// Packs a folder of products, always into the same bytes.
fn archive(root: &Path, name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let archive = folder(root).join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.current_dir(folder(root));
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", moment(root)));
    // The time at which it was packed would differ.
    tar.arg("--use-compress-program=gzip -n").arg("-cf");
    run(tar.arg(&archive).arg(name))?;
    Ok(archive)
}

/// Seconds since 1970 that files are said to be of: the commit's, unless `SOURCE_DATE_EPOCH` says
/// otherwise.
pub(super) fn moment(root: &Path) -> u64 {
    let said = std::env::var("SOURCE_DATE_EPOCH").ok();
    let said = said.or_else(|| {
        let mut git = Command::new("git");
        let git = git.current_dir(root).args(["log", "-1", "--format=%ct"]);
        let output = git.output().ok()?;
        String::from_utf8(output.stdout).ok()
    });
    said.and_then(|said| said.trim().parse().ok()).unwrap_or(0)
}
