//! The installed library, and programs that are linked with it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, fs};

/// The kind of library that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Linked {
    Shared,
    Static,
}

/// The folder that the library is installed below, by the command that users have.
pub(crate) fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "xtask",
            "--",
            "capi",
        ]);
        run(cargo.arg("--debug").arg("--prefix").arg(&prefix));
        prefix
    })
}

/// The source of an example.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.c"))
}

/// An example, compiled and linked: the program's path. Each is made once.
pub(crate) fn example(name: &'static str, linked: Linked) -> PathBuf {
    static MADE: Mutex<BTreeSet<(&str, Linked)>> = Mutex::new(BTreeSet::new());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capi-{linked:?}"));
    let program = folder.join(name);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if !made.contains(&(name, linked)) {
        fs::create_dir_all(folder).unwrap();
        compile(&source(name), &program, linked);
        made.insert((name, linked));
    }
    program
}

fn compile(source: &Path, program: &Path, linked: Linked) {
    let lib = prefix().join("lib");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-std=c11", "-g", "-I"]);
    cc.arg(prefix().join("include"));
    cc.arg(source).arg("-o").arg(program);
    match linked {
        Linked::Shared => {
            cc.arg("-L").arg(&lib).arg("-lsheave");
            cc.arg(format!("-Wl,-rpath,{}", lib.display()));
        }
        Linked::Static => {
            cc.arg(lib.join("libsheave.a"));
            cc.args("-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc".split(' '));
        }
    }
    run(&mut cc);
}

/// Whether there is such a command.
pub(crate) fn has(command: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
