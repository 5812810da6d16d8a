use std::io;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;

use crate::bench::network::Network;
use crate::bench::stage::{Stage, succeed};

/// For a swap: how long the first link is dead, and the time from its recovery to the other's
/// death.
const DEAD: Duration = Duration::from_millis(1500);
const HEALED: Duration = Duration::from_secs(2);

/// Kind of link failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cut {
    /// Packets from the near end are lost.
    There,
    /// Packets from the far end are lost.
    Back,
    /// Packets in both directions are lost.
    Both,
    /// The near end's interface goes down.
    Down,
    /// Packets in both directions are lost; the link recovers, and two seconds later the other dies.
    Swap,
}

/// A cut link, restored on drop.
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

    /// Prepares `nft` tables for cuts at both ends of a network.
    pub fn prepare(network: &Network) -> io::Result<()> {
        let room =
            "add table inet cut; add chain inet cut in { type filter hook input priority 0; }";
        for end in [&network.near, &network.far] {
            end.perform(|| nft(room))??;
        }
        Ok(())
    }

    /// Cuts one of two links, runs `work`, and restores the link.
    /// Errors: `nft` or `ip` failed.
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
    /// Silently drops what these ends receive over a link.
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
        // If this fails, the next cut fails as well and reports it.
        let _ = self.heal();
    }
}

fn nft(command: &str) -> io::Result<()> {
    succeed("nft", &[command])
}
