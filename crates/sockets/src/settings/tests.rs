use sheave_engine::{BufferSizes, Options};

use super::{AssocSettings, SocketSettings};

#[test]
fn a_buffer_that_a_program_asks_for_is_kept() {
    let base = Options {
        buffers: BufferSizes::AUTO,
        ..Options::default()
    };
    let settings = AssocSettings::of(&base, None);
    let mut own = SocketSettings::new();
    assert_eq!(settings.options(&base, &own).buffers, BufferSizes::AUTO);
    own.send_buffer = Some(100_000);
    let options = settings.options(&base, &own);
    assert_eq!(options.buffers, BufferSizes::Fixed);
    assert_eq!(options.send_buffer, 100_000);
}
