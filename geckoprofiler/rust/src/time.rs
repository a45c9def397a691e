use crate::library::{counter_is_clock, functions};

/// A moment, as cheaply as the machine tells it: for markers, not for arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub(crate) u64);

impl Time {
    /// Now; of no meaning where the library is not there.
    #[inline]
    pub fn now() -> Time {
        if counter_is_clock() {
            if let Some(ticks) = processor_ticks() {
                return Time((1 << 63) | ticks);
            }
        }
        Time::now_ns()
    }

    /// Of ns on CLOCK_MONOTONIC. What is before its beginning is its beginning.
    pub const fn from_monotonic_ns(ns: i64) -> Time {
        Time(if ns < 0 { 0 } else { ns as u64 })
    }

    #[inline]
    fn now_ns() -> Time {
        match functions().and_then(|functions| functions.now) {
            // SAFETY: it takes nothing and touches nothing of ours.
            Some(now) => Time::from_monotonic_ns(unsafe { now() }),
            None => Time(0),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn processor_ticks() -> Option<u64> {
    // SAFETY: every x86-64 processor has the instruction, and the library says that the kernel lets us use it.
    Some(unsafe { core::arch::x86_64::_rdtsc() } & !(1 << 63))
}
/// Elsewhere the library never says that times are the counter's.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn processor_ticks() -> Option<u64> {
    None
}

/// The id of something that is passed on between threads or processes: the viewer joins markers with the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow(pub(crate) u64);

impl Flow {
    /// Unique wherever the profile comes from.
    pub const fn global(id: u64) -> Flow {
        Flow(id)
    }
    /// Unique within this process only: mixed with what tells it from others.
    pub fn of_process(id: u64) -> Flow {
        match functions().and_then(|functions| functions.process_salt) {
            // SAFETY: it takes nothing and touches nothing of ours.
            Some(salt) => Flow(id ^ unsafe { salt() }),
            None => Flow(id),
        }
    }
    /// Of an object of this process, by its address.
    pub fn of_object<T: ?Sized>(object: &T) -> Flow {
        Flow::of_process(object as *const T as *const u8 as u64)
    }
}
