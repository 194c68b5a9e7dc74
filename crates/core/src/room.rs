//! Asking for memory before it is needed: an allocation that fails where none may is the end of the process.

/// Bytes of a thread's stack.
pub const STACK: usize = 2 << 20;

/// Memory that nobody touches; `None` where the system does not give it.
pub(crate) fn room(bytes: usize) -> Option<Vec<u8>> {
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(bytes).ok()?;
    // Else the compiler may leave out what is never used.
    Some(std::hint::black_box(room))
}

/// Whether the system gives `bytes` of memory now; they are given back at once.
#[must_use]
pub fn has_room(bytes: usize) -> bool {
    room(bytes).is_some()
}

/// Whether there is memory for the stacks of so many threads, and for what they begin with: a thread that finds none cannot
/// say so.
#[must_use]
pub fn has_room_for_threads(threads: usize) -> bool {
    has_room(threads.saturating_mul(STACK + STACK / 8))
}
