//! `sheave recv`: receives files from `sheave send` into a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use sheave::error::ReceiveError;
use sheave::{Association, Endpoint, Listener, Message, Ppid, StreamId};

use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::network::{self, NetworkArgs, Role};
use crate::paths::{self, PathReport};
use crate::screen::{Output, Screen};
use crate::send::{tally_fields, tally_text};
use crate::transfer::message::{Detail, MAX_MESSAGE, PPID, Tally};
use crate::transfer::name::NameRule;
use crate::transfer::part::Claims;
use crate::transfer::receiver::Receiver;
use crate::transfer::store::Policy;
use crate::transfer::tree::{Existing, Tree};
use crate::units::{byte_rate, bytes};

/// Timeout for the first message of a new association.
const FIRST_WORDS: Duration = Duration::from_secs(30);

/// The default SCTP port of transfers.
pub const TRANSFER_PORT: u16 = 5910;

/// Receives files and directories.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../help/recv.txt").trim_end())]
pub struct RecvArgs {
    /// Directory to write to; made if missing
    directory: PathBuf,

    /// The SCTP port to listen on
    #[arg(short, long, value_name = "PORT", default_value_t = TRANSFER_PORT)]
    port: u16,

    /// End after one sender; the exit code shows the result
    #[arg(short = '1', long)]
    once: bool,

    /// Replace existing files that differ
    #[arg(long)]
    overwrite: bool,

    /// Also keep directory times, hard links and holes, whatever the sender asks for
    #[arg(short, long)]
    archive: bool,

    /// Which names are allowed
    #[arg(long, value_enum, default_value_t, value_name = "RULE")]
    names: NameRule,

    /// Senders served at the same time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    max_senders: u16,

    #[command(flatten)]
    network: NetworkArgs,
}

/// Runs the command.
/// Errors: the directory or the port cannot be used.
pub fn run(args: &RecvArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let screen = Screen::new(output);
    // Fails now rather than at the first sender.
    Tree::open(&args.directory).while_doing(args.directory.display())?;
    let endpoint = args.network.bind(Role::Server)?;
    let listener = network::listen(&endpoint, args.port, args.network.options())?;
    let closed = endpoint.clone();
    interrupts.on_interrupt(move || {
        closed.close(Duration::from_millis(200));
    });
    let place = network::place(&endpoint, args.port);
    let fields = json!({
        "directory": args.directory,
        "port": args.port,
        "udp_port": endpoint.udp_port(),
        "fingerprint": network::fingerprint(&endpoint),
        "addresses": endpoint.local_addresses(),
    });
    screen.event("listening", fields, || {
        format!("receiving into {} at {place}", args.directory.display())
    });
    let server = ReceiveServer {
        directory: args.directory.clone(),
        policy: Policy {
            existing: if args.overwrite {
                Existing::Overwrite
            } else {
                Existing::Keep
            },
            names: args.names,
            detail: if args.archive {
                Detail::Archive
            } else {
                Detail::Usual
            },
        },
        claims: Arc::default(),
        screen,
    };
    if args.once {
        return server.serve_one(&endpoint, &listener);
    }
    server.serve_all(&listener, args.max_senders.into());
    Ok(Exit::Success)
}

/// State shared by the sessions.
#[derive(Clone)]
struct ReceiveServer {
    directory: PathBuf,
    policy: Policy,
    claims: Arc<Claims>,
    screen: Screen,
}

impl ReceiveServer {
    fn serve_one(&self, endpoint: &Endpoint, listener: &Listener) -> Result<Exit, Failure> {
        for association in listener.incoming() {
            let Some(tally) = self.serve(association)? else {
                continue;
            };
            endpoint.close(Duration::from_secs(2));
            return Ok(if tally.is_complete() {
                Exit::Success
            } else {
                Exit::Failure
            });
        }
        Ok(Exit::Success)
    }

