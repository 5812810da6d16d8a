//! A plan from a seed.

mod adverse;
mod protection;
mod scale;

use super::plan::{End, Item, MAX_ARGS, Plan};
use super::random::Random;
use super::verbs;

struct Draw {
    random: Random,
    items: Vec<Item>,
    /// Number of networks that both ends have from the start.
    paths: u32,
    /// Time span of user actions, ms.
    span: u32,
}

/// Draws the plan of a seed.
pub(crate) fn draw(seed: u64) -> Plan {
    let mut draw = Draw {
        random: Random::new(seed ^ 0x5ea5_0a11),
        items: Vec::new(),
        paths: 1,
        span: 1000,
    };
    draw.world();
    let density = [60, 150, 300][draw.random.index(3)];
    draw.options(density);
    draw.network();
    draw.users();
    draw.scale(seed);
    draw.adverse(seed);
    draw.protection(seed);
    draw.bound_senders();
    Plan {
        seed,
        items: draw.items,
    }
}

/// Options with the values to draw from.
const OPTIONS: &[(&str, &[u32])] = &[
    ("rto_initial", &[10, 50, 200, 1000, 3000]),
    ("rto_min", &[10, 20, 50, 200, 1000]),
    ("rto_max", &[200, 500, 1000, 4000]),
    ("rto_shifts", &[0, 3, 5, 10, 15]),
    ("rto_gains", &[1]),
    ("max_burst", &[0, 1, 2, 8]),
    ("cookie_life", &[1000, 5000]),
    ("association_max_retrans", &[5, 8, 15]),
    ("path_max_retrans", &[0, 0, 1, 2, 3]),
    ("potentially_failed", &[0, 1, 1, 2]),
    ("switchover", &[1, 3]),
    ("max_init", &[4, 6, 12]),
    ("heartbeats", &[0, 200, 500, 1000, 10_000]),
    ("hb_max_burst", &[2, 4]),
    ("sack_delay", &[0, 10, 100, 500]),
    ("sack_frequency", &[1, 3, 7]),
    ("nagle", &[1]),
    ("congestion", &[0, 1, 2, 3, 4, 5, 6]),
    ("custom_acks", &[0, 1, 2]),
    ("dead_peer", &[0, 1000, 5000]),
    ("pacing", &[1]),
    ("standing_queue", &[1, 5, 50]),
    ("window_rules", &[0, 1, 2, 3]),
    ("missing_reports", &[1, 2, 4]),
    ("fast_retransmissions", &[1]),
    ("fast_recovery_at_timeout", &[1]),
    ("first_heartbeat", &[1]),
    ("early_data", &[0, 1, 2, 2]),
    ("sack_start", &[0, 1]),
    ("spurious_timeouts", &[0, 1]),
    ("failover", &[0, 1, 1]),
    ("delivery_sacks", &[1]),
    ("admission", &[1]),
    ("message_parts", &[1]),
    ("redundancy", &[100, 1000, 100_000]),
    ("spare_full", &[1]),
    ("scheduler", &[0, 1, 1, 2, 3, 4]),
    ("plpmtud", &[1280, 1500, 9000]),
    ("initial_pmtu", &[512, 576, 1280, 1400, 1499]),
    ("outbound_streams", &[1, 3, 16, 64]),
    ("inbound_streams", &[1, 3, 16]),
    ("send_buffer", &[1500, 3000, 8000, 30_000]),
    ("receive_buffer", &[4096, 5000, 9000, 30_000]),
    ("auto_buffers", &[20_000, 100_000]),
    ("partial_delivery", &[1, 500, 2000, 10_000]),
    ("custom_congestion", &[0, 1, 2, 3, 4, 5]),
    ("restart_ports", &[1]),
    ("adaptation", &[7]),
];

/// Options that need both ends; usually set at both, sometimes at one.
const AGREED: &[(&str, &[u32], u16)] = &[
    ("ecn", &[1], 250),
    ("rack", &[1], 350),
    ("go_back_n", &[1], 120),
    ("nr_sack", &[1], 250),
    ("chunk_checksum", &[1], 120),
    ("zero_checksum", &[0, 1], 100),
    ("packet_drop", &[1], 250),
    ("reconfiguration", &[31, 31, 31, 3, 7, 24, 0], 350),
    ("authentication", &[0, 1, 2, 3, 6, 9, 10, 11, 14], 300),
    ("partial_reliability", &[1], 450),
    ("interleaving", &[1], 350),
    ("multipath", &[0, 1, 2, 5, 10, 20, 33, 47, 61], 350),
    ("address_changes", &[0, 1, 1], 350),
];

