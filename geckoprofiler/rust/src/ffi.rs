//! The part of the library's C headers that this crate uses (`baseprofiler/c/geckoprof_functions.h`).

use std::os::raw::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI64, AtomicU32};

#[repr(C)]
pub(crate) struct Words {
    pub state: AtomicU32,
    pub clock: AtomicU32,
}

#[repr(C)]
pub(crate) struct StartParameters {
    pub size_bytes: u32,
    pub features: u32,
    pub capacity_bytes: u64,
    pub interval_ns: i64,
    pub duration_ns: i64,
    pub filters: *const *const c_char,
    pub filter_count: u32,
    pub reserved: u32,
}

#[repr(C)]
pub(crate) struct ProfileOptions {
    pub size_bytes: u32,
    pub without_children: u32,
    pub last_ns: i64,
    pub progress: Option<unsafe extern "C" fn(*mut c_void, f64, *const c_char) -> c_int>,
    pub user: *mut c_void,
}

#[repr(C)]
pub(crate) struct BufferInfo {
    pub size_bytes: u32,
    pub reserved: u32,
    pub capacity_bytes: u64,
    pub used_bytes: u64,
    pub samples_taken: u64,
    pub entries_dropped: u64,
}

#[repr(C)]
pub(crate) struct MarkerField {
    pub key: *const c_char,
    pub label: *const c_char,
    pub format: *const c_char,
    pub kind: u32,
    pub flags: u32,
}

#[repr(C)]
pub(crate) struct MarkerNote {
    pub label: *const c_char,
    pub value: *const c_char,
}

#[repr(C)]
pub(crate) struct MarkerGraph {
    pub key: *const c_char,
    pub kind: *const c_char,
    pub color: *const c_char,
}

#[repr(C)]
pub(crate) struct MarkerType {
    pub size_bytes: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub description: *const c_char,
    pub chart_label: *const c_char,
    pub tooltip_label: *const c_char,
    pub table_label: *const c_char,
    pub color_field: *const c_char,
    pub display: *const *const c_char,
    pub fields: *const MarkerField,
    pub notes: *const MarkerNote,
    pub graphs: *const MarkerGraph,
    pub display_count: u32,
    pub field_count: u32,
    pub note_count: u32,
    pub graph_count: u32,
    pub registered: u64,
}

#[repr(C)]
pub(crate) struct MarkerOptions {
    pub size_bytes: u32,
    pub flags: u32,
    pub start: u64,
    pub time: u64,
    pub name: *const c_char,
    pub name_bytes: u64,
    pub thread: i32,
    pub category_pair: u32,
    pub stack: *const c_void,
    pub flow: u64,
    pub skipped_frames: u32,
    pub reserved: u32,
}

/// `GECKOPROF_MARKER_...`, flags of a marker.
pub(crate) mod flags {
    pub const INSTANT: u32 = 0;
    pub const INTERVAL: u32 = 1;
    pub const INTERVAL_START: u32 = 2;
    pub const INTERVAL_END: u32 = 3;
    pub const NOW: u32 = 4;
    pub const WAS_CUT: u32 = 8;
    pub const HAS_CATEGORY: u32 = 16;
    pub const WITH_STACK: u32 = 32;
    pub const WITH_LABELS: u32 = 64;
    pub const HAS_FLOW: u32 = 128;
    pub const ENDS_FLOW: u32 = 256;
}

#[repr(C)]
pub(crate) struct CounterDescription {
    pub size_bytes: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub category: *const c_char,
    pub description: *const c_char,
    pub unit: *const c_char,
    pub color: *const c_char,
}

#[repr(C)]
pub(crate) struct CounterCell {
    pub count: AtomicI64,
    pub number: AtomicI64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union ValueAs {
    pub whole: u64,
    pub real: f64,
    pub text: *const u8,
    pub values: *const Value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Value {
    pub kind: u32,
    pub columns: u32,
    pub count: u64,
    pub given: ValueAs,
}

/// Opaque.
pub(crate) enum Type {}
/// Opaque.
pub(crate) enum SiteHandle {}

type Unused = Option<unsafe extern "C" fn()>;

/// `geckoprof_base_functions`. Entries past the size of the library's own table are `None`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    pub size_bytes: u32,
    pub version: u32,
    pub words: *const Words,
    pub start: Unused,
    pub start_with: Option<unsafe extern "C" fn(*const StartParameters) -> c_int>,
    pub start_text: Unused,
    pub stop: Option<unsafe extern "C" fn() -> c_int>,
    pub pause: Option<unsafe extern "C" fn() -> c_int>,
    pub resume: Option<unsafe extern "C" fn() -> c_int>,
    pub state: Option<unsafe extern "C" fn() -> u32>,
    pub features: Option<unsafe extern "C" fn() -> u32>,
    pub get_buffer_info: Option<unsafe extern "C" fn(*mut BufferInfo) -> c_int>,
    pub register_thread: Option<unsafe extern "C" fn(*const c_char)>,
    pub unregister_thread: Option<unsafe extern "C" fn()>,
    pub label_enter: Option<unsafe extern "C" fn(*const c_char, *const c_char, u32, *mut c_void) -> *mut c_void>,
    pub label_leave: Option<unsafe extern "C" fn(*mut c_void)>,
    pub now: Option<unsafe extern "C" fn() -> i64>,
    pub add_marker: Option<unsafe extern "C" fn(*mut SiteHandle, *const MarkerOptions, *const c_void, u32) -> c_int>,
    pub begin_in_place: Option<unsafe extern "C" fn(*mut SiteHandle, u32, u64, u64, u32) -> *mut c_void>,
    pub end_in_place: Unused,
    pub process_salt: Option<unsafe extern "C" fn() -> u64>,
    pub counter_create: Unused,
    pub counter_create_once:
        Option<unsafe extern "C" fn(*mut *mut CounterCell, *const CounterDescription) -> *mut CounterCell>,
    pub counter_destroy: Option<unsafe extern "C" fn(*mut CounterCell)>,
    pub declare_type: Option<unsafe extern "C" fn(*mut *mut Type, *const MarkerType) -> *mut Type>,
    pub type_problem: Option<unsafe extern "C" fn(*const MarkerType) -> *const c_char>,
    pub declare_site:
        Option<unsafe extern "C" fn(*mut *mut SiteHandle, *const c_char, u32, *mut Type) -> *mut SiteHandle>,
    pub mark: Option<unsafe extern "C" fn(*mut SiteHandle, *const MarkerOptions, *const Value, u32) -> c_int>,
    pub mark_text: Unused,
    pub label_depth: Option<unsafe extern "C" fn() -> u32>,
    pub label_cut: Option<unsafe extern "C" fn(u32)>,
    pub add_category: Option<unsafe extern "C" fn(*const c_char, *const c_char, *mut u32) -> c_int>,
    pub add_subcategory: Option<unsafe extern "C" fn(u32, *const c_char, *mut u32) -> c_int>,
    pub pause_sampling: Option<unsafe extern "C" fn() -> c_int>,
    pub resume_sampling: Option<unsafe extern "C" fn() -> c_int>,
    pub process_start: Unused,
    pub available_features: Unused,
    pub ensure_started: Unused,
    pub visit_start_parameters: Unused,
    pub thread_is_being_profiled: Unused,
    pub thread_registration: Unused,
    pub ns_between: Unused,
    pub set_process_name: Unused,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::size_of::<Value>() == 24 && std::mem::size_of::<MarkerOptions>() == 72);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::size_of::<MarkerType>() == 112 && std::mem::size_of::<StartParameters>() == 48);
