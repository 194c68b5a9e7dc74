//! What the C library's allocator does with large memory that is given back.

/// Keeps memory that is given back, for the next time. A learner asks for the same large pieces at every update; by itself the C
/// library of Linux hands them back to the system each time, which takes a fifth to two fifths of all computing; of what is larger than
/// 32 MB it does so even where it is told to keep more.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "settings of the C library have no safe face")]
pub(crate) fn keep() {
    /// Pieces that come from the system one by one, however large: where the heap cannot grow the library asks there all the same.
    const APART: libc::c_int = 0;
    /// The heap is made smaller only if so many bytes of it are free.
    const FREE: libc::c_int = 1 << 30;
    // SAFETY: both calls only set a number, under the allocator's lock; a refusal changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, APART);
        libc::mallopt(libc::M_TRIM_THRESHOLD, FREE);
    }
}

/// Nothing needs to be done elsewhere.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep() {}