impl Draw {
    fn pick(&mut self, choices: &[u32]) -> u32 {
        choices[self.random.index(choices.len())]
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.random.below(bound.into()) as u32
    }

    fn end(&mut self) -> End {
        End::BOTH[self.random.index(2)]
    }

    fn put(&mut self, end: End, verb: &str, numbers: &[u32]) {
        let mut args = [0; MAX_ARGS];
        args[..numbers.len()].copy_from_slice(numbers);
        let row = verbs::row(verb);
        self.items.push(Item { end, row, args });
    }

    fn world(&mut self) {
        self.paths = [1, 1, 2, 2, 2, 3, 4][self.random.index(7)];
        self.put(End::A, "paths", &[self.paths]);
        if self.random.chance(200) {
            let mask = self.pick(&[15, 14, 12, 2, 1]);
            self.put(End::A, "v6", &[mask]);
        }
        if self.random.chance(150) {
            self.put(End::A, "encapsulated", &[1]);
        }
        if self.random.chance(150) {
            self.put(End::A, "redundant", &[100]);
        }
        if self.random.chance(600) {
            let segments = self.pick(&[1, 2, 64]);
            self.put(End::A, "segments", &[segments]);
        }
        if self.random.chance(500) {
            self.put(End::A, "closer", &[1]);
        }
        if self.random.chance(60) {
            self.put(End::A, "snap", &[1]);
        }
        if self.random.chance(150) {
            let alive = self.below(self.paths);
            self.put(End::A, "heal_one", &[alive]);
        }
        for end in End::BOTH {
            if self.random.chance(80) {
                let memory = self.pick(&[40_000, 100_000, 300_000]);
                self.put(end, "memory", &[memory]);
            }
        }
    }

    fn options(&mut self, density: u16) {
        if self.random.chance(500) {
            // The default profile, 3, is drawn more often.
            let value = self.pick(&[0, 1, 2, 3, 3, 3, 3, 4]);
            for end in End::BOTH {
                if self.random.chance(850) {
                    self.put(end, "profile", &[value]);
                }
            }
        }
        for (name, values, chance) in AGREED {
            if !self.random.chance(*chance) {
                continue;
            }
            let value = self.pick(values);
            let lone = self.random.chance(150).then(|| self.end());
            for end in End::BOTH {
                if lone.is_none_or(|lone| lone == end) {
                    let other = self.random.chance(150);
                    let value = if other { self.pick(values) } else { value };
                    self.put(end, name, &[value]);
                }
            }
        }
        for (name, values) in OPTIONS {
            for end in End::BOTH {
                if self.random.chance(density) {
                    let value = self.pick(values);
                    self.put(end, name, &[value]);
                }
            }
        }
    }

    /// Drops boundless congestion controls where an end has little memory or goes back N: all that is in
    /// flight would be sent again once a round trip, or for each loss, until an RTO ends.
    fn bound_senders(&mut self) {
        if self.has("memory") || self.has("go_back_n") {
            let boundless = |item: &Item| {
                item.verb().name == "custom_congestion" && item.args[0].is_multiple_of(3)
            };
            self.items.retain(|item| !boundless(item));
        }
    }

    fn network(&mut self) {
        let lossiness = [0, 1, 2, 3][self.random.index(4)];
        let slowest = self.pick(&[1000, 20_000, 60_000]);
        for path in 0..4 {
            let mtu = self.pick(&[1500, 1500, 1500, 1400, 1280, 9000]);
            if mtu != 1500 {
                for end in End::BOTH {
                    self.put(end, "mtu", &[path, mtu]);
                }
            }
            for end in End::BOTH {
                let delay = 100 + self.below(slowest);
                self.put(end, "delay", &[path, delay]);
                if self.random.chance(300) {
                    let jitter = self.below(10_000);
                    self.put(end, "jitter", &[path, jitter]);
                }
                if self.random.chance(200) {
                    let rate = 500 + self.below(20_000);
                    self.put(end, "rate", &[path, rate]);
                }
                if self.random.chance(150) {
                    let mark = self.pick(&[20, 300]);
                    self.put(end, "mark", &[path, mark]);
                }
                if self.random.chance(150) {
                    self.put(end, "icmp", &[path, 1]);
                }
                self.impair(end, path, lossiness);
                if self.random.chance(60) {
                    let at = self.below(3000);
                    let bytes = self.pick(&[600, 1280, 1400, 1500]);
                    self.put(end, "remtu", &[path, at, bytes]);
                }
            }
            if lossiness > 0 && self.random.chance(250) {
                self.interrupt(path);
            }
        }
        if self.paths > 1 && self.random.chance(200) {
            self.swap();
        }
        if self.random.chance(300) {
            let called = self.below(self.paths);
            self.put(End::A, "called", &[called]);
        }
        // With address changes, the ends may lose their last common network.
        if !self.has("address_changes") && self.random.chance(200) {
            self.put(End::A, "routed", &[1]);
        }
    }

