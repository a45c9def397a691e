//! Markers, labels, counters and control of the geckoprof profiler, for programs in Rust.
//!
//! ```
//! use geckoprof::{label, marker, marker_text, marker_type, scope, Category, Options, Time};
//!
//! marker_type! {
//!     /// A file was read.
//!     pub struct Load<'a> {
//!         "Path" [FilePath] path: &'a str,
//!         "Size" [Bytes] size: Option<u64>,
//!     }
//!     name: "Load", chart_label: "{marker.data.path}"
//! }
//!
//! fn load(path: &str) {
//!     label!("load", Category::STORAGE); // a frame in the stacks of samples, until the end of the block
//!     scope!("load", Category::STORAGE); // an interval on the time line, until the end of the block
//!     let start = Time::now();
//!     marker!("begins", Category::STORAGE); // a point on the time line
//!     marker_text!("opened", Category::STORAGE, Options::now(), path);
//!     marker!("Load", Category::STORAGE, Options::since(start), Load { path, size: Some(42) });
//! }
//! load("settings.json");
//! ```
//!
//! # The library need not be there
//!
//! Nothing is linked: `libbaseprofiler.so` is looked up once, when this code is loaded, or at the first use. `geckoprof
//! record` preloads it; a program may also load it by name ([`load_library`]). Without it the program runs, nothing is
//! recorded, and a marker costs two loads and a branch; the same while nothing is recorded, and no argument is
//! evaluated. Markers, labels and counters use no heap, but for the first use of a place.
//!
//! On targets other than Linux on x86-64 and aarch64, and with the feature `disable`, no library is looked for. Every
//! call is then an inline function that does nothing.
//!
//! # Threads, signals, forks
//!
//! Everything may be called on any thread, before `main` and after it. A marker may be made in a signal handler if the
//! same place has marked in this recording before. Children of a fork record for themselves.
//!
//! # Unloading
//!
//! A label's text is read while it is open. A shared object that is unloaded must have closed its labels.
#![warn(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

mod asked_counter;
mod category;
mod category_list;
mod control;
mod counter;
mod ffi;
mod formatted_text;
pub mod full;
mod label;
#[cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(feature = "disable")
))]
mod library;
#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(feature = "disable")
)))]
#[path = "no_library.rs"]
mod library;
mod macros;
mod marker;
mod marker_type;
mod options;
mod short_text;
mod site;
mod startup;
mod thread;
mod time;
mod value;

pub use category::Category;
pub use control::{buffer_info, features, pause, pause_sampling, resume, resume_sampling, start, state, stop};
pub use control::{BufferInfo, Features, Parameters, StartError, State};
pub use counter::{Counter, CounterGraph};
#[doc(hidden)]
pub use formatted_text::FormattedText as __FormattedText;
pub use label::{with_label, Label};
pub use library::{is_recording, library_is_here, load_library};
pub use marker::{add_marker, add_text_marker, MarkerError, Scope};
#[doc(hidden)]
pub use marker::{mark_at as __mark_at, mark_instant as __mark_instant};
#[doc(hidden)]
pub use marker_type::key_of as __key_of;
pub use marker_type::{Column, DeclaredType, Field, Format, Graph, MarkerType, NoPayload, Note, TypeDescription};
pub use options::Options;
pub use short_text::ShortText;
pub use site::Site;
pub use startup::{end_startup, startup_phase};
pub use thread::{register_thread, ThreadRegistration};
pub use time::{Flow, Time};
pub use value::{FieldValue, Kind, Value};
