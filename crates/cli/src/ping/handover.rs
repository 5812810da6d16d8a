//! Replaces a running server by a new one. The old server passes its associations over a Unix
//! socket; they contain secrets and are never written to disk.

use std::fs::{self, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sheave::{Association, Endpoint};

use super::serve::Service;
use crate::failure::{Failure, While};
use crate::network::NetworkArgs;
use crate::screen::Screen;

/// The new server's request, with the protocol version.
const REQUEST: &str = "sheave handover 1";
/// Sent by the new server after it has bound its sockets.
const BOUND: &str = "bound";
/// Longest time for associations to become quiet.
const QUIET: Duration = Duration::from_secs(5);
/// Timeout for the other server's reply.
const SILENCE: Duration = Duration::from_secs(10);
/// Longest line, bytes.
const MAX_LINE: u64 = 64 << 20;
/// Permissions of the socket: owner only, since the associations contain keys.
const OWNER_ONLY: u32 = 0o600;

/// The old server's answers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Offer {
    /// The exported associations of the server.
    Associations(Vec<Vec<u8>>),
    /// The reason for refusing.
    Refused(String),
}

/// Takes over from the server at `path`; without one, starts without associations.
/// Errors: the old server does not hand over, or the port cannot be used; the old server then
/// continues.
pub fn succeed(
    path: &Path,
    network: &NetworkArgs,
    screen: &Screen,
) -> Result<(Endpoint, Vec<Association>), Failure> {
    let Some(mut old) = call(path)? else {
        return Ok((network.bind_successor(Vec::new())?.0, Vec::new()));
    };
    let offer = ask(&mut old).while_doing(format!("the server at {}", path.display()))?;
    let exported = match offer {
        Offer::Associations(exported) => exported,
        Offer::Refused(why) => {
            let what = format!("the server at {} stays: {why}", path.display());
            return Err(Failure::new(what).fix("try again"));
        }
    };
    let (endpoint, outcomes) = network.bind_successor(exported)?;
    let mut adopted = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(association) => adopted.push(association),
            Err(error) => screen.warn(&format!("an association is lost: {error}")),
        }
    }
    // Ignores an error: the old server may already be gone.
    let _ = say(&mut old, BOUND);
    Ok((endpoint, adopted))
}

/// Connects to the server at `path`, if one runs.
fn call(path: &Path) -> Result<Option<UnixStream>, Failure> {
    let found = fs::symlink_metadata(path);
    if found.is_ok_and(|found| !found.file_type().is_socket()) {
        let what = format!("--handover: {} is no socket", path.display());
        return Err(Failure::usage(what));
    }
    match UnixStream::connect(path) {
        Ok(old) => Ok(Some(old)),
        // A server that crashed has left its socket behind.
        Err(error)
            if [ErrorKind::NotFound, ErrorKind::ConnectionRefused].contains(&error.kind()) =>
        {
            Ok(None)
        }
        Err(error) => Err(error).while_doing(path.display()),
    }
}

fn ask(old: &mut UnixStream) -> io::Result<Offer> {
    old.set_read_timeout(Some(QUIET + SILENCE))?;
    say(old, REQUEST)?;
    Ok(serde_json::from_str(&hear(old)?)?)
}

fn say(stream: &mut UnixStream, line: &str) -> io::Result<()> {
    stream.set_write_timeout(Some(SILENCE))?;
    stream.write_all(format!("{line}\n").as_bytes())
}

fn offer_to(successor: &mut UnixStream, offer: &Offer) -> io::Result<()> {
    say(successor, &serde_json::to_string(offer)?)
}

fn hear(stream: &UnixStream) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(MAX_LINE)).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// The socket at which a successor requests the associations; removed at the end.
pub struct HandoverSocket {
    listener: UnixListener,
    place: SocketName,
}

/// The path of the socket, removed at the end unless a successor uses it.
struct SocketName(Option<PathBuf>);

/// Waits for a successor until dropped.
pub struct SuccessorWait(Arc<Mutex<SocketName>>);

impl HandoverSocket {
    /// Creates the socket at `path`, replacing an existing one.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let listener = Self::bind(path).while_doing(format!("--handover {}", path.display()))?;
        let place = SocketName(Some(path.to_owned()));
        Ok(Self { listener, place })
    }

    fn bind(path: &Path) -> io::Result<UnixListener> {
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        // Creates the socket in a private directory, so that nobody can connect before its
        // permissions are set.
        let private = tempfile::Builder::new()
            .prefix(".sheave-")
            .tempdir_in(parent.unwrap_or(Path::new(".")))?;
        let hidden = private.path().join("s");
        let listener = UnixListener::bind(&hidden)?;
        fs::set_permissions(&hidden, Permissions::from_mode(OWNER_ONLY))?;
        fs::rename(&hidden, path)?;
        Ok(listener)
    }

    /// Hands `service` over to the first successor that completes the protocol, on a new thread.
    pub fn watch(self, service: Arc<Service>, screen: Screen) -> SuccessorWait {
        let place = Arc::new(Mutex::new(self.place));
        let watch = SuccessorWait(Arc::clone(&place));
        let listener = self.listener;
        thread::spawn(move || {
            for mut successor in listener.incoming().map_while(Result::ok) {
                match hand_over(&mut successor, &service) {
                    Ok(count) => {
                        // The path belongs to the successor from here on.
                        if let Ok(mut place) = place.lock() {
                            place.0 = None;
                        }
                        let fields = json!({ "associations": count });
                        let text = || format!("handed {count} associations over to a new server");
                        screen.event("handed_over", fields, text);
                        service.close();
                        return;
                    }
                    Err(why) => screen.warn(&format!("nothing is handed over: {why}")),
                }
            }
        });
        watch
    }
}

impl Drop for SocketName {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for SuccessorWait {
    fn drop(&mut self) {
        if let Ok(mut place) = self.0.lock() {
            drop(SocketName(place.0.take()));
        }
    }
}

/// Hands over the associations; returns their number.
fn hand_over(successor: &mut UnixStream, service: &Arc<Service>) -> Result<usize, String> {
    let text = |error: io::Error| error.to_string();
    let waiting = successor.set_read_timeout(Some(SILENCE));
    waiting.map_err(text)?;
    if hear(successor).map_err(text)? != REQUEST {
        return Err("the successor speaks another protocol".to_owned());
    }
    let exported = service.export_all(QUIET).map_err(|left| {
        let why = format!("{left} associations are busy");
        let _ = offer_to(successor, &Offer::Refused(why.clone()));
        why
    })?;
    let offer = Offer::Associations(exported);
    let outcome = offer_to(successor, &offer).and_then(|()| hear(successor));
    let Offer::Associations(exported) = offer else {
        return Ok(0);
    };
    match outcome {
        Ok(answer) if answer == BOUND => Ok(exported.len()),
        outcome => {
            service.take_back(exported);
            Err(outcome.map_or_else(text, |_| "the new server failed".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
