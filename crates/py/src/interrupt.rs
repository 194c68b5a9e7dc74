//! Ctrl-C during native work that takes long.
//!
//! Python hears a signal on its main thread alone, and only where it is asked. Work on the caller's thread asks here from
//! time to time; work on other threads is waited for by a caller that asks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python is asked: often enough for people, seldom enough to cost nothing.
const EVERY: Duration = Duration::from_millis(50);

/// What a piece of native work and Python share: the first exception, which stops the work.
#[derive(Default)]
pub(crate) struct Interrupt {
    /// Whether the work is to be broken off.
    pub(crate) stop: AtomicBool,
    exception: Mutex<Option<PyErr>>,
    asked: Mutex<Option<Instant>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Interrupt {
    /// Stops the work by `exception`, unless another was first; says what it says.
    pub(crate) fn raise(&self, exception: PyErr) -> String {
        let text = exception.to_string();
        locked(&self.exception).get_or_insert(exception);
        self.stop.store(true, Ordering::Relaxed);
        text
    }

    /// `done`, unless there was an exception.
    pub(crate) fn end<T>(&self, done: T) -> PyResult<T> {
        locked(&self.exception).take().map_or(Ok(done), Err)
    }

    /// Asks Python for signals now.
    pub(crate) fn hear(&self) {
        Python::attach(|py| {
            if let Err(exception) = py.check_signals() {
                self.raise(exception);
            }
        });
    }

    /// Whether to stop; asks Python for signals where that is due.
    fn stopped(&self) -> bool {
        let mut asked = locked(&self.asked);
        let begun = asked.get_or_insert_with(Instant::now);
        if begun.elapsed() >= EVERY {
            *begun = Instant::now();
            drop(asked);
            self.hear();
        }
        self.stop.load(Ordering::Relaxed)
    }

    /// Does `work` on the caller's thread; it asks whether to stop.
    pub(crate) fn here<T: Send>(
        py: Python<'_>,
        work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send,
    ) -> PyResult<T> {
        let interrupt = Self::default();
        let done = py.detach(|| work(&|| interrupt.stopped()));
        interrupt.end(done)
    }

    /// Does `work` on another thread until it is done or sees `self.stop`; what it tells is heard on the caller's.
    pub(crate) fn elsewhere<M: Send, T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&(dyn Fn(M) + Sync)) -> T + Send,
        mut heard: impl FnMut(M) + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| {
            std::thread::scope(|scope| {
                let (tell, told) = channel();
                let working = std::thread::Builder::new()
                    .spawn_scoped(scope, move || work(&|message| drop(tell.send(message))))?;
                loop {
                    match told.recv_timeout(EVERY) {
                        Ok(message) => {
                            heard(message);
                            self.stopped();
                        }
                        Err(RecvTimeoutError::Timeout) => self.hear(),
                        Err(RecvTimeoutError::Disconnected) => break,
                    }
                }
                Ok(working.join())
            })
        });
        let done = done.map_err(|error: std::io::Error| {
            PyRuntimeError::new_err(format!("the system gives no thread to work on: {error}"))
        })?;
        self.end(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}
