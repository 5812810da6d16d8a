use toml::{Table, Value};

use sheave_engine::Time;

use super::quantity::{self, Expected};
use super::section::{Section, unexpected};
use super::{LinkPair, Problem, ScenarioError, conflict};
use crate::{
    BitErrorRate, Codel, Corruption, CustomQueue, Delay, Discipline, ErrorWarning, Errors, Flips,
    Gilbert, Limit, LinkSpec, LinkTrace, LongPackets, Narrowing, Order, Outage, Pace, Pattern,
    Placement, Probability, Reading, Red, Reordering, Signal, State, Variation,
};

pub(super) fn pair(
    path: &str,
    table: &Table,
    hosts: &[String],
    routers: &[String],
    queues: &[CustomQueue],
) -> Result<LinkPair, ScenarioError> {
    let mut section = Section::new(path, table);
    let ends = section.required("ends", Section::texts)?;
    let at = section.at("ends");
    let ends: [String; 2] = ends.try_into().map_err(|ends: Vec<String>| {
        let found = Value::from(ends);
        unexpected(&at, "two names", &found)
    })?;
    let stranger = ends
        .iter()
        .find(|end| !hosts.contains(end) && !routers.contains(end));
    if let Some(stranger) = stranger {
        let problem = format!("there is no host or router `{stranger}`");
        return Err(conflict(&at, &problem));
    }
    let (there, back) = directions(section, table, queues)?;
    let name = path.rsplit('.').next().unwrap_or(path).to_owned();
    Ok(LinkPair {
        name,
        ends,
        there,
        back,
    })
}

/// Reads both directions of a link; `section` is the unread rest of `table`.
pub(super) fn directions(
    mut section: Section<'_>,
    table: &Table,
    queues: &[CustomQueue],
) -> Result<(LinkSpec, LinkSpec), ScenarioError> {
    // Keys under `back` override those for both directions.
    let mut back = table.clone();
    let differences = back.remove("back");
    if let Some(Value::Table(differences)) = differences {
        const PACES: [&str; 3] = ["rate", "rates", "trace"];
        if PACES.iter().any(|pace| differences.contains_key(*pace)) {
            back.retain(|key, _| !PACES.contains(&key));
        }
        back.extend(differences);
    }
    let there = link(&mut section, queues)?;
    // Keys and values are checked here, so that errors have the full path.
    section.table("back", |section| link(section, queues))?;
    let at = section.at("back");
    section.finish()?;
    let back = link(&mut Section::new(&at, &back), queues)?;
    Ok((there, back))
}

fn link(section: &mut Section<'_>, queues: &[CustomQueue]) -> Result<LinkSpec, ScenarioError> {
    let perfect = LinkSpec::default();
    let rate = section
        .optional("rate", quantity::rate)?
        .map(Pace::Constant);
    let trace = section.optional("trace", trace)?;
    let steps = section.optional("rates", steps)?;
    if [&rate, &trace, &steps].into_iter().flatten().count() > 1 {
        let problem = "a link has a rate, rates, or a trace, not several of them";
        return Err(conflict(&section.at("trace"), &problem));
    }
    let never = Probability::NEVER;
    Ok(LinkSpec {
        outages: outages(section)?,
        mtu: section.or("mtu", mtu, perfect.mtu)?,
        narrowing: section.table("narrowing", narrowing)?,
        long_packets: section.choice("long_packets", &LONG_PACKETS, perfect.long_packets)?,
        loss: errors(section, "loss")?,
        queue: section
            .table("queue", |section| queue(section, queues))?
            .unwrap_or_default(),
        pace: rate.or(trace).or(steps).unwrap_or_default(),
        overhead: section.or("overhead", quantity::bytes, 0)?,
        delay: Delay {
            base: section.or("delay", quantity::duration, Default::default())?,
            variation: section.table("variation", variation)?.unwrap_or_default(),
            order: section.choice("order", &ORDERS, Order::default())?,
        },
        duplication: section.or("duplication", quantity::probability, never)?,
        reordering: section.table("reordering", reordering)?,
        corruption: section.table("corruption", corruption)?.unwrap_or_default(),
        error_warning: section.choice("error_warning", &WARNINGS, perfect.error_warning)?,
    })
}

