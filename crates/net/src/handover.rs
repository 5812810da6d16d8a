//! Associations that leave for another endpoint, and those that come from one.

use std::sync::Arc;

use sheave_engine::{AssocId, CloseReason, ExportError, Obstacle, Time};

use crate::driver::Shared;
use crate::lifeline::{Farewell, Lifeline};
use crate::link::Link;
use crate::slot::Stage;
use crate::state::{Life, State};
use crate::{BindError, Config, ImportError, Options};

/// Exported associations, each with its options.
pub(crate) type Exported = Vec<(Vec<u8>, Options)>;

/// Which of them go on.
pub(crate) type Imported<A> = Vec<Result<A, ImportError>>;

impl Lifeline {
    /// Goes on with an association that another endpoint has exported.
    pub(crate) fn import(
        self: &Arc<Self>,
        exported: &[u8],
        options: Options,
    ) -> Result<Link, ImportError> {
        let id = self.shared.import(exported, options)?;
        Ok(Link::new(Arc::clone(self), id))
    }

    /// Binds, and goes on with these associations before a packet is looked at.
    pub(crate) fn bind_and_import(
        config: &Config,
        farewell: Farewell,
        exported: Exported,
    ) -> Result<(Arc<Self>, Imported<Link>), BindError> {
        let import = |shared: &Shared| -> Imported<AssocId> {
            let all = exported.into_iter();
            all.map(|(bytes, options)| shared.import(&bytes, options))
                .collect()
        };
        let (life, ids) = Self::bind_after(config, farewell, import)?;
        let link = |id: AssocId| Link::new(Arc::clone(&life), id);
        let links = ids.into_iter().map(|id| id.map(link)).collect();
        Ok((life, links))
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
        if self.life != Life::Open {
            return Err(ImportError::EndpointClosed);
        }
        let id = self.engine.import(now, exported, options)?;
        let stats = self.engine.assoc(id).map(|assoc| assoc.stats());
        let streams = stats.map(|stats| (stats.outbound_streams, stats.inbound_streams));
        let (outbound, inbound) = streams.unwrap_or_default();
        self.add_slot(id, Stage::Established { outbound, inbound });
        Ok(id)
    }

    fn export(&mut self, now: Time, id: AssocId) -> Result<Vec<u8>, ExportError> {
        let exported = self.engine.export(id)?;
        self.on_end(now, id, CloseReason::Exported, Vec::new());
        Ok(exported)
    }
}

impl Link {
    pub(crate) fn export(&self) -> Result<Vec<u8>, ExportError> {
        self.shared().act(|state, now| state.export(now, self.id()))
    }

    pub(crate) fn handover_obstacles(&self) -> Option<Vec<Obstacle>> {
        let mut state = self.shared().lock();
        Some(state.engine.assoc(self.id())?.handover_obstacles())
    }
}
