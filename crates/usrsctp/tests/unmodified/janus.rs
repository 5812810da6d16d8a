//! Debian's janus, a WebRTC server that carries its data channels' packets itself (`AF_CONN`).

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use sheave_interop::skip;

use crate::installed::{Library, on, run};

/// Where Debian has its parts.
const PARTS: &str = "/usr/lib/x86_64-linux-gnu/janus";
/// Time that it gets to start.
const START: Duration = Duration::from_secs(120);

struct Janus(Child);

impl Drop for Janus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("janus")
}

/// A Python with aiortc, from the Python Package Index.
fn python() -> Result<PathBuf, &'static str> {
    let environment = folder().join("python");
    let python = environment.join("bin/python");
    let has_aiortc = |python: &Path| {
        let mut look = Command::new(python);
        look.args(["-c", "import aiortc, aiohttp"]);
        look.stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if has_aiortc(&python) {
        return Ok(python);
    }
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&environment)
        .stdout(Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return Err("no python3 with venv");
    }
    let mut pip = Command::new(environment.join("bin/pip"));
    pip.args(["--quiet", "--disable-pip-version-check", "install"]);
    let _ = pip.args(["aiortc>=1.9,<2", "aiohttp>=3.9,<4"]).status();
    match has_aiortc(&python) {
        true => Ok(python),
        false => Err("aiortc cannot be had from the Python Package Index"),
    }
}

/// Starts it with one plugin and one interface, at that TCP port.
fn start(library: Library, port: u16) -> Janus {
    let folder = folder();
    let own = folder.display();
    let others = |kind: &str, but: &str| {
        let files = fs::read_dir(format!("{PARTS}/{kind}")).unwrap();
        let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        let names: Vec<String> = names
            .filter(|name| name.ends_with(".so") && !name.contains(but))
            .collect();
        names.join(",")
    };
    let (plugins, transports) = (others("plugins", "echotest"), others("transports", "http"));
    fs::write(
        folder.join("janus.jcfg"),
        format!(
            "general: {{ configs_folder = \"{own}\" plugins_folder = \"{PARTS}/plugins\" \
             transports_folder = \"{PARTS}/transports\" events_folder = \"{own}\" }}\n\
             plugins: {{ disable = \"{plugins}\" }}\n\
             transports: {{ disable = \"{transports}\" }}\n"
        ),
    )
    .unwrap();
    fs::write(
        folder.join("janus.transport.http.jcfg"),
        format!(
            "general: {{ base_path = \"/janus\" http = true port = {port} ip = \"127.0.0.1\" \
             https = false }}\nadmin: {{ admin_http = false }}\n"
        ),
    )
    .unwrap();
    let mut command = on(library, Path::new("/usr/bin/janus"));
    let command = command.arg("-F").arg(&folder).stdin(Stdio::null());
    let log = fs::File::create(folder.join("log")).unwrap();
    let janus = Janus(command.stdout(log).spawn().unwrap());
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < START, "janus does not start");
        thread::sleep(Duration::from_millis(50));
    }
    janus
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn janus_echoes_texts_on_a_data_channel() {
    if !Path::new("/usr/bin/janus").exists() || !Path::new(PARTS).exists() {
        return skip("no janus (Debian: janus)");
    }
    fs::create_dir_all(folder()).unwrap();
    let Ok(python) = python().map_err(skip) else {
        return;
    };
    let port = free_port();
    let _janus = start(Library::Ours, port);
    let mut client = Command::new(python);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unmodified/janus.py");
    let client = client.arg(script);
    let output = run(client.args([&format!("http://127.0.0.1:{port}/janus"), "500"]));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "500 echoes in order\n"
    );
}
