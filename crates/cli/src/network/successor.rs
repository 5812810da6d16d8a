use sheave::config::PortSharing;
use sheave::error::ImportError;
use sheave::{Association, Config, Endpoint};

use super::{Carrier, NetworkArgs, Role, bind_failure, option_failure, tell_warnings};
use crate::failure::Failure;

impl NetworkArgs {
    /// Binds an endpoint that can hand over its port to a successor and import associations
    /// exported by a predecessor.
    /// Errors: the errors of [`bind`](Self::bind); each association may be refused by itself.
    pub fn bind_successor(
        &self,
        exported: Vec<Vec<u8>>,
    ) -> Result<(Endpoint, Vec<Result<Association, ImportError>>), Failure> {
        if self.carrier == Carrier::Udp && self.udp_port == Some(0) {
            return Err(Failure::usage(
                "--handover: both servers must have the same --udp-port, not 0",
            ));
        }
        if self.has_dtls() {
            let what = "--handover: the keys of DTLS connections are not handed over";
            return Err(Failure::usage(what).fix("leave --dtls out"));
        }
        if self.is_secure() {
            let what = "--handover: the keys of protected associations are not handed over";
            return Err(Failure::usage(what).fix("leave --secure out"));
        }
        let options = self.options();
        options.validate().map_err(|error| option_failure(&error))?;
        let config = Config {
            port_sharing: PortSharing::WithSuccessor,
            ..self.config(Role::Server)?
        };
        let exported = exported.into_iter().map(|one| (one, options.clone()));
        let bound = Endpoint::bind_and_import(config, exported.collect());
        let (endpoint, associations) = bound.map_err(|error| bind_failure(&error))?;
        tell_warnings(&endpoint);
        Ok((endpoint, associations))
    }
}