const LONG_PACKETS: [(&str, LongPackets); 3] = [
    ("dropped", LongPackets::Dropped),
    ("fragmented", LongPackets::Fragmented),
    ("reported", LongPackets::Reported),
];
const ORDERS: [(&str, Order); 2] = [("kept", Order::Kept), ("free", Order::Free)];
const WARNINGS: [(&str, ErrorWarning); 2] = [("off", ErrorWarning::Off), ("on", ErrorWarning::On)];
const SIGNALS: [(&str, Signal); 2] = [("drop", Signal::Drop), ("mark", Signal::Mark)];

/// Reads a trace, given as text instead of a file name, since this crate reads no files.
fn trace(value: &Value) -> Result<Pace, Expected> {
    const EXPECTED: Expected = "a link trace: one time in milliseconds a line, ascending";
    let text = value.as_str().ok_or(EXPECTED)?;
    let trace = LinkTrace::parse(text).map_err(|_| EXPECTED)?;
    Ok(Pace::Trace(trace.into()))
}

/// Reads rates that follow each other, each for its time, over and over.
fn steps(value: &Value) -> Result<Pace, Expected> {
    const EXPECTED: Expected = "a list such as [{ lasts = \"10 s\", rate = \"1 Mbit/s\" }]";
    let steps = value.as_array().ok_or(EXPECTED)?.iter().map(|step| {
        let of = |key| step.get(key).ok_or(EXPECTED);
        Ok((
            quantity::duration(of("lasts")?)?,
            quantity::rate(of("rate")?)?,
        ))
    });
    let steps: Vec<_> = steps.collect::<Result<_, Expected>>()?;
    let trace = LinkTrace::of_rates(&steps).map_err(|_| EXPECTED)?;
    Ok(Pace::Trace(trace.into()))
}

fn variation(section: &mut Section<'_>) -> Result<Variation, ScenarioError> {
    Ok(match section.kind(&["uniform", "normal", "pareto"])? {
        "uniform" => Variation::Uniform {
            spread: section.required("spread", quantity::duration)?,
        },
        "normal" => Variation::Normal {
            deviation: section.required("deviation", quantity::duration)?,
        },
        _ => Variation::Pareto {
            mean: section.required("mean", quantity::duration)?,
            shape: section.required("shape", above_one)?,
        },
    })
}

fn above_one(value: &Value) -> Result<f64, Expected> {
    let shape = quantity::number(value)?;
    if shape > 1.0 {
        Ok(shape)
    } else {
        Err("a number above 1")
    }
}

fn queue(section: &mut Section<'_>, queues: &[CustomQueue]) -> Result<Discipline, ScenarioError> {
    let names = queues.iter().map(|custom| custom.name);
    let kinds: Vec<_> = names.chain(["drop-tail", "red", "codel"]).collect();
    let kind = section.kind(&kinds)?;
    if let Some(custom) = queues.iter().find(|custom| custom.name == kind) {
        return Ok(Discipline::Custom(*custom, limit(section)?));
    }
    Ok(match kind {
        "drop-tail" => Discipline::DropTail(limit(section)?),
        "red" => Discipline::Red(red(section)?),
        _ => Discipline::Codel(codel(section)?),
    })
}

