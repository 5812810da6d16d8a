use toml::{Table, Value};

use sheave_engine::Time;

use super::quantity::{self, Expected};
use super::section::{Section, unexpected};
use super::{LinkPair, Problem, ScenarioError};
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
        let problem = Problem::Conflict(format!("there is no host or router `{stranger}`"));
        return Err(ScenarioError::new(&at, problem));
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
        back.extend(differences);
    }
    let there = link(&mut section, queues)?;
    section.table("back", |mut section| {
        // Keys and values are checked here, so that errors have the full path.
        link(&mut section, queues)?;
        section.finish()
    })?;
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
    if rate.is_some() && trace.is_some() {
        let problem = Problem::Conflict("a link has a rate or a trace, not both".to_owned());
        return Err(ScenarioError::new(&section.at("trace"), problem));
    }
    let delay = Delay {
        base: section
            .optional("delay", quantity::duration)?
            .unwrap_or_default(),
        variation: section.table("variation", variation)?.unwrap_or_default(),
        order: section
            .word("order", &[("kept", Order::Kept), ("free", Order::Free)])?
            .unwrap_or_default(),
    };
    let queue = section.table("queue", |section| queue(section, queues))?;
    Ok(LinkSpec {
        outages: outages(section)?,
        mtu: section
            .optional("mtu", quantity::bytes)?
            .unwrap_or(perfect.mtu),
        narrowing: section.table("narrowing", narrowing)?,
        long_packets: section
            .word(
                "long_packets",
                &[
                    ("dropped", LongPackets::Dropped),
                    ("fragmented", LongPackets::Fragmented),
                    ("reported", LongPackets::Reported),
                ],
            )?
            .unwrap_or_default(),
        loss: errors(section, "loss")?,
        queue: queue.unwrap_or_default(),
        pace: rate.or(trace).unwrap_or_default(),
        overhead: section.optional("overhead", quantity::bytes)?.unwrap_or(0),
        delay,
        duplication: section
            .optional("duplication", quantity::probability)?
            .unwrap_or(Probability::NEVER),
        reordering: section.table("reordering", reordering)?,
        corruption: section.table("corruption", corruption)?.unwrap_or_default(),
        error_warning: section
            .word(
                "error_warning",
                &[("off", ErrorWarning::Off), ("on", ErrorWarning::On)],
            )?
            .unwrap_or_default(),
    })
}

/// Reads a trace, given as text instead of a file name, since this crate reads no files.
fn trace(value: &Value) -> Result<Pace, Expected> {
    const EXPECTED: Expected = "a link trace: one time in milliseconds a line, ascending";
    let text = value.as_str().ok_or(EXPECTED)?;
    let trace = LinkTrace::parse(text).map_err(|_| EXPECTED)?;
    Ok(Pace::Trace(trace.into()))
}

fn variation(mut section: Section<'_>) -> Result<Variation, ScenarioError> {
    #[derive(Clone, Copy)]
    enum Kind {
        Uniform,
        Normal,
        Pareto,
    }
    let kind = kind(
        &mut section,
        &[
            ("uniform", Kind::Uniform),
            ("normal", Kind::Normal),
            ("pareto", Kind::Pareto),
        ],
    )?;
    let variation = match kind {
        Kind::Uniform => Variation::Uniform {
            spread: section.required("spread", quantity::duration)?,
        },
        Kind::Normal => Variation::Normal {
            deviation: section.required("deviation", quantity::duration)?,
        },
        Kind::Pareto => Variation::Pareto {
            mean: section.required("mean", quantity::duration)?,
            shape: section.required("shape", above_one)?,
        },
    };
    section.finish()?;
    Ok(variation)
}

fn above_one(value: &Value) -> Result<f64, Expected> {
    let shape = quantity::number(value)?;
    if shape > 1.0 {
        Ok(shape)
    } else {
        Err("a number above 1")
    }
}