    fn impair(&mut self, end: End, path: u32, lossiness: u32) {
        if lossiness == 0 {
            return;
        }
        for (verb, worst) in [
            ("loss", 250),
            ("duplicate", 200),
            ("reorder", 250),
            ("corrupt", 150),
        ] {
            if self.random.chance(100 * lossiness as u16) {
                let value = self.below(worst);
                self.put(end, verb, &[path, value]);
            }
        }
        if self.random.chance(60) {
            self.put(end, "warn", &[path, 500]);
        }
    }

    /// Cuts one network after the other, occasionally both.
    fn swap(&mut self) {
        let mut at = self.below(2000);
        for turn in 0..2 + self.below(4) {
            let end = self.end();
            let span = 1 + self.below(3000);
            self.put(end, "cut", &[turn % 2, at, span]);
            at = (at + span).saturating_sub(self.below(200));
        }
    }

    fn interrupt(&mut self, path: u32) {
        let end = self.end();
        let at = self.below(3000);
        let span = self.pick(&[50, 300, 1500, 6000]);
        let span = 1 + self.below(span);
        if self.random.chance(550) {
            self.put(end, "cut", &[path, at, span]);
        } else if self.random.chance(300) {
            let (period, count) = (1 + span / 10, 1 + self.below(20));
            self.put(end, "flap", &[path, at, period, count]);
        } else {
            let largest = self.pick(&[300, 600, 1300]);
            self.put(end, "hole", &[path, at, span, largest]);
        }
    }

    fn users(&mut self) {
        self.span = [100, 300, 1500, 4000, 10_000][self.random.index(5)];
        let scale = self.pick(&[60, 300, 1400, 5000, 20_000]);
        let budget = self.pick(&[20_000, 60_000, 60_000, 250_000]);
        for end in End::BOTH {
            let mut budget = i64::from(budget);
            for _ in 0..self.random.below(14) {
                budget -= self.send(end, scale, budget);
                if budget <= 0 {
                    break;
                }
            }
        }
        let narrow = if self.has("receive_buffer") { 500 } else { 150 };
        for end in End::BOTH {
            if self.random.chance(narrow) {
                let at = self.below(self.span);
                let mode = self.pick(&[1, 1, 2]);
                self.put(end, "read", &[at, mode]);
                let wake = at + self.below(3000);
                self.put(end, "read", &[wake, 0]);
            }
        }
        for (verb, needs, chance, most) in CALLS {
            let possible = needs.is_empty() || self.has(needs);
            if possible && self.random.chance(*chance) {
                for _ in 0..=self.random.below(*most) {
                    let end = self.end();
                    self.call(end, verb);
                }
            }
        }
        self.endings();
    }

    fn has(&self, verb: &str) -> bool {
        self.items.iter().any(|item| item.verb().name == verb)
    }

    /// Adds messages from an end; returns their bytes.
    fn send(&mut self, end: End, scale: u32, budget: i64) -> i64 {
        let at = self.below(self.span);
        let count = self.pick(&[1, 1, 1, 3, 10, 30]);
        let stream = self.below(6);
        let bytes = 4 + self.below(scale);
        let most = u32::try_from(budget).unwrap_or(0) / bytes;
        let count = count.min(most.max(1));
        let mut flags = [0, 0, 0, 1, 2, 3][self.random.index(6)];
        if self.has("authentication") && self.random.chance(500) {
            // Key 0 or 1, which both ends have.
            flags += 4 * (1 + self.below(2));
        }
        let policy = self.pick(&[0, 0, 0, 1, 2, 3]);
        let limit = match policy {
            1 => self.pick(&[0, 20, 200, 1000]),
            _ => self.below(3),
        };
        self.put(
            end,
            "send",
            &[at, count, stream, bytes, flags, policy, limit],
        );
        i64::from(count) * i64::from(bytes)
    }

