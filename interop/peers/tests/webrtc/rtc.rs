//! Beside rtc, the stack of webrtc-rs without sockets, where `SHEAVE_RTC` is set.

use sheave_interop::webrtc::WebrtcProgram;

use crate::cases::{self, Peer, both, both_with};

const PEER: Peer = Peer {
    program: WebrtcProgram::rtc,
    takes: 256 << 10,
    sends: 256 << 10,
    max_pmtu: 1500,
};

#[test]
fn rtc_and_we_open_channels_both_ways() {
    both(&PEER, cases::channels_open_both_ways_and_echo);
}

#[test]
fn rtc_and_we_exchange_large_messages() {
    let allow =
        |config: &mut sheave_webrtc::ConnectionConfig| config.channels.max_receive_size = 16 << 20;
    both_with(
        &PEER,
        allow,
        cases::large_messages_go_as_far_as_the_ends_allow,
    );
}

#[test]
fn rtc_and_we_use_256_channels() {
    both(&PEER, cases::many_channels_work_at_a_time);
}

#[test]
fn rtc_and_we_close_channels_and_use_their_ids_again() {
    both(&PEER, cases::closed_channels_give_their_ids_back);
}

#[test]
fn rtc_and_we_tell_when_buffers_are_low() {
    both(&PEER, cases::buffered_bytes_are_told_at_both_ends);
}

#[test]
fn rtc_and_we_repair_losses() {
    both(&PEER, cases::losses_are_repaired);
}

#[test]
fn rtc_and_we_pass_a_tunnel_of_1280_bytes() {
    both(&PEER, cases::a_tunnel_of_1280_bytes_stalls_nothing);
}

#[test]
fn rtc_skips_messages_that_we_do_not_repeat() {
    both(&PEER, cases::an_unreliable_channel_goes_on_after_losses);
}
