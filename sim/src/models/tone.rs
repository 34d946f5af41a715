//! The two test signals of the sampler, sample by sample, as 8-bit two's complement.

/// Entries of the sine table: one turn.
const TABLE: u32 = 1024;

/// Sample `n` of the counter: `n` modulo 256.
pub fn counter(n: u64) -> i8 {
    n as u8 as i8
}

/// Sample `n` of the tone.
///
/// The phase advances by `step` / 2^32 turns a sample; its upper ten bits choose from a table of
/// round(32767 sin), which `amplitude` (0 to 127) scales, rounded half up.
pub fn tone(n: u64, step: u32, amplitude: u8) -> i8 {
    let phase = (n as u32).wrapping_mul(step);
    let entry = phase >> 22;
    let turns = f64::from(entry) / f64::from(TABLE);
    let sine = (32767.0 * (std::f64::consts::TAU * turns).sin()).round() as i32;
    ((sine * i32::from(amplitude) + (1 << 14)) >> 15) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_begins_again_after_255() {
        let samples: Vec<i8> = [0, 1, 127, 128, 255, 256, 1 << 40].map(counter).into();
        assert_eq!(samples, [0, 1, 127, -128, -1, 0, 0]);
    }

    #[test]
    fn a_quarter_turn_a_sample_gives_zero_peak_zero_and_the_negative_peak() {
        let samples: Vec<i8> = (0..5).map(|n| tone(n, 1 << 30, 100)).collect();
        assert_eq!(samples, [0, 100, 0, -100, 0]);
    }

    #[test]
    fn the_tone_is_the_sine_to_half_a_step_and_the_width_of_a_table_entry() {
        for n in 0..5000 {
            let (step, amplitude) = (0x0123_4567, 127);
            let turns = f64::from((n as u32).wrapping_mul(step)) / 2f64.powi(32);
            let exact = f64::from(amplitude) * (std::f64::consts::TAU * turns).sin();
            let allowed = 0.51 + f64::from(amplitude) * std::f64::consts::TAU / 1024.0;
            assert!((f64::from(tone(n, step, amplitude)) - exact).abs() <= allowed, "sample {n}");
        }
    }

    #[test]
    fn the_phase_does_not_stumble_where_the_sample_number_outgrows_32_bits() {
        let border = 1u64 << 32;
        for n in 0..100 {
            assert_eq!(tone(border + n, 0x0100_0001, 90), tone(n, 0x0100_0001, 90));
        }
    }

    #[test]
    fn amplitude_zero_is_silence() {
        assert!((0..100).all(|n| tone(n, 0x1357_9bdf, 0) == 0));
    }
}
