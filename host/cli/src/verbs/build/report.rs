//! The result of a build: what `report.json` holds, what is printed, and what the picture shows.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::tools::Tool;
use crate::report::{Report, table};

/// A design built, or found built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Built {
    /// Folder of the result.
    pub folder: PathBuf,
    /// The board; `none` for a design alone.
    pub board: String,
    /// The outermost module.
    pub top: String,
    /// The FPGA: device, package and speed grade.
    pub part: String,
    /// Whether the design was placed without pins.
    pub out_of_context: bool,
    /// SHA-256 of the configuration.
    pub configuration: String,
    /// SHA-256 over everything that the result depends on.
    pub inputs: String,
    /// Whether an earlier result was found, and nothing was run.
    pub cached: bool,
    /// The programs that were run.
    pub tools: Vec<Tool>,
    /// How long they took.
    pub seconds: Seconds,
    /// Cells used and available.
    pub utilisation: Vec<Use>,
    /// The clocks of the result.
    pub clocks: Vec<Clock>,
    /// Longest paths from one clock's domain to another's.
    pub crossings: Vec<Crossing>,
    /// The seed of the result: the best of those tried.
    pub seed: u32,
    /// Every seed tried.
    pub tries: Vec<Try>,
    /// Whether every clock reaches what it must.
    pub met: bool,
    /// The bitstream; none out of context, or where timing failed.
    pub bitstream: Option<Bitstream>,
}

/// Seconds of each step; of placing and routing for all seeds together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Synthesis.
    pub synthesis: f64,
    /// Placing and routing.
    pub place_and_route: f64,
    /// Packing.
    pub pack: f64,
}

impl Seconds {
    /// All steps together.
    pub fn total(&self) -> f64 {
        self.synthesis + self.place_and_route + self.pack
    }
}

/// Cells of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// What they are.
    pub what: String,
    /// How many the design takes.
    pub used: u64,
    /// How many the part has.
    pub available: u64,
}

impl Use {
    /// Share of the part in percent.
    pub fn percent(&self) -> f64 {
        100.0 * self.used as f64 / self.available.max(1) as f64
    }
}

/// One clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Its net.
    pub name: String,
    /// The rate that it can have, in MHz.
    pub achieved_mhz: f64,
    /// The rate that it will have, in MHz.
    pub wanted_mhz: f64,
    /// Whether a constraint says so; otherwise the rate wanted is the tool's own and means nothing.
    pub has_target: bool,
    /// Whether it can.
    pub met: bool,
    /// What limits it.
    pub critical: Option<CriticalPath>,
}

impl Clock {
    /// Rate that it can have over rate that it will have.
    pub fn margin(&self) -> f64 {
        self.achieved_mhz / self.wanted_mhz
    }
}

/// The longest path within a clock's domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Cell and port where it begins.
    pub from: String,
    /// Cell and port where it ends.
    pub to: String,
    /// Its length in ns, setup included.
    pub ns: f64,
    /// What of it is wires.
    pub routing_ns: f64,
}

/// The longest path between two clocks' domains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossing {
    /// Clock of its beginning.
    pub from: String,
    /// Clock of its end.
    pub to: String,
    /// Its length in ns.
    pub ns: f64,
}

/// What one seed gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Try {
    /// The seed.
    pub seed: u32,
    /// Whether every clock reached what it must.
    pub met: bool,
    /// Every clock with the rate it can have, in MHz.
    pub clocks: Vec<(String, f64)>,
}

/// A bitstream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bitstream {
    /// Its name in the folder.
    pub file: String,
    /// Its length.
    pub octets: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}

impl Built {
    fn verdict(&self) -> String {
        let missed: Vec<&str> =
            self.clocks.iter().filter(|clock| !clock.met).map(|clock| clock.name.as_str()).collect();
        match (&self.bitstream, self.met) {
            (Some(bitstream), _) => format!(
                "All clocks meet timing. {}: {} octets.\n",
                self.folder.join(&bitstream.file).display(),
                bitstream.octets
            ),
            (None, true) => "All clocks meet timing.\n".to_owned(),
            (None, false) if self.out_of_context => format!("TIMING FAILED: {}.\n", missed.join(", ")),
            (None, false) => format!("TIMING FAILED: {}. No bitstream is written.\n", missed.join(", ")),
        }
    }

