//! What nextpnr-ecp5 reports of a placed and routed design (`--report`).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::error::{Error, file};
use super::report::{Clock, CriticalPath, Crossing, Use};

/// The report, as far as it is read.
#[derive(Clone, Debug, Deserialize)]
pub struct Placed {
    fmax: BTreeMap<String, Fmax>,
    critical_paths: Vec<Route>,
    utilization: BTreeMap<String, Cells>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Fmax {
    achieved: f64,
    constraint: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Route {
    from: String,
    to: String,
    path: Vec<Part>,
}

/// A cell or a wire on a path; delays in ns.
#[derive(Clone, Debug, Deserialize)]
struct Part {
    delay: f64,
    from: End,
    to: End,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Clone, Debug, Deserialize)]
struct End {
    cell: String,
    port: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Cells {
    used: u64,
    available: u64,
}

/// What nextpnr-ecp5 asks of a clock that no constraint speaks of, in MHz: to reach it says nothing.
const NO_TARGET_MHZ: f64 = 12.0;

/// The cells that are shown, and what people call them.
const SHOWN: &[(&str, &str)] = &[
    ("TRELLIS_COMB", "LUT4"),
    ("TRELLIS_FF", "flip-flop"),
    ("DP16KD", "block RAM, 18 kbit"),
    ("TRELLIS_RAMW", "RAM of LUTs, 64 bit"),
    ("MULT18X18D", "multiplier"),
    ("EHXPLLL", "PLL"),
    ("DCCA", "global clock"),
    ("TRELLIS_IO", "pin"),
];

impl Placed {
    /// Reads the report's file.
    ///
    /// # Errors
    /// When it cannot be read, or is no such report.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(file("read", path))?;
        serde_json::from_str(&text)
            .map_err(|cause| Error::Report { path: path.to_owned(), found: cause.to_string() })
    }

    /// Used and available cells.
    pub fn utilisation(&self) -> Vec<Use> {
        let found = |&(cell, what): &(&str, &str)| {
            let cells = self.utilization.get(cell)?;
            Some(Use { what: what.to_owned(), used: cells.used, available: cells.available })
        };
        SHOWN.iter().filter_map(found).collect()
    }

    /// Every clock that something depends on, by name.
    pub fn clocks(&self) -> Vec<Clock> {
        let clock = |(net, fmax): (&String, &Fmax)| Clock {
            name: plain(net),
            achieved_mhz: fmax.achieved,
            wanted_mhz: fmax.constraint,
            has_target: fmax.constraint != NO_TARGET_MHZ,
            met: fmax.constraint != NO_TARGET_MHZ && fmax.achieved >= fmax.constraint,
            critical: self.critical(net),
        };
        let mut clocks: Vec<Clock> = self.fmax.iter().map(clock).collect();
        clocks.sort_by(|a, b| a.name.cmp(&b.name));
        clocks
    }

    /// The longest path within one clock's domain.
    fn critical(&self, net: &str) -> Option<CriticalPath> {
        let within = |path: &&Route| domain(&path.from) == net && domain(&path.to) == net;
        let delay = |path: &Route| path.path.iter().map(|part| part.delay).sum::<f64>();
        let path = self.critical_paths.iter().filter(within).max_by(|a, b| delay(a).total_cmp(&delay(b)))?;
        let routing = path.path.iter().filter(|part| part.kind == "routing").map(|part| part.delay).sum();
        let (first, last) = (&path.path.first()?.from, &path.path.last()?.to);
        Some(CriticalPath {
            from: format!("{}.{}", first.cell, first.port),
            to: format!("{}.{}", last.cell, last.port),
            ns: delay(path),
            routing_ns: routing,
        })
    }

    /// The longest path from each clock's domain into another's.
    pub fn crossings(&self) -> Vec<Crossing> {
        let clock = |end: &str| self.fmax.contains_key(domain(end)) || end.contains("edge ");
        let between =
            |path: &&Route| clock(&path.from) && clock(&path.to) && domain(&path.from) != domain(&path.to);
        let crossing = |path: &Route| Crossing {
            from: plain(domain(&path.from)),
            to: plain(domain(&path.to)),
            ns: path.path.iter().map(|part| part.delay).sum(),
        };
        self.critical_paths.iter().filter(between).map(crossing).collect()
    }
}

/// The clock net of `posedge NET`.
fn domain(end: &str) -> &str {
    end.split_once(' ').map_or(end, |(_, net)| net)
}

/// The name of a net without what nextpnr puts around it.
fn plain(net: &str) -> String {
    let net = net.strip_prefix("$glbnet$").unwrap_or(net);
    net.strip_suffix("$TRELLIS_IO_IN").unwrap_or(net).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MET: &str = include_str!("fixtures/met.json");
    const MISSED: &str = include_str!("fixtures/missed.json");

    fn placed(text: &str) -> Placed {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_recorded_report_gives_clock_target_and_end_points() {
        let clocks = placed(MET).clocks();
        let clock = &clocks[0];
        assert_eq!((clocks.len(), clock.name.as_str(), clock.met), (1, "clk_in", true));
        assert!((clock.wanted_mhz - 25.0).abs() < 0.01 && clock.achieved_mhz > 100.0, "{clock:?}");
        let path = clock.critical.as_ref().unwrap();
        assert!(path.from == "count_TRELLIS_FF_Q_22.Q" && path.to == "led_TRELLIS_FF_Q.DI", "{path:?}");
        assert!(path.routing_ns > 0.0 && path.routing_ns < path.ns, "{path:?}");
        // Setup of the last flip-flop included, the longest path is the period that the clock can have.
        assert!((1000.0 / path.ns - clock.achieved_mhz).abs() < 0.01 * clock.achieved_mhz, "{clock:?}");
    }

    #[test]
    fn a_clock_below_its_target_has_not_met_it() {
        let clocks = placed(MISSED).clocks();
        assert!(!clocks[0].met && clocks[0].wanted_mhz > clocks[0].achieved_mhz, "{clocks:?}");
    }

    #[test]
    fn a_clock_that_no_constraint_speaks_of_has_not_met_anything() {
        let forgotten = MET.replace("\"constraint\": 25", "\"constraint\": 12");
        let clock = &placed(&forgotten).clocks()[0];
        assert!(!clock.has_target && !clock.met && clock.achieved_mhz > 100.0, "{clock:?}");
    }

    #[test]
    fn cells_are_counted_against_the_part() {
        let uses = placed(MET).utilisation();
        let find = |what: &str| uses.iter().find(|item| item.what == what).unwrap();
        assert_eq!(find("LUT4").available, 24_288);
        assert_eq!((find("flip-flop").used, find("pin").used), (24, 2));
    }

    #[test]
    fn another_file_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("place.json");
        std::fs::write(&path, "{}").unwrap();
        let error = Placed::read(&path).unwrap_err().to_string();
        assert!(error.contains("place.json") && error.contains("fmax"), "{error}");
    }

    #[test]
    fn nets_lose_what_the_tool_puts_around_them() {
        assert_eq!(plain("$glbnet$clk_in$TRELLIS_IO_IN"), "clk_in");
        assert_eq!(plain("core.clk"), "core.clk");
        assert_eq!(domain("posedge $glbnet$clk"), "$glbnet$clk");
    }
}
