//! What the demo reports.
use crate::counters::Moved;
use crate::report::{Report, table};
use nicforge_sim::net::PingReport;

/// The tone that was streamed, so that anyone can compute every sample again.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Signal {
    /// `tone` or `counter`.
    pub source: &'static str,
    /// Phase step a sample, in units of 2^-32 turns.
    pub step: u32,
    /// Peak value in steps of the 8-bit sample.
    pub amplitude: u8,
    /// Frequency in Hz at `sample_rate`.
    pub frequency_hertz: f64,
    /// Samples a second.
    pub sample_rate: u64,
    /// The rule for sample number n.
    pub definition: &'static str,
}

impl Signal {
    /// The rule of the tone, in the notation of the book's page on the test source.
    pub const TONE: &'static str =
        "(round(32767 sin(2 pi i / 1024)) * amplitude + 2^14) >> 15 with i = (n * step mod 2^32) >> 22";
    /// The rule of the counter.
    pub const COUNTER: &'static str = "n modulo 256 as two's complement";
}

/// The figures of a run.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Summary {
    /// Samples that the board sent.
    pub samples_sent: u64,
    /// Samples in the recording.
    pub samples_recorded: u64,
    /// Recorded samples that differ from the reference model, or stand under a wrong time.
    pub samples_wrong: u64,
    /// Packets that the board sent.
    pub packets_sent: u64,
    /// Packets that never arrived.
    pub packets_lost: u64,
    /// Packets that arrived behind a later one.
    pub packets_reordered: u64,
    /// Echo requests sent.
    pub ping_sent: u64,
    /// Echo requests answered.
    pub ping_received: u64,
    /// The Ethernet that the board is on: `10GbE` or `1GbE`.
    pub link: &'static str,
    /// Share of it that the stream used in simulated time.
    pub wire_share: f64,
    /// Clock cycles simulated.
    pub cycles: u64,
    /// Clock cycles simulated a second of real time.
    pub cycles_per_second: f64,
    /// `tap`, `veth` or `smoltcp`.
    pub network: &'static str,
    /// What the samples are.
    pub tone: Signal,
    /// Digest of the configuration.
    pub config_digest: String,
    /// Every counter of the board that moved.
    pub counters: Moved,
    /// Where something is wrong, one sentence each; empty if all is well.
    pub faults: Vec<String>,
}

impl Summary {
    /// Enters the result of the pings.
    pub(super) fn ping(&mut self, report: &PingReport) {
        (self.ping_sent, self.ping_received) = (report.sent, report.received);
        if !report.complete() {
            let PingReport { sent, received, duplicates, errors, .. } = report;
            self.faults.push(format!(
                "of {sent} pings {received} were answered, {duplicates} twice, with {errors} errors"
            ));
        }
    }

    /// Adds the faults that the figures show.
    pub(super) fn judge(&mut self) {
        let faults = [
            (self.samples_wrong > 0, format!("{} samples are wrong", self.samples_wrong)),
            (self.packets_lost > 0, format!("{} packets are lost", self.packets_lost)),
            (
                self.samples_recorded != self.samples_sent,
                format!("{} samples were sent and {} recorded", self.samples_sent, self.samples_recorded),
            ),
        ];
        self.faults.extend(faults.into_iter().filter(|(fault, _)| *fault).map(|(_, text)| text));
    }
}

impl Report for Summary {
    fn text(&self) -> String {
        let rows = [
            ("network", self.network.to_owned()),
            ("pings answered", format!("{} of {}", self.ping_received, self.ping_sent)),
            ("packets sent", self.packets_sent.to_string()),
            ("packets lost", self.packets_lost.to_string()),
            ("packets reordered", self.packets_reordered.to_string()),
            ("samples recorded", format!("{} of {}", self.samples_recorded, self.samples_sent)),
            ("samples wrong", self.samples_wrong.to_string()),
            (
                "share of the wire",
                format!("{:.2} % of {} in simulated time", self.wire_share * 100.0, self.link),
            ),
            ("simulated", format!("{} cycles, {:.0} a second", self.cycles, self.cycles_per_second)),
        ];
        let mut text = table(&rows.map(|(name, value)| vec![name.to_owned(), value]));
        for fault in &self.faults {
            text += &format!("FAULT: {fault}\n");
        }
        text + if self.failed() { "the demo failed\n" } else { "every sample is right\n" }
    }

    fn failed(&self) -> bool {
        !self.faults.is_empty()
    }
}