    fn clock_table(&self) -> String {
        let mut rows = vec![words(&["clock", "MHz", "wanted", "", "longest path"])];
        for clock in &self.clocks {
            let verdict = match (clock.has_target, clock.met) {
                (false, _) => "NO TARGET",
                (true, true) => "pass",
                (true, false) => "FAIL",
            };
            let path = clock.critical.as_ref().map_or_else(String::new, |path| {
                format!("{:.2} ns, {:.2} in wires: {} to {}", path.ns, path.routing_ns, path.from, path.to)
            });
            let rates = [format!("{:.2}", clock.achieved_mhz), format!("{:.2}", clock.wanted_mhz)];
            let [achieved, wanted] = rates;
            rows.push(vec![clock.name.clone(), achieved, wanted, verdict.to_owned(), path]);
        }
        table(&rows)
    }

    fn seed_table(&self) -> String {
        let mut rows = vec![words(&["seed", "", "MHz"])];
        for item in &self.tries {
            let kept = if item.seed == self.seed { "kept" } else { "" };
            let rates: Vec<String> =
                item.clocks.iter().map(|(name, mhz)| format!("{name} {mhz:.2}")).collect();
            rows.push(vec![item.seed.to_string(), kept.to_owned(), rates.join(", ")]);
        }
        table(&rows)
    }
}

impl Report for Built {
    fn text(&self) -> String {
        let mut rows = vec![words(&["uses", "of", "%", ""])];
        rows.extend(self.utilisation.iter().map(|item| {
            let (used, available) = (item.used.to_string(), item.available.to_string());
            vec![used, available, format!("{:.1}", item.percent()), item.what.clone()]
        }));
        let mut text = format!("{} on {}, seed {}", self.top, self.part, self.seed);
        text += &match self.cached {
            true => ": unchanged since it was built\n\n".to_owned(),
            false => format!(", {:.0} s\n\n", self.seconds.total()),
        };
        text += &table(&rows);
        text += &format!("\n{}", self.clock_table());
        if self.tries.len() > 1 {
            text += &format!("\n{}", self.seed_table());
        }
        text + "\n" + &self.verdict()
    }

    fn failed(&self) -> bool {
        !self.met
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A result with one clock that passes and, if wanted, one that fails.
    pub fn built(fails: bool) -> Built {
        let clock = |name: &str, achieved_mhz: f64| Clock {
            name: name.to_owned(),
            achieved_mhz,
            wanted_mhz: 125.0,
            has_target: true,
            met: achieved_mhz >= 125.0,
            critical: Some(CriticalPath {
                from: format!("{name}_a.Q"),
                to: format!("{name}_b.D"),
                ns: 1000.0 / achieved_mhz,
                routing_ns: 2.0,
            }),
        };
        let clocks = vec![clock("fast", 140.0), clock("slow", if fails { 100.0 } else { 126.0 })];
        let rates = clocks.iter().map(|clock| (clock.name.clone(), clock.achieved_mhz)).collect();
        let bitstream = Bitstream { file: "b.bit".to_owned(), octets: 1234, sha256: "00".to_owned() };
        Built {
            folder: "out".into(),
            board: "b".to_owned(),
            top: "b".to_owned(),
            part: "LFE5U-25F-6-CABGA381".to_owned(),
            out_of_context: false,
            configuration: "c".to_owned(),
            inputs: "i".to_owned(),
            cached: false,
            tools: Vec::new(),
            seconds: Seconds { synthesis: 1.0, place_and_route: 2.0, pack: 0.5 },
            utilisation: vec![Use { what: "LUT4".to_owned(), used: 6072, available: 24_288 }],
            crossings: vec![Crossing { from: "fast".to_owned(), to: "slow".to_owned(), ns: 1.5 }],
            seed: 2,
            tries: vec![
                Try { seed: 1, met: false, clocks: Vec::new() },
                Try { seed: 2, met: !fails, clocks: rates },
            ],
            met: !fails,
            bitstream: (!fails).then_some(bitstream),
            clocks,
        }
    }

    #[test]
    fn the_text_has_cells_clocks_end_points_seeds_and_the_bitstream() {
        let text = built(false).text();
        for wanted in ["25.0", "LUT4", "140.00", "pass", "slow_a.Q to slow_b.D", "kept", "out/b.bit: 1234"] {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
        assert!(!text.contains("FAIL"), "{text}");
    }

    #[test]
    fn a_clock_without_a_target_is_told() {
        let mut built = built(false);
        built.clocks[0].has_target = false;
        assert!(built.text().contains("NO TARGET"), "{}", built.text());
    }

    #[test]
    fn a_clock_that_fails_is_named_and_fails_the_report() {
        let built = built(true);
        assert!(built.failed());
        assert!(built.text().contains("TIMING FAILED: slow. No bitstream"), "{}", built.text());
    }
}
