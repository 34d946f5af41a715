//! Bitstreams from open tools: how long they take, and whether every clock reaches what it must.
use super::command::{folder, nicforge};
use super::process::{failed, measure, workspace};
use super::{Better, Error, Figure};
use std::process::Command;

/// The figures of one board.
#[derive(Debug)]
pub struct Board {
    name: &'static str,
    /// Keys: seconds of the whole build, rate of the slowest clock of each kind.
    pub keys: &'static [&'static str; 3],
}

pub const ECPIX5: Board = Board {
    name: "ecpix5",
    keys: &["build.ecpix5.seconds", "build.ecpix5.fmax_mhz.rgmii", "build.ecpix5.fmax_mhz.core"],
};
pub const COLORLIGHT_I5: Board = Board {
    name: "colorlight_i5",
    keys: &[
        "build.colorlight_i5.seconds",
        "build.colorlight_i5.fmax_mhz.rgmii",
        "build.colorlight_i5.fmax_mhz.core",
    ],
};

/// Seconds that a build may take.
const SECONDS_TARGET: f64 = 900.0;
/// Seconds after which a build is given up.
const LIMIT: u32 = 3_600;
/// Rate of the clocks of RGMII at 1 Gbit/s, in MHz (RGMII 2.0, section 3.3).
const RGMII_MHZ: f64 = 125.0;

/// The figures of `configs/ecpix5.toml`.
///
/// # Errors
/// A tool that is missing or fails.
pub fn ecpix5() -> Result<Vec<Figure>, Error> {
    build(&ECPIX5)
}

/// The figures of `configs/colorlight_i5.toml`.
///
/// # Errors
/// A tool that is missing or fails.
pub fn colorlight_i5() -> Result<Vec<Figure>, Error> {
    build(&COLORLIGHT_I5)
}

fn build(board: &Board) -> Result<Vec<Figure>, Error> {
    let (program, folder) = (nicforge()?, folder()?);
    let (out, file) = (folder.path().join("out"), format!("configs/{}.toml", board.name));
    let mut command = Command::new(program);
    command.args(["build", &file, "--output"]).arg(&out).current_dir(workspace());
    let ended = measure(&command, LIMIT);
    let path = out.join("report.json");
    // A clock that is too slow ends the command with status 1, but it is a result.
    let report = match (ended, std::fs::read_to_string(&path)) {
        (_, Ok(report)) => report,
        (Err(cause), Err(_)) => return Err(cause),
        (Ok(_), Err(cause)) => return Err(failed("read", &path)(cause)),
    };
    let report: serde_json::Value = serde_json::from_str(&report).unwrap_or_default();
    let figures = figures(board, &report).ok_or_else(|| Error::Output {
        program: "nicforge build",
        wanted: "a report with seconds and clocks",
        found: report.to_string(),
    })?;
    let running = format!("nicforge build {file} -o out");
    Ok(figures.into_iter().map(|figure| figure.running(&running)).collect())
}

/// The figures that a report gives; the slowest of the clocks that have to reach the rate of RGMII, and of the others.
fn figures(board: &Board, report: &serde_json::Value) -> Option<Vec<Figure>> {
    let seconds =
        report["seconds"].as_object()?.values().map(serde_json::Value::as_f64).sum::<Option<f64>>()?;
    let [time, rgmii, core] = *board.keys;
    let mut figures = vec![Figure::new(time, seconds, "s", Better::Lower).target(SECONDS_TARGET)];
    for (key, is_rgmii) in [(rgmii, true), (core, false)] {
        let clocks = report["clocks"].as_array()?.iter();
        let rates =
            clocks.map(|clock| Some((clock["achieved_mhz"].as_f64()?, clock["wanted_mhz"].as_f64()?)));
        let rates: Vec<(f64, f64)> = rates.collect::<Option<_>>()?;
        // Tools round a period to whole picoseconds.
        let kind = rates.iter().filter(|(_, wanted)| ((wanted - RGMII_MHZ).abs() < 0.1) == is_rgmii);
        let (achieved, wanted) = kind.min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
        figures.push(Figure::new(key, *achieved, "MHz", Better::Higher).target(*wanted));
    }
    Some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_clock_of_each_kind_is_told_against_its_own_target() {
        let clock =
            |achieved: f64, wanted: f64| serde_json::json!({"achieved_mhz": achieved, "wanted_mhz": wanted});
        let report = serde_json::json!({
            "seconds": {"synthesis": 30.0, "place_and_route": 100.5, "pack": 1.0},
            "clocks": [clock(140.0, 125.0), clock(80.0, 62.5), clock(130.0, 125.0), clock(90.0, 62.5)],
        });
        let found = figures(&ECPIX5, &report).unwrap();
        let found: Vec<(f64, f64)> =
            found.iter().map(|figure| (figure.value, figure.target.unwrap())).collect();
        assert_eq!(found, [(131.5, SECONDS_TARGET), (130.0, 125.0), (80.0, 62.5)]);
    }

    #[test]
    fn a_report_without_a_clock_of_rgmii_gives_no_figures() {
        let report = serde_json::json!({"seconds": {"pack": 1.0}, "clocks": []});
        assert!(figures(&COLORLIGHT_I5, &report).is_none());
    }
}
