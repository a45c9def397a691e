//! Counters whose values the full library asks for.

use crate::full::{Error, Profiler};
use crate::short_text::ShortText;
use crate::CounterGraph;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::time::Duration;

type Ask = unsafe extern "C" fn(*mut c_void, *mut i64) -> c_int;

/// `geckoprof_asked_counter`.
#[repr(C)]
pub(crate) struct Description {
    size_bytes: u32,
    flags: u32,
    name: *const c_char,
    category: *const c_char,
    description: *const c_char,
    unit: *const c_char,
    color: *const c_char,
    graph: u32,
    reserved: u32,
    least_interval_ns: i64,
    ask: Ask,
    user: *mut c_void,
    release: unsafe extern "C" fn(*mut c_void),
}
#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::size_of::<Description>() == 88);

pub(crate) type Add = unsafe extern "C" fn(*const Description, *mut u64) -> c_int;
pub(crate) type Remove = unsafe extern "C" fn(u64) -> c_int;

/// What an [`AskedCounter`] shows, and how often its function is called.
///
/// ```no_run
/// use geckoprof::full::{AskedCounterOptions, Profiler};
/// let profiler = Profiler::find().expect("the full library");
/// let options = AskedCounterOptions::new("queue", "Server", "Requests in the queue");
/// let queue = options.add(&profiler, || Some(4)).unwrap();
/// drop(queue); // waits for a call that is under way
/// ```
#[derive(Clone, Debug)]
pub struct AskedCounterOptions<'a> {
    name: &'a str,
    category: &'a str,
    description: &'a str,
    unit: &'a str,
    color: &'a str,
    graph: CounterGraph,
    is_change: bool,
    least_interval: Duration,
}

impl<'a> AskedCounterOptions<'a> {
    /// The texts are those of [`crate::Counter::new`].
    pub fn new(name: &'a str, category: &'a str, description: &'a str) -> AskedCounterOptions<'a> {
        AskedCounterOptions {
            name,
            category,
            description,
            unit: "",
            color: "",
            graph: CounterGraph::ByCategory,
            is_change: false,
            least_interval: Duration::ZERO,
        }
    }
    /// "bytes", "percent", "ns", ...; "": a plain number; "W/1000": values are thousandths of W.
    #[must_use]
    pub fn unit(mut self, unit: &'a str) -> Self {
        self.unit = unit;
        self
    }
    /// blue, green, grey, ink, magenta, orange, purple, red, teal, yellow; "": by category.
    #[must_use]
    pub fn color(mut self, color: &'a str) -> Self {
        self.color = color;
        self
    }
    /// What is drawn.
    #[must_use]
    pub fn graph(mut self, graph: CounterGraph) -> Self {
        self.graph = graph;
        self
    }
    /// The function returns the change since its last call, and not the value.
    #[must_use]
    pub fn is_change(mut self, is_change: bool) -> Self {
        self.is_change = is_change;
        self
    }
    /// The least mean time between two calls, up to an hour. Zero: a call each time the sampler looks, about every 10 ms.
    #[must_use]
    pub fn least_interval(mut self, least_interval: Duration) -> Self {
        self.least_interval = least_interval;
        self
    }

    /// Adds the counter. `function` is called on a thread of the profiler, one call at a time. `None`, or a panic, means
    /// that there is no value now. The library becomes the owner of the recording, as with [`Profiler::init`].
    pub fn add<F>(&self, profiler: &Profiler, function: F) -> Result<AskedCounter, Error>
    where
        F: FnMut() -> Option<i64> + Send + 'static,
    {
        unsafe extern "C" fn ask<F: FnMut() -> Option<i64>>(user: *mut c_void, value: *mut i64) -> c_int {
            // SAFETY: `user` is the boxed function, of which one call is under way at a time. A panic must not leave it.
            let (function, value) = unsafe { (&mut *(user as *mut F), &mut *value) };
            match catch_unwind(AssertUnwindSafe(function)) {
                Ok(Some(answer)) => {
                    *value = answer;
                    1
                }
                _ => 0,
            }
        }
        unsafe extern "C" fn release<F>(user: *mut c_void) {
            // SAFETY: it is the boxed function, and this is called once.
            drop(unsafe { Box::from_raw(user as *mut F) });
        }
        let (add, remove) = profiler.asked_counter_functions()?;
        let texts = [self.name, self.category, self.description, self.unit, self.color].map(ShortText::new);
        let text = |index: usize| {
            let text: &ShortText = &texts[index];
            text.as_c_str().as_ptr()
        };
        let description = Description {
            size_bytes: std::mem::size_of::<Description>() as u32,
            flags: u32::from(self.is_change),
            name: text(0),
            category: text(1),
            description: text(2),
            unit: text(3),
            color: if self.color.is_empty() { ptr::null() } else { text(4) },
            graph: match self.graph {
                CounterGraph::ByCategory => 0,
                CounterGraph::Rate => 2,
                CounterGraph::Accumulated => 4,
            },
            reserved: 0,
            least_interval_ns: self.least_interval.as_nanos().min(i64::MAX as u128) as i64,
            ask: ask::<F>,
            user: Box::into_raw(Box::new(function)) as *mut c_void,
            release: release::<F>,
        };
        let mut id = 0;
        // SAFETY: the texts live through the call and are copied. The library releases the function in any case.
        let status = unsafe { add(&description, &mut id) };
        profiler.answer(status, &[])?;
        Ok(AskedCounter { id, remove })
    }
}

/// A counter for as long as it lives. Dropping it waits for a call that is under way, unless that call drops it.
#[derive(Debug)]
pub struct AskedCounter {
    id: u64,
    remove: Remove,
}

impl Drop for AskedCounter {
    fn drop(&mut self) {
        // SAFETY: takes a number. The library stays loaded.
        unsafe { (self.remove)(self.id) };
    }
}
