//! Whether the library is there, and how to get at it.
//!
//! ```text
//!   WORDS -> UNKNOWN (state 1)  --first look-->  the library's words, or NOTHING (state 0)
//!   TABLE -> null               ------------->   the library's functions, or null
//! ```
//! Of the fast path the first look is no part: UNKNOWN says that markers are recorded, so that the slow path finds out.

use crate::ffi::{Functions, Words};
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::Mutex;

/// GECKOPROF_BASE_FUNCTIONS_VERSION of C.
const FUNCTIONS_VERSION: u32 = 1;

const fn words(state: u32) -> Words {
    Words {
        state: AtomicU32::new(state),
        clock: AtomicU32::new(0),
    }
}
static UNKNOWN: Words = words(1);
static NOTHING: Words = words(0);

static WORDS: AtomicPtr<Words> = AtomicPtr::new(&UNKNOWN as *const Words as *mut Words);
static TABLE: AtomicPtr<Functions> = AtomicPtr::new(ptr::null_mut());
static BINDING: Mutex<()> = Mutex::new(());

/// What the library has of the table, and `None` for the rest.
struct Stored(UnsafeCell<MaybeUninit<Functions>>);
// SAFETY: it is written once, by the holder of BINDING, before TABLE points to it, and only read after that.
unsafe impl Sync for Stored {}
static STORED: Stored = Stored(UnsafeCell::new(MaybeUninit::uninit()));

type GetFunctions = unsafe extern "C" fn() -> *const Functions;

#[inline(always)]
fn current_words() -> &'static Words {
    // SAFETY: WORDS points to a static of ours, or to one of the library, which is never unloaded (it is linked with
    // -z nodelete). What is in it is read atomically.
    unsafe { &*WORDS.load(Ordering::Relaxed) }
}

/// Whether markers are recorded now: two relaxed loads and a branch. May be called anywhere, in signal handlers too.
#[inline(always)]
pub fn is_recording() -> bool {
    current_words().state.load(Ordering::Relaxed) & 1 != 0 && is_known_to_record()
}

#[inline]
fn is_known_to_record() -> bool {
    !ptr::eq(current_words(), &UNKNOWN) || look_and_ask()
}

#[cold]
#[inline(never)]
fn look_and_ask() -> bool {
    bind(None);
    current_words().state.load(Ordering::Relaxed) & 1 != 0
}

/// Whether times are the processor's counter's.
#[inline(always)]
pub(crate) fn counter_is_clock() -> bool {
    current_words().clock.load(Ordering::Relaxed) != 0
}

/// The library's functions. A load and a branch where it is known whether there are any.
#[inline(always)]
pub(crate) fn functions() -> Option<&'static Functions> {
    let table = TABLE.load(Ordering::Acquire);
    if table.is_null() {
        return missing_functions();
    }
    // SAFETY: it points to STORED, which is complete and never changes again: the load above is the acquiring one.
    Some(unsafe { &*table })
}

#[inline]
fn missing_functions() -> Option<&'static Functions> {
    if ptr::eq(current_words(), &NOTHING) || !bind(None) {
        return None;
    }
    functions()
}

/// Whether there is a library in the process. Looks for it, if nobody has yet.
pub fn library_is_here() -> bool {
    functions().is_some()
}

/// Loads the library of this name or path, unless there is one in the process already: `libbaseprofiler.so.0` where it
/// is installed. It stays loaded. False: it cannot be loaded, or is older than this crate's first release.
pub fn load_library(name: &str) -> bool {
    match CString::new(name) {
        Ok(name) => bind(Some(&name)),
        Err(_) => false,
    }
}

/// Finds the library; loads it where it has a name. May be called again: it may have come meanwhile.
fn bind(name: Option<&CStr>) -> bool {
    // A panic cannot happen while it is held; a poisoned one would be as good.
    let _holder = BINDING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !TABLE.load(Ordering::Acquire).is_null() {
        return true;
    }
    let mut found = symbol(ptr::null_mut(), SYMBOL);
    if let (true, Some(name)) = (found.is_null(), name) {
        let handle = open(name);
        if !handle.is_null() {
            found = symbol(handle, SYMBOL);
        }
    }
    take(found)
}

const SYMBOL: &[u8] = b"geckoprof_base_get_functions\0";

extern "C" {
    // They belong to libc, or to libdl. The standard library is linked with both.
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
}

/// Loads a library by its name or path, and returns its handle, or null.
pub(crate) fn open(name: &CStr) -> *mut c_void {
    // RTLD_NOW | RTLD_GLOBAL, on Linux.
    const NOW_AND_GLOBAL: c_int = 2 | 0x100;
    // SAFETY: the name is terminated. The library runs its constructors, as the caller asked for.
    unsafe { dlopen(name.as_ptr(), NOW_AND_GLOBAL) }
}

/// Returns the address of a symbol, or null. A null handle means the whole process.
pub(crate) fn symbol(handle: *mut c_void, name: &[u8]) -> *mut c_void {
    assert!(name.ends_with(b"\0"));
    // SAFETY: the name is terminated. The handle is null, or one of `open`.
    unsafe { dlsym(handle, name.as_ptr() as *const c_char) }
}

/// REQUIRES: BINDING is held.
fn take(get_functions: *mut c_void) -> bool {
    if !get_functions.is_null() {
        // SAFETY: the symbol is a function of this type, in every release; its result is a static table that begins
        // with its size and version. As many bytes are copied as both know; a None is all zeros.
        let table = unsafe {
            let get: GetFunctions = std::mem::transmute(get_functions);
            let theirs = get();
            let known = ((*theirs).size_bytes as usize).min(std::mem::size_of::<Functions>());
            if (*theirs).version != FUNCTIONS_VERSION {
                return refuse();
            }
            let ours = STORED.0.get() as *mut u8;
            ptr::write_bytes(ours, 0, std::mem::size_of::<Functions>());
            ptr::copy_nonoverlapping(theirs as *const u8, ours, known);
            ours as *mut Functions
        };
        TABLE.store(table, Ordering::Release);
        // SAFETY: it was just written.
        WORDS.store(unsafe { (*table).words } as *mut Words, Ordering::Release);
        return true;
    }
    refuse()
}

fn refuse() -> bool {
    WORDS.store(&NOTHING as *const Words as *mut Words, Ordering::Release);
    false
}

/// Looks for the library when the program, or the shared object that this is linked into, is loaded: so that no marker
/// has to. Where a linker leaves it out, the first use looks.
extern "C" fn look_at_load() {
    bind(None);
}
#[used]
#[link_section = ".init_array"]
static LOOK_AT_LOAD: extern "C" fn() = look_at_load;

/// The kernel's id of the calling thread.
pub(crate) fn current_tid() -> i32 {
    extern "C" {
        fn syscall(number: std::os::raw::c_long, ...) -> std::os::raw::c_long;
    }
    const GETTID: std::os::raw::c_long = if cfg!(target_arch = "x86_64") { 186 } else { 178 };
    // SAFETY: the call has no arguments and cannot fail.
    unsafe { syscall(GETTID) as i32 }
}