    fn serve_all(&self, listener: &Listener, max_senders: usize) {
        let active = Arc::new(AtomicUsize::new(0));
        for association in listener.incoming() {
            if active.load(Ordering::Relaxed) >= max_senders {
                association.abort(format!(
                    "{max_senders} senders are served already (recv --max-senders); try again later"
                ));
                continue;
            }
            active.fetch_add(1, Ordering::Relaxed);
            let (server, active) = (self.clone(), Arc::clone(&active));
            thread::spawn(move || {
                if let Err(failure) = server.serve(association) {
                    server.screen.warn(&failure.what);
                }
                active.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    /// Serves an association until it ends; `None` if it was not a transfer, such as a ping.
    fn serve(&self, association: Association) -> Result<Option<Tally>, Failure> {
        let tree = Tree::open(&self.directory).while_doing(self.directory.display())?;
        let peer = peer_name(&association);
        let mut session = ReceiveSession {
            receiver: Receiver::new(tree, self.policy, Arc::clone(&self.claims)),
            association,
            screen: self.screen.clone(),
            peer,
            paths: Vec::new(),
            began: Instant::now(),
        };
        let Some(hello) = session.first_message() else {
            return Ok(None);
        };
        session.announce();
        let outcome = session.run(hello);
        session.screen.clear();
        session.report(&self.directory);
        outcome.map(|()| Some(session.receiver.tally()))
    }
}

struct ReceiveSession {
    receiver: Receiver,
    association: Association,
    screen: Screen,
    peer: String,
    /// The paths just before the association closed.
    paths: Vec<PathReport>,
    began: Instant,
}

impl ReceiveSession {
    /// The sender's first message; `None` without one, which is not an error, since it may be a
    /// ping.
    fn first_message(&self) -> Option<Message> {
        match self.association.receive_timeout(FIRST_WORDS) {
            Ok(Some(received)) => Some(received.message),
            Ok(None) | Err(ReceiveError::Closed(_)) => None,
            Err(_) => {
                self.association.abort("nothing was said for too long");
                None
            }
        }
    }

    fn announce(&mut self) {
        let peer = &self.peer;
        let fields = json!({ "peer": peer });
        self.screen
            .event("connected", fields, || format!("{peer} is sending"));
        paths::watch(&self.association, &self.screen, peer);
        self.screen = self.screen.clone().with_bar(0);
    }

    fn run(&mut self, hello: Message) -> Result<(), Failure> {
        self.take(&hello)?;
        drop(hello);
        loop {
            let message = match self.association.receive_whole(MAX_MESSAGE) {
                Ok(Some(message)) => message,
                Ok(None) if self.receiver.is_finished() => return Ok(()),
                Ok(None) => return Err(self.cut_short("the sender closed the association")),
                // The sender has the report; only the association's end was not seen.
                Err(_) if self.receiver.is_finished() => return Ok(()),
                Err(error) => return Err(self.cut_short(&error.to_string())),
            };
            self.take(&message)?;
        }
    }

    fn take(&mut self, message: &Message) -> Result<(), Failure> {
        let was_finished = self.receiver.is_finished();
        let handled = self
            .receiver
            .handle_message(message.stream.0, &message.payload);
        if let Err(fault) = handled {
            self.association.abort(fault.to_string());
            let peer = &self.peer;
            return Err(Failure::new(format!("{peer} breaks the protocol: {fault}")));
        }
        if self.receiver.is_finished() && !was_finished {
            self.paths = PathReport::of(&self.association);
        }
        self.answer()?;
        self.show();
        Ok(())
    }

    fn answer(&mut self) -> Result<(), Failure> {
        while let Some(payload) = self.receiver.poll_message() {
            let message = Message::new(StreamId(0), payload).with_ppid(Ppid(PPID));
            if let Err(error) = self.association.send(message) {
                return Err(self.cut_short(&error.to_string()));
            }
        }
        Ok(())
    }

    fn show(&mut self) {
        while let Some(notice) = self.receiver.poll_notice() {
            self.screen
                .trouble("notice", json!(notice), &notice.to_string());
        }
        let progress = self.receiver.progress();
        self.screen
            .progress(progress.bytes, progress.bytes_announced, progress.entries);
    }

    fn cut_short(&self, why: &str) -> Failure {
        Failure::new(format!(
            "the transfer from {} was cut short: {why}",
            self.peer
        ))
        .fix("the sender can run the same command again: it goes on where it stopped")
    }

    fn report(&self, directory: &Path) {
        let took = self.began.elapsed();
        let (progress, tally) = (self.receiver.progress(), self.receiver.tally());
        let mut fields = tally_fields(tally, took, progress.received);
        fields["peer"] = self.peer.as_str().into();
        fields["finished"] = self.receiver.is_finished().into();
        fields["received_bytes"] = progress.received.into();
        fields["paths"] = json!(self.paths);
        self.screen.event("summary", fields, || {
            let text = format!(
                "received {} from {} into {} in {:.2} s, {}; {}",
                bytes(progress.received),
                self.peer,
                directory.display(),
                took.as_secs_f64(),
                byte_rate(progress.received, took),
                tally_text(tally),
            );
            text + &PathReport::lines(&self.paths)
        });
    }
}

fn peer_name(association: &Association) -> String {
    let paths = association.path_stats();
    let primary = paths.iter().find(|path| path.primary).or(paths.first());
    match (primary, association.stats()) {
        (Some(path), Some(stats)) => match path.remote {
            std::net::IpAddr::V6(ip) => format!("[{ip}]:{}", stats.remote_port),
            std::net::IpAddr::V4(ip) => format!("{ip}:{}", stats.remote_port),
        },
        _ => "a sender".to_owned(),
    }
}