fn queue(mut section: Section<'_>, queues: &[CustomQueue]) -> Result<Discipline, ScenarioError> {
    let named = section.value("kind").and_then(Value::as_str);
    if let Some(custom) = queues.iter().find(|custom| Some(custom.name) == named) {
        let discipline = Discipline::Custom(*custom, limit(&mut section)?);
        section.finish()?;
        return Ok(discipline);
    }
    #[derive(Clone, Copy)]
    enum Kind {
        DropTail,
        Red,
        Codel,
    }
    let kind = kind(
        &mut section,
        &[
            ("drop-tail", Kind::DropTail),
            ("red", Kind::Red),
            ("codel", Kind::Codel),
        ],
    )?;
    let discipline = match kind {
        Kind::DropTail => Discipline::DropTail(limit(&mut section)?),
        Kind::Red => Discipline::Red(red(&mut section)?),
        Kind::Codel => Discipline::Codel(codel(&mut section)?),
    };
    section.finish()?;
    Ok(discipline)
}

fn limit(section: &mut Section<'_>) -> Result<Limit, ScenarioError> {
    let packets = section.optional("packets", quantity::count)?;
    let bytes = section.optional("bytes", quantity::bytes)?;
    match (packets, bytes) {
        (None, None) => Ok(Limit::None),
        (Some(packets), None) => Ok(Limit::Packets(packets)),
        (None, Some(bytes)) => Ok(Limit::Bytes(bytes)),
        (Some(_), Some(_)) => {
            let problem =
                Problem::Conflict("a limit is in packets or in bytes, not both".to_owned());
            Err(ScenarioError::new(&section.at("bytes"), problem))
        }
    }
}

fn signal(section: &mut Section<'_>) -> Result<Signal, ScenarioError> {
    let words = [("drop", Signal::Drop), ("mark", Signal::Mark)];
    Ok(section.word("signal", &words)?.unwrap_or_default())
}

fn red(section: &mut Section<'_>) -> Result<Red, ScenarioError> {
    let packets = section.required("packets", quantity::count)?;
    let usual = Red::for_limit(packets, signal(section)?);
    Ok(Red {
        lower: section
            .optional("lower", quantity::number)?
            .unwrap_or(usual.lower),
        upper: section
            .optional("upper", quantity::number)?
            .unwrap_or(usual.upper),
        most: section
            .optional("most", quantity::probability)?
            .unwrap_or(usual.most),
        weight: section
            .optional("weight", quantity::number)?
            .unwrap_or(usual.weight),
        ..usual
    })
}

fn codel(section: &mut Section<'_>) -> Result<Codel, ScenarioError> {
    let usual = Codel::default();
    Ok(Codel {
        limit: section
            .optional("packets", quantity::count)?
            .unwrap_or(usual.limit),
        target: section
            .optional("target", quantity::duration)?
            .unwrap_or(usual.target),
        interval: section
            .optional("interval", quantity::duration)?
            .unwrap_or(usual.interval),
        mtu: section
            .optional("mtu", quantity::bytes)?
            .unwrap_or(usual.mtu),
        signal: signal(section)?,
    })
}

