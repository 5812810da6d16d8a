//! The library's settings. Effective settings are defaults of new sockets; the others are only
//! stored. Names, ranges and initial values are usrsctp's.

use std::ffi::c_int;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, Ordering};

use sheave_sockets::Errno;

use crate::border;
use crate::host;

/// A setting.
pub(crate) struct Sysctl {
    value: AtomicU32,
    first: u32,
    range: RangeInclusive<u32>,
}

impl Sysctl {
    const fn new(first: u32, range: RangeInclusive<u32>) -> Self {
        Self {
            value: AtomicU32::new(first),
            first,
            range,
        }
    }

    pub(crate) fn get(&self) -> u32 {
        self.value.load(Ordering::Relaxed)
    }

    pub(crate) fn put(&self, value: u32) {
        self.value.store(value, Ordering::Relaxed);
    }

    /// Whether the program has changed the setting.
    pub(crate) fn is_set(&self) -> bool {
        self.get() != self.first
    }

    fn set(&self, value: u32) -> Result<(), Errno> {
        if !self.range.contains(&value) {
            return Err(Errno::EINVAL);
        }
        self.put(value);
        if let Some(host) = host::lock().as_mut() {
            host.refresh_defaults();
        }
        Ok(())
    }
}

/// A setting and the functions that read and change it.
macro_rules! setting {
    ($name:ident, $get:ident, $set:ident, $first:expr, $range:expr) => {
        pub(crate) static $name: Sysctl = Sysctl::new($first, $range);

        /// Returns the setting.
        #[unsafe(no_mangle)]
        pub extern "C" fn $get() -> u32 {
            border::call(0, || Ok($name.get()))
        }

        /// Changes the setting: 0, or -1 for a value out of its range.
        #[unsafe(no_mangle)]
        pub extern "C" fn $set(value: u32) -> c_int {
            border::status(|| $name.set(value))
        }
    };
}

macro_rules! settings {
    ($($name:ident, $get:ident, $set:ident, $first:expr, $range:expr;)+) => {
        $(setting!($name, $get, $set, $first, $range);)+

        /// Resets every setting to its initial value.
        pub(crate) fn reset() {
            $($name.put($first);)+
        }
    };
}

