//! Command-line flags for protocol parameters and endpoint limits, generated from the engine's
//! option tables.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use sheave::error::OptionError;
use sheave::options::{
    EndpointOptions, FollowAddresses, OptionDeclaration, OptionGroup, OptionUnit, Protection,
};
use sheave::{Options, Profile};

/// A profile of protocol parameters, and single options that override it.
#[derive(Clone, Debug)]
pub struct OptionArgs {
    options: Options,
}

/// The limits of an endpoint.
#[derive(Clone, Debug)]
pub struct LimitArgs {
    limits: EndpointOptions,
}

/// The identifier of `--profile`.
const PROFILE: &str = "profile";

/// The long flag of each option, without its hyphens.
static FLAGS: LazyLock<BTreeMap<&'static str, String>> = LazyLock::new(|| {
    let names = Options::declarations().map(OptionDeclaration::name);
    let limits = EndpointOptions::declarations().map(OptionDeclaration::name);
    let all = names.chain(limits);
    all.map(|name| (name, name.replace('_', "-"))).collect()
});

impl OptionArgs {
    /// The chosen options.
    pub fn options(&self) -> &Options {
        &self.options
    }
}

impl LimitArgs {
    /// The chosen limits.
    pub fn limits(&self) -> &EndpointOptions {
        &self.limits
    }
}

/// The error text for the command line.
pub(super) fn complaint(error: &OptionError) -> String {
    let flag = error.option.replace('_', "-");
    format!("--{flag} {}: {}", error.value, error.reason)
}

impl Args for OptionArgs {
    fn augment_args(command: Command) -> Command {
        let mut declarations: Vec<_> = Options::declarations().collect();
        declarations.sort_by_key(|declaration| declaration.group());
        let command = command.arg(profile_argument());
        (declarations.into_iter()).fold(command, |command, option| command.arg(argument(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let profile = matches.get_one::<Profile>(PROFILE);
        let mut options = profile.copied().unwrap_or_default().options();
        // Other options may depend on it.
        if matches!(matches.try_get_one("secure"), Ok(Some(true))) {
            options.protection = Protection::Strict;
        }
        let names = Options::declarations().map(OptionDeclaration::name);
        options
            .apply(&given(matches, names))
            .map_err(|error| refused(&error))?;
        Ok(Self { options })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for LimitArgs {
    fn augment_args(command: Command) -> Command {
        let limits = EndpointOptions::declarations();
        limits.fold(command, |command, limit| command.arg(argument(limit)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LimitArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        // Whoever moves a file, or measures, goes on in another network.
        let mut limits = EndpointOptions {
            follow_addresses: FollowAddresses::On,
            ..EndpointOptions::default()
        };
        let names = EndpointOptions::declarations().map(OptionDeclaration::name);
        limits
            .apply(&given(matches, names))
            .map_err(|error| refused(&error))?;
        Ok(Self { limits })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The options on the command line, with their values.
fn given(
    matches: &ArgMatches,
    names: impl Iterator<Item = &'static str>,
) -> Vec<(&'static str, &str)> {
    let given = names.filter_map(|name| {
        let text = matches.get_one::<String>(name)?;
        Some((name, text.as_str()))
    });
    given.collect()
}

fn refused(error: &OptionError) -> Error {
    Error::raw(ErrorKind::ValueValidation, complaint(error))
}

fn profile_argument() -> Arg {
    let values = Profile::ALL.map(|one| PossibleValue::new(one.name()).help(one.text()));
    let parser = clap::builder::PossibleValuesParser::new(values);
    let profile = |name: String| name.parse::<Profile>();
    Arg::new(PROFILE)
        .long(PROFILE)
        .value_name("NAME")
        .help("Protocol parameters to begin with; --help lists the single ones")
        .help_heading("Network")
        .default_value(Profile::default().name())
        .value_parser(clap::builder::TypedValueParser::try_map(parser, profile))
}

fn argument<O>(option: &'static OptionDeclaration<O>) -> Arg {
    let flag = FLAGS.get(option.name()).map_or("", String::as_str);
    let argument = Arg::new(option.name())
        .long(flag)
        .value_name(value_name(option))
        .help(help(option))
        .help_heading(heading(option.group()))
        .hide_short_help(true);
    match switched_on(option) {
        None => argument,
        Some(value) => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(value),
    }
}

/// The value of a flag without a value, for options with a single alternative to "off".
fn switched_on<O>(option: &OptionDeclaration<O>) -> Option<&'static str> {
    match (option.unit(), option.words().as_slice()) {
        (OptionUnit::Word, ["off", on]) => Some(on),
        _ => None,
    }
}

fn value_name<O>(option: &OptionDeclaration<O>) -> &'static str {
    match option.unit() {
        OptionUnit::Time => "TIME",
        OptionUnit::Bytes => "SIZE",
        OptionUnit::Count => "N",
        OptionUnit::Word => "WORD",
        OptionUnit::Text => "TEXT",
    }
}

fn help<O>(option: &OptionDeclaration<O>) -> String {
    let text = option.text().trim_end_matches('.').replace('`', "");
    let range = option.range();
    format!("{text}. Values: {range}. {}", option.rfc())
}

const fn heading(group: OptionGroup) -> &'static str {
    match group {
        OptionGroup::Timers => "Protocol: timers",
        OptionGroup::Failover => "Protocol: dead paths and peers",
        OptionGroup::Acknowledgement => "Protocol: acknowledgement and bundling",
        OptionGroup::Congestion => "Protocol: congestion control and loss recovery",
        OptionGroup::Extensions => "Protocol: extensions",
        OptionGroup::Multipath => "Protocol: several paths at a time",
        OptionGroup::Sizes => "Protocol: streams, sizes and buffers",
        OptionGroup::Marking => "Protocol: marking of packets",
        OptionGroup::Endpoint => "Limits of the endpoint",
    }
}
