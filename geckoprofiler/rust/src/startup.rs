use crate::category::Category;
use crate::library::{current_tid, is_recording};
use crate::marker::add_marker;
use crate::options::Options;
use std::sync::Mutex;

crate::marker_type! {
    /// As that of C++ is declared.
    struct StartupPhase {}
    name: "StartupPhase", description: "A phase of the program's start",
    display: &["marker-chart", "marker-table", "timeline-overview"]
}

/// The phase that runs, and the thread that began it.
static CURRENT: Mutex<Option<(&'static str, i32)>> = Mutex::new(None);

fn begin(name: Option<&'static str>) {
    let mut current = match CURRENT.lock() {
        Ok(current) => current,
        Err(poisoned) => poisoned.into_inner(),
    };
    if let Some((ended, tid)) = current.take() {
        let options = Options::interval_end().on_thread(tid);
        let _ = add_marker(ended, Category::OTHER, options, &StartupPhase {});
    }
    if let (Some(name), true) = (name, is_recording()) {
        let tid = current_tid();
        let options = Options::interval_start().on_thread(tid);
        let _ = add_marker(name, Category::OTHER, options, &StartupPhase {});
        *current = Some((name, tid));
    }
}

/// Begins a phase of the program's start, and ends the one before. `geckoprof report --by startup` lists the phases with
/// their times and shares. The program has one phase at a time, whichever thread begins it. Takes a lock: not for
/// signal handlers.
///
/// ```
/// geckoprof::startup_phase("read settings");
/// geckoprof::startup_phase("open window"); // ends "read settings"
/// geckoprof::end_startup();
/// ```
pub fn startup_phase(name: &'static str) {
    begin(Some(name));
}

/// Ends the last phase of the start.
pub fn end_startup() {
    begin(None);
}