    fn call(&mut self, end: End, verb: &str) {
        let at = self.below(self.span + self.span / 2);
        let last = self.paths.min(3);
        let path = self.below(last + 1);
        let numbers: Vec<u32> = match verb {
            "reset" => vec![at, self.below(64), self.below(2)],
            "add_streams" => vec![at, 1 + self.below(8), self.below(2)],
            "reset_tsns" | "handover" => vec![at],
            "insert_key" => {
                let key = 2 + self.below(2);
                let wait = at + self.below(500);
                self.put(end, "activate_key", &[wait, key]);
                vec![at, key]
            }
            "set_priority" => vec![at, self.below(6), self.below(4)],
            "set_weight" => vec![at, self.below(6), 1 + self.below(9)],
            "set_scheduler" => vec![at, self.below(6)],
            "resize" => {
                let send = self.pick(&[0, 1500, 8000, 100_000]);
                vec![at, send, self.pick(&[0, 4096, 9000, 100_000])]
            }
            "activate_key" | "deactivate_key" | "delete_key" => vec![at, self.below(4)],
            "rebind" => vec![at, self.below(100)],
            "direct" => {
                let count = self.pick(&[1, 3, 10]);
                vec![at, count, self.below(6), 4 + self.below(4000), path]
            }
            "retune_path" => vec![at, path, self.below(5), self.below(5000)],
            "max_fragment" => vec![at, self.pick(&[0, 50, 100, 700, 1400])],
            "low_water" => vec![at, self.below(6), self.below(3000)],
            "icmp_told" => {
                let kind = self.pick(&[0, 0, 0, 0, 1, 1, 2, 3, 3]);
                let mtu = self.pick(&[0, 68, 576, 900, 1280, 1400, 9000]);
                vec![at, path, kind, mtu]
            }
            "jump" => vec![at, self.pick(&[1, 20, 300, 5000, 4_000_000])],
            _ => vec![at, path],
        };
        self.put(end, verb, &numbers);
    }

    fn endings(&mut self) {
        if self.random.chance(120) {
            let (end, at) = (self.end(), self.below(self.span * 2));
            let connects = u32::from(self.random.chance(800));
            self.put(end, "restart", &[at, connects]);
        }
        if self.random.chance(120) {
            let end = self.end();
            let at = self.below(200);
            self.put(end, "connect", &[at]);
        }
        if self.random.chance(120) {
            for _ in 0..=self.random.below(2) {
                let (end, at) = (self.end(), self.below(self.span * 2));
                self.put(end, "shutdown", &[at]);
            }
        }
        if self.random.chance(40) {
            let (end, at) = (self.end(), self.below(self.span * 2));
            self.put(end, "abort", &[at]);
            if self.random.chance(500) {
                let end = self.end();
                let later = at + self.below(1000);
                self.put(end, "connect", &[later]);
            }
        }
    }
}

/// Calls other than sending: the option they need, runs per thousand that have some, and their
/// maximum number.
const CALLS: &[(&str, &str, u16, u64)] = &[
    ("reset", "reconfiguration", 600, 3),
    ("reset_tsns", "reconfiguration", 250, 2),
    ("add_streams", "reconfiguration", 350, 2),
    ("add_address", "address_changes", 600, 3),
    ("delete_address", "address_changes", 600, 3),
    ("set_peer_primary", "address_changes", 300, 2),
    ("set_primary", "", 120, 2),
    ("heartbeat", "", 80, 2),
    ("insert_key", "authentication", 350, 1),
    ("activate_key", "authentication", 350, 2),
    ("deactivate_key", "authentication", 200, 1),
    ("delete_key", "authentication", 200, 1),
    ("set_scheduler", "", 120, 2),
    ("set_priority", "scheduler", 300, 3),
    ("set_weight", "scheduler", 300, 3),
    ("resize", "", 150, 3),
    ("handover", "", 150, 2),
    ("rebind", "encapsulated", 500, 2),
    ("direct", "", 120, 2),
    ("retune_path", "", 120, 3),
    ("max_fragment", "", 80, 2),
    ("low_water", "", 80, 2),
    ("icmp_told", "", 120, 2),
    ("jump", "", 100, 2),
];
