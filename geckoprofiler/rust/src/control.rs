use crate::ffi;
use crate::library::functions;
use std::ffi::CString;
use std::fmt;
use std::ops::BitOr;
use std::os::raw::c_char;
use std::ptr;
use std::time::Duration;

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(pub u32);

impl Features {
    /// Stacks and CPU time.
    pub const DEFAULT: Features = Features(0);
    // [features] tools/build_lists writes these lines from common/lists/features.json.
    /// Sums of file calls, slow ones of the main thread.
    pub const MAIN_THREAD_IO: Features = Features(1 << 2);
    /// And slow file calls of sampled threads.
    pub const FILE_IO: Features = Features(1 << 3);
    /// And slow file calls of all threads.
    pub const FILE_IO_ALL: Features = Features(1 << 4);
    /// No stacks of markers.
    pub const NO_MARKER_STACKS: Features = Features(1 << 5);
    /// Loads and unloads of libraries.
    pub const LIBRARIES: Features = Features(1 << 7);
    /// Native stacks.
    pub const STACK_WALK: Features = Features(1 << 8);
    /// Neither stacks nor labels (cancels stackwalk).
    pub const NO_STACK_SAMPLING: Features = Features(1 << 10);
    /// Samples of allocations, with stacks.
    pub const NATIVE_ALLOCATIONS: Features = Features(1 << 11);
    /// CPU time of each thread between its samples.
    pub const CPU: Features = Features(1 << 14);
    /// Markers of excluded threads (always on).
    pub const MARKERS_ALL_THREADS: Features = Features(1 << 18);
    /// Totals of socket calls, and slow ones.
    pub const NET_IO: Features = Features(1 << 23);
    /// A counter of the bytes in allocated blocks.
    pub const MEMORY: Features = Features(1 << 24);
    /// All markers of flows (always on).
    pub const FLOWS: Features = Features(1 << 27);
    /// Waits for locks and for other threads.
    pub const LOCKS: Features = Features(1 << 30);
    /// How long event loops are blocked.
    pub const RESPONSIVENESS: Features = Features(1 << 31);
    // [/features]
}
impl BitOr for Features {
    type Output = Features;
    fn bitor(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }
}

/// How to record: `Parameters { interval: Duration::from_micros(500), ..Parameters::default() }`. Zeros and empty lists
/// mean the defaults.
#[derive(Clone, Debug, Default)]
pub struct Parameters<'a> {
    /// 1 MiB to 2 GiB, others are clamped; 0: 128 MiB.
    pub capacity_bytes: u64,
    /// 50 us to 5 s, others are clamped; zero: 1 ms.
    pub interval: Duration,
    /// Sampling ends by itself after it; zero: never.
    pub duration: Duration,
    /// Bits of [`Features`]; 0: the default ones.
    pub features: u32,
    /// Parts of names of threads; none: all threads.
    pub filters: &'a [&'a str],
}

/// Why nothing was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StartError {
    AlreadyActive,
    Excluded,
    NoSegment,
    NoThread,
    Unprepared,
    UnknownParameter,
    /// There is no libbaseprofiler.so in this process.
    NotHere,
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StartError::AlreadyActive => "it recorded already",
            StartError::Excluded => "the filters exclude this process",
            StartError::NoSegment => "there is no memory or space for the recording",
            StartError::NoThread => "the kernel allows no further thread",
            StartError::Unprepared => {
                "this is the child of a fork that libc was not told of, or a copy in a namespace of its own"
            }
            StartError::UnknownParameter => "a parameter makes no sense",
            StartError::NotHere => "there is no libbaseprofiler.so in this process",
        })
    }
}
impl std::error::Error for StartError {}

fn ns(duration: Duration) -> i64 {
    duration.as_nanos().min(i64::MAX as u128) as i64
}

