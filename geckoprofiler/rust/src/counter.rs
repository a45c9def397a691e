use crate::ffi;
use crate::library::functions;
use crate::short_text::ShortText;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What is drawn of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterGraph {
    /// The value for category "Memory", else how fast it changes.
    ByCategory,
    /// How fast it changes.
    Rate,
    /// Its value.
    Accumulated,
}

/// A number of the program's, as a graph: `static CACHE: Counter = Counter::new("cache", "Memory", "Bytes cached")`.
///
/// It belongs to the process, not to a recording: what is added before the first use of it that finds the library is
/// not counted. Read once a tick while samples are taken. Adding is signal safe once it was used.
///
/// ```
/// use geckoprof::{Counter, CounterGraph};
/// static CACHE: Counter = Counter::new("cache", "Memory", "Bytes cached").unit("bytes");
/// static REQUESTS: Counter = Counter::new("requests", "Bandwidth", "Requests").graph(CounterGraph::Rate);
/// CACHE.add(4096);
/// CACHE.add(-4096);
/// REQUESTS.add(1);
/// ```
pub struct Counter {
    name: &'static str,
    category: &'static str,
    description: &'static str,
    unit: &'static str,
    color: &'static str,
    graph: CounterGraph,
    // Null: not made yet, or there is no library. refused(): there will be none.
    cell: AtomicPtr<ffi::CounterCell>,
}

fn refused() -> *mut ffi::CounterCell {
    std::mem::align_of::<ffi::CounterCell>() as *mut ffi::CounterCell
}

impl Counter {
    /// The viewer knows the categories "Memory", "Bandwidth", "power" and "CPU"; any other will do.
    pub const fn new(name: &'static str, category: &'static str, description: &'static str) -> Counter {
        Counter {
            name,
            category,
            description,
            unit: "",
            color: "",
            graph: CounterGraph::ByCategory,
            cell: AtomicPtr::new(ptr::null_mut()),
        }
    }
    /// "bytes", "percent", "ns", ...; "": a plain number.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Counter {
        self.unit = unit;
        self
    }
    /// blue, green, grey, ink, magenta, orange, purple, red, teal, yellow; "": by category.
    #[must_use]
    pub const fn color(mut self, color: &'static str) -> Counter {
        self.color = color;
        self
    }
    /// What is drawn.
    #[must_use]
    pub const fn graph(mut self, graph: CounterGraph) -> Counter {
        self.graph = graph;
        self
    }

    /// Counts one operation of `delta`.
    #[inline]
    pub fn add(&self, delta: i64) {
        if let Some(cell) = self.cell() {
            cell.count.fetch_add(delta, Ordering::Relaxed);
            cell.number.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Makes `value` its value: for levels that are known from elsewhere.
    #[inline]
    pub fn set(&self, value: i64) {
        if let Some(cell) = self.cell() {
            cell.count.store(value, Ordering::Relaxed);
            cell.number.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn cell(&self) -> Option<&ffi::CounterCell> {
        let cell = self.cell.load(Ordering::Acquire);
        if cell.is_null() || cell == refused() {
            return if cell.is_null() { self.make() } else { None };
        }
        // SAFETY: the library gave it; its memory stays mapped for ever, also after it was destroyed.
        Some(unsafe { &*cell })
    }

    /// Without a library: a load and a branch.
    fn make(&self) -> Option<&ffi::CounterCell> {
        let create = functions()?.counter_create_once?;
        self.make_by(create)
    }

    #[cold]
    fn make_by(
        &self,
        create: unsafe extern "C" fn(
            *mut *mut ffi::CounterCell,
            *const ffi::CounterDescription,
        ) -> *mut ffi::CounterCell,
    ) -> Option<&ffi::CounterCell> {
        const HAS_NUMBER: u32 = 1;
        let graph = match self.graph {
            CounterGraph::ByCategory => 0,
            CounterGraph::Rate => 2,
            CounterGraph::Accumulated => 4,
        };
        let texts = [self.name, self.category, self.description, self.unit, self.color].map(ShortText::new);
        let text = |index: usize| {
            let text: &ShortText = &texts[index];
            text.as_c_str().as_ptr()
        };
        let description = ffi::CounterDescription {
            size_bytes: std::mem::size_of::<ffi::CounterDescription>() as u32,
            flags: HAS_NUMBER | graph,
            name: text(0),
            category: text(1),
            description: text(2),
            unit: text(3),
            color: if self.color.is_empty() { ptr::null() } else { text(4) },
        };
        // SAFETY: the place is read and written atomically, by us and by the library, and outlives the call; the texts
        // are terminated, live through it, and are copied.
        let cell = unsafe { create(self.cell.as_mut_ptr_for_library(), &description) };
        if cell.is_null() {
            let _ = self
                .cell
                .compare_exchange(ptr::null_mut(), refused(), Ordering::AcqRel, Ordering::Acquire);
            return None;
        }
        // SAFETY: as in cell().
        (cell != refused()).then(|| unsafe { &*cell })
    }
}

/// `AtomicPtr::as_ptr` is not stable in the oldest compiler that this is for.
trait AsPlace<T> {
    fn as_mut_ptr_for_library(&self) -> *mut *mut T;
}
impl<T> AsPlace<T> for AtomicPtr<T> {
    fn as_mut_ptr_for_library(&self) -> *mut *mut T {
        // An AtomicPtr has the layout of a pointer, and is an UnsafeCell inside.
        self as *const AtomicPtr<T> as *mut *mut T
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        let cell = *self.cell.get_mut();
        if cell.is_null() || cell == refused() {
            return;
        }
        if let Some(destroy) = functions().and_then(|functions| functions.counter_destroy) {
            // SAFETY: it is ours, and nobody borrows the counter any more.
            unsafe { destroy(cell) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicI64, AtomicU32};

    static FLAGS: AtomicU32 = AtomicU32::new(0);
    static CELL: ffi::CounterCell = ffi::CounterCell {
        count: AtomicI64::new(0),
        number: AtomicI64::new(0),
    };

    unsafe extern "C" fn keep_flags(
        _place: *mut *mut ffi::CounterCell,
        description: *const ffi::CounterDescription,
    ) -> *mut ffi::CounterCell {
        // SAFETY: it is make_by's own.
        FLAGS.store(unsafe { (*description).flags }, Ordering::Relaxed);
        &CELL as *const ffi::CounterCell as *mut ffi::CounterCell
    }

    // The bits are those of counter_abi.h.
    #[test]
    fn what_is_drawn_is_said_to_the_library() {
        for (graph, flags) in [
            (CounterGraph::ByCategory, 1),
            (CounterGraph::Rate, 1 | 2),
            (CounterGraph::Accumulated, 1 | 4),
        ] {
            let counter = Counter::new("a", "b", "c").graph(graph);
            assert!(counter.make_by(keep_flags).is_some());
            assert_eq!(FLAGS.load(Ordering::Relaxed), flags, "{:?}", graph);
        }
    }
}
