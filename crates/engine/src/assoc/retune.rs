//! Changing the options of an existing association.

use alloc::sync::Arc;
use core::net::IpAddr;

use super::control::Control;
use super::tcb::{Context, Tcb};
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{Heartbeats, Options, PathError, PathTuning, Phase};

impl Tcb {
    /// Applies timers, thresholds and limits of `options`. Fields that both ends negotiated, or
    /// that shaped existing state, stay unchanged.
    pub(crate) fn retune(&mut self, cx: &Context<'_>, options: &Options) {
        let before = self.options.heartbeats;
        let own = Arc::make_mut(&mut self.options);
        own.rto_initial = options.rto_initial;
        own.rto_min = options.rto_min;
        own.rto_max = options.rto_max;
        own.rto_alpha_shift = options.rto_alpha_shift;
        own.rto_beta_shift = options.rto_beta_shift;
        own.valid_cookie_life = options.valid_cookie_life;
        own.heartbeats = options.heartbeats;
        own.hb_max_burst = options.hb_max_burst;
        own.association_max_retrans = options.association_max_retrans;
        own.path_max_retrans = options.path_max_retrans;
        own.potentially_failed_max_retrans = options.potentially_failed_max_retrans;
        own.primary_switchover_max_retrans = options.primary_switchover_max_retrans;
        own.dead_peer_timeout = options.dead_peer_timeout;
        own.max_init_retransmits = options.max_init_retransmits;
        own.sack_delay = options.sack_delay;
        own.sack_frequency = options.sack_frequency;
        own.delivery_sacks = options.delivery_sacks;
        own.coalescing = options.coalescing;
        own.max_burst = options.max_burst;
        own.max_message_size = options.max_message_size;
        if own.path_mtu_discovery.max().is_none() {
            // Paths with their own settings keep a search of their association (`PathTuning`).
            own.path_mtu_discovery = options.path_mtu_discovery;
        }
        own.dscp = options.dscp;
        own.flow_label = options.flow_label;
        self.acknowledger
            .retune(options.sack_delay, options.sack_frequency);
        self.resize_buffers(options);
        if before != options.heartbeats {
            self.restart_heartbeats(cx);
        }
    }

    /// Changes buffer sizes. The receive buffer can only grow: held data, and the window advertised
    /// to the peer, may use all of it. No change before the association is established, since the
    /// handshake advertised the current size.
    fn resize_buffers(&mut self, options: &Options) {
        if self.phase < Phase::Established {
            return;
        }
        let own = Arc::make_mut(&mut self.options);
        own.send_buffer = options.send_buffer;
        own.buffers = options.buffers;
        own.partial_delivery_point = options.partial_delivery_point;
        self.inbound
            .set_partial_delivery_point(options.partial_delivery_point);
        if options.receive_buffer <= own.receive_buffer {
            return;
        }
        own.receive_buffer = options.receive_buffer;
        self.inbound.widen(options.receive_buffer);
        if self.inbound.window_update_due() && self.phase.receives_data() {
            self.acknowledger.request_now();
        }
    }

    /// Applies the new interval to the next regular heartbeat of each idle path.
    fn restart_heartbeats(&mut self, cx: &Context<'_>) {
        for index in self.paths.indices() {
            self.restart_heartbeat(cx, index);
        }
    }

    fn restart_heartbeat(&mut self, cx: &Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        // A pending or urgent probe keeps its timer.
        if path.is_probed() || !path.is_confirmed() || path.is_potentially_failed() {
            return;
        }
        match path.heartbeats(&self.options) {
            Heartbeats::Every(interval) => {
                let due = (path.used_at + interval).max(cx.now);
                self.timers.set(Timer::Heartbeat(index), due);
            }
            Heartbeats::Off => self.timers.stop(Timer::Heartbeat(index)),
        }
    }

    /// Replaces the settings of one path.
    pub(crate) fn retune_path(
        &mut self,
        cx: &Context<'_>,
        remote: IpAddr,
        tuning: PathTuning,
    ) -> Result<(), PathError> {
        let index = self.paths.find(remote).ok_or(PathError::Unknown)?;
        let path = self.paths.get_mut(index).ok_or(PathError::Unknown)?;
        let before = path.heartbeats(&self.options);
        let probes = path.mtu_probes();
        path.tune(tuning);
        let (searches, retimed) = (path.may_search_mtu(), probes != path.mtu_probes());
        if before != path.heartbeats(&self.options) && self.phase >= Phase::Established {
            self.restart_heartbeat(cx, index);
        }
        if !searches {
            self.timers.stop(Timer::PathMtu(index));
            self.control.withdraw(index, &Control::MtuProbe);
        } else if retimed {
            self.follow_mtu_search(cx.now, index);
        }
        Ok(())
    }
}
