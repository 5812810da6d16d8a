//! Marks instead of losses (RFC 3168, RFC 4960 Appendix A).

use sheave::Options;
use sheave::options::ExplicitCongestion;
use sheave_interop::session::{self, Load, PATIENCE};

use crate::{OURS, Over, THEIRS, options, scenario};

#[test]
fn the_kernel_and_we_hear_of_marks_and_lose_nothing() {
    scenario(|kernel| {
        // Marked in place of being dropped, where it may be.
        let _ = kernel.run("weather eth0 in loss 4% ecn");
        let _ = kernel.run("weather eth0 out loss 4% ecn");
        let endpoint = Over::Ip.bind(&OURS[..1]);
        let ours = Options {
            ecn: ExplicitCongestion::On,
            ..options()
        };
        let association = Over::Ip.call_with(ours, &endpoint, &THEIRS[..1], 7);
        let association = association.expect("the kernel answers");
        session::ping(&association, &Load::new(5000, 200, 5));
        let stats = association.stats().expect("it is open");
        assert!(stats.marks_received > 0, "{stats:?}");
        assert!(stats.mark_cuts > 0, "{stats:?}");
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let text = kernel.wait_for_line("echo", "echo ", PATIENCE);
        assert!(text.contains("messages 200 wrong 0 end shutdown"), "{text}");
    });
}
