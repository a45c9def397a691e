//! The full library, where it is in the process or can be loaded: it makes profiles without a recorder.
//!
//! ```no_run
//! let profiler = geckoprof::full::Profiler::load("libgeckoprofiler.so.0").expect("the full library");
//! profiler.start(&geckoprof::Parameters::default()).unwrap();
//! // ...
//! profiler.save_profile("profile-%p.json").unwrap();
//! ```

use crate::asked_counter;
pub use crate::asked_counter::{AskedCounter, AskedCounterOptions};
use crate::control::Parameters;
use crate::ffi;
use crate::library::{self, load_library};
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;
use std::time::Duration;

/// Why the library did not do what was asked: a status of `geckoprof_full.h`, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A `geckoprof_status`.
    pub status: i32,
    /// What it means.
    pub text: String,
}
impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
impl std::error::Error for Error {}

type Plain = unsafe extern "C" fn() -> c_int;
type Start = unsafe extern "C" fn(*const ffi::StartParameters, *mut c_void) -> c_int;
type Save = unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> c_int;
type SaveWith = unsafe extern "C" fn(*const ffi::ProfileOptions, *const c_char, *mut c_char, usize) -> c_int;
type CaptureLast = unsafe extern "C" fn(f64, *const c_char, *mut c_char, usize) -> c_int;
type Get = unsafe extern "C" fn(*mut *mut c_char, *mut usize, *mut c_char, usize) -> c_int;
type VisitVariable = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);
type VisitEnvironment = unsafe extern "C" fn(Option<VisitVariable>, *mut c_void) -> c_int;

/// The full library's functions. It stays loaded.
#[derive(Clone, Copy)]
pub struct Profiler {
    init: Plain,
    shutdown: Plain,
    start: Start,
    stop: Plain,
    pause: Plain,
    resume: Plain,
    follow_children: unsafe extern "C" fn(c_int) -> c_int,
    visit_child_environment: VisitEnvironment,
    save_profile: Save,
    save_profile_with: SaveWith,
    capture_last: CaptureLast,
    get_profile: Get,
    free_profile: unsafe extern "C" fn(*mut c_char),
    status_text: unsafe extern "C" fn(c_int) -> *const c_char,
    // None: the library is older.
    add_asked_counter: Option<asked_counter::Add>,
    remove_asked_counter: Option<asked_counter::Remove>,
}

impl Profiler {
    /// The one that is in the process.
    pub fn find() -> Option<Profiler> {
        Profiler::of(ptr::null_mut())
    }

    /// Loads it by name or path, and base with it.
    pub fn load(name: &str) -> Option<Profiler> {
        let name = CString::new(name).ok()?;
        let handle = library::open(&name);
        if handle.is_null() {
            return None;
        }
        load_library("libbaseprofiler.so.0"); // it came along: markers and labels go there from now on
        Profiler::of(handle)
    }

