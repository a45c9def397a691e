//! Loads made-up files on two threads, with everything that a profile can show of it:
//!
//!     cargo build --example loading
//!     geckoprof record -o loading.json.gz -- target/debug/examples/loading
//!     geckoprof report loading.json.gz
//!
//! It prints the same with and without a profiler.

use geckoprof::{label, marker, marker_text, marker_type, register_thread, scope, with_label};
use geckoprof::{Category, Counter, Flow, Options, Time, Value};
use std::time::{Duration, Instant};

marker_type! {
    /// A file was loaded.
    pub struct Load<'a> {
        "Path" [FilePath] path: &'a str,
        "Size" [Bytes] size: u64,
        "Share of all" [Percentage] share: f64,
        "Cache" [String] cache: &'static str,
        "Waited" [Duration] waited: Option<Duration>,
        "Parts" [List] parts: &'a [Value<'a>],
        "Request" [FlowId] request: Flow,
    }
    name: "Load",
    description: "A file that was loaded",
    chart_label: "{marker.data.path}",
    tooltip_label: "Load {marker.data.path}",
    table_label: "{marker.data.path}: {marker.data.size}"
}

static LOADED: Counter = Counter::new("loaded", "Memory", "Bytes loaded").unit("bytes");

/// Keeps the processor busy; the result is only there so that nothing is left out.
fn work(duration: Duration) -> u64 {
    let (begin, mut sum) = (Instant::now(), 0u64);
    while begin.elapsed() < duration {
        sum = sum.wrapping_mul(31).wrapping_add(7);
    }
    sum & 1
}

fn load(path: &str, number: u64) -> u64 {
    label!("load", Category::STORAGE);
    let start = Time::now();
    let size = with_label("read", Category::STORAGE, path, || {
        1000 * number + work(Duration::from_millis(20)) / 2
    });
    LOADED.add(size as i64);
    let parts = [Value::text("head"), Value::text("body")];
    let payload = |waited| Load {
        path,
        size,
        share: number as f64 / 10.0,
        cache: if number % 2 == 0 { "hit" } else { "miss" },
        waited,
        parts: &parts,
        request: Flow::global(0xf100 + number),
    };
    let waited = if number > 1 {
        Some(Duration::from_micros(1500))
    } else {
        None
    };
    marker!("Load", Category::STORAGE, Options::since(start), payload(waited));
    size
}

fn main() {
    label!("example", Category::OTHER);
    scope!("main", Category::OTHER);
    marker!("begins", Category::OTHER);
    let worker = std::thread::spawn(|| {
        let _registered = register_thread("loader");
        scope!("loads", Category::OTHER);
        (1..=3)
            .map(|number| load(&format!("/made/up/{}.json", number), number))
            .sum::<u64>()
    });
    marker_text!("waits", Category::OTHER, Options::now(), "for the loader");
    work(Duration::from_millis(40));
    println!("{} bytes", worker.join().unwrap());
    marker!("ends", Category::OTHER, Options::now());
}
