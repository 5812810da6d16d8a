use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::Child;
use crate::program::{beside_us, compile_go, sources};
use crate::table::{Channels, Stack, Table};

/// Time that a program gets to start: a browser is slow on a busy machine.
const START: Duration = Duration::from_secs(60);

/// A command line, or what this machine lacks for it.
type Made = Result<Vec<PathBuf>, &'static str>;

/// A program that is a WebRTC peer, as `interop/webrtc.md` says.
#[derive(Clone, Debug)]
pub struct WebrtcProgram {
    words: Vec<PathBuf>,
    /// Whether it wants a folder of its own.
    profile: bool,
}

impl Table {
    /// The table of this repository.
    pub fn read() -> Self {
        let text = std::fs::read_to_string(sources("peers.toml")).expect("it is in the repository");
        toml::from_str(&text).expect("the build script read it, too")
    }

    /// The stack of that name.
    pub fn stack(&self, name: &str) -> &Stack {
        let found = self.stacks.iter().find(|stack| stack.name == name);
        found.unwrap_or_else(|| panic!("no stack {name}"))
    }
}

impl WebrtcProgram {
    /// The program of a stack, made once per process, with the words that it takes for a feature.
    /// Errors: What is missing on this machine.
    pub fn of(channels: &Channels, feature: &str) -> Result<Self, &'static str> {
        static ALL: Mutex<BTreeMap<String, Arc<OnceLock<Made>>>> = Mutex::new(BTreeMap::new());
        if let Some(name) = &channels.condition
            && std::env::var_os(name).is_none()
        {
            return Err(
                "it takes minutes to compile, and is tried where the environment asks for it",
            );
        }
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let made = Arc::clone(all.entry(channels.folder.clone()).or_default());
        // The others may be made meanwhile.
        drop(all);
        let mut words = made.get_or_init(|| make(channels)).clone()?;
        let extra = channels.words_for.get(feature).unwrap_or(&channels.words);
        words.extend(extra.iter().map(PathBuf::from));
        Ok(Self {
            words,
            profile: channels.made == "browser",
        })
    }

    pub(super) fn start(&self) -> (Child, Option<tempfile::TempDir>) {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        let profile = self
            .profile
            .then(|| tempfile::tempdir().expect("there is room"));
        if let Some(profile) = &profile {
            command.arg(profile.path()).arg("peer");
        }
        let mut child = Child::start(&mut command);
        child.line("ready", START);
        (child, profile)
    }
}

fn make(channels: &Channels) -> Made {
    let folder = &channels.folder;
    match channels.made.as_str() {
        "browser" => {
            let browser = Path::new("/usr/bin/chromium");
            must_have_node()?;
            match browser.exists() {
                true => Ok(vec![
                    "node".into(),
                    sources("webrtc/chromium.js"),
                    browser.into(),
                ]),
                false => Err("no Chromium (Debian: chromium)"),
            }
        }
        "cargo" => compile(folder).map(|file| vec![file]),
        "go" => compile_go(folder).map(|file| vec![file]),
        "gstreamer" => gstreamer(folder),
        "npm" => {
            let script = install_npm(folder)?;
            Ok(vec!["node".into(), script])
        }
        "pip" => {
            let python = install_pip(folder)?;
            Ok(vec![python, sources(&format!("{folder}/peer.py"))])
        }
        other => panic!("nothing is made by {other}"),
    }
}

fn must_have_node() -> Result<(), &'static str> {
    match runs(Command::new("node").args(["-e", "0"])) {
        true => Ok(()),
        false => Err("no Node (Debian: nodejs)"),
    }
}

