//! `sheave run --list`: shows the state of running hosts.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::failure;
use crate::failure::{Exit, Failure, While};

/// Terminal codes: move to the first line and clear the screen.
const CLEAR: &str = "\x1b[H\x1b[J";

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    Prometheus,
}

/// A host's name and its state, or the reason for having none.
type Seen = (String, Result<Value, Failure>);

/// Shows the host with this name, or every host if empty; repeats at the interval `watch`.
pub(super) fn run(name: &str, form: Form, watch: Option<Duration>) -> Result<Exit, Failure> {
    loop {
        let seen = look(name)?;
        let mut text = match form {
            Form::Text => seen.iter().map(host_text).collect(),
            Form::Json => seen.iter().map(host_json).collect(),
            Form::Prometheus => prometheus(&seen),
        };
        if seen.is_empty() && form == Form::Text {
            text.push_str("no `sheave run` serves programs in this network namespace\n");
        }
        let mut out = io::stdout().lock();
        if watch.is_some() && form == Form::Text && out.is_terminal() {
            text.insert_str(0, CLEAR);
        }
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Success),
            written => written.while_doing("cannot print")?,
        }
        match watch {
            Some(span) => thread::sleep(span),
            None => return Ok(Exit::Success),
        }
    }
}

fn look(name: &str) -> Result<Vec<Seen>, Failure> {
    if !name.is_empty() {
        let state = state(name)?.ok_or_else(|| {
            Failure::new(format!("no host has the name {name}"))
                .fix("`sheave run --list` names those that there are")
        })?;
        return Ok(vec![(name.to_owned(), Ok(state))]);
    }
    let names = sheave_run::hosts().while_doing("cannot list sockets")?;
    // The host may have ended meanwhile.
    let seen = |name: String| match state(&name) {
        Ok(None) => None,
        Ok(Some(state)) => Some((name, Ok(state))),
        Err(failure) => Some((name, Err(failure))),
    };
    Ok(names.into_iter().filter_map(seen).collect())
}

fn state(name: &str) -> Result<Option<Value>, Failure> {
    let told = sheave_run::state(name).map_err(|error| failure(&error))?;
    let read = |text: String| serde_json::from_str(&text);
    told.map(read)
        .transpose()
        .while_doing("cannot read the host's answer")
}

fn host_json((name, state): &Seen) -> String {
    let line = match state {
        Ok(state) => {
            let mut state = state.clone();
            state["name"] = name.as_str().into();
            state
        }
        Err(failure) => serde_json::json!({ "name": name, "error": failure.what }),
    };
    format!("{line}\n")
}

fn host_text((name, state): &Seen) -> String {
    let state = match state {
        Ok(state) => state,
        Err(failure) => return format!("{name}: {}\n", failure.what),
    };
    let list = |field: &str| state[field].as_array().map_or(&[][..], Vec::as_slice);
    let carrier = match &state["udp_port"] {
        Value::Null => "raw IP".to_owned(),
        port => format!("UDP port {port}"),
    };
    let fingerprint = state["fingerprint"].as_str();
    let protected = fingerprint.map(|own| format!(", protected, fingerprint {own}"));
    let mut text = format!(
        "{name}: process {}, {carrier}, {} programs, {} sockets, {} associations{}\n",
        state["process"],
        state["programs"],
        state["sockets"],
        list("associations").len(),
        protected.unwrap_or_default(),
    );
    for listener in list("listeners") {
        let addresses = listener["addresses"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let addresses: Vec<_> = addresses.iter().filter_map(Value::as_str).collect();
        let at = match addresses.as_slice() {
            [] => "*".to_owned(),
            some => some.join(","),
        };
        let _ = writeln!(
            text,
            "  LISTEN {at} port {}, {} of {} wait",
            listener["port"], listener["waiting"], listener["backlog"],
        );
    }
    list("associations")
        .iter()
        .for_each(|association| association_text(&mut text, association));
    text
}

fn association_text(text: &mut String, one: &Value) {
    let word = |field: &str| one[field].as_str().unwrap_or("?").to_owned();
    let _ = writeln!(
        text,
        "  {} port {} > {} id {}  queues {} out {} in  rwnd {} peer {}  streams {} out {} in  \
         messages {} out {} in  retransmissions {}",
        word("state"),
        one["local_port"],
        one["remote_port"],
        one["id"],
        one["send_queue"],
        one["receive_queue"],
        one["rwnd"],
        one["peer_rwnd"],
        one["outbound_streams"],
        one["inbound_streams"],
        one["messages_sent"],
        one["messages_received"],
        one["retransmissions"],
    );
    for path in one["paths"].as_array().into_iter().flatten() {
        let word = |field: &str| path[field].as_str().unwrap_or("?").to_owned();
        let ms = |field: &str| match path[field].as_f64() {
            Some(ms) => format!("{ms:.3} ms"),
            None => "-".to_owned(),
        };
        let over = path["udp_port"].as_u64().map(|port| format!(" udp {port}"));
        let primary = match path["primary"].as_bool() {
            Some(true) => ", primary",
            _ => "",
        };
        let _ = writeln!(
            text,
            "    {} > {}{} {}{primary}  rtt {} rto {}  cwnd {} flight {}  mtu {}  errors {} \
             retransmissions {}",
            word("local"),
            word("remote"),
            over.unwrap_or_default(),
            word("state"),
            ms("rtt_ms"),
            ms("rto_ms"),
            path["cwnd"],
            path["flight"],
            path["mtu"],
            path["errors"],
            path["retransmissions"],
        );
    }
}

/// Counters of every host in Prometheus's text format, grouped by metric.
fn prometheus(seen: &[Seen]) -> String {
    let states = seen
        .iter()
        .filter_map(|(name, state)| Some((name, state.as_ref().ok()?["counters"].as_object()?)));
    let states: Vec<_> = states.collect();
    let Some((_, first)) = states.first() else {
        return String::new();
    };
    let mut text = String::new();
    for counter in first.keys() {
        let kind = match counter.as_str() {
            "SctpCurrEstab" => "gauge",
            _ => "counter",
        };
        let _ = writeln!(text, "# TYPE {counter} {kind}");
        for (name, counters) in &states {
            let _ = writeln!(text, "{counter}{{host=\"{name}\"}} {}", counters[counter]);
        }
    }
    text
}
