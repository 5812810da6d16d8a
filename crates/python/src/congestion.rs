//! Congestion controls written in Python, for exploration.

use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use sheave_engine::{
    CongestionControl, CongestionSignals, Cumulative, CustomCongestion, CustomPolicies, Loss,
    NewPath, Recovery, Time,
};
use sheave_lab::UserScenario;

use crate::error::wrong_scenario;

/// The classes of the user's own that a scenario may name.
#[derive(Clone, Default)]
pub(crate) struct OwnCongestion {
    classes: Arc<Vec<(String, Py<PyAny>)>>,
    /// The text of the classes: records of other versions of them are not used again.
    version: String,
}

impl OwnCongestion {
    /// The classes in a dict from names.
    pub(crate) fn of(classes: Option<&Bound<'_, PyMapping>>) -> PyResult<Self> {
        let Some(classes) = classes else {
            return Ok(Self::default());
        };
        let mut version = String::new();
        let mut own = Vec::new();
        for item in classes.items()?.iter() {
            let (name, class): (String, Bound<'_, PyAny>) = item.extract()?;
            version += &source(&class)?;
            own.push((name, class.unbind()));
        }
        Ok(Self {
            classes: Arc::new(own),
            version,
        })
    }

    /// The parts from which [`put_together`](Self::put_together) makes the same elsewhere.
    pub(crate) fn parts<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, &str)> {
        let classes = PyDict::new(py);
        for (name, class) in self.classes.iter() {
            classes.set_item(name, class)?;
        }
        Ok((classes, &self.version))
    }

    pub(crate) fn put_together(classes: &Bound<'_, PyDict>, version: String) -> PyResult<Self> {
        let own = classes.iter();
        let own = own.map(|(name, class)| Ok((name.extract()?, class.unbind())));
        Ok(Self {
            classes: Arc::new(own.collect::<PyResult<_>>()?),
            version,
        })
    }

    /// Reads a scenario that may name these classes.
    pub(crate) fn read(&self, py: Python<'_>, text: &str, name: &str) -> PyResult<UserScenario> {
        let mut policies = CustomPolicies::default();
        for (name, class) in self.classes.iter() {
            policies = policies.with_congestion(custom(py, name, class)?);
        }
        UserScenario::read_versioned(name, text, policies, &self.version)
            .map_err(|error| wrong_scenario(py, &error))
    }
}

/// The text of a class; a text that is different each time where nobody knows it.
fn source(class: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = class.py();
    match py.import("inspect")?.call_method1("getsource", (class,)) {
        Ok(text) => text.extract(),
        Err(_) => Ok(py.import("uuid")?.call_method0("uuid4")?.to_string()),
    }
}

/// A class that has a maker.
struct Slot {
    name: &'static str,
    class: Py<PyAny>,
}

/// The classes in use, by the number of their maker. Locked by threads that hold Python's lock only.
static SLOTS: Mutex<Vec<Slot>> = Mutex::new(Vec::new());

/// The engine takes functions, which hold no values: so each class gets one of these.
macro_rules! makers {
    ($($number:literal)*) => { [$(make::<$number>),*] };
}

type Maker = fn(&NewPath) -> Box<dyn CongestionControl>;

const MAKERS: [Maker; 64] = makers!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34
    35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

fn make<const N: usize>(path: &NewPath) -> Box<dyn CongestionControl> {
    Box::new(PythonControl::new(N, path))
}

/// The congestion control of that class, to be named in scenarios.
fn custom(py: Python<'_>, name: &str, class: &Py<PyAny>) -> PyResult<CustomCongestion> {
    let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |slot: &Slot| slot.name == name && slot.class.is(class);
    let number = slots.iter().position(is_it).unwrap_or(slots.len());
    let Some(make) = MAKERS.get(number) else {
        return Err(PyRuntimeError::new_err(
            "a process holds at most 64 congestion controls: begin a new one",
        ));
    };
    if number == slots.len() {
        slots.push(Slot {
            name: String::from(name).leak(),
            class: class.clone_ref(py),
        });
    }
    Ok(CustomCongestion {
        name: slots[number].name,
        signals: CongestionSignals::Acknowledgements,
        make: *make,
    })
}

/// The state of a path's control: an instance of the user's class, and what it said last.
#[derive(Debug)]
struct PythonControl {
    name: &'static str,
    /// The instance, or why there is none.
    object: Result<Py<PyAny>, String>,
    cwnd: u64,
    ssthresh: u64,
}

