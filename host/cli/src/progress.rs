//! What a person sees while something takes long; nothing where nobody looks.
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often a spinner turns, or a clock goes on.
const TURN: Duration = Duration::from_millis(100);

/// A bar of `length` steps; hidden when `quiet` or when standard error is no terminal.
#[cfg(feature = "sim")]
pub fn bar(text: &'static str, length: u64, quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(length) };
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len}, {eta} left")
        .expect("the template has only known keys");
    bar.with_style(style).with_message(text)
}

/// Steps of a bar that shows a share.
const STEPS: u64 = 1000;

/// A bar of a share with a text that changes; hidden when `quiet` or when standard error is no terminal.
pub fn percent(quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(STEPS) };
    let style = ProgressStyle::with_template("[{bar:30}] {percent:>3} % {elapsed} {msg}")
        .expect("the template has only known keys");
    bar.enable_steady_tick(TURN);
    bar.with_style(style)
}

/// Shows a share between 0 and 1 on such a bar.
pub fn show(bar: &ProgressBar, done: f64, text: String) {
    bar.set_position((done * STEPS as f64).round() as u64);
    bar.set_message(text);
}

/// A line whose text changes; hidden when `quiet` or when standard error is no terminal.
pub fn line(quiet: bool) -> ProgressBar {
    if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() }
}

/// Does `work` beside a spinner; hidden when `quiet` or when standard error is no terminal.
#[cfg(feature = "sim")]
pub fn spinner<T>(text: &'static str, quiet: bool, work: impl FnOnce() -> T) -> T {
    let spinner = line(quiet).with_message(text);
    spinner.enable_steady_tick(TURN);
    let result = work();
    spinner.finish_and_clear();
    result
}
