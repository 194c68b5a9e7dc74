//! Ctrl-C, and being told to end.

/// Calls `hear` at each Ctrl-C and each request to terminate. Who was started to outlive its terminal (`nohup`) does: the end
/// of that is not heard then.
#[cfg(unix)]
pub(crate) fn watch(hear: impl Fn() + Send + 'static) -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let heard =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| signal != SIGHUP || !heldout_files::ignores(signal));
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::Builder::new().spawn(move || signals.forever().for_each(|_| hear()))?;
    Ok(())
}

/// Calls `hear` at each Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn watch(hear: impl Fn() + Send + 'static) -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(hear)?)
}
