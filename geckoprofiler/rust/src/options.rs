use crate::category::Category;
use crate::ffi::{self, flags};
use crate::time::{Flow, Time};
use std::ptr;

/// When a marker is, which thread it is about, and which flow it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    flags: u32,
    start: Time,
    time: Time,
    thread: i32,
    flow: u64,
    category: u32,
}

impl Options {
    const fn new(phase: u32, start: Time, time: Time) -> Options {
        Options {
            flags: phase,
            start,
            time,
            thread: 0,
            flow: 0,
            category: 0,
        }
    }

    /// An instant, now.
    #[inline]
    pub fn now() -> Options {
        Options::at(Time::now())
    }
    /// An instant.
    pub const fn at(time: Time) -> Options {
        Options::new(flags::INSTANT, time, time)
    }
    /// An interval. One that ends before it begins is shown as one without length.
    pub const fn interval(start: Time, end: Time) -> Options {
        Options::new(flags::INTERVAL, start, end)
    }
    /// An interval until now.
    #[inline]
    pub fn since(start: Time) -> Options {
        Options::interval(start, Time::now())
    }
    /// The first half of an interval, now: the viewer pairs halves by name within a thread.
    pub fn interval_start() -> Options {
        Options::interval_start_at(Time::now())
    }
    /// The same at another time.
    pub const fn interval_start_at(time: Time) -> Options {
        Options::new(flags::INTERVAL_START, time, time)
    }
    /// The second half.
    pub fn interval_end() -> Options {
        Options::interval_end_at(Time::now())
    }
    /// The same at another time.
    pub const fn interval_end_at(time: Time) -> Options {
        Options::new(flags::INTERVAL_END, time, time)
    }
    /// With the stack that leads here: native frames, if the recording has any, and labels.
    #[must_use]
    pub const fn with_stack(mut self) -> Options {
        self.flags = (self.flags & !flags::WITH_LABELS) | flags::WITH_STACK;
        self
    }
    /// With the labels that are open.
    #[must_use]
    pub const fn with_labels(mut self) -> Options {
        self.flags = (self.flags & !flags::WITH_STACK) | flags::WITH_LABELS;
        self
    }
    /// The marker is about another thread of this process, by the kernel's id of it.
    #[must_use]
    pub const fn on_thread(mut self, tid: i32) -> Options {
        self.thread = tid;
        self
    }
    /// In another category than that of its place in the code.
    #[must_use]
    pub const fn in_category(mut self, category: Category) -> Options {
        self.category = category.to_pair();
        self.flags |= flags::HAS_CATEGORY;
        self
    }

    /// Of a flow, whatever the payload: the viewer leads from one of its markers to the next.
    #[must_use]
    pub const fn in_flow(mut self, flow: Flow) -> Options {
        self.flow = flow.0;
        self.flags |= flags::HAS_FLOW;
        self
    }
    /// The last marker of a flow.
    #[must_use]
    pub const fn at_end_of_flow(self, flow: Flow) -> Options {
        let mut ended = self.in_flow(flow);
        ended.flags |= flags::ENDS_FLOW;
        ended
    }

    /// For the macros: the profile counts a text that was cut.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_cut(mut self, was_cut: bool) -> Options {
        if was_cut {
            self.flags |= flags::WAS_CUT;
        }
        self
    }

    /// What `in_category` said, or else this.
    pub(crate) const fn or_in_category(self, category: Category) -> Options {
        if self.flags & flags::HAS_CATEGORY != 0 {
            return self;
        }
        self.in_category(category)
    }

    pub(crate) fn to_c(self) -> ffi::MarkerOptions {
        ffi::MarkerOptions {
            size_bytes: std::mem::size_of::<ffi::MarkerOptions>() as u32,
            flags: self.flags,
            start: self.start.0,
            time: self.time.0,
            name: ptr::null(),
            name_bytes: 0,
            thread: self.thread,
            category_pair: self.category,
            stack: ptr::null(),
            flow: self.flow,
            skipped_frames: 0,
            reserved: 0,
        }
    }
}
