//! Exporting associations to another endpoint and importing them.

use std::sync::Arc;

use sheave_engine::{self as engine, AssocId, CloseReason, ExportError, Time};

use crate::assoc_handle::AssocHandle;
use crate::assoc_state::Stage;
use crate::driver::Shared;
use crate::endpoint_inner::EndpointInner;
use crate::error::{BindError, ImportError};
use crate::handle::DropMode;
use crate::state::{Lifecycle, State};
use crate::{Config, Options};

/// Exported associations, each with its options.
pub(crate) type Exported = Vec<(Vec<u8>, Options)>;

/// The result for each association of a handover.
pub(crate) type Imported<A> = Vec<Result<A, ImportError>>;

impl EndpointInner {
    /// Imports an association that another endpoint exported.
    pub(crate) fn import(
        self: &Arc<Self>,
        exported: &[u8],
        options: Options,
    ) -> Result<AssocHandle, ImportError> {
        let id = self.shared.import(exported, options)?;
        Ok(AssocHandle::new(Arc::clone(self), id))
    }

    /// Binds and imports these associations before any packet is read.
    pub(crate) fn bind_and_import(
        config: &Config,
        drop_mode: DropMode,
        exported: Exported,
    ) -> Result<(Arc<Self>, Imported<AssocHandle>), BindError> {
        let import = |shared: &Shared| -> Imported<AssocId> {
            let all = exported.into_iter();
            all.map(|(bytes, options)| shared.import(&bytes, options))
                .collect()
        };
        let (inner, ids) = Self::bind_after(config, drop_mode, import)?;
        let handle = |id: AssocId| AssocHandle::new(Arc::clone(&inner), id);
        let handles = ids.into_iter().map(|id| id.map(handle)).collect();
        Ok((inner, handles))
    }
}

impl Shared {
    fn import(&self, exported: &[u8], options: Options) -> Result<AssocId, ImportError> {
        let options = self.carrier.fit(options, &[]);
        self.act(|state, now| state.import(now, exported, options))
    }
}

impl State {
    fn import(
        &mut self,
        now: Time,
        exported: &[u8],
        options: Options,
    ) -> Result<AssocId, ImportError> {
        if self.lifecycle != Lifecycle::Open {
            return Err(ImportError::EndpointClosed);
        }
        let options = self.keys.fit(options);
        let options = options.map_err(engine::ImportError::Option)?;
        let id = self.engine.import(now, exported, options)?;
        let stats = self.engine.assoc(id).map(|assoc| assoc.stats());
        let streams = stats.map(|stats| (stats.outbound_streams, stats.inbound_streams));
        let (outbound, inbound) = streams.unwrap_or_default();
        self.add_assoc(id, Stage::Established { outbound, inbound });
        Ok(id)
    }

    fn export(&mut self, now: Time, id: AssocId) -> Result<Vec<u8>, ExportError> {
        let exported = self.engine.export(id)?;
        self.on_end(now, id, CloseReason::Exported, Vec::new());
        Ok(exported)
    }
}

impl AssocHandle {
    pub(crate) fn export(&self) -> Result<Vec<u8>, ExportError> {
        self.shared().act(|state, now| state.export(now, self.id()))
    }
}
