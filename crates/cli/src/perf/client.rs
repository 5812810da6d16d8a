//! The client of a measurement.

use std::fmt;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave::options::PartialReliability;
use sheave::{Options, Reliability, Shards};

use super::PerfArgs;
use super::control::{Control, Limit, Plan, Printed, ServerOutput, Tally};
use super::flow::{Flow, Incoming};
use super::idle::Idle;
use super::presentation::{Emission, Presentation};
use super::report::{End, Recorder, result_of};
use super::tcp;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{HostPort, Origin, Role};
use crate::paths;
use crate::screen::{Output, Screen};

/// Timeout for the server's answers.
const PATIENCE: Duration = Duration::from_secs(20);
/// Interval of checking whether every byte was delivered.
const LOOK: Duration = Duration::from_millis(20);
/// Longer than any test.
const NO_END: Duration = Duration::from_secs(100 * 365 * 86_400);
/// Largest output of a server, bytes.
const MAX_OUTPUT: usize = 256 << 20;
/// Alternating rounds of SCTP and TCP with `--vs-tcp`.
const ROUNDS: u32 = 3;

/// Timeout for the server's answers after Ctrl-C.
const LITTLE_PATIENCE: Duration = Duration::from_secs(3);

/// The channel of the running test, which Ctrl-C ends through it; without a test, Ctrl-C closes the
/// endpoints.
type Running = Arc<Mutex<Option<mpsc::Sender<Incoming>>>>;

/// Runs the client.
/// Errors: the server does not answer or rejects the test, or an option is out of range.
pub fn run(
    args: &PerfArgs,
    host: &HostPort,
    screen: &Screen,
    interrupts: &Interrupts,
) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let mut options = args.options()?;
    let shards = args.network.bind_shards(Role::Client, args.threads)?;
    let endpoints = shards.endpoints().to_vec();
    let running = Running::default();
    let interrupted = Arc::clone(&running);
    interrupts.on_interrupt(move || {
        let test = interrupted.lock().unwrap_or_else(PoisonError::into_inner);
        // Ends a running test regularly, with a report.
        if let Some(test) = &*test
            && test.send(Incoming::Interrupted).is_ok()
        {
            return;
        }
        for endpoint in &endpoints {
            endpoint.close(Duration::from_millis(200));
        }
    });
    options.outbound_streams = plan.streams + 1;
    // The server offers its maximum; each stream costs memory.
    options.max_inbound_streams = plan.streams + 1;
    if plan.reliability() != Reliability::Reliable {
        options.partial_reliability = PartialReliability::On;
    }
    let port = host.port.unwrap_or(args.port);
    let client = Client {
        args,
        host: &host.host,
        port,
        shards,
        options,
        screen: screen.clone(),
        look: Presentation {
            server: Some((host.host.clone(), port)),
            ..args.flags.look()
        },
        running,
    };
    let tested = if args.vs_tcp {
        client.beside_tcp(&plan)?
    } else {
        client.test(&plan)?
    };
    Ok(client.print(&tested))
}

struct Client<'a> {
    args: &'a PerfArgs,
    host: &'a str,
    port: u16,
    shards: Shards,
    options: Options,
    screen: Screen,
    look: Presentation,
    running: Running,
}

/// The result of a test.
struct Tested {
    document: Value,
    /// Received bits per second.
    rate: f64,
    /// The longest packet of this end with its IP header, bytes; 0 if unknown.
    packet: u16,
    /// The reason why the test ended early.
    error: Option<String>,
}

/// The reason why a test ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The plan's time or bytes are used up.
    Planned,
    /// Interrupted by the user.
    Interrupted,
}

/// The client's timers of a running test.
struct Watch {
    /// The end of the interval.
    next: Instant,
    idle: Idle,
}

