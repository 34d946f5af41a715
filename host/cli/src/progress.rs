//! What a person sees while something takes long; nothing where nobody looks.
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often a spinner turns.
const TURN: Duration = Duration::from_millis(100);

/// A bar of `length` steps; hidden when `quiet` or when standard error is no terminal.
pub fn bar(text: &'static str, length: u64, quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(length) };
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len}, {eta} left")
        .expect("the template has only known keys");
    bar.with_style(style).with_message(text)
}

/// Does `work` beside a spinner; hidden when `quiet` or when standard error is no terminal.
pub fn spinner<T>(text: &'static str, quiet: bool, work: impl FnOnce() -> T) -> T {
    let spinner = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    let spinner = spinner.with_message(text);
    spinner.enable_steady_tick(TURN);
    let result = work();
    spinner.finish_and_clear();
    result
}
