use clap::{Args, ValueEnum};
use sheave::{Options, RestartPorts};

/// When a path gives way to another, and how a peer that lost everything comes back.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct FailoverArgs {
    /// Unanswered sends before new data takes another path (RFC 7829), or "off"
    #[arg(long, value_name = "N|off", value_parser = parse_limit, hide_short_help = true)]
    potentially_failed_max_retrans: Option<Limit>,

    /// Unanswered sends before another path becomes the primary one for good (RFC 7829), or "off"
    #[arg(long, value_name = "N|off", value_parser = parse_limit, hide_short_help = true)]
    primary_switchover_max_retrans: Option<Limit>,

    /// Through which UDP ports a peer may restart an association that it has lost
    #[arg(long, value_enum, value_name = "WHICH", hide_short_help = true)]
    restart_ports: Option<PortsName>,
}

#[derive(Clone, Copy, Debug)]
struct Limit(Option<u32>);

/// Which UDP ports a restart may come through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PortsName {
    /// The one that the association has; behind an address translator any other may be a stranger.
    Current,
    /// Any, for peers whose UDP port changes when they start again.
    Any,
}

impl FailoverArgs {
    pub(super) fn apply(&self, options: &mut Options) {
        if let Some(Limit(limit)) = self.potentially_failed_max_retrans {
            options.potentially_failed_max_retrans = limit;
        }
        if let Some(Limit(limit)) = self.primary_switchover_max_retrans {
            options.primary_switchover_max_retrans = limit;
        }
        match self.restart_ports {
            Some(PortsName::Current) => options.restart_ports = RestartPorts::Current,
            Some(PortsName::Any) => options.restart_ports = RestartPorts::Any,
            None => {}
        }
    }
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    if text == "off" {
        return Ok(Limit(None));
    }
    let sends = text
        .parse()
        .map_err(|_| "expected 0 to 1000, or off".to_owned())?;
    Ok(Limit(Some(sends)))
}
