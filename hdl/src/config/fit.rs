//! Whether a design can be in a part at all: what is counted in the printed design against what the
//! board's file says of the part.

use super::{Config, Faults};
use crate::verilog::Needs;

/// Share of the printed flip-flops that synthesis keeps at least, in percent. It drops those whose value
/// never matters: about a tenth of `ibob` (docs/measurements.md), so that this is a cautious bound.
const KEPT_PERCENT: u64 = 75;

impl Config {
    /// Refuses a printed design that takes more than the part of the board has; without a board
    /// everything fits. What passes may still be too large: logic and routing are not counted.
    ///
    /// # Errors
    /// One fault for each kind of resource that does not suffice, at its line of the board's file.
    pub fn fit(&self, needs: Needs) -> Result<(), Faults> {
        let Some(board) = &self.board else { return Ok(()) };
        let part = &board.part;
        let top = self.top.name();
        let mut faults = board.no_faults();
        let flip_flops = needs.flip_flops / 100 * KEPT_PERCENT;
        if flip_flops > part.flip_flops {
            let wanted = format!("a part with at least {flip_flops} flip-flops for design {top:?}");
            board.add_fault(&mut faults, "part.flip_flops", wanted, part.flip_flops.to_string());
        }
        if needs.memory_bits > part.memory_bits() {
            let wanted = format!("a part with at least {} bits of RAM for design {top:?}", needs.memory_bits);
            let found = format!("{}, distributed RAM included", part.memory_bits());
            board.add_fault(&mut faults, "part.block_ram_kbit", wanted, found);
        }
        faults.into_result()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_larger_than_the_part_is_refused_at_the_line_of_the_part() {
        let config = Config::parse("board = \"colorlight_i5\"", "fit.toml").unwrap();
        let part = &config.board.as_ref().unwrap().part;
        let all = Needs { flip_flops: part.flip_flops, memory_bits: part.memory_bits() };
        config.fit(all).unwrap();
        let more = Needs { flip_flops: all.flip_flops * 3 / 2, memory_bits: all.memory_bits + 1 };
        let faults = config.fit(more).unwrap_err();
        let text: Vec<String> = faults.list().iter().map(ToString::to_string).collect();
        assert_eq!(text.len(), 2);
        for (text, key) in text.iter().zip(["flip_flops", "block_ram_kbit"]) {
            let (place, rest) = text.split_once(": ").unwrap();
            let line: usize = place.rsplit(':').next().unwrap().parse().unwrap();
            let file = include_str!("../../../constraints/colorlight_i5/board.toml");
            assert!(file.lines().nth(line - 1).unwrap().starts_with(key), "{text}");
            assert!(
                place.starts_with("constraints/colorlight_i5/board.toml") && rest.contains(key),
                "{text}"
            );
        }
        Config::parse("", "fit.toml")
            .unwrap()
            .fit(Needs { flip_flops: u64::MAX, memory_bits: u64::MAX })
            .unwrap();
    }
}