fn limit(section: &mut Section<'_>) -> Result<Limit, ScenarioError> {
    let packets = section.optional("packets", quantity::above_zero)?;
    let bytes = section.optional("bytes", quantity::bytes)?;
    if bytes == Some(0) {
        return Err(conflict(&section.at("bytes"), &"must be more than 0"));
    }
    match (packets, bytes) {
        (None, None) => Ok(Limit::None),
        (Some(packets), None) => Ok(Limit::Packets(packets)),
        (None, Some(bytes)) => Ok(Limit::Bytes(bytes)),
        (Some(_), Some(_)) => {
            let problem = "a limit is in packets or in bytes, not both";
            Err(conflict(&section.at("bytes"), &problem))
        }
    }
}

fn red(section: &mut Section<'_>) -> Result<Red, ScenarioError> {
    let packets = section.required("packets", quantity::above_zero)?;
    let usual = Red::for_limit(
        packets,
        section.choice("signal", &SIGNALS, Signal::default())?,
    );
    Ok(Red {
        lower: section.or("lower", quantity::number, usual.lower)?,
        upper: section.or("upper", quantity::number, usual.upper)?,
        most: section.or("most", quantity::probability, usual.most)?,
        weight: section.or("weight", quantity::number, usual.weight)?,
        ..usual
    })
}

fn codel(section: &mut Section<'_>) -> Result<Codel, ScenarioError> {
    let usual = Codel::default();
    Ok(Codel {
        limit: section.or("packets", quantity::above_zero, usual.limit)?,
        target: section.or("target", quantity::duration, usual.target)?,
        interval: section.or("interval", quantity::duration, usual.interval)?,
        mtu: section.or("mtu", quantity::bytes, usual.mtu)?,
        signal: section.choice("signal", &SIGNALS, usual.signal)?,
    })
}

/// Reads an MTU, at least the 68 bytes that every link carries whole (RFC 791 §3.2).
fn mtu(value: &Value) -> Result<u32, Expected> {
    match quantity::bytes(value)? {
        ..68 => Err("68 bytes or more"),
        bytes => Ok(bytes),
    }
}

/// Reads a change of the MTU.
fn narrowing(section: &mut Section<'_>) -> Result<Narrowing, ScenarioError> {
    Ok(Narrowing {
        from: Time::ZERO + section.required("from", quantity::duration)?,
        mtu: section.required("mtu", mtu)?,
    })
}

/// Reads an error model: a probability, or a table with a kind.
fn errors(section: &mut Section<'_>, key: &'static str) -> Result<Errors, ScenarioError> {
    match section.value(key) {
        Some(Value::Table(_)) => Ok(section.table(key, error_model)?.unwrap_or_default()),
        Some(_) => {
            let probability = section.required(key, quantity::probability)?;
            if probability == Probability::NEVER {
                Ok(Errors::None)
            } else {
                Ok(Errors::Uniform(probability))
            }
        }
        None => Ok(Errors::None),
    }
}

fn error_model(section: &mut Section<'_>) -> Result<Errors, ScenarioError> {
    const KINDS: [&str; 8] = [
        "none",
        "uniform",
        "bits",
        "gilbert-ns2",
        "gilbert-periodic",
        "gilbert-exponential",
        "pattern",
        "packets",
    ];
    let reading = match section.kind(&KINDS)? {
        "none" => return Ok(Errors::None),
        "uniform" => {
            let probability = section.required("probability", quantity::probability)?;
            return Ok(Errors::Uniform(probability));
        }
        "bits" => {
            let rate = section.required("rate", quantity::probability)?;
            return Ok(Errors::BitErrors(BitErrorRate(rate)));
        }
        "pattern" => {
            let pattern = section.required("pattern", |value| {
                let pattern = value.as_str().and_then(Pattern::parse);
                pattern.ok_or("a text of 0 and 1")
            });
            return pattern.map(Errors::Pattern);
        }
        "packets" => {
            let pattern = section.required("numbers", |value| {
                const EXPECTED: Expected = "a list of packet numbers, from 1 on";
                let numbers = value.as_array().ok_or(EXPECTED)?.iter();
                let numbers: Result<Vec<usize>, _> = numbers.map(quantity::count).collect();
                Ok(Pattern::numbers(&numbers.map_err(|_| EXPECTED)?))
            });
            return pattern.map(Errors::Pattern);
        }
        "gilbert-ns2" => Reading::Ns2,
        "gilbert-periodic" => Reading::Periodic,
        _ => Reading::Exponential,
    };
    Ok(Errors::Gilbert(Gilbert {
        good: gilbert_state(section, "good", reading)?,
        bad: gilbert_state(section, "bad", reading)?,
        reading,
    }))
}

