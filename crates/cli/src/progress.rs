//! The progress bar: on standard error, and only where somebody is looking.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over `total` pieces of work; it draws nothing unless standard error is a terminal.
pub(crate) fn bar(total: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

/// A bar over the steps of a training, with their speed and what else is told of it.
pub(crate) fn training(budget: u64, what: &str) -> ProgressBar {
    let bar = bar(budget, what);
    let template = format!("{{bar:20}} {{pos}}/{{len}} {what}, {{per_sec}}, {{msg}}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}