/// Starts recording.
pub fn start(parameters: &Parameters<'_>) -> Result<(), StartError> {
    let start_with = functions()
        .and_then(|functions| functions.start_with)
        .ok_or(StartError::NotHere)?;
    let filters: Result<Vec<CString>, _> = parameters.filters.iter().map(|&filter| CString::new(filter)).collect();
    let filters = filters.map_err(|_| StartError::UnknownParameter)?;
    let pointers: Vec<*const c_char> = filters.iter().map(|filter| filter.as_ptr()).collect();
    let wanted = ffi::StartParameters {
        size_bytes: std::mem::size_of::<ffi::StartParameters>() as u32,
        features: parameters.features,
        capacity_bytes: parameters.capacity_bytes,
        interval_ns: ns(parameters.interval),
        duration_ns: ns(parameters.duration),
        filters: if pointers.is_empty() {
            ptr::null()
        } else {
            pointers.as_ptr()
        },
        filter_count: pointers.len() as u32,
        reserved: 0,
    };
    // SAFETY: the structure and all that it points to live through the call, which copies them.
    match unsafe { start_with(&wanted) } {
        0 => Ok(()),
        1 => Err(StartError::AlreadyActive),
        2 => Err(StartError::Excluded),
        3 => Err(StartError::NoSegment),
        4 => Err(StartError::NoThread),
        5 => Err(StartError::Unprepared),
        _ => Err(StartError::UnknownParameter),
    }
}

fn change(function: Option<unsafe extern "C" fn() -> std::os::raw::c_int>) -> bool {
    // SAFETY: of the library, takes nothing and touches nothing of ours.
    function.map_or(false, |function| unsafe { function() } != 0)
}

/// Ends the recording, which is discarded unless a recorder holds it. True: there was one.
pub fn stop() -> bool {
    change(functions().and_then(|functions| functions.stop))
}
/// No samples and no markers. True: the state changed.
pub fn pause() -> bool {
    change(functions().and_then(|functions| functions.pause))
}
/// True: the state changed.
pub fn resume() -> bool {
    change(functions().and_then(|functions| functions.resume))
}

/// No samples; markers go on. Independent of [`pause`]. True: the state changed.
pub fn pause_sampling() -> bool {
    change(functions().and_then(|functions| functions.pause_sampling))
}
/// True: the state changed.
pub fn resume_sampling() -> bool {
    change(functions().and_then(|functions| functions.resume_sampling))
}

/// What the profiler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum State {
    Inactive,
    Active,
    Paused,
    /// Samples alone are paused: markers are recorded.
    SamplingPaused,
}

/// What the profiler does now.
pub fn state() -> State {
    // SAFETY: as in change().
    match functions()
        .and_then(|functions| functions.state)
        .map_or(0, |state| unsafe { state() })
    {
        0 => State::Inactive,
        2 => State::Paused,
        3 => State::SamplingPaused,
        _ => State::Active,
    }
}

/// The features that are on; no bits while nothing is recorded.
pub fn features() -> Features {
    // SAFETY: as in change().
    Features(
        functions()
            .and_then(|functions| functions.features)
            .map_or(0, |features| unsafe { features() }),
    )
}

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct BufferInfo {
    pub capacity_bytes: u64,
    pub used_bytes: u64,
    pub samples_taken: u64,
    pub entries_dropped: u64,
}

/// How much is recorded. `None`: nothing is, or all is paused.
pub fn buffer_info() -> Option<BufferInfo> {
    let get = functions()?.get_buffer_info?;
    let mut info = ffi::BufferInfo {
        size_bytes: std::mem::size_of::<ffi::BufferInfo>() as u32,
        reserved: 0,
        capacity_bytes: 0,
        used_bytes: 0,
        samples_taken: 0,
        entries_dropped: 0,
    };
    // SAFETY: it is written as far as its size says.
    if unsafe { get(&mut info) } == 0 {
        return None;
    }
    Some(BufferInfo {
        capacity_bytes: info.capacity_bytes,
        used_bytes: info.used_bytes,
        samples_taken: info.samples_taken,
        entries_dropped: info.entries_dropped,
    })
}
