//! Declarations of options: everything that a front end needs to know about each.

use alloc::string::String;
use alloc::vec::Vec;

use super::Options;
use super::form::{Form, OptionUnit};
use crate::OptionError;

/// A group of related options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptionGroup {
    /// Timers and retransmission timeouts.
    Timers,
    /// Detection of dead paths and peers.
    Failover,
    /// Acknowledgements and bundling.
    Acknowledgement,
    /// Congestion control and loss recovery.
    Congestion,
    /// Extensions that both ends must support.
    Extensions,
    /// Several paths at a time.
    Multipath,
    /// Streams, sizes and buffers.
    Sizes,
    /// The IP headers of packets.
    Marking,
    /// Limits of an endpoint, over all its associations.
    Endpoint,
}

impl OptionGroup {
    /// The groups, in the order used by documents.
    pub const ALL: [Self; 9] = [
        Self::Timers,
        Self::Failover,
        Self::Acknowledgement,
        Self::Congestion,
        Self::Extensions,
        Self::Multipath,
        Self::Sizes,
        Self::Marking,
        Self::Endpoint,
    ];

    /// The heading of the group.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Timers => "Timers",
            Self::Failover => "Dead paths and peers",
            Self::Acknowledgement => "Acknowledgement and bundling",
            Self::Congestion => "Congestion control and loss recovery",
            Self::Extensions => "Extensions",
            Self::Multipath => "Several paths at a time",
            Self::Sizes => "Streams, sizes and buffers",
            Self::Marking => "Marking of packets",
            Self::Endpoint => "Limits of an endpoint",
        }
    }
}

/// The declaration of one option of an association, or of a limit in
/// [`EndpointOptions`](crate::EndpointOptions): name, range, text, RFC, and access to the value as
/// text.
pub struct OptionDeclaration<O: 'static = Options> {
    pub(super) name: &'static str,
    pub(super) group: OptionGroup,
    pub(super) text: &'static str,
    pub(super) rfc: &'static str,
    pub(super) field: &'static dyn Access<O>,
}

impl<O> Clone for OptionDeclaration<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for OptionDeclaration<O> {}

/// Reads and writes one option's value as text.
pub(super) trait Access<O>: Sync {
    fn write(&self, options: &O) -> String;
    fn set(&self, options: &mut O, text: &str) -> Result<(), String>;
    /// Whether the value is in range.
    fn holds(&self, options: &O) -> bool;
    fn range(&self) -> String;
    fn unit(&self) -> OptionUnit;
    fn words(&self) -> Vec<&'static str>;
}

/// Access to a value of type `T` through its text form.
pub(super) struct Field<T: 'static, F, O: 'static = Options> {
    pub(super) form: F,
    pub(super) get: for<'a> fn(&'a O) -> &'a T,
    /// Stores the value; an error says which condition is not met.
    pub(super) set: fn(&mut O, T) -> Result<(), &'static str>,
}

/// A condition on several options; `option` is the one to report.
pub(super) struct Rule {
    pub(super) option: &'static str,
    pub(super) holds: fn(&Options) -> bool,
    pub(super) reason: &'static str,
}

impl<T, F: Form<T>, O> Access<O> for Field<T, F, O> {
    fn write(&self, options: &O) -> String {
        self.form.write((self.get)(options))
    }

    fn set(&self, options: &mut O, text: &str) -> Result<(), String> {
        let value = self.form.read(text);
        let Some(value) = value.filter(|value| self.form.contains(value)) else {
            return Err(must_be(&self.form.range()));
        };
        let value = self.form.merge((self.get)(options), value);
        (self.set)(options, value).map_err(Into::into)
    }

    fn holds(&self, options: &O) -> bool {
        self.form.contains((self.get)(options))
    }

    fn range(&self) -> String {
        self.form.range()
    }

    fn unit(&self) -> OptionUnit {
        self.form.unit()
    }

    fn words(&self) -> Vec<&'static str> {
        self.form.words()
    }
}

fn must_be(range: &str) -> String {
    alloc::format!("must be {range}")
}

impl<O> core::fmt::Debug for OptionDeclaration<O> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OptionDeclaration")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<O> OptionDeclaration<O> {
    /// The name: a field of [`Options`], a key in scenarios and, with hyphens, a command-line flag.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The group.
    #[must_use]
    pub const fn group(&self) -> OptionGroup {
        self.group
    }

    /// The description, one sentence or more.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text.trim()
    }

    /// The defining document, with its section.
    #[must_use]
    pub const fn rfc(&self) -> &'static str {
        self.rfc
    }

    /// The range in readable form: `10 ms to 120 s`.
    #[must_use]
    pub fn range(&self) -> String {
        self.field.range()
    }

    /// The unit of the values.
    #[must_use]
    pub fn unit(&self) -> OptionUnit {
        self.field.unit()
    }

    /// The words allowed as values.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        self.field.words()
    }

    /// The value in `options`, as text that [`set`](Self::set) can parse. Shared keys are not
    /// revealed.
    #[must_use]
    pub fn value(&self, options: &O) -> String {
        self.field.write(options)
    }

    /// Parses `text` and sets the option.
    ///
    /// # Errors
    /// The value cannot be parsed, is out of range, or needs another option; `options` are
    /// unchanged.
    pub fn set(&self, options: &mut O, text: &str) -> Result<(), OptionError> {
        let outcome = self.field.set(options, text);
        outcome.map_err(|reason| self.error(text.trim().into(), reason))
    }

    /// Whether the value is in range, ignoring conditions that involve other options.
    pub(super) fn check(&self, options: &O) -> Result<(), OptionError> {
        match self.field.holds(options) {
            true => Ok(()),
            false => Err(self.error(self.value(options), must_be(&self.range()))),
        }
    }

    fn error(&self, value: String, reason: String) -> OptionError {
        OptionError {
            option: self.name.into(),
            value,
            reason,
        }
    }
}
