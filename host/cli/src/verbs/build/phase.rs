//! How far a program is, read from what it says on the way.

use nicforge_hdl::outputs::flow::Stage;

/// Numbered passes of yosys's `synth_ecp5`; a few more or less from one version to the next.
const SYNTHESIS_PASSES: f64 = 53.0;
/// Where in the whole of placing and routing each part begins.
const INITIAL: f64 = 0.02;
const ANALYTIC: f64 = 0.05;
const ANNEALING: f64 = 0.2;
const ROUTING: f64 = 0.5;

/// How far one program is.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Between 0 and 1, never less than before.
    pub done: f64,
    /// What it does now.
    pub what: String,
}

/// Follows one program.
#[derive(Clone, Debug)]
pub struct Watch {
    stage: Stage,
    files: u32,
    arcs: f64,
    done: f64,
}

impl Watch {
    /// Follows the program of this stage; for synthesis of so many files.
    pub fn new(stage: Stage, files: usize) -> Self {
        Self { stage, files: u32::try_from(files).unwrap_or(u32::MAX), arcs: 0.0, done: 0.0 }
    }

    /// What a line tells, if it tells something.
    pub fn line(&mut self, line: &str) -> Option<Phase> {
        let (done, what) = match self.stage {
            Stage::Synthesis => self.synthesis(line)?,
            Stage::PlaceAndRoute => self.place_and_route(line.strip_prefix("Info:")?.trim())?,
            Stage::Pack => return None,
        };
        self.done = self.done.max(done.min(1.0));
        Some(Phase { done: self.done, what })
    }

    /// `12.34.5. Executing OPT_MERGE pass (detect identical cells).`
    fn synthesis(&self, line: &str) -> Option<(f64, String)> {
        let (number, rest) = line.split_once(". Executing ")?;
        let mut numbers = number.split('.').map(str::parse::<u32>);
        let first = numbers.next()?.ok()?;
        let what = rest.split([' ', '.', ':']).next()?.to_lowercase();
        if first <= self.files {
            let part = f64::from(first) / f64::from(self.files);
            return Some((0.05 * part, "reading Verilog".to_owned()));
        }
        let second = numbers.next().and_then(Result::ok).unwrap_or(0);
        Some((0.05 + 0.95 * f64::from(second) / SYNTHESIS_PASSES, format!("synthesis, {what}")))
    }

    fn place_and_route(&mut self, line: &str) -> Option<(f64, String)> {
        if line.starts_with("Packing ") {
            return Some((0.0, "packing".to_owned()));
        }
        if line.starts_with("at initial placer iter") {
            return Some((INITIAL, "placing, first positions".to_owned()));
        }
        if let Some(iteration) = iteration(line) {
            let annealing = line.contains("temp =");
            let (from, to) = if annealing { (ANNEALING, ROUTING) } else { (ANALYTIC, ANNEALING) };
            // The number of iterations is not known before: most designs take 15 to 25 of either kind.
            let done = from + (to - from) * (1.0 - (-iteration / 12.0).exp());
            let kind = if annealing { "refinement" } else { "iteration" };
            return Some((done, format!("placing, {kind} {iteration}")));
        }
        if let Some(arcs) = line.strip_prefix("Routing ").and_then(|rest| rest.strip_suffix(" arcs.")) {
            self.arcs = arcs.parse().ok()?;
            return Some((ROUTING, format!("routing {arcs} arcs")));
        }
        let left = arcs_left(line)?;
        let done = ROUTING + (1.0 - ROUTING) * (1.0 - left / self.arcs.max(left).max(1.0));
        Some((done, format!("routing, {left} of {} arcs left", self.arcs)))
    }
}

/// `at iteration #5: temp = ...` and `at iteration #5, type ALL: ...`
fn iteration(line: &str) -> Option<f64> {
    let rest = line.strip_prefix("at iteration #")?;
    rest.split([':', ',']).next()?.parse().ok()
}

/// `1000 |      100        899 |  100   899 |     27351|       1.83       1.83|`
fn arcs_left(line: &str) -> Option<f64> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    cells.first()?.parse::<u64>().ok()?;
    cells.get(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from builds of a design of 64 flip-flops for an LFE5U-25F.
    const YOSYS: &str = include_str!("fixtures/yosys.log");
    const NEXTPNR: &str = include_str!("fixtures/nextpnr.log");

    fn phases(stage: Stage, log: &str) -> Vec<Phase> {
        let mut watch = Watch::new(stage, 1);
        log.lines().filter_map(|line| watch.line(line)).collect()
    }

    #[test]
    fn a_recorded_synthesis_goes_from_reading_to_nearly_the_end_without_a_step_back() {
        let phases = phases(Stage::Synthesis, YOSYS);
        assert_eq!(phases[0].what, "reading Verilog");
        assert!(phases.windows(2).all(|pair| pair[0].done <= pair[1].done));
        assert!(phases.last().unwrap().done > 0.9, "{:?}", phases.last());
        assert!(phases.iter().any(|phase| phase.what == "synthesis, abc9"), "{phases:?}");
    }

    #[test]
    fn a_recorded_placement_tells_every_part_in_order() {
        let phases = phases(Stage::PlaceAndRoute, NEXTPNR);
        assert!(phases.windows(2).all(|pair| pair[0].done <= pair[1].done));
        let at = |what: &str| phases.iter().position(|phase| phase.what.starts_with(what)).expect(what);
        let order = ["packing", "placing, first", "placing, iteration", "placing, refinement", "routing"];
        assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{phases:?}");
    }

    #[test]
    fn routing_is_told_in_arcs_that_are_left() {
        let mut watch = Watch::new(Stage::PlaceAndRoute, 0);
        assert_eq!(watch.line("Info: Routing 28207 arcs.").unwrap().done, ROUTING);
        let line = "Info:       1000 |      100        899 |  100   899 |     14103|       1.83       1.83|";
        let phase = watch.line(line).unwrap();
        assert_eq!(phase.what, "routing, 14103 of 28207 arcs left");
        assert!((phase.done - 0.75).abs() < 0.001, "{phase:?}");
        assert_eq!(watch.line("Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs|"), None);
        assert_eq!(watch.line("Warning: anything"), None);
    }
}
