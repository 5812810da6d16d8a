//! Chromium at one end or at both.

use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use sheave_measure::{Row, Spread, Table};
use sheave_webrtc::{ConnectionConfig, PeerConnection, UdpDriver};

use super::super::{BenchArgs, Session};
use crate::dc::http::{Request, Server};
use crate::dc::session::{self, Tasks, Work};
use crate::dc::signalling;
use crate::failure::{Failure, While};
use crate::screen::{Lines, Output, Screen};

/// Possible names of the browser's program.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Flags for a headless browser that reveals its real addresses to the peer.
const FLAGS: [&str; 10] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--mute-audio",
    "--allow-loopback-in-peer-connection",
    "--disable-features=WebRtcHideLocalIpsWithMdns",
];

/// Minimum sample time, in which windows grow.
const SHORTEST: Duration = Duration::from_secs(2);

/// Maximum time after a sample until its result arrives.
const PATIENCE: Duration = Duration::from_secs(30);

/// Message size, bytes.
const SIZE: usize = 16 << 10;

/// The two ends of a measurement, the sender first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    BrowserToBrowser,
    BrowserToSheave,
    SheaveToBrowser,
}

impl Ends {
    const ALL: [Self; 3] = [
        Self::BrowserToBrowser,
        Self::BrowserToSheave,
        Self::SheaveToBrowser,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::BrowserToBrowser => "Chromium to Chromium",
            Self::BrowserToSheave => "Chromium to Sheave",
            Self::SheaveToBrowser => "Sheave to Chromium",
        }
    }

    /// URL queries of the pages to open.
    fn pages(self, time: Duration) -> Vec<String> {
        let sender = format!("role=offer&load={}", time.as_secs_f64());
        match self {
            Self::BrowserToBrowser => vec![sender, "role=answer".into()],
            Self::BrowserToSheave => vec![sender],
            Self::SheaveToBrowser => vec!["role=offer&tells".into()],
        }
    }
}

/// Measures each pair of ends in turns.
pub(super) fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let Some(browser) = find() else {
        session.skip("Chromium beside Chromium: there is none here (Debian: chromium)");
        return Ok(());
    };
    let time = args.time.max(SHORTEST);
    let describe = |ends: &Ends| (ends.name().to_owned(), json!({ "ends": ends.name() }));
    let key = "bits_per_second";
    let mut all = Ends::ALL;
    let rates = session.in_turns("browser", &mut all, [key], describe, |ends| {
        let rate = sample(*ends, time, &browser, session);
        Ok([rate.while_doing(ends.name())?])
    })?;
    let mut table = Table::new(
        "browser: messages of 16384 bytes over loopback, wall time, a process for each end; the goal is \
         that Chromium sends to Sheave no slower than to Chromium",
    );
    for (ends, [own]) in Ends::ALL.iter().zip(&rates) {
        let ratio = Spread::of_ratios(own, &rates[0][0]);
        let row = Row::new()
            .cell("ends", ends.name())
            .field("ends", ends.name())
            .within(key, "Mb/s", Spread::of(own), (1e-6, 2))
            .ratio("ratio", "to Chromium to Chromium", ratio);
        table.push(row);
    }
    session.report.print(&table);
    Ok(())
}

fn find() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let all = std::env::split_paths(&folders);
    let mut files = all.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    files.find(|file| file.is_file())
}

/// User bits per second from one end to the other.
fn sample(
    ends: Ends,
    time: Duration,
    browser: &PathBuf,
    session: &Session<'_>,
) -> Result<f64, Failure> {
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(here).while_doing("a port for the page")?;
    let mut browsers = Vec::new();
    for query in ends.pages(time) {
        let url = format!("http://{}/?{query}", server.address());
        browsers.push(Browser::open(browser, &url).while_doing(browser.display())?);
    }
    let deadline = Instant::now() + time + PATIENCE;
    let mut meeting = Meeting::new(ends, time);
    while Instant::now() < deadline {
        if session.interrupts.exit().is_some() {
            return Err(Failure::new("it was broken off"));
        }
        let request = server.accept(Duration::from_millis(100));
        if let Some(request) = request
            && let Some(rate) = meeting.serve(request, session)?
        {
            // The page closes the connection.
            return meeting.end().map(|()| rate);
        }
    }
    Err(Failure::new("no page told of its end"))
}

/// The signalling of one connection.
struct Meeting {
    ends: Ends,
    time: Duration,
    /// Pending request of the offering page, waiting for the answer.
    offerer: Option<Request>,
    /// Pending request of the answering page, waiting for an offer.
    answerer: Option<Request>,
    own: Option<JoinHandle<Result<(), Failure>>>,
}

