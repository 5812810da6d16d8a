//! The server of measurements, which also echoes for `sheave ping --mode echo`.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave::options::PartialReliability;
use sheave::{Association, Endpoint, Listener, Message, StreamId};

use super::control::{CONTROL, Control, Plan, Printed, ServerOutput, Tally};
use super::flow::{Flow, Incoming};
use super::idle::Idle;
use super::presentation::{Emission, Presentation};
use super::report::{End, Recorder, result_of};
use super::{PerfArgs, background, tcp};
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{self, Role};
use crate::ping::{MAX_ECHO, serve};
use crate::screen::{Output, Screen};
use crate::units::char_boundary;

/// Timeout for a client's first message and for establishing a test.
const PATIENCE: Duration = Duration::from_secs(10);
/// Timeout for the client of a running test when another client arrives.
const ANSWER: Duration = Duration::from_secs(2);
/// Longest first message of a test, bytes.
const MAX_HELLO: usize = 1 << 16;
/// Bytes of server output per message.
const OUTPUT_PART: usize = 32 << 10;
/// Most associations served at the same time, including echo.
const MAX_SERVED: usize = 1024;

/// Runs the server.
pub fn run(args: &PerfArgs, screen: &Screen, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let mut options = args.options()?;
    let shards = args.network.bind_shards(Role::Server, args.threads)?;
    // The maximum, since clients choose the number of streams.
    options.outbound_streams = u16::MAX;
    // On, for clients that use it.
    options.partial_reliability = PartialReliability::On;
    let endpoints = shards.endpoints();
    let listeners: Result<Vec<Listener>, Failure> = endpoints
        .iter()
        .map(|endpoint| network::listen(endpoint, args.port, options.clone()))
        .collect();
    let listeners = listeners?;
    let closed = endpoints.to_vec();
    interrupts.on_interrupt(move || close(&closed, Duration::from_millis(200)));
    let server = Arc::new(Server {
        screen: screen.clone(),
        look: args.flags.look(),
        interval: args.interval,
        rcv_timeout: args.flags.rcv_timeout(),
        current: Mutex::default(),
        served: AtomicUsize::new(0),
        done: AtomicBool::new(false),
        broke_off: AtomicBool::new(false),
    });
    serve_tcp(args, &server);
    if let Some(endpoint) = endpoints.first() {
        let place = network::place(endpoint, args.port);
        let fields = json!({
            "port": args.port,
            "udp_port": endpoint.udp_port(),
            "fingerprint": network::fingerprint(endpoint),
        });
        server.screen.event("listening", fields, || {
            format!(
                "-----------------------------------------------------------\n\
                 Server listening on {place}\n\
                 -----------------------------------------------------------"
            )
        });
    }
    if args.flags.daemon {
        background::tell_ready();
    }
    let goes_on =
        || !(args.one_off && server.done.load(Ordering::Relaxed)) && interrupts.exit().is_none();
    thread::scope(|scope| {
        for listener in &listeners {
            scope.spawn(|| {
                while goes_on() {
                    if let Some(new) = listener.accept_timeout(Duration::from_millis(200)) {
                        server.start(new);
                    }
                }
            });
        }
    });
    close(endpoints, Duration::from_secs(2));
    server.await_report();
    let failed = args.one_off && server.broke_off.load(Ordering::Relaxed);
    Ok(if failed { Exit::Failure } else { Exit::Success })
}

fn close(endpoints: &[Endpoint], timeout: Duration) {
    for endpoint in endpoints {
        endpoint.close(timeout);
    }
}

/// Serves TCP at the same port for `--vs-tcp`; failure is not fatal.
fn serve_tcp(args: &PerfArgs, server: &Arc<Server>) {
    let unspecified = std::net::IpAddr::from(std::net::Ipv6Addr::UNSPECIFIED);
    let mut addresses = args.network.local.clone();
    if addresses.is_empty() {
        addresses.push(unspecified);
    }
    for ip in addresses {
        let bound = TcpListener::bind((ip, args.port)).or_else(|error| match ip == unspecified {
            // IPv6 is not available.
            true => TcpListener::bind((std::net::Ipv4Addr::UNSPECIFIED, args.port)),
            false => Err(error),
        });
        match bound {
            Ok(listener) => tcp::serve(listener),
            Err(error) => server.screen.warn(&format!(
                "warning: TCP port {} of {ip} cannot be used, --vs-tcp will not work: {error}",
                args.port
            )),
        }
    }
}

/// State shared by the associations.
struct Server {
    screen: Screen,
    look: Presentation,
    interval: Duration,
    rcv_timeout: Duration,
    current: Mutex<Option<Current>>,
    served: AtomicUsize,
    done: AtomicBool,
    /// Whether the last test failed.
    broke_off: AtomicBool,
}

