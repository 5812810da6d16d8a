//! The server of measurements; it also echoes for `sheave ping --mode echo`.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave::{Association, Endpoint, Listener, Message, PartialReliability, StreamId};

use super::PerfArgs;
use super::control::{CONTROL, Control, Plan};
use super::flow::{Budget, Flow, Incoming};
use super::report::{End, Recorder, result_of};
use super::tcp;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{self, Role};
use crate::ping::serve;
use crate::screen::{Output, Screen};

/// How long a client may take to say something, and to set everything up.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest first message, bytes.
const MAX_HELLO: usize = 1 << 16;
/// Associations served at the same time, echo included.
const MAX_SERVED: usize = 1024;

/// Runs the server.
///
/// # Errors
/// The port cannot be used.
pub fn run(args: &PerfArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let shards = args.network.bind_shards(Role::Server, args.threads)?;
    let mut options = args.network.options();
    // As many as any client may ask for.
    options.outbound_streams = u16::MAX;
    // For clients that want it.
    options.partial_reliability = PartialReliability::On;
    let endpoints = shards.endpoints();
    let listeners: Result<Vec<Listener>, Failure> = endpoints
        .iter()
        .map(|endpoint| network::listen(endpoint, args.port, options.clone()))
        .collect();
    let listeners = listeners?;
    let closed = endpoints.to_vec();
    interrupts.on_interrupt(move || close(&closed, Duration::from_millis(200)));
    let desk = Arc::new(Desk {
        screen: Screen::new(output),
        interval: args.interval,
        current: Mutex::default(),
        served: AtomicUsize::new(0),
        done: AtomicBool::new(false),
    });
    serve_tcp(args, &desk);
    if let Some(endpoint) = endpoints.first() {
        let place = network::place(endpoint, args.port);
        let fields = json!({ "port": args.port, "udp_port": endpoint.udp_port() });
        desk.screen.event("listening", fields, || {
            format!(
                "-----------------------------------------------------------\n\
                 Server listening on {place}\n\
                 -----------------------------------------------------------"
            )
        });
    }
    let goes_on =
        || !(args.one_off && desk.done.load(Ordering::Relaxed)) && interrupts.exit().is_none();
    thread::scope(|scope| {
        for listener in &listeners {
            scope.spawn(|| {
                while goes_on() {
                    if let Some(new) = listener.accept_timeout(Duration::from_millis(200)) {
                        desk.welcome(new);
                    }
                }
            });
        }
    });
    close(endpoints, Duration::from_secs(2));
    Ok(Exit::Success)
}

fn close(endpoints: &[Endpoint], timeout: Duration) {
    for endpoint in endpoints {
        endpoint.close(timeout);
    }
}

/// TCP at the same port, for `--vs-tcp`; a server without it is still a server.
fn serve_tcp(args: &PerfArgs, desk: &Arc<Desk>) {
    let unspecified = std::net::IpAddr::from(std::net::Ipv6Addr::UNSPECIFIED);
    let mut addresses = args.network.local.clone();
    if addresses.is_empty() {
        addresses.push(unspecified);
    }
    for ip in addresses {
        let bound = TcpListener::bind((ip, args.port)).or_else(|error| match ip == unspecified {
            // A machine without IPv6.
            true => TcpListener::bind((std::net::Ipv4Addr::UNSPECIFIED, args.port)),
            false => Err(error),
        });
        match bound {
            Ok(listener) => tcp::serve(listener),
            Err(error) => desk.screen.warn(&format!(
                "warning: TCP port {} of {ip} cannot be used, --vs-tcp will not work: {error}",
                args.port
            )),
        }
    }
}

/// What all associations share.
struct Desk {
    screen: Screen,
    interval: Duration,
    current: Mutex<Option<Current>>,
    served: AtomicUsize,
    done: AtomicBool,
}

/// The test that is under way; there is one at a time.
struct Current {
    cookie: String,
    joined: mpsc::Sender<Association>,
}

impl Desk {
    /// Serves a new association in a thread of its own.
    fn welcome(self: &Arc<Self>, association: Association) {
        if self.served.fetch_add(1, Ordering::Relaxed) >= MAX_SERVED {
            self.served.fetch_sub(1, Ordering::Relaxed);
            association.abort("too many associations at once");
            return;
        }
        let desk = Arc::clone(self);
        thread::spawn(move || {
            desk.greet(association);
            desk.served.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// Finds out what the client of a new association wants.
    fn greet(self: &Arc<Self>, association: Association) {
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
        let (joined, joining) = mpsc::channel();
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.is_some() {
            drop(current);
            refuse(&association, "it is busy with another test".to_owned());
            return;
        }
        *current = Some(Current {
            cookie: plan.cookie.clone(),
            joined,
        });
        drop(current);
        let further = plan.further;
        let outcome = self.test(association, plan, &joining);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Err(why) = outcome {
            self.screen.warn(&format!("the test broke off: {why}"));
        }
        self.done.store(further == 0, Ordering::Relaxed);
    }

    fn test(
        &self,
        first: Association,
        plan: &Plan,
        joining: &Receiver<Association>,
    ) -> Result<(), String> {
        let text = |error: sheave::SendError| error.to_string();
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
        let mut recorder = Recorder::new(
            self.screen.clone(),
            End::Server,
            plan.clone(),
            flows.clone(),
        );
        if plan.is_reverse() {
            let budget = Arc::new(Budget::new(None));
            for flow in &flows {
                flow.start_sending(plan, &budget);
            }
        }
        self.record(plan, &mut recorder, &incoming)?;
        for flow in &flows {
            flow.stop();
        }
        recorder.stop();
        let own = recorder.tally();
        Control::Result(own.clone()).send(&first).map_err(text)?;
        let other = match incoming.recv_timeout(PATIENCE) {
            Ok(Incoming::Control(control)) => {
                result_of(*control).ok_or("the client spoke out of turn")?
            }
            Ok(Incoming::Ended(why)) => return Err(why),
            Err(_) => return Err("the client did not say what it counted".to_owned()),
        };
        let (document, _) = recorder.report(&own, &other);
        if self.screen.output() == Output::Json {
            self.screen.line(&document.to_string());
        }
        Ok(())
    }

    /// Ticks until the client has ended the test on all associations.
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
            let wake = omitted_until.map_or(next, |until| until.min(next));
            match incoming.recv_timeout(wake.saturating_duration_since(now)) {
                Ok(Incoming::Control(control)) => match *control {
                    Control::End => ended += 1,
                    _ => return Err("the client spoke out of turn".to_owned()),
                },
                Ok(Incoming::Ended(why)) => return Err(why),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err("it is closed".to_owned()),
            }
        }
        recorder.tick_rest(interval / 10);
        Ok(())
    }
}

fn refuse(association: &Association, why: String) {
    let _ = Control::Refused(why).send(association);
    let _ = association.shutdown_timeout(Duration::from_secs(2));
}

fn first_message(association: &Association) -> Option<Message> {
    let received = association.receive_timeout(PATIENCE).ok()??;
    let message = received.message;
    let is_whole = received.part == sheave::Part::Whole;
    let is_short = message.payload.len() <= MAX_HELLO;
    let is_control = message.ppid != CONTROL || message.stream == StreamId(0);
    (is_whole && is_short && is_control).then_some(message)
}
