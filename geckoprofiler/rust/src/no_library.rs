//! The module `library` where nothing is instrumented: there is no library, and none is looked for.

use crate::ffi::Functions;
use std::ffi::CStr;
use std::os::raw::c_void;
use std::ptr;

/// Returns false: nothing is recorded.
#[inline(always)]
pub fn is_recording() -> bool {
    false
}

#[inline(always)]
pub(crate) fn counter_is_clock() -> bool {
    false
}

#[inline(always)]
pub(crate) fn functions() -> Option<&'static Functions> {
    None
}

/// Returns false: there is no library.
pub fn library_is_here() -> bool {
    false
}

/// Returns false: no library is loaded.
pub fn load_library(_name: &str) -> bool {
    false
}

pub(crate) fn open(_name: &CStr) -> *mut c_void {
    ptr::null_mut()
}

pub(crate) fn symbol(_handle: *mut c_void, _name: &[u8]) -> *mut c_void {
    ptr::null_mut()
}

#[inline(always)]
pub(crate) fn current_tid() -> i32 {
    0
}