impl PythonControl {
    fn new(slot: usize, path: &NewPath) -> Self {
        Python::attach(|py| {
            let slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
            let (name, class) = (slots[slot].name, slots[slot].class.clone_ref(py));
            drop(slots);
            let path = Path {
                pmdcs: path.pmdcs,
                initial: path.initial,
            };
            let mut control = Self {
                name,
                cwnd: path.initial,
                ssthresh: u64::MAX,
                object: Err(String::new()),
            };
            let made = class.call1(py, (path,)).and_then(|object| {
                control.look(object.bind(py))?;
                Ok(object)
            });
            control.object = made.map_err(|error| error.to_string());
            control
        })
    }

    /// Reads the windows.
    fn look(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.cwnd = bytes(&object.getattr("cwnd")?)?;
        if object.hasattr("ssthresh")? {
            self.ssthresh = bytes(&object.getattr("ssthresh")?)?;
        }
        Ok(())
    }

    /// Calls a method that the class need not have.
    fn call(&mut self, method: &str, call: impl Fn(&Bound<'_, PyAny>) -> PyResult<()>) {
        let outcome = Python::attach(|py| {
            let object = self.object.as_ref().map_err(Clone::clone)?.clone_ref(py);
            let object = object.bind(py);
            call(object)
                .and_then(|()| self.look(object))
                .map_err(|error| error.to_string())
        });
        if let Err(error) = outcome {
            // The run fails with this reason; nothing is printed.
            panic::resume_unwind(Box::new(format!("{}.{method}: {error}", self.name)));
        }
    }
}

/// A window: bytes, of any kind of number.
fn bytes(window: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(bytes) = window.extract::<u64>() {
        return Ok(bytes);
    }
    let bytes: f64 = window.extract()?;
    // Beyond the range it is the end of the range, and no number is 0.
    #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
    Ok(bytes as u64)
}

/// Calls a method if there is one.
fn optional<'py>(
    object: &Bound<'py, PyAny>,
    method: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<()> {
    if object.hasattr(method)? {
        object.call_method1(method, arguments)?;
    }
    Ok(())
}

impl CongestionControl for PythonControl {
    fn on_ack(&mut self, ack: &sheave_engine::Ack) {
        self.call("on_ack", |object| {
            object.call_method1("on_ack", (Ack::of(ack),)).map(drop)
        });
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        let kind = match loss {
            Loss::GapReports => "gap-reports",
            Loss::Unmarked => "unmarked",
            Loss::Timeout => "timeout",
        };
        self.call("on_loss", |object| {
            let arguments = (now.as_secs_f64(), kind);
            object.call_method1("on_loss", arguments).map(drop)
        });
    }

    fn on_mark(&mut self, now: Time) {
        self.call("on_mark", |object| {
            optional(object, "on_mark", (now.as_secs_f64(),))
        });
    }

    fn on_idle(&mut self, rtos: u32) {
        self.call("on_idle", |object| optional(object, "on_idle", (rtos,)));
    }

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.call("on_pmdcs", |object| optional(object, "on_pmdcs", (pmdcs,)));
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
}

impl Clone for PythonControl {
    fn clone(&self) -> Self {
        let copy = |object: &Py<PyAny>| {
            Python::attach(|py| {
                let copied = py.import("copy")?.call_method1("deepcopy", (object,))?;
                Ok(copied.unbind())
            })
            .map_err(|error: PyErr| error.to_string())
        };
        Self {
            object: self.object.as_ref().map_err(Clone::clone).and_then(copy),
            ..*self
        }
    }
}

/// A path that needs a congestion control.
#[pyclass(frozen, get_all, module = "sheave.lab", name = "NewPath")]
pub(crate) struct Path {
    /// The largest DATA chunk of the path, bytes.
    pmdcs: u64,
    /// The first window, bytes, before the multiples of `pmdcs` that bound it.
    initial: u64,
}

/// The content of a SACK for one path.
#[pyclass(frozen, get_all, module = "sheave.lab")]
pub(crate) struct Ack {
    /// Time at which the SACK arrived, seconds.
    now: f64,
    /// Bytes newly acknowledged on this path.
    bytes: u64,
    /// Bytes in flight on this path before the SACK.
    flight_before: u64,
    /// Bytes in flight on this path after it.
    flight: u64,
    /// Whether the Cumulative TSN Ack Point moved.
    advanced: bool,
    /// Whether a loss is being repaired.
    recovery: bool,
    /// Smoothed round-trip time of the path, seconds, once measured.
    srtt: Option<f64>,
}

impl Ack {
    fn of(ack: &sheave_engine::Ack) -> Self {
        Self {
            now: ack.now.as_secs_f64(),
            bytes: ack.bytes,
            flight_before: ack.flight_before,
            flight: ack.flight,
            advanced: ack.cumulative == Cumulative::Advanced,
            recovery: ack.recovery == Recovery::Fast,
            srtt: ack.srtt.as_ref().map(Duration::as_secs_f64),
        }
    }
}