impl Client<'_> {
    /// Runs one test; an interrupted test is reported up to that point.
    fn test(&self, plan: &Plan) -> Result<Tested, Failure> {
        self.say(&format!(
            "Connecting to host {}, port {}",
            self.host, self.port
        ));
        let (to_here, incoming) = mpsc::channel();
        let flows = self.set_up(plan, &to_here, &incoming)?;
        self.set_running(Some(to_here));
        let tested = self.test_on(plan, &flows, &incoming);
        self.set_running(None);
        for flow in flows.iter().rev() {
            let _ = flow.association.shutdown_timeout(Duration::from_secs(3));
        }
        tested
    }

    fn test_on(
        &self,
        plan: &Plan,
        flows: &[Arc<Flow>],
        incoming: &Receiver<Incoming>,
    ) -> Result<Tested, Failure> {
        let mut recorder = Recorder::new(
            self.screen.clone(),
            self.look.clone(),
            End::Client,
            plan.clone(),
            flows.to_vec(),
        );
        let first = &flows_first(flows)?.association;
        if self.screen.output() == Output::Human {
            // The other associations use the same paths.
            paths::watch(first, &self.screen, self.host);
        }
        recorder.start_sending();
        let measured = self.measure(plan, flows, &mut recorder, incoming);
        for flow in flows {
            flow.stop();
        }
        recorder.stop();
        let outcome = measured.and_then(|ending| {
            let patience = match ending {
                Ending::Planned => PATIENCE,
                Ending::Interrupted => LITTLE_PATIENCE,
            };
            for flow in flows {
                Control::End.send(&flow.association).map_err(broke_off)?;
            }
            let other = await_control(incoming, patience, result_of)?;
            Ok((ending, other, patience))
        });
        let own = recorder.tally();
        let (other, patience, error) = match outcome {
            Ok((Ending::Planned, other, patience)) => (other, patience, None),
            Ok((Ending::Interrupted, other, patience)) => {
                let error = "interrupt - the client has terminated".to_owned();
                (other, patience, Some(error))
            }
            Err(failure) => (Tally::default(), Duration::ZERO, Some(failure.what)),
        };
        let is_told = !patience.is_zero() && Control::Result(own.clone()).send(first).is_ok();
        let (mut document, rate) = recorder.report(&own, &other);
        if plan.server_output == ServerOutput::Wanted && is_told {
            self.add_server_output(&mut document, incoming, patience);
        }
        if let Some(error) = &error {
            document["error"] = error.as_str().into();
            self.look
                .emit(&self.screen, "error", &error.as_str().into());
        }
        let paths = flows.iter().flat_map(|flow| flow.association.path_stats());
        let packet = paths.map(|path| path.pmtu).max();
        Ok(Tested {
            document,
            rate,
            packet: packet.unwrap_or(0),
            error,
        })
    }

    /// Adds the server's output to the document, or prints it.
    fn add_server_output(
        &self,
        document: &mut Value,
        incoming: &Receiver<Incoming>,
        patience: Duration,
    ) {
        let (mut text, mut is_json) = (String::new(), false);
        loop {
            let printed = await_control(incoming, patience, |control| match control {
                Control::Output(printed) => Some(printed),
                _ => None,
            });
            match printed {
                Ok(Printed::Text(part)) => text.push_str(&part),
                Ok(Printed::Json(part)) => {
                    is_json = true;
                    text.push_str(&part);
                }
                Ok(Printed::End) => break,
                Err(_) => {
                    let what = "the server does not tell what it printed; is it of this version?";
                    self.screen.warn(what);
                    return;
                }
            }
            if text.len() > MAX_OUTPUT {
                self.screen.warn("the server prints too much");
                break;
            }
        }
        let parsed = match is_json {
            true => serde_json::from_str(&text).ok(),
            false => None,
        };
        self.say(&format!("\nServer output:\n{text}"));
        let (key, value): (_, Value) = match parsed {
            Some(value) => ("server_output_json", value),
            None => ("server_output_text", text.into()),
        };
        self.look.emit(&self.screen, key, &value);
        document[key] = value;
    }

    fn set_running(&self, test: Option<mpsc::Sender<Incoming>>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = test;
    }

    /// Prints the document, or the end of the text.
    fn print(&self, tested: &Tested) -> Exit {
        match (self.screen.output(), self.look.emission) {
            (Output::Json, Emission::Document) => {
                self.screen.line(&format!("{:#}", tested.document));
            }
            (Output::Json, Emission::Stream) => {}
            (Output::Human, _) if tested.error.is_none() => self.screen.line("\nsheave Done."),
            (Output::Human, _) => {}
        }
        match &tested.error {
            None => Exit::Success,
            Some(error) => {
                self.screen.warn(error);
                Exit::Failure
            }
        }
    }

    fn set_up(
        &self,
        plan: &Plan,
        to_here: &mpsc::Sender<Incoming>,
        incoming: &Receiver<Incoming>,
    ) -> Result<Vec<Arc<Flow>>, Failure> {
        let mut flows = Vec::new();
        // One after the other, as far as there are.
        let endpoints = self.shards.endpoints().iter().cycle();
        for (index, endpoint) in (0..plan.associations).zip(endpoints) {
            let origin = Origin {
                port: self
                    .args
                    .flags
                    .cport
                    .and_then(|port| port.checked_add(index)),
                family: self.args.flags.family(),
            };
            let flow = Flow::new(self.args.peer.connect_from(
                origin,
                (&self.args.network, endpoint),
                self.host,
                self.port,
                self.options.clone(),
            )?);
            flow.start_receiving(to_here.clone());
            let hello = match index {
                0 => Control::Begin(plan.clone()),
                _ => Control::Join(plan.cookie.clone()),
            };
            hello.send(&flow.association).map_err(Failure::new)?;
            if index == 0 {
                await_control(incoming, PATIENCE, |control| {
                    matches!(control, Control::Welcome).then_some(())
                })?;
            }
            flows.push(flow);
        }
        await_control(incoming, PATIENCE, |control| {
            matches!(control, Control::Ready).then_some(())
        })?;
        Ok(flows)
    }

    /// Ticks until the test is over.
    fn measure(
        &self,
        plan: &Plan,
        flows: &[Arc<Flow>],
        recorder: &mut Recorder,
        incoming: &Receiver<Incoming>,
    ) -> Result<Ending, Failure> {
        let began = Instant::now();
        let mut watch = Watch {
            next: began + self.interval(),
            idle: Idle::new(self.args.flags.rcv_timeout()),
        };
        if plan.omit > 0 {
            let until = began + plan.omitted();
            if self.wait_until(until, &mut watch, recorder, incoming)? == Ending::Interrupted {
                return Ok(Ending::Interrupted);
            }
            recorder.end_omitted();
            watch.next = Instant::now() + self.interval();
        }
        let counted = Instant::now();
        let deadline = match plan.limit {
            Limit::Millis(0) | Limit::Bytes(_) => counted + NO_END,
            Limit::Millis(millis) => counted + Duration::from_millis(millis),
        };
        let is_over = || {
            let sent = !plan.is_forward() || flows.iter().all(|flow| flow.is_delivered());
            sent && (!plan.is_reverse() || flows.iter().all(|flow| flow.has_all()))
        };
        let mut ending = Ending::Planned;
        while ending == Ending::Planned {
            let until = match plan.limit {
                Limit::Bytes(_) => Instant::now() + LOOK,
                Limit::Millis(_) => deadline,
            };
            ending = self.wait_until(until, &mut watch, recorder, incoming)?;
            if Instant::now() >= deadline || is_over() {
                break;
            }
        }
        // What is left of an interval is one too, unless it is short and empty.
        recorder.tick_rest(self.interval() / 10);
        Ok(ending)
    }

    fn wait_until(
        &self,
        deadline: Instant,
        watch: &mut Watch,
        recorder: &mut Recorder,
        incoming: &Receiver<Incoming>,
    ) -> Result<Ending, Failure> {
        while Instant::now() < deadline {
            let wake = deadline.min(watch.next).min(watch.idle.next_look());
            match incoming.recv_timeout(wake.saturating_duration_since(Instant::now())) {
                Ok(Incoming::Ended(why)) => return Err(broke_off(why)),
                Ok(Incoming::Interrupted) => return Ok(Ending::Interrupted),
                Ok(Incoming::Control(_)) => {
                    return Err(Failure::new("the server spoke out of turn"));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            watch.idle.check(recorder).map_err(broke_off)?;
            if Instant::now() >= watch.next {
                recorder.tick();
                watch.next += self.interval();
            }
        }
        Ok(Ending::Planned)
    }

    /// SCTP and TCP in turns.
    fn beside_tcp(&self, plan: &Plan) -> Result<Tested, Failure> {
        let slice = (self.args.time / ROUNDS).max(Duration::from_millis(200));
        let mut rounds = Vec::new();
        let mut document = Value::Null;
        let (mut sctp_sum, mut tcp_sum) = (0.0, 0.0);
        let (mut packet, mut segment) = (0, 0);
        for round in 0..ROUNDS {
            let mut plan = plan.clone();
            plan.cookie = super::cookie();
            plan.limit = Limit::Millis(u64::try_from(slice.as_millis()).unwrap_or(u64::MAX));
            plan.further = ROUNDS - 1 - round;
            // TCP comes first: a server that serves one client ends after the last SCTP turn.
            let mss = self.args.flags.set_mss();
            let tcp = tcp::measure((self.host, self.port), &plan, mss, slice)?;
            let tested = self.test(&plan)?;
            if tested.error.is_some() {
                return Ok(tested);
            }
            let sctp = tested.rate;
            if round == 0 {
                document = tested.document;
            }
            (packet, segment) = (packet.max(tested.packet), segment.max(tcp.segment));
            self.say(&format!(
                "TCP of the kernel: {} (cpu here {:.1}%)\n",
                self.look.rate(tcp.bits_per_second),
                tcp.cpu
            ));
            sctp_sum += sctp;
            tcp_sum += tcp.bits_per_second;
            rounds.push(json!({
                "sctp_bits_per_second": sctp,
                "tcp_bits_per_second": tcp.bits_per_second,
                "tcp_cpu_percent": tcp.cpu,
            }));
        }
        let (sctp, tcp) = (sctp_sum / f64::from(ROUNDS), tcp_sum / f64::from(ROUNDS));
        let ratio = sctp / tcp.max(1.0);
        self.say(&format!(
            "SCTP {}, TCP {}: ratio {ratio:.3} (mean of {ROUNDS} turns of {:.1} s each)",
            self.look.rate(sctp),
            self.look.rate(tcp),
            slice.as_secs_f64(),
        ));
        self.say(&format!(
            "SCTP's packets had up to {packet} bytes, TCP's segments up to {segment} bytes of data\
             {}",
            if self.args.flags.set_mss().is_none() && is_unlike(packet, segment) {
                "; -M 1448 makes both alike"
            } else {
                ""
            }
        ));
        document["vs_tcp"] = json!({
            "sctp_packet_bytes": packet,
            "tcp_segment_bytes": segment,
            "rounds": rounds,
            "sctp_bits_per_second": sctp,
            "tcp_bits_per_second": tcp,
            "ratio": ratio,
        });
        self.look.emit(&self.screen, "vs_tcp", &document["vs_tcp"]);
        Ok(Tested {
            document,
            rate: sctp,
            packet,
            error: None,
        })
    }

    fn interval(&self) -> Duration {
        if self.args.interval.is_zero() {
            Duration::from_secs(1_000_000)
        } else {
            self.args.interval
        }
    }

    fn say(&self, line: &str) {
        if self.screen.output() == Output::Human {
            self.screen.line(line);
        }
    }
}

/// Whether a TCP whose segments hold so much sends other packets than an SCTP whose packets have
/// so many bytes: its headers take 40 to 80 of them.
fn is_unlike(packet: u16, segment: u32) -> bool {
    !(u32::from(packet).saturating_sub(100)..=u32::from(packet)).contains(&segment)
}

fn broke_off(why: impl fmt::Display) -> Failure {
    Failure::new(format!("the test broke off: {why}"))
}

fn flows_first(flows: &[Arc<Flow>]) -> Result<&Arc<Flow>, Failure> {
    flows
        .first()
        .ok_or_else(|| Failure::new("there is no association"))
}

/// Waits for the control message that `wanted` picks.
fn await_control<T>(
    incoming: &Receiver<Incoming>,
    patience: Duration,
    wanted: impl Fn(Control) -> Option<T>,
) -> Result<T, Failure> {
    match incoming.recv_timeout(patience) {
        Ok(Incoming::Control(control)) => match *control {
            Control::Refused(why) => Err(Failure::new(format!("the server refuses: {why}"))),
            control => wanted(control).ok_or_else(|| Failure::new("the server spoke out of turn")),
        },
        Ok(Incoming::Ended(why)) => Err(broke_off(why)),
        Ok(Incoming::Interrupted) => Err(broke_off("interrupted")),
        Err(_) => Err(Failure::new("the server did not answer in time")
            .fix("is it `sheave perf -s`, of the same version?")),
    }
}