settings! {
    L2_ABC_VARIABLE, usrsctp_sysctl_get_sctp_L2_abc_variable, usrsctp_sysctl_set_sctp_L2_abc_variable, 2, 0..=u32::MAX;
    ABORT_IF_ONE_2_ONE_HITS_LIMIT, usrsctp_sysctl_get_sctp_abort_if_one_2_one_hits_limit, usrsctp_sysctl_set_sctp_abort_if_one_2_one_hits_limit, 0, 0..=1;
    ADD_MORE_THRESHOLD, usrsctp_sysctl_get_sctp_add_more_threshold, usrsctp_sysctl_set_sctp_add_more_threshold, 1_452, 0..=u32::MAX;
    ASCONF_ENABLE, usrsctp_sysctl_get_sctp_asconf_enable, usrsctp_sysctl_set_sctp_asconf_enable, 1, 0..=1;
    ASOC_FREE_RESC_LIMIT, usrsctp_sysctl_get_sctp_asoc_free_resc_limit, usrsctp_sysctl_set_sctp_asoc_free_resc_limit, 10, 0..=u32::MAX;
    ASSOC_RTX_MAX_DEFAULT, usrsctp_sysctl_get_sctp_assoc_rtx_max_default, usrsctp_sysctl_set_sctp_assoc_rtx_max_default, 10, 0..=u32::MAX;
    AUTH_ENABLE, usrsctp_sysctl_get_sctp_auth_enable, usrsctp_sysctl_set_sctp_auth_enable, 1, 0..=1;
    AUTO_ASCONF, usrsctp_sysctl_get_sctp_auto_asconf, usrsctp_sysctl_set_sctp_auto_asconf, 1, 0..=1;
    BLACKHOLE, usrsctp_sysctl_get_sctp_blackhole, usrsctp_sysctl_set_sctp_blackhole, 0, 0..=2;
    BUFFER_SPLITTING, usrsctp_sysctl_get_sctp_buffer_splitting, usrsctp_sysctl_set_sctp_buffer_splitting, 0, 0..=3;
    CMT_ON_OFF, usrsctp_sysctl_get_sctp_cmt_on_off, usrsctp_sysctl_set_sctp_cmt_on_off, 0, 0..=4;
    CMT_USE_DAC, usrsctp_sysctl_get_sctp_cmt_use_dac, usrsctp_sysctl_set_sctp_cmt_use_dac, 0, 0..=1;
    DEBUG_ON, usrsctp_sysctl_get_sctp_debug_on, usrsctp_sysctl_set_sctp_debug_on, 0, 0..=u32::MAX;
    DEFAULT_CC_MODULE, usrsctp_sysctl_get_sctp_default_cc_module, usrsctp_sysctl_set_sctp_default_cc_module, 0, 0..=2;
    DEFAULT_FRAG_INTERLEAVE, usrsctp_sysctl_get_sctp_default_frag_interleave, usrsctp_sysctl_set_sctp_default_frag_interleave, 1, 0..=2;
    DEFAULT_SS_MODULE, usrsctp_sysctl_get_sctp_default_ss_module, usrsctp_sysctl_set_sctp_default_ss_module, 0, 0..=5;
    DELAYED_SACK_TIME_DEFAULT, usrsctp_sysctl_get_sctp_delayed_sack_time_default, usrsctp_sysctl_set_sctp_delayed_sack_time_default, 200, 0..=u32::MAX;
    DIAG_INFO_CODE, usrsctp_sysctl_get_sctp_diag_info_code, usrsctp_sysctl_set_sctp_diag_info_code, 0, 0..=65_535;
    DO_DRAIN, usrsctp_sysctl_get_sctp_do_drain, usrsctp_sysctl_set_sctp_do_drain, 1, 0..=1;
    ECN_ENABLE, usrsctp_sysctl_get_sctp_ecn_enable, usrsctp_sysctl_set_sctp_ecn_enable, 1, 0..=1;
    ENABLE_SACK_IMMEDIATELY, usrsctp_sysctl_get_sctp_enable_sack_immediately, usrsctp_sysctl_set_sctp_enable_sack_immediately, 1, 0..=1;
    FR_MAX_BURST_DEFAULT, usrsctp_sysctl_get_sctp_fr_max_burst_default, usrsctp_sysctl_set_sctp_fr_max_burst_default, 4, 0..=u32::MAX;
    HB_MAXBURST, usrsctp_sysctl_get_sctp_hb_maxburst, usrsctp_sysctl_set_sctp_hb_maxburst, 4, 1..=u32::MAX;
    HEARTBEAT_INTERVAL_DEFAULT, usrsctp_sysctl_get_sctp_heartbeat_interval_default, usrsctp_sysctl_set_sctp_heartbeat_interval_default, 30_000, 0..=u32::MAX;
    INIT_RTO_MAX_DEFAULT, usrsctp_sysctl_get_sctp_init_rto_max_default, usrsctp_sysctl_set_sctp_init_rto_max_default, 60_000, 0..=u32::MAX;
    INIT_RTX_MAX_DEFAULT, usrsctp_sysctl_get_sctp_init_rtx_max_default, usrsctp_sysctl_set_sctp_init_rtx_max_default, 8, 0..=u32::MAX;
    INITIAL_CWND, usrsctp_sysctl_get_sctp_initial_cwnd, usrsctp_sysctl_set_sctp_initial_cwnd, 3, 0..=u32::MAX;
    INITS_INCLUDE_NAT_FRIENDLY, usrsctp_sysctl_get_sctp_inits_include_nat_friendly, usrsctp_sysctl_set_sctp_inits_include_nat_friendly, 0, 0..=1;
    LOGGING_LEVEL, usrsctp_sysctl_get_sctp_logging_level, usrsctp_sysctl_set_sctp_logging_level, 0, 0..=u32::MAX;
    MAX_BURST_DEFAULT, usrsctp_sysctl_get_sctp_max_burst_default, usrsctp_sysctl_set_sctp_max_burst_default, 4, 0..=u32::MAX;
    MAX_CHUNKS_ON_QUEUE, usrsctp_sysctl_get_sctp_max_chunks_on_queue, usrsctp_sysctl_set_sctp_max_chunks_on_queue, 512, 0..=u32::MAX;
    MAX_RETRAN_CHUNK, usrsctp_sysctl_get_sctp_max_retran_chunk, usrsctp_sysctl_set_sctp_max_retran_chunk, 30, 0..=65_535;
    MBUF_THRESHOLD_COUNT, usrsctp_sysctl_get_sctp_mbuf_threshold_count, usrsctp_sysctl_set_sctp_mbuf_threshold_count, 5, 0..=u32::MAX;
    MIN_RESIDUAL, usrsctp_sysctl_get_sctp_min_residual, usrsctp_sysctl_set_sctp_min_residual, 1_452, 20..=65_535;
    MIN_SPLIT_POINT, usrsctp_sysctl_get_sctp_min_split_point, usrsctp_sysctl_set_sctp_min_split_point, 2_904, 0..=u32::MAX;
    MOBILITY_BASE, usrsctp_sysctl_get_sctp_mobility_base, usrsctp_sysctl_set_sctp_mobility_base, 0, 0..=1;
    MOBILITY_FASTHANDOFF, usrsctp_sysctl_get_sctp_mobility_fasthandoff, usrsctp_sysctl_set_sctp_mobility_fasthandoff, 0, 0..=1;
    MULTIPLE_ASCONFS, usrsctp_sysctl_get_sctp_multiple_asconfs, usrsctp_sysctl_set_sctp_multiple_asconfs, 0, 0..=1;
    NAT_FRIENDLY, usrsctp_sysctl_get_sctp_nat_friendly, usrsctp_sysctl_set_sctp_nat_friendly, 1, 0..=1;
    NO_CSUM_ON_LOOPBACK, usrsctp_sysctl_get_sctp_no_csum_on_loopback, usrsctp_sysctl_set_sctp_no_csum_on_loopback, 1, 0..=1;
    NR_INCOMING_STREAMS_DEFAULT, usrsctp_sysctl_get_sctp_nr_incoming_streams_default, usrsctp_sysctl_set_sctp_nr_incoming_streams_default, 2_048, 1..=65_535;
    NR_OUTGOING_STREAMS_DEFAULT, usrsctp_sysctl_get_sctp_nr_outgoing_streams_default, usrsctp_sysctl_set_sctp_nr_outgoing_streams_default, 10, 1..=65_535;
    NRSACK_ENABLE, usrsctp_sysctl_get_sctp_nrsack_enable, usrsctp_sysctl_set_sctp_nrsack_enable, 0, 0..=1;
    PATH_PF_THRESHOLD, usrsctp_sysctl_get_sctp_path_pf_threshold, usrsctp_sysctl_set_sctp_path_pf_threshold, 65_535, 0..=65_535;
    PATH_RTX_MAX_DEFAULT, usrsctp_sysctl_get_sctp_path_rtx_max_default, usrsctp_sysctl_set_sctp_path_rtx_max_default, 5, 0..=u32::MAX;
    PEER_CHUNK_OH, usrsctp_sysctl_get_sctp_peer_chunk_oh, usrsctp_sysctl_set_sctp_peer_chunk_oh, 256, 0..=u32::MAX;
    PKTDROP_ENABLE, usrsctp_sysctl_get_sctp_pktdrop_enable, usrsctp_sysctl_set_sctp_pktdrop_enable, 0, 0..=1;
    PMTU_RAISE_TIME_DEFAULT, usrsctp_sysctl_get_sctp_pmtu_raise_time_default, usrsctp_sysctl_set_sctp_pmtu_raise_time_default, 600, 0..=u32::MAX;
    PR_ENABLE, usrsctp_sysctl_get_sctp_pr_enable, usrsctp_sysctl_set_sctp_pr_enable, 1, 0..=1;
    RECONFIG_ENABLE, usrsctp_sysctl_get_sctp_reconfig_enable, usrsctp_sysctl_set_sctp_reconfig_enable, 1, 0..=1;
    RECVSPACE, usrsctp_sysctl_get_sctp_recvspace, usrsctp_sysctl_set_sctp_recvspace, 131_072, 0..=u32::MAX;
    RTO_INITIAL_DEFAULT, usrsctp_sysctl_get_sctp_rto_initial_default, usrsctp_sysctl_set_sctp_rto_initial_default, 3_000, 0..=u32::MAX;
    RTO_MAX_DEFAULT, usrsctp_sysctl_get_sctp_rto_max_default, usrsctp_sysctl_set_sctp_rto_max_default, 60_000, 0..=u32::MAX;
    RTO_MIN_DEFAULT, usrsctp_sysctl_get_sctp_rto_min_default, usrsctp_sysctl_set_sctp_rto_min_default, 1_000, 0..=u32::MAX;
    RTTVAR_BW, usrsctp_sysctl_get_sctp_rttvar_bw, usrsctp_sysctl_set_sctp_rttvar_bw, 4, 0..=32;
    RTTVAR_EQRET, usrsctp_sysctl_get_sctp_rttvar_eqret, usrsctp_sysctl_set_sctp_rttvar_eqret, 0, 0..=1;
    RTTVAR_RTT, usrsctp_sysctl_get_sctp_rttvar_rtt, usrsctp_sysctl_set_sctp_rttvar_rtt, 5, 0..=32;
    SACK_FREQ_DEFAULT, usrsctp_sysctl_get_sctp_sack_freq_default, usrsctp_sysctl_set_sctp_sack_freq_default, 2, 0..=u32::MAX;
    SECRET_LIFETIME_DEFAULT, usrsctp_sysctl_get_sctp_secret_lifetime_default, usrsctp_sysctl_set_sctp_secret_lifetime_default, 3_600, 0..=u32::MAX;
    SENDALL_LIMIT, usrsctp_sysctl_get_sctp_sendall_limit, usrsctp_sysctl_set_sctp_sendall_limit, 1_432, 0..=u32::MAX;
    SENDSPACE, usrsctp_sysctl_get_sctp_sendspace, usrsctp_sysctl_set_sctp_sendspace, 262_144, 0..=u32::MAX;
    SHUTDOWN_GUARD_TIME_DEFAULT, usrsctp_sysctl_get_sctp_shutdown_guard_time_default, usrsctp_sysctl_set_sctp_shutdown_guard_time_default, 0, 0..=u32::MAX;
    STEADY_STEP, usrsctp_sysctl_get_sctp_steady_step, usrsctp_sysctl_set_sctp_steady_step, 20, 0..=65_535;
    SYSTEM_FREE_RESC_LIMIT, usrsctp_sysctl_get_sctp_system_free_resc_limit, usrsctp_sysctl_set_sctp_system_free_resc_limit, 1_000, 0..=u32::MAX;
    UDP_TUNNELING_PORT, usrsctp_sysctl_get_sctp_udp_tunneling_port, usrsctp_sysctl_set_sctp_udp_tunneling_port, 0, 0..=65_535;
    USE_CWND_BASED_MAXBURST, usrsctp_sysctl_get_sctp_use_cwnd_based_maxburst, usrsctp_sysctl_set_sctp_use_cwnd_based_maxburst, 1, 0..=1;
    USE_DCCC_ECN, usrsctp_sysctl_get_sctp_use_dccc_ecn, usrsctp_sysctl_set_sctp_use_dccc_ecn, 1, 0..=1;
    VALID_COOKIE_LIFE_DEFAULT, usrsctp_sysctl_get_sctp_valid_cookie_life_default, usrsctp_sysctl_set_sctp_valid_cookie_life_default, 60_000, 1_000..=3_600_000;
    VTAG_TIME_WAIT, usrsctp_sysctl_get_sctp_vtag_time_wait, usrsctp_sysctl_set_sctp_vtag_time_wait, 60, 0..=u32::MAX;
}

// Sizes of usrsctp's tables, which have no effect here and which another initialisation keeps.
setting!(
    HASHTBLSIZE,
    usrsctp_sysctl_get_sctp_hashtblsize,
    usrsctp_tunable_set_sctp_hashtblsize,
    1024,
    1..=u32::MAX
);
setting!(
    PCBTBLSIZE,
    usrsctp_sysctl_get_sctp_pcbtblsize,
    usrsctp_tunable_set_sctp_pcbtblsize,
    256,
    1..=u32::MAX
);
setting!(
    CHUNKSCALE,
    usrsctp_sysctl_get_sctp_chunkscale,
    usrsctp_tunable_set_sctp_chunkscale,
    10,
    1..=u32::MAX
);
