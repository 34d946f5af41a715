//! Pictures of samples.
use plotters::prelude::*;
use rustfft::{FftPlanner, num_complex::Complex};
use std::path::{Path, PathBuf};

/// A picture could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw {path}: {cause}")]
pub struct PlotError {
    path: PathBuf,
    cause: String,
}

/// How many samples the upper panel shows.
const SHOWN: usize = 256;
/// Length of the transform of the lower panel; shorter recordings use the largest power of two that fits.
const TRANSFORM: usize = 8192;
/// Lower edge of the spectrum in decibels below full scale.
const FLOOR_DB: f64 = -100.0;
const INK: RGBColor = RGBColor(28, 78, 128);

/// Draws the first samples above their spectrum into an SVG file.
///
/// `samples` are in steps of the 8-bit converter, taken at `sample_rate` samples a second; 0 dB is
/// the power of a sine that fills the converter.
pub fn samples_and_spectrum(
    path: &Path,
    title: &str,
    samples: &[i8],
    sample_rate: f64,
) -> Result<(), PlotError> {
    draw(path, title, samples, sample_rate)
        .map_err(|cause| PlotError { path: path.to_owned(), cause: cause.to_string() })
}

fn draw(
    path: &Path,
    title: &str,
    samples: &[i8],
    sample_rate: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(path, (1100, 760)).into_drawing_area();
    area.fill(&WHITE)?;
    let area = area.titled(title, ("sans-serif", 24))?;
    let (upper, lower) = area.split_vertically(350);
    waveform(&upper, samples, sample_rate)?;
    spectrum(&lower, samples, sample_rate)?;
    area.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn waveform(area: &Area, samples: &[i8], sample_rate: f64) -> Result<(), Box<dyn std::error::Error>> {
    let shown = &samples[..samples.len().min(SHOWN)];
    let nanoseconds = |n: usize| n as f64 * 1e9 / sample_rate;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..nanoseconds(shown.len().max(1)), -130.0..130.0)?;
    chart.configure_mesh().light_line_style(WHITE).x_desc("time (ns)").y_desc("sample (LSB)").draw()?;
    let points = shown.iter().enumerate().map(|(n, &sample)| (nanoseconds(n), f64::from(sample)));
    chart.draw_series(LineSeries::new(points.clone(), INK.mix(0.5)))?;
    chart.draw_series(points.map(|point| Circle::new(point, 2, INK.filled())))?;
    Ok(())
}

fn spectrum(area: &Area, samples: &[i8], sample_rate: f64) -> Result<(), Box<dyn std::error::Error>> {
    let power = power_db(samples);
    let megahertz = |bin: usize| bin as f64 * sample_rate / (2 * power.len().max(1)) as f64 / 1e6;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..sample_rate / 2e6, FLOOR_DB..5.0)?;
    chart.configure_mesh().light_line_style(WHITE).x_desc("frequency (MHz)").y_desc("power (dBFS)").draw()?;
    chart.draw_series(LineSeries::new(
        power.iter().enumerate().map(|(bin, &db)| (megahertz(bin), db.max(FLOOR_DB))),
        INK,
    ))?;
    Ok(())
}

/// Power of each frequency bin from 0 to half the sample rate in decibels below a full-scale sine,
/// through a Hann window.
fn power_db(samples: &[i8]) -> Vec<f64> {
    let mut length = TRANSFORM;
    while length > samples.len().max(2) {
        length /= 2;
    }
    let mut bins: Vec<Complex<f64>> = samples
        .iter()
        .take(length)
        .enumerate()
        .map(|(n, &sample)| {
            let turn = std::f64::consts::TAU * n as f64 / length as f64;
            Complex::new(f64::from(sample) / 127.0 * (0.5 - 0.5 * turn.cos()), 0.0)
        })
        .collect();
    bins.resize(length, Complex::default());
    FftPlanner::new().plan_fft_forward(length).process(&mut bins);
    // The window halves the amplitude, and a real sine has half of it at the negative frequency.
    let full_scale = length as f64 / 4.0;
    bins[..length / 2].iter().map(|bin| 20.0 * (bin.norm() / full_scale).max(1e-9).log10()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_scale_sine_has_zero_decibels_at_its_frequency_and_little_elsewhere() {
        let samples: Vec<i8> = (0..TRANSFORM)
            .map(|n| (127.0 * (std::f64::consts::TAU * n as f64 * 0.125).sin()).round() as i8)
            .collect();
        let power = power_db(&samples);
        let peak = power.len() / 4;
        assert!(power[peak].abs() < 0.1, "peak {} dB", power[peak]);
        assert!(power[peak / 2] < -60.0, "off the tone {} dB", power[peak / 2]);
    }

    #[test]
    fn a_recording_too_short_for_the_transform_is_drawn_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        for length in [0, 1, 3, 100] {
            let path = folder.path().join(format!("{length}.svg"));
            samples_and_spectrum(&path, "short", &vec![5; length], 1e9).unwrap();
            assert!(std::fs::metadata(&path).unwrap().len() > 1000);
        }
    }
}
