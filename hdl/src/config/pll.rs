//! The clock generator of an RGMII shell: from the board's clock to the transmit clock and the core
//! clock, with the whole-number dividers of the ECP5's EHXPLLL (Lattice FPGA-TN-02200).

use serde::Serialize;

/// Clock of the transmit side of GMII and RGMII at 1 Gbit/s, in Hz (IEEE 802.3, clause 35.2.2.1).
pub const GMII_CLOCK_HERTZ: u64 = 125_000_000;

/// Frequencies that the oscillator inside can have, in Hz.
const OSCILLATOR: std::ops::RangeInclusive<u64> = 400_000_000..=800_000_000;
/// Frequencies that the phase detector takes, in Hz.
const DETECTOR: std::ops::RangeInclusive<u64> = 10_000_000..=400_000_000;
/// Largest value of each divider.
const LARGEST_DIVIDER: u64 = 128;

/// Settings of an EHXPLLL whose feedback comes from its first output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pll {
    /// From the input to the phase detector: `CLKI_DIV`.
    pub input_divider: u64,
    /// From the first output to the phase detector: `CLKFB_DIV`.
    pub feedback_divider: u64,
    /// From the oscillator to the transmit clock, the first output: `CLKOP_DIV`.
    pub transmit_divider: u64,
    /// From the oscillator to the core clock, the second output: `CLKOS_DIV`.
    pub core_divider: u64,
}

impl Pll {
    /// Settings that make exactly [`GMII_CLOCK_HERTZ`] and `core` from `input` (both in Hz), with the
    /// smallest input divider, then the slowest oscillator; `None` where no settings do.
    pub fn find(input: u64, core: u64) -> Option<Self> {
        for input_divider in (1..=LARGEST_DIVIDER).take_while(|divider| input / divider >= *DETECTOR.start())
        {
            let times = GMII_CLOCK_HERTZ * input_divider;
            let whole = times.is_multiple_of(input) && DETECTOR.contains(&(input / input_divider));
            let feedback_divider = times / input;
            if !whole || !(1..=LARGEST_DIVIDER).contains(&feedback_divider) {
                continue;
            }
            let slowest = OSCILLATOR.start().div_ceil(GMII_CLOCK_HERTZ);
            for transmit_divider in slowest..=OSCILLATOR.end() / GMII_CLOCK_HERTZ {
                let oscillator = GMII_CLOCK_HERTZ * transmit_divider;
                let core_divider = oscillator / core;
                if oscillator.is_multiple_of(core) && (1..=LARGEST_DIVIDER).contains(&core_divider) {
                    return Some(Self { input_divider, feedback_divider, transmit_divider, core_divider });
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_of_common_boards_reach_both_frequencies_exactly() {
        for input in [12_500_000, 25_000_000, 50_000_000, 100_000_000, 125_000_000, 200_000_000] {
            for core in [62_500_000, 50_000_000, 125_000_000] {
                let pll = Pll::find(input, core).unwrap_or_else(|| panic!("{core} Hz from {input} Hz"));
                let transmit = input * pll.feedback_divider / pll.input_divider;
                assert_eq!(transmit, GMII_CLOCK_HERTZ);
                let oscillator = transmit * pll.transmit_divider;
                assert!(OSCILLATOR.contains(&oscillator) && DETECTOR.contains(&(input / pll.input_divider)));
                assert_eq!(oscillator, core * pll.core_divider);
            }
        }
    }

    #[test]
    fn what_no_divider_reaches_is_refused() {
        assert_eq!(Pll::find(33_333_333, 62_500_000), None);
        assert_eq!(Pll::find(25_000_000, 70_000_000), None);
        assert_eq!(Pll::find(8_000_000, 62_500_000), None, "the phase detector needs 10 MHz");
    }
}