fn gilbert_state(
    section: &mut Section<'_>,
    key: &'static str,
    reading: Reading,
) -> Result<State, ScenarioError> {
    section.required_table(key, |section| {
        let period = section.required("period", quantity::duration)?;
        let stay = section.optional("stay", quantity::probability)?;
        if stay.is_none() && reading != Reading::Exponential {
            return Err(ScenarioError::new(&section.at("stay"), Problem::Missing));
        }
        Ok(State {
            period,
            stay: stay.unwrap_or_default(),
            hit: section.or("hit", quantity::probability, Default::default())?,
        })
    })
}

fn corruption(section: &mut Section<'_>) -> Result<Corruption, ScenarioError> {
    if section.value("rate").is_some() {
        let rate = section.required("rate", quantity::probability)?;
        return Ok(Corruption::BitErrors(BitErrorRate(rate)));
    }
    let errors = errors(section, "errors")?;
    let (least, most) = section.or("flips", flips, (1, 16))?;
    let placement = section.or("placement", placement, Placement::default())?;
    Ok(match errors {
        Errors::None => Corruption::None,
        errors => Corruption::Packets {
            errors,
            flips: Flips {
                least,
                most,
                placement,
            },
        },
    })
}

/// Reads the minimum and maximum number of flipped bits.
fn flips(value: &Value) -> Result<(u16, u16), Expected> {
    const EXPECTED: Expected = "a number of bits, or the least and the most, such as [1, 16]";
    let (least, most) = match value.as_array().map(Vec::as_slice) {
        None => (value, value),
        Some([least, most]) => (least, most),
        Some(_) => return Err(EXPECTED),
    };
    let least: u16 = quantity::count(least).map_err(|_| EXPECTED)?;
    let most: u16 = quantity::count(most).map_err(|_| EXPECTED)?;
    if 1 <= least && least <= most {
        Ok((least, most))
    } else {
        Err(EXPECTED)
    }
}

fn placement(value: &Value) -> Result<Placement, Expected> {
    match value.as_str() {
        Some("scattered") => Ok(Placement::Scattered),
        Some("burst") => Ok(Placement::Burst),
        _ => Err("\"scattered\" or \"burst\""),
    }
}

fn reordering(section: &mut Section<'_>) -> Result<Reordering, ScenarioError> {
    Ok(Reordering {
        probability: section.required("probability", quantity::probability)?,
        extra: section.required("extra", quantity::duration)?,
    })
}

fn outages(section: &mut Section<'_>) -> Result<Vec<Outage>, ScenarioError> {
    let at = section.at("outages");
    let Some(value) = section.value("outages") else {
        return Ok(Vec::new());
    };
    let Value::Array(list) = value else {
        return Err(unexpected(&at, "a list of { from, until }", value));
    };
    let outages = list.iter().map(|value| {
        let Value::Table(table) = value else {
            return Err(unexpected(&at, "a list of { from, until }", value));
        };
        Section::new(&at, table).all(|section| {
            let from = section.required("from", quantity::duration)?;
            let until = section.optional("until", quantity::duration)?;
            if until.is_some_and(|until| until <= from) {
                let problem = "an outage ends after it begins";
                return Err(conflict(&section.at("until"), &problem));
            }
            Ok(Outage {
                from: Time::ZERO + from,
                until: until.map_or(Time::MAX, |until| Time::ZERO + until),
            })
        })
    });
    outages.collect()
}