impl Meeting {
    const fn new(ends: Ends, time: Duration) -> Self {
        Self {
            ends,
            time,
            offerer: None,
            answerer: None,
            own: None,
        }
    }

    /// Answers a request; returns the rate, if the request reported one.
    fn serve(
        &mut self,
        mut request: Request,
        session: &Session<'_>,
    ) -> Result<Option<f64>, Failure> {
        if request.is("GET", "/") {
            request.reply_page(include_str!("browser.html"));
        } else if request.is("POST", "/offer") && self.ends != Ends::BrowserToBrowser {
            let (answer, own) = self.answer(&request, session)?;
            self.own = Some(own);
            request.reply_json(&answer);
        } else if request.is("POST", "/offer") {
            self.offerer = Some(request);
            self.introduce();
        } else if request.is("GET", "/offer") {
            self.answerer = Some(request);
            self.introduce();
        } else if request.is("POST", "/answer") {
            if let Some(mut offerer) = self.offerer.take() {
                offerer.reply_json(request.body());
            }
            request.reply_json("{}");
        } else if request.is("POST", "/counted") {
            request.reply_json("{}");
            return rate(request.body()).map(Some);
        } else if request.is("POST", "/failed") {
            request.reply_json("{}");
            return Err(Failure::new(format!("the page: {}", request.body())));
        } else {
            request.refuse("404 Not Found", "there is nothing");
        }
        Ok(None)
    }

    /// Passes on the offer once both pages are ready.
    fn introduce(&mut self) {
        if let Some(offerer) = &self.offerer
            && let Some(mut answerer) = self.answerer.take()
        {
            answerer.reply_json(offerer.body());
        }
    }

    /// Answers an offer with a Sheave end.
    fn answer(
        &self,
        request: &Request,
        session: &Session<'_>,
    ) -> Result<(String, JoinHandle<Result<(), Failure>>), Failure> {
        let offer = signalling::parse(signalling::Signal::Offer, request.body())?;
        let here = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let driver = UdpDriver::bind(&here, 0).map_err(Failure::new)?;
        let config = ConnectionConfig::new(driver.addresses());
        let mut connection = PeerConnection::new(Instant::now(), config).map_err(Failure::new)?;
        let answer = connection.answer(Instant::now(), &offer);
        let answer = answer.while_doing("the offer")?;
        let work = Work {
            tasks: Tasks::Responder,
            files: Vec::new(),
            directory: None,
            load: (self.ends == Ends::SheaveToBrowser).then_some(self.time),
            size: SIZE,
            echo: false,
        };
        // Discard the session's output; the page reports the same.
        let file = File::options().write(true).open("/dev/null");
        let lines = Lines {
            file: Some(file.while_doing("/dev/null")?),
            ..Lines::default()
        };
        let screen = Screen::new(Output::Human).with_lines(lines);
        let own = session::Session::new(driver, connection, work, screen);
        let interrupts = session.interrupts.clone();
        let own = thread::spawn(move || own.run(&interrupts).map(drop));
        Ok((
            signalling::to_json(signalling::Signal::Answer, &answer),
            own,
        ))
    }

    fn end(self) -> Result<(), Failure> {
        match self.own.map(JoinHandle::join) {
            Some(Err(_)) => Err(Failure::new("our end panicked")),
            Some(Ok(outcome)) => outcome,
            None => Ok(()),
        }
    }
}

fn rate(text: &str) -> Result<f64, Failure> {
    let counted: Value = serde_json::from_str(text).while_doing("the page's count")?;
    let (bytes, seconds) = (&counted["bytes"], &counted["seconds"]);
    match (bytes.as_f64(), seconds.as_f64()) {
        (Some(bytes), Some(seconds)) if bytes > 0.0 && seconds > 0.0 => Ok(bytes * 8.0 / seconds),
        _ => Err(Failure::new(format!("the page counted nothing: {text}"))),
    }
}

/// A browser with its own profile.
struct Browser {
    child: Child,
    _profile: tempfile::TempDir,
}

impl Browser {
    fn open(program: &PathBuf, url: &str) -> io::Result<Self> {
        let profile = tempfile::tempdir()?;
        let folder = format!("--user-data-dir={}", profile.path().display());
        let mut command = Command::new(program);
        let command = command.args(FLAGS).arg(folder).arg(url);
        let command = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        Ok(Self {
            child: command.spawn()?,
            _profile: profile,
        })
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Kill the whole process group; the other processes would end by themselves, but write to
        // the profile until then.
        let group = Pid::from_child(&self.child);
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
    }
}