fn runs(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Compiles the program in a stack's folder, which is no part of our workspace.
fn compile(stack: &str) -> Result<PathBuf, &'static str> {
    let cargo = |verb: &str| {
        let mut cargo = Command::new("cargo");
        cargo.args([verb, "--quiet", "--locked", "--manifest-path"]);
        cargo.arg(sources(&format!("{stack}/peer/Cargo.toml")));
        cargo
    };
    let folder = sources(&format!("../target/interop/{stack}"));
    let mut build = cargo("build");
    // Its own profile and package, not what the environment says of ours: build scripts that look at it
    // would run again, and what was compiled before would be compiled once more.
    build.env_remove("CARGO_PROFILE_DEV_DEBUG");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|ours| name.starts_with(ours))
        {
            build.env_remove(&*name);
        }
    }
    build.arg("--target-dir").arg(&folder);
    let Ok(built) = build.status() else {
        return Err("no cargo");
    };
    if !built.success() {
        assert!(!runs(&mut cargo("fetch")), "{build:?} fails");
        return Err("the registry does not give a peer's crates");
    }
    Ok(folder.join(format!("debug/{stack}-peer")))
}

/// Debian's Python has its modules; another one in the path has not.
fn gstreamer(folder: &str) -> Made {
    const PYTHON: &str = "/usr/bin/python3";
    let test = "import gi; gi.require_version('GstWebRTC', '1.0'); from gi.repository import Gst; \
                Gst.init(None); assert Gst.ElementFactory.find('webrtcbin') and Gst.ElementFactory.find('nicesrc')";
    let mut python = Command::new(PYTHON);
    python
        .args(["-c", test])
        .stderr(std::process::Stdio::null());
    match runs(&mut python) && runs(Command::new("openssl").arg("version")) {
        true => Ok(vec![PYTHON.into(), sources(&format!("{folder}/peer.py"))]),
        false => Err(
            "no webrtcbin (Debian: gstreamer1.0-plugins-bad, gstreamer1.0-nice, python3-gst-1.0, \
             gir1.2-gst-plugins-bad-1.0, openssl)",
        ),
    }
}

/// The Python of an environment that has what the folder's list wants.
fn install_pip(folder: &str) -> Result<PathBuf, &'static str> {
    let place = beside_us(folder);
    let python = place.join("bin/python");
    let pip = |words: &[&str]| {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "-q", "--disable-pip-version-check", "install"]);
        pip.args(words)
            .arg(sources(&format!("{folder}/requirements.txt")));
        pip
    };
    if python.exists() && runs(&mut pip(&["--no-index", "-r"])) {
        return Ok(python);
    }
    if !runs(Command::new("python3").args(["-m", "venv"]).arg(&place)) {
        return Err("no python3 with venv (Debian: python3-venv)");
    }
    match runs(&mut pip(&["-r"])) {
        true => Ok(python),
        false => Err("PyPI does not give a peer's packages"),
    }
}

/// Installs the packages of a peer in a copy of its folder, since sources stay as they are; its script.
fn install_npm(folder: &str) -> Result<PathBuf, &'static str> {
    must_have_node()?;
    let place = beside_us("webrtc-peers");
    let own =
        ["peer.js", "package.json", "package-lock.json"].map(|file| format!("{folder}/{file}"));
    let installed = place.join(folder).join("installed");
    let lock = std::fs::read(sources(&own[2])).map_err(|_| "a peer has no list of packages")?;
    for file in own.iter().map(String::as_str).chain(["webrtc/peer.js"]) {
        let to = place.join(file);
        let made = to.parent().map(std::fs::create_dir_all);
        let copied =
            made.is_some_and(|made| made.is_ok()) && std::fs::copy(sources(file), to).is_ok();
        if !copied {
            return Err("the peer's files cannot be copied");
        }
    }
    let script = place.join(&own[0]);
    if std::fs::read(&installed).is_ok_and(|found| found == lock) {
        return Ok(script);
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--silent"]);
    match npm.current_dir(place.join(folder)).status() {
        Ok(status) if status.success() => {
            // Without the note it is installed again the next time.
            let _ = std::fs::write(installed, lock);
            Ok(script)
        }
        Ok(_) => Err("npm does not give a peer's packages"),
        Err(_) => Err("no npm (Debian: npm)"),
    }
}
