//! The client of a measurement.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheave::{Options, PartialReliability, Reliability, Shards};

use super::PerfArgs;
use super::control::{Control, Limit, Plan};
use super::flow::{Budget, Flow, Incoming};
use super::report::{End, Recorder, result_of};
use super::tcp;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{HostPort, Role};
use crate::screen::{Output, Screen};
use crate::units::iperf_rate;

/// How long the server may take for an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Turns that SCTP and TCP take with `--vs-tcp`.
const ROUNDS: u32 = 3;

/// Runs the client.
///
/// # Errors
/// Nobody answers, the server refuses, or the test broke off.
pub fn run(
    args: &PerfArgs,
    host: &HostPort,
    output: Output,
    interrupts: &Interrupts,
) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let shards = args.network.bind_shards(Role::Client, args.threads)?;
    let endpoints = shards.endpoints().to_vec();
    interrupts.on_interrupt(move || {
        for endpoint in &endpoints {
            endpoint.close(Duration::from_millis(200));
        }
    });
    let mut options = args.network.options();
    options.outbound_streams = plan.streams + 1;
    // The server offers as many as there are; each costs memory.
    options.max_inbound_streams = plan.streams + 1;
    if plan.reliability() != Reliability::Reliable {
        options.partial_reliability = PartialReliability::On;
    }
    let client = Client {
        args,
        host: &host.host,
        port: host.port.unwrap_or(args.port),
        shards,
        options,
        screen: Screen::new(output),
    };
    let document = if args.vs_tcp {
        client.beside_tcp(&plan)?
    } else {
        client.test(&plan)?.0
    };
    match output {
        Output::Json => client.screen.line(&format!("{document:#}")),
        Output::Human => client.screen.line("\nsheave Done."),
    }
    Ok(Exit::Success)
}

struct Client<'a> {
    args: &'a PerfArgs,
    host: &'a str,
    port: u16,
    shards: Shards,
    options: Options,
    screen: Screen,
}