/// The running test, at most one.
struct Current {
    cookie: String,
    joined: mpsc::Sender<Association>,
    first: Association,
}

impl Current {
    /// Whether the client is gone: it sends nothing, not even answers to heartbeats.
    fn is_gone(first: &Association) -> bool {
        let heard = || first.stats().map(|stats| stats.packets_received);
        let Some(before) = heard() else {
            return true;
        };
        let deadline = Instant::now() + ANSWER;
        while Instant::now() < deadline {
            for path in first.path_stats() {
                // The address may have been removed meanwhile.
                let _ = first.request_heartbeat(path.remote);
            }
            thread::sleep(ANSWER / 20);
            if heard().is_some_and(|now| now > before) {
                return false;
            }
        }
        true
    }
}

impl Server {
    /// Serves a new association on a new thread.
    fn start(self: &Arc<Self>, association: Association) {
        if self.served.fetch_add(1, Ordering::Relaxed) >= MAX_SERVED {
            self.served.fetch_sub(1, Ordering::Relaxed);
            association.abort(format!("{MAX_SERVED} associations are served already"));
            return;
        }
        let server = Arc::clone(self);
        thread::spawn(move || {
            server.serve(association);
            server.served.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// Handles the first message of a new association.
    fn serve(self: &Arc<Self>, association: Association) {
        let Some(hello) = first_message(&association) else {
            association.abort("the first message must come at once and be short");
            return;
        };
        if hello.ppid != CONTROL {
            serve::serve_from(&association, hello);
            return;
        }
        match Control::parse(&hello.payload) {
            Ok(Control::Begin(plan)) => self.begin(association, &plan),
            Ok(Control::Join(cookie)) => self.join(association, &cookie),
            Ok(_) => association.abort("a message came out of turn"),
            Err(why) => association.abort(why),
        }
    }

    /// Waits until a failed test has been reported.
    fn await_report(&self) {
        let deadline = Instant::now() + Duration::from_secs(2);
        let is_busy = || {
            let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            current.is_some()
        };
        while is_busy() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn join(&self, association: Association, cookie: &str) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match current.as_ref().filter(|current| current.cookie == cookie) {
            Some(current) => {
                let _ = current.joined.send(association);
            }
            None => association.abort("no test has that cookie"),
        }
    }

    fn begin(self: &Arc<Self>, association: Association, plan: &Plan) {
        if let Err(why) = plan.validate() {
            refuse(&association, why);
            return;
        }
        let Some(joining) = self.take_turn(&association, plan) else {
            refuse(&association, "it is busy with another test".to_owned());
            return;
        };
        let further = plan.further;
        let outcome = self.test(association, plan, &joining);
        self.broke_off.store(outcome.is_err(), Ordering::Relaxed);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Err(why) = outcome {
            self.screen.warn(&format!("the test broke off: {why}"));
        }
        self.done.store(further == 0, Ordering::Relaxed);
    }

    /// Makes the client's test the current one; `None` if another client's test is running.
    fn take_turn(&self, first: &Association, plan: &Plan) -> Option<Receiver<Association>> {
        let (joined, joining) = mpsc::channel();
        let mut new = Some(Current {
            cookie: plan.cookie.clone(),
            joined,
            first: first.clone(),
        });
        let mut turn = || {
            let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            match &*current {
                Some(current) => Some(current.first.clone()),
                None => {
                    *current = new.take();
                    None
                }
            }
        };
        let Some(before) = turn() else {
            return Some(joining);
        };
        if !Current::is_gone(&before) {
            return None;
        }
        before.abort("its client is gone, and another one waits");
        // The thread of the earlier test reports it first.
        let deadline = Instant::now() + ANSWER;
        while turn().is_some() {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(10));
        }
        Some(joining)
    }

    fn test(
        &self,
        first: Association,
        plan: &Plan,
        joining: &Receiver<Association>,
    ) -> Result<(), String> {
        let text = |error: sheave::error::SendError| error.to_string();
        Control::Welcome.send(&first).map_err(text)?;
        let (to_here, incoming) = mpsc::channel();
        let mut flows = vec![Flow::new(first)];
        let deadline = Instant::now() + PATIENCE;
        while flows.len() < usize::from(plan.associations) {
            let rest = deadline.saturating_duration_since(Instant::now());
            let joined = joining.recv_timeout(rest);
            flows.push(Flow::new(
                joined.map_err(|_| "not all associations joined".to_owned())?,
            ));
        }
        let Some(first) = flows.first().map(|flow| flow.association.clone()) else {
            return Ok(());
        };
        for flow in &flows {
            flow.start_receiving(to_here.clone());
        }
        Control::Ready.send(&first).map_err(text)?;
        let copy = Arc::new(Mutex::new(String::new()));
        let mut recorder = Recorder::new(
            self.screen.clone().with_copy(Arc::clone(&copy)),
            self.look.clone(),
            End::Server,
            plan.clone(),
            flows.clone(),
        );
        recorder.start_sending();
        let recorded = self.record(plan, &mut recorder, &incoming);
        for flow in &flows {
            flow.stop();
        }
        recorder.stop();
        let own = recorder.tally();
        let other = recorded.and_then(|()| {
            Control::Result(own.clone()).send(&first).map_err(text)?;
            await_result(&incoming, flows.len())
        });
        // A failed test is reported up to that point.
        let (other, error) = match other {
            Ok(other) => (other, None),
            Err(why) => (Tally::default(), Some(why)),
        };
        let (mut document, _) = recorder.report(&own, &other);
        if let Some(error) = &error {
            document["error"] = error.as_str().into();
            self.look
                .emit(&self.screen, "error", &error.as_str().into());
        }
        let is_json = self.screen.output() == Output::Json;
        if is_json && self.look.emission == Emission::Document {
            self.screen.line(&document.to_string());
        }
        if let Some(error) = error {
            for flow in &flows {
                flow.association.abort(error.clone());
            }
            return Err(error);
        }
        if plan.server_output == ServerOutput::Wanted {
            let printed = std::mem::take(&mut *copy.lock().unwrap_or_else(PoisonError::into_inner));
            let (kind, printed): (fn(String) -> Printed, _) = match is_json {
                true => (Printed::Json, document.to_string()),
                false => (Printed::Text, printed),
            };
            send_output(&first, kind, &printed).map_err(text)?;
        }
        Ok(())
    }

    /// Records intervals until the client has ended the test on every association.
    fn record(
        &self,
        plan: &Plan,
        recorder: &mut Recorder,
        incoming: &Receiver<Incoming>,
    ) -> Result<(), String> {
        let interval = match self.interval.is_zero() {
            true => Duration::from_secs(1_000_000),
            false => self.interval,
        };
        let began = Instant::now();
        let mut omitted_until = (plan.omit > 0).then(|| began + plan.omitted());
        let mut next = began + interval;
        let mut idle = Idle::new(self.rcv_timeout);
        let mut ended = 0;
        while ended < plan.associations {
            let now = Instant::now();
            if omitted_until.is_some_and(|until| now >= until) {
                omitted_until = None;
                recorder.end_omitted();
                next = now + interval;
            }
            if now >= next {
                recorder.tick();
                next += interval;
            }
            idle.check(recorder)?;
            let wake = omitted_until.map_or(next, |until| until.min(next));
            let wake = wake.min(idle.next_look());
            match incoming.recv_timeout(wake.saturating_duration_since(now)) {
                Ok(Incoming::Control(control)) => match *control {
                    Control::End => ended += 1,
                    _ => return Err("the client spoke out of turn".to_owned()),
                },
                Ok(Incoming::Ended(why)) => return Err(why),
                Ok(Incoming::Interrupted) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err("it is closed".to_owned()),
            }
        }
        recorder.tick_rest(interval / 10);
        Ok(())
    }
}

/// Waits for the client's counters. Other associations may end earlier, since each is read by its
/// own thread.
fn await_result(incoming: &Receiver<Incoming>, flows: usize) -> Result<Tally, String> {
    let mut open = flows;
    loop {
        match incoming.recv_timeout(PATIENCE) {
            Ok(Incoming::Control(control)) => {
                return result_of(*control)
                    .ok_or_else(|| "the client spoke out of turn".to_owned());
            }
            Ok(Incoming::Ended(_)) if open > 1 => open -= 1,
            Ok(Incoming::Ended(why)) => return Err(why),
            Ok(Incoming::Interrupted) | Err(_) => {
                return Err("the client did not say what it counted".to_owned());
            }
        }
    }
}

/// Sends the output in parts small enough for control messages.
fn send_output(
    association: &Association,
    kind: fn(String) -> Printed,
    mut printed: &str,
) -> Result<(), sheave::error::SendError> {
    while !printed.is_empty() {
        let (part, rest) = printed.split_at(char_boundary(printed, OUTPUT_PART));
        Control::Output(kind(part.to_owned())).send(association)?;
        printed = rest;
    }
    Control::Output(Printed::End).send(association)
}

fn refuse(association: &Association, why: String) {
    let _ = Control::Refused(why).send(association);
    let _ = association.shutdown_timeout(Duration::from_secs(2));
}

fn first_message(association: &Association) -> Option<Message> {
    let received = association.receive_whole_timeout(MAX_ECHO as usize, PATIENCE);
    let message = received.ok()??;
    let is_control = message.stream == StreamId(0) && message.payload.len() <= MAX_HELLO;
    (message.ppid != CONTROL || is_control).then_some(message)
}
