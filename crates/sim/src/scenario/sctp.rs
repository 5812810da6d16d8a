use sheave_engine::{
    CustomPolicies, EndpointOptions, OptionDeclaration, Options, Profile, Reliability,
};
use toml::Value;

use super::quantity;
use super::section::{Section, unexpected};
use super::{ScenarioError, conflict};

/// Protocol parameters: a profile and overrides, with the engine's names.
pub(super) fn options(
    section: &mut Section<'_>,
    policies: &CustomPolicies,
) -> Result<Options, ScenarioError> {
    let profile = section.optional("profile", Section::text)?;
    let mut options = match profile {
        None => Options::default(),
        Some(name) => (name.parse().map(Profile::options))
            .map_err(|error| ScenarioError::of_option(&section.at("profile"), error))?,
    };
    let mut given = Vec::new();
    for declaration in Options::declarations() {
        if let Some(text) = text(section, declaration)? {
            given.push((declaration.name(), text));
        }
    }
    let pairs: Vec<(&str, &str)> = (given.iter())
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    policies
        .apply(&mut options, &pairs)
        .map_err(|error| ScenarioError::of_option(&section.at(&error.option), error))?;
    Ok(options)
}

/// Limits of the endpoints, with the engine's names.
pub(super) fn limits(section: &mut Section<'_>) -> Result<EndpointOptions, ScenarioError> {
    let mut limits = EndpointOptions::default();
    for declaration in EndpointOptions::declarations() {
        if let Some(text) = text(section, declaration)? {
            declaration
                .set(&mut limits, &text)
                .map_err(|error| ScenarioError::of_option(&section.at(&error.option), error))?;
        }
    }
    Ok(limits)
}

/// The text of an option's value, if given.
fn text<O>(
    section: &mut Section<'_>,
    declaration: &OptionDeclaration<O>,
) -> Result<Option<String>, ScenarioError> {
    match section.value(declaration.name()) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Integer(number)) => Ok(Some(number.to_string())),
        Some(other) => {
            let at = section.at(declaration.name());
            Err(unexpected(&at, &declaration.range(), other))
        }
    }
}

/// Reads the reliability of a flow's messages: `lifetime` or `max_retransmissions`.
pub(super) fn reliability(section: &mut Section<'_>) -> Result<Reliability, ScenarioError> {
    let lifetime = section.optional("lifetime", quantity::duration)?;
    let most = section.optional("max_retransmissions", quantity::count)?;
    match (lifetime, most) {
        (None, None) => Ok(Reliability::Reliable),
        (Some(lifetime), None) => Ok(Reliability::Timed(lifetime)),
        (None, Some(most)) => Ok(Reliability::Retransmissions(most)),
        (Some(_), Some(_)) => {
            let problem = "either this or a lifetime";
            Err(conflict(&section.at("max_retransmissions"), &problem))
        }
    }
}