impl Client<'_> {
    /// Runs one test; returns its document and the received bits per second.
    fn test(&self, plan: &Plan) -> Result<(Value, f64), Failure> {
        self.say(&format!(
            "Connecting to host {}, port {}",
            self.host, self.port
        ));
        let (to_here, incoming) = mpsc::channel();
        let flows = self.set_up(plan, &to_here, &incoming)?;
        let mut recorder = Recorder::new(
            self.screen.clone(),
            End::Client,
            plan.clone(),
            flows.clone(),
        );
        let budget = Arc::new(Budget::new(match plan.limit {
            Limit::Bytes(bytes) => Some(bytes),
            Limit::Millis(_) => None,
        }));
        if plan.is_forward() {
            for flow in &flows {
                flow.start_sending(plan, &budget);
            }
        }
        self.measure(plan, &flows, &mut recorder, &incoming)?;
        for flow in &flows {
            flow.stop();
        }
        recorder.stop();
        let lost =
            |error: &dyn std::fmt::Display| Failure::new(format!("the test broke off: {error}"));
        let first = &flows_first(&flows)?.association;
        for flow in &flows {
            let sent = Control::End.send(&flow.association);
            sent.map_err(|error| lost(&error))?;
        }
        let other = await_control(&incoming, result_of)?;
        let own = recorder.tally();
        Control::Result(own.clone())
            .send(first)
            .map_err(|error| lost(&error))?;
        let (mut document, rate) = recorder.report(&own, &other);
        document["start"]["connecting_to"] = json!({ "host": self.host, "port": self.port });
        for flow in flows.iter().rev() {
            let _ = flow.association.shutdown_timeout(Duration::from_secs(3));
        }
        Ok((document, rate))
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
            let flow = Flow::new(self.args.peer.connect(
                endpoint,
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
                await_control(incoming, |control| {
                    matches!(control, Control::Welcome).then_some(())
                })?;
            }
            flows.push(flow);
        }
        await_control(incoming, |control| {
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
    ) -> Result<(), Failure> {
        let began = Instant::now();
        let mut next = began + self.interval();
        if plan.omit > 0 {
            self.wait_until(began + plan.omitted(), &mut next, recorder, incoming)?;
            recorder.end_omitted();
            next = Instant::now() + self.interval();
        }
        let counted = Instant::now();
        let (deadline, bytes) = match plan.limit {
            Limit::Millis(millis) => (counted + Duration::from_millis(millis), u64::MAX),
            Limit::Bytes(bytes) => (counted + Duration::from_secs(86_400), bytes),
        };
        let is_over = |recorder: &Recorder| {
            let all_sent = plan.is_forward() && flows.iter().all(|flow| flow.is_delivered());
            all_sent || recorder.progress() >= bytes
        };
        loop {
            let soon = (Instant::now() + Duration::from_millis(20)).min(deadline);
            let until = if bytes == u64::MAX { deadline } else { soon };
            self.wait_until(until, &mut next, recorder, incoming)?;
            if Instant::now() >= deadline || is_over(recorder) {
                break;
            }
        }
        // What is left of an interval is one too, unless it is next to nothing.
        recorder.tick_rest(self.interval() / 10);
        Ok(())
    }

    fn wait_until(
        &self,
        deadline: Instant,
        next: &mut Instant,
        recorder: &mut Recorder,
        incoming: &Receiver<Incoming>,
    ) -> Result<(), Failure> {
        while Instant::now() < deadline {
            let wake = deadline.min(*next);
            match incoming.recv_timeout(wake.saturating_duration_since(Instant::now())) {
                Ok(Incoming::Ended(why)) => {
                    return Err(Failure::new(format!("the test broke off: {why}")));
                }
                Ok(Incoming::Control(_)) => {
                    return Err(Failure::new("the server spoke out of turn"));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if Instant::now() >= *next {
                recorder.tick();
                *next += self.interval();
            }
        }
        Ok(())
    }

    /// SCTP and TCP in turns.
    fn beside_tcp(&self, plan: &Plan) -> Result<Value, Failure> {
        let slice = (self.args.time / ROUNDS).max(Duration::from_millis(200));
        let mut rounds = Vec::new();
        let mut document = Value::Null;
        let (mut sctp_sum, mut tcp_sum) = (0.0, 0.0);
        for round in 0..ROUNDS {
            let mut plan = plan.clone();
            plan.cookie = super::cookie();
            plan.limit = Limit::Millis(u64::try_from(slice.as_millis()).unwrap_or(u64::MAX));
            plan.further = ROUNDS - 1 - round;
            // TCP comes first: a server that serves one client ends after the last SCTP turn.
            let tcp = tcp::measure(self.host, self.port, &plan, slice)?;
            let (sctp_document, sctp) = self.test(&plan)?;
            if round == 0 {
                document = sctp_document;
            }
            self.say(&format!(
                "TCP of the kernel: {} (cpu here {:.1}%)\n",
                iperf_rate(tcp.bits_per_second),
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
            iperf_rate(sctp),
            iperf_rate(tcp),
            slice.as_secs_f64(),
        ));
        document["vs_tcp"] = json!({
            "rounds": rounds,
            "sctp_bits_per_second": sctp,
            "tcp_bits_per_second": tcp,
            "ratio": ratio,
        });
        Ok(document)
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

fn flows_first(flows: &[Arc<Flow>]) -> Result<&Arc<Flow>, Failure> {
    flows
        .first()
        .ok_or_else(|| Failure::new("there is no association"))
}

/// Waits for the control message that `wanted` picks.
fn await_control<T>(
    incoming: &Receiver<Incoming>,
    wanted: impl Fn(Control) -> Option<T>,
) -> Result<T, Failure> {
    match incoming.recv_timeout(PATIENCE) {
        Ok(Incoming::Control(control)) => match *control {
            Control::Refused(why) => Err(Failure::new(format!("the server refuses: {why}"))),
            control => wanted(control).ok_or_else(|| Failure::new("the server spoke out of turn")),
        },
        Ok(Incoming::Ended(why)) => Err(Failure::new(format!("the test broke off: {why}"))),
        Err(_) => Err(Failure::new("the server did not answer in time")
            .fix("is it `sheave perf -s`, of the same version?")),
    }
}
