//! What the C library's allocator does with large memory that is given back.

/// Keeps memory that is given back, for the next time. A learner asks for the same large pieces at every update; by itself the C
/// library of Linux hands them back to the system each time, which takes a fifth to two fifths of all computing.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "settings of the C library have no safe face")]
pub(crate) fn keep() {
    /// Pieces up to so many bytes come from the heap; more than this the library does not take.
    const LARGEST: libc::c_int = 32 << 20;
    /// The heap is made smaller only if so many bytes of it are free.
    const FREE: libc::c_int = 1 << 30;
    // SAFETY: both calls only set a number, under the allocator's lock; a refusal changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
        libc::mallopt(libc::M_TRIM_THRESHOLD, FREE);
    }
}

/// Nothing needs to be done elsewhere.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep() {}