/// Reads a change of the MTU.
fn narrowing(mut section: Section<'_>) -> Result<Narrowing, ScenarioError> {
    let narrowing = Narrowing {
        from: Time::ZERO + section.required("from", quantity::duration)?,
        mtu: section.required("mtu", quantity::bytes)?,
    };
    section.finish()?;
    Ok(narrowing)
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

#[derive(Clone, Copy)]
enum ErrorKind {
    None,
    Uniform,
    Bits,
    Gilbert(Reading),
    Pattern,
    Packets,
}

fn error_model(mut section: Section<'_>) -> Result<Errors, ScenarioError> {
    let kind = kind(
        &mut section,
        &[
            ("none", ErrorKind::None),
            ("uniform", ErrorKind::Uniform),
            ("bits", ErrorKind::Bits),
            ("gilbert-ns2", ErrorKind::Gilbert(Reading::Ns2)),
            ("gilbert-periodic", ErrorKind::Gilbert(Reading::Periodic)),
            (
                "gilbert-exponential",
                ErrorKind::Gilbert(Reading::Exponential),
            ),
            ("pattern", ErrorKind::Pattern),
            ("packets", ErrorKind::Packets),
        ],
    )?;
    let errors = match kind {
        ErrorKind::None => Errors::None,
        ErrorKind::Uniform => {
            Errors::Uniform(section.required("probability", quantity::probability)?)
        }
        ErrorKind::Bits => Errors::BitErrors(BitErrorRate(
            section.required("rate", quantity::probability)?,
        )),
        ErrorKind::Gilbert(reading) => Errors::Gilbert(Gilbert {
            good: gilbert_state(&mut section, "good", reading)?,
            bad: gilbert_state(&mut section, "bad", reading)?,
            reading,
        }),
        ErrorKind::Pattern => Errors::Pattern(section.required("pattern", |value| {
            let pattern = value.as_str().and_then(Pattern::parse);
            pattern.ok_or("a text of 0 and 1")
        })?),
        ErrorKind::Packets => Errors::Pattern(section.required("numbers", |value| {
            const EXPECTED: Expected = "a list of packet numbers, from 1 on";
            let numbers = value
                .as_array()
                .ok_or(EXPECTED)?
                .iter()
                .map(quantity::count);
            let numbers: Result<Vec<usize>, _> = numbers.collect();
            Ok(Pattern::numbers(&numbers.map_err(|_| EXPECTED)?))
        })?),
    };
    section.finish()?;
    Ok(errors)
}

fn gilbert_state(
    section: &mut Section<'_>,
    key: &'static str,
    reading: Reading,
) -> Result<State, ScenarioError> {
    let state = section.table(key, |mut section| {
        let period = section.required("period", quantity::duration)?;
        let stay = section.optional("stay", quantity::probability)?;
        if stay.is_none() && reading != Reading::Exponential {
            return Err(ScenarioError::new(&section.at("stay"), Problem::Missing));
        }
        let hit = section.optional("hit", quantity::probability)?;
        section.finish()?;
        Ok(State {
            period,
            stay: stay.unwrap_or_default(),
            hit: hit.unwrap_or_default(),
        })
    })?;
    state.ok_or_else(|| ScenarioError::new(&section.at(key), Problem::Missing))
}

fn corruption(mut section: Section<'_>) -> Result<Corruption, ScenarioError> {
    let corruption = if section.value("rate").is_some() {
        let rate = section.required("rate", quantity::probability)?;
        Corruption::BitErrors(BitErrorRate(rate))
    } else {
        let errors = errors(&mut section, "errors")?;
        let (least, most) = section.optional("flips", flips)?.unwrap_or((1, 16));
        let placement = section.optional("placement", placement)?;
        match errors {
            Errors::None => Corruption::None,
            errors => Corruption::Packets {
                errors,
                flips: Flips {
                    least,
                    most,
                    placement: placement.unwrap_or_default(),
                },
            },
        }
    };
    section.finish()?;
    Ok(corruption)
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

fn reordering(mut section: Section<'_>) -> Result<Reordering, ScenarioError> {
    let reordering = Reordering {
        probability: section.required("probability", quantity::probability)?,
        extra: section.required("extra", quantity::duration)?,
    };
    section.finish()?;
    Ok(reordering)
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
        let mut section = Section::new(&at, table);
        let from = section.required("from", quantity::duration)?;
        let until = section.optional("until", quantity::duration)?;
        section.finish()?;
        Ok(Outage {
            from: Time::ZERO + from,
            until: until.map_or(Time::MAX, |until| Time::ZERO + until),
        })
    });
    outages.collect()
}

/// Reads the `kind` key of a table.
pub(super) fn kind<T: Copy>(
    section: &mut Section<'_>,
    kinds: &[(&'static str, T)],
) -> Result<T, ScenarioError> {
    let kind = section.word("kind", kinds)?;
    kind.ok_or_else(|| ScenarioError::new(&section.at("kind"), Problem::Missing))
}
