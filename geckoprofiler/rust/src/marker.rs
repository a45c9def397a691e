use crate::category::Category;
use crate::ffi::{self, flags};
use crate::library::{functions, is_recording};
use crate::marker_type::{MarkerType, NoPayload};
use crate::options::Options;
use crate::site::{self, Site};
use crate::time::Time;
use crate::value::Value;
use std::os::raw::c_int;
use std::ptr;
use std::sync::atomic::Ordering;

/// Why a marker was not recorded. What is dropped is counted in the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerError {
    /// Nothing is recorded, or there is no library.
    NotRecording,
    /// There is no room.
    NoRoom,
    /// It is larger than a chunk.
    TooLarge,
    /// The thread was in the middle of another marker.
    Interrupted,
    /// The type's description makes no sense ([`DeclaredType::problem`](crate::DeclaredType::problem)), or the values
    /// do not fit it.
    BadArgument,
}

fn to_result(answer: c_int) -> Result<(), MarkerError> {
    match answer {
        0 => Ok(()),
        1 => Err(MarkerError::NotRecording),
        2 => Err(MarkerError::NoRoom),
        3 => Err(MarkerError::TooLarge),
        4 => Err(MarkerError::Interrupted),
        _ => Err(MarkerError::BadArgument),
    }
}

/// Inlined into where the marker is, as all that leads here: a stack that is captured begins there.
#[inline(always)]
fn mark(site: *mut ffi::SiteHandle, options: &ffi::MarkerOptions, values: &[Value<'_>]) -> Result<(), MarkerError> {
    let mark = functions()
        .and_then(|functions| functions.mark)
        .ok_or(MarkerError::NotRecording)?;
    // SAFETY: the site is the library's own, or null, which it refuses; a Value is what the library wants, for as long
    // as it is borrowed; a name in the options lives through the call.
    to_result(unsafe { mark(site, options, values.as_ptr() as *const ffi::Value, values.len() as u32) })
}

/// For the macros.
#[doc(hidden)]
#[inline(always)]
pub fn mark_at<Type: MarkerType>(site: &Site, options: Options, payload: &Type) -> Result<(), MarkerError> {
    let handle = site.handle(Type::declared());
    payload.with_values(|values| mark(handle, &options.to_c(), values))
}

/// For the macros: an instant, now, without payload.
#[doc(hidden)]
#[inline]
pub fn mark_instant(site: &Site) {
    mark_now(site, flags::INSTANT, 0);
}

/// A marker without payload, which the library dates, and which needs no end.
#[inline]
fn mark_now(site: &Site, phase: u32, start: u64) {
    let functions = match functions() {
        Some(functions) => functions,
        None => return,
    };
    let handle = site.handle(NoPayload::declared());
    if handle.is_null() {
        if let Some(add) = functions.add_marker {
            // SAFETY: the library counts a marker without a site, and reads nothing else.
            unsafe { add(ptr::null_mut(), ptr::null(), ptr::null(), 0) };
        }
    } else if let Some(begin) = functions.begin_in_place {
        // SAFETY: the site is the library's own, and it is static.
        unsafe { begin(handle, phase | flags::NOW, start, 0, 0) };
    }
}

/// Adds a marker under any name; [`marker!`](crate::marker!) is faster where it is a literal.
///
/// ```
/// use geckoprof::{add_marker, Category, MarkerError, NoPayload, Options};
/// let name = format!("request {}", 7);
/// let added = add_marker(&name, Category::NETWORK, Options::now(), &NoPayload);
/// assert!(added.is_ok() || added == Err(MarkerError::NotRecording));
/// ```
#[inline(always)]
pub fn add_marker<Type: MarkerType>(
    name: &str,
    category: Category,
    options: Options,
    payload: &Type,
) -> Result<(), MarkerError> {
    if !is_recording() {
        return Err(MarkerError::NotRecording);
    }
    let declared = Type::declared();
    let mut site = declared.nameless.load(Ordering::Acquire);
    if site.is_null() {
        site = site::declare(ptr::null(), Category::OTHER, declared);
        declared.nameless.store(site, Ordering::Release);
    }
    let mut options = options.or_in_category(category).to_c();
    options.name = name.as_ptr() as *const std::os::raw::c_char;
    options.name_bytes = name.len() as u64;
    payload.with_values(|values| mark(site, &options, values))
}

crate::marker_type! {
    /// As that of C++ is declared.
    struct Text<'a> { "Details" [String] name: &'a str, }
    name: "Text", description: "A marker with a text",
    chart_label: "{marker.data.name}", table_label: "{marker.name} - {marker.data.name}"
}

/// Adds a marker under any name with a text, as `PROFILER_MARKER_TEXT` of C++ does.
#[inline(always)]
pub fn add_text_marker(name: &str, category: Category, options: Options, text: &str) -> Result<(), MarkerError> {
    add_marker(name, category, options, &Text { name: text })
}

/// An interval from its making to its drop. Made by [`scope!`](crate::scope!).
#[must_use = "the interval ends when this is dropped"]
pub struct Scope {
    site: &'static Site,
    start: Option<Time>, // none: nothing was recorded then
}

impl Scope {
    #[doc(hidden)]
    #[inline(always)]
    pub fn begin(site: &'static Site) -> Scope {
        Scope {
            site,
            start: if is_recording() { Some(Time::now()) } else { None },
        }
    }

    #[inline]
    fn end(&self, start: Time) {
        mark_now(self.site, flags::INTERVAL, start.0);
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(start) = self.start {
            self.end(start);
        }
    }
}
