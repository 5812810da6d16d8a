use std::io;
use std::thread;
use std::time::Duration;

use crate::bench::network::Network;
use crate::bench::stage::{Stage, succeed};

/// Time for which the first link of a swap is dead, and time from its healing to the death of the
/// other.
const DEAD: Duration = Duration::from_millis(1500);
const HEALED: Duration = Duration::from_secs(2);

/// A way in which a link dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Packets of the near end are lost.
    There,
    /// Packets of the far end are lost.
    Back,
    /// All are lost.
    Both,
    /// The interface of the near end goes down.
    Down,
    /// All are lost; the link heals, and two seconds later the other one dies.
    Swap,
}

/// A link that is cut until this is dropped.
struct Dead<'a> {
    network: &'a Network,
    down: Option<usize>,
}

impl Cut {
    pub const ALL: [Self; 5] = [Self::There, Self::Back, Self::Both, Self::Down, Self::Swap];

    pub const fn name(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Back => "back",
            Self::Both => "both ways",
            Self::Down => "interface down",
            Self::Swap => "swap",
        }
    }

    /// Makes room for cuts at both ends of a network.
    ///
    /// # Errors
    /// What `nft` says.
    pub fn prepare(network: &Network) -> io::Result<()> {
        let room =
            "add table inet cut; add chain inet cut in { type filter hook input priority 0; }";
        for end in [&network.near, &network.far] {
            end.perform(|| nft(room))??;
        }
        Ok(())
    }

    /// Cuts a link of two, does `work` and mends the link.
    ///
    /// # Errors
    /// What `nft` or `ip` says.
    pub fn during<T>(
        self,
        network: &Network,
        link: usize,
        work: impl FnOnce() -> T,
    ) -> io::Result<T> {
        let mut dead = Dead {
            network,
            down: None,
        };
        match self {
            Self::There => dead.lose(link, &[&network.far])?,
            Self::Back => dead.lose(link, &[&network.near])?,
            Self::Both => dead.lose(link, &[&network.near, &network.far])?,
            Self::Down => {
                let down = ["link", "set", &format!("link{link}"), "down"];
                network.near.perform(|| succeed("ip", &down))??;
                dead.down = Some(link);
            }
            Self::Swap => {
                let ends = [&network.near, &network.far];
                dead.lose(link, &ends)?;
                thread::sleep(DEAD);
                dead.heal()?;
                thread::sleep(HEALED);
                dead.lose(1 - link.min(1), &ends)?;
            }
        }
        let done = work();
        dead.heal()?;
        Ok(done)
    }
}

impl Dead<'_> {
    /// Loses what these ends receive over a link, in silence.
    fn lose(&self, link: usize, ends: &[&Stage]) -> io::Result<()> {
        let rule = format!("add rule inet cut in iifname \"link{link}\" drop");
        ends.iter().try_for_each(|end| end.perform(|| nft(&rule))?)
    }

    fn heal(&mut self) -> io::Result<()> {
        for end in [&self.network.near, &self.network.far] {
            end.perform(|| nft("flush chain inet cut in"))??;
        }
        if let Some(link) = self.down.take() {
            let up = ["link", "set", &format!("link{link}"), "up"];
            self.network.near.perform(|| succeed("ip", &up))??;
        }
        Ok(())
    }
}

impl Drop for Dead<'_> {
    fn drop(&mut self) {
        // Where it fails, the next cut does too and says so.
        let _ = self.heal();
    }
}

fn nft(command: &str) -> io::Result<()> {
    succeed("nft", &[command])
}