    fn of(handle: *mut c_void) -> Option<Profiler> {
        let find = |name: &[u8]| {
            let found = library::symbol(handle, name);
            (!found.is_null()).then_some(found)
        };
        // SAFETY: each symbol is a function of the type that its field has, in every release: geckoprof_full.h and
        // geckoprof_output.h.
        unsafe {
            Some(Profiler {
                init: std::mem::transmute::<*mut c_void, Plain>(find(b"geckoprof_init\0")?),
                shutdown: std::mem::transmute::<*mut c_void, Plain>(find(b"geckoprof_shutdown\0")?),
                start: std::mem::transmute::<*mut c_void, Start>(find(b"geckoprof_start\0")?),
                stop: std::mem::transmute::<*mut c_void, Plain>(find(b"geckoprof_stop\0")?),
                pause: std::mem::transmute::<*mut c_void, Plain>(find(b"geckoprof_pause\0")?),
                resume: std::mem::transmute::<*mut c_void, Plain>(find(b"geckoprof_resume\0")?),
                follow_children: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> c_int>(find(
                    b"geckoprof_follow_children\0",
                )?),
                visit_child_environment: std::mem::transmute::<*mut c_void, VisitEnvironment>(find(
                    b"geckoprof_visit_child_environment\0",
                )?),
                save_profile: std::mem::transmute::<*mut c_void, Save>(find(b"geckoprof_save_profile\0")?),
                save_profile_with: std::mem::transmute::<*mut c_void, SaveWith>(find(
                    b"geckoprof_save_profile_with\0",
                )?),
                capture_last: std::mem::transmute::<*mut c_void, CaptureLast>(find(b"geckoprof_capture_last\0")?),
                get_profile: std::mem::transmute::<*mut c_void, Get>(find(b"geckoprof_get_profile\0")?),
                free_profile: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_char)>(find(
                    b"geckoprof_free_profile\0",
                )?),
                status_text: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> *const c_char>(find(
                    b"geckoprof_status_text\0",
                )?),
                add_asked_counter: find(b"geckoprof_add_asked_counter\0")
                    .map(|found| std::mem::transmute::<*mut c_void, asked_counter::Add>(found)),
                remove_asked_counter: find(b"geckoprof_remove_asked_counter\0")
                    .map(|found| std::mem::transmute::<*mut c_void, asked_counter::Remove>(found)),
            })
        }
    }

    pub(crate) fn asked_counter_functions(&self) -> Result<(asked_counter::Add, asked_counter::Remove), Error> {
        match (self.add_asked_counter, self.remove_asked_counter) {
            (Some(add), Some(remove)) => Ok((add, remove)),
            _ => Err(Error {
                status: 9,
                text: "the loaded library is too old to ask for counters".to_string(),
            }),
        }
    }

    pub(crate) fn answer(&self, status: c_int, detail: &[u8]) -> Result<(), Error> {
        if status <= 1 {
            return Ok(());
        }
        // SAFETY: the text is static and terminated.
        let general = unsafe { CStr::from_ptr((self.status_text)(status)) };
        let detail = detail.split(|&byte| byte == 0).next().unwrap_or_default();
        let text = if detail.is_empty() { general.to_bytes() } else { detail };
        Err(Error {
            status,
            text: String::from_utf8_lossy(text).into_owned(),
        })
    }

    /// Takes over what base recorded since the start.
    pub fn init(&self) -> Result<(), Error> {
        // SAFETY: takes nothing.
        self.answer(unsafe { (self.init)() }, &[])
    }
    /// Hands back: base records the end of the process.
    pub fn shutdown(&self) -> Result<(), Error> {
        // SAFETY: takes nothing.
        self.answer(unsafe { (self.shutdown)() }, &[])
    }
    /// Starts recording. Filters are not passed on here: set them in the environment.
    pub fn start(&self, parameters: &Parameters<'_>) -> Result<(), Error> {
        let wanted = ffi::StartParameters {
            size_bytes: std::mem::size_of::<ffi::StartParameters>() as u32,
            features: parameters.features,
            capacity_bytes: parameters.capacity_bytes,
            interval_ns: parameters.interval.as_nanos().min(i64::MAX as u128) as i64,
            duration_ns: parameters.duration.as_nanos().min(i64::MAX as u128) as i64,
            filters: ptr::null(),
            filter_count: 0,
            reserved: 0,
        };
        // SAFETY: the structure lives through the call; nobody wants to know the outcome.
        self.answer(unsafe { (self.start)(&wanted, ptr::null_mut()) }, &[])
    }
    /// Ends the recording, and discards it.
    pub fn stop(&self) -> Result<(), Error> {
        // SAFETY: takes nothing.
        self.answer(unsafe { (self.stop)() }, &[])
    }

    /// Stops both samples and markers, of this process and its children.
    pub fn pause(&self) -> Result<(), Error> {
        // SAFETY: takes nothing.
        self.answer(unsafe { (self.pause)() }, &[])
    }
    /// Ends the pause.
    pub fn resume(&self) -> Result<(), Error> {
        // SAFETY: takes nothing.
        self.answer(unsafe { (self.resume)() }, &[])
    }

    /// Says if the children of this process follow its recording. They do so at first: they start, stop and pause with
    /// it, and its profiles contain them.
    pub fn follow_children(&self, follow: bool) -> Result<(), Error> {
        // SAFETY: takes a number.
        self.answer(unsafe { (self.follow_children)(c_int::from(follow)) }, &[])
    }
    /// The variables of the environment with which a child that has base follows from its first instruction.
    pub fn child_environment(&self) -> Vec<(String, String)> {
        unsafe extern "C" fn add(user: *mut c_void, name: *const c_char, value: *const c_char) {
            // SAFETY: both texts are terminated, and `user` is the list below.
            let (name, value, list) = unsafe {
                (
                    CStr::from_ptr(name),
                    CStr::from_ptr(value),
                    &mut *(user as *mut Vec<(String, String)>),
                )
            };
            list.push((
                name.to_string_lossy().into_owned(),
                value.to_string_lossy().into_owned(),
            ));
        }
        let mut list: Vec<(String, String)> = Vec::new();
        // SAFETY: the list lives through the call.
        unsafe { (self.visit_child_environment)(Some(add), &mut list as *mut _ as *mut c_void) };
        list
    }

    fn save(
        &self,
        file_name: &str,
        call: impl FnOnce(*const c_char, *mut c_char, usize) -> c_int,
    ) -> Result<(), Error> {
        let file_name = match CString::new(file_name) {
            Ok(file_name) => file_name,
            Err(_) => return self.answer(5, &[]),
        };
        let mut detail = [0u8; 300];
        let status = call(file_name.as_ptr(), detail.as_mut_ptr() as *mut c_char, detail.len());
        self.answer(status, &detail)
    }

    /// Writes the profile of this process and its children; each "%p" of the name becomes the process's number.
    pub fn save_profile(&self, file_name: &str) -> Result<(), Error> {
        // SAFETY: the name is terminated; the text is written as far as its size says.
        self.save(file_name, |name, text, bytes| unsafe {
            (self.save_profile)(name, text, bytes)
        })
    }

    /// Does the same, and tells `progress` how far it is, from 0 to 1, and what happens. It returns false to cancel.
    pub fn save_profile_with_progress(
        &self,
        file_name: &str,
        mut progress: impl FnMut(f64, &str) -> bool,
    ) -> Result<(), Error> {
        unsafe extern "C" fn tell<F: FnMut(f64, &str) -> bool>(
            user: *mut c_void,
            fraction: f64,
            text: *const c_char,
        ) -> c_int {
            // SAFETY: `user` is the function below, and the text is terminated. A panic must not leave this function.
            let (progress, text) = unsafe { (&mut *(user as *mut F), CStr::from_ptr(text)) };
            let call = std::panic::AssertUnwindSafe(|| progress(fraction, &text.to_string_lossy()));
            c_int::from(std::panic::catch_unwind(call).unwrap_or(false))
        }
        fn teller<F: FnMut(f64, &str) -> bool>(
            _: &F,
        ) -> unsafe extern "C" fn(*mut c_void, f64, *const c_char) -> c_int {
            tell::<F>
        }
        let options = ffi::ProfileOptions {
            size_bytes: std::mem::size_of::<ffi::ProfileOptions>() as u32,
            without_children: 0,
            last_ns: 0,
            progress: Some(teller(&progress)),
            user: &mut progress as *mut _ as *mut c_void,
        };
        // SAFETY: as above, and the options live through the call.
        self.save(file_name, |name, text, bytes| unsafe {
            (self.save_profile_with)(&options, name, text, bytes)
        })
    }

    /// Writes the data of the last seconds, of this process and its children.
    pub fn capture_last(&self, last: Duration, file_name: &str) -> Result<(), Error> {
        // SAFETY: as above.
        self.save(file_name, |name, text, bytes| unsafe {
            (self.capture_last)(last.as_secs_f64(), name, text, bytes)
        })
    }

    /// The profile of this process and its children: raw Gecko JSON.
    pub fn profile(&self) -> Result<String, Error> {
        let (mut json, mut size) = (ptr::null_mut(), 0usize);
        let mut detail = [0u8; 300];
        // SAFETY: all four are written as far as their sizes say. What was given is copied, and given back once.
        unsafe {
            let status = (self.get_profile)(&mut json, &mut size, detail.as_mut_ptr() as *mut c_char, detail.len());
            self.answer(status, &detail)?;
            let bytes = std::slice::from_raw_parts(json as *const u8, size);
            let text = String::from_utf8_lossy(bytes).into_owned();
            (self.free_profile)(json);
            Ok(text)
        }
    }
}
