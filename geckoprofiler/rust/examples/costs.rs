//! What marking costs: `cargo run --release --example costs [LIBRARY]`. Medians of rounds; without a name, of a program that
//! has no library.

use geckoprof::{label, marker, marker_text, marker_type, scope, Category, Counter, Options};
use std::time::Instant;

marker_type! {
    struct Three { "A" [Integer] a: u64, "B" [Decimal] b: f64, "C" [String] c: bool, }
    name: "Three"
}
static COUNTER: Counter = Counter::new("costs", "Memory", "");

fn median_ns(name: &str, body: impl Fn()) {
    let mut rounds: Vec<f64> = (0..41)
        .map(|_| {
            let begin = Instant::now();
            for _ in 0..200_000 {
                body();
            }
            begin.elapsed().as_nanos() as f64 / 200_000.0
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!("{:24} {:6.2} ns", name, rounds[20]);
}

fn all(state: &str) {
    println!("{}", state);
    median_ns("instant", || {
        marker!("rust", Category::OTHER);
    });
    median_ns("scope", || {
        scope!("rust", Category::OTHER);
    });
    median_ns("text of 16 bytes", || {
        marker_text!("rust", Category::OTHER, Options::now(), "sixteen bytes ok");
    });
    median_ns("three typed fields", || {
        marker!(
            "rust",
            Category::OTHER,
            Options::now(),
            Three { a: 17, b: 0.5, c: true }
        );
    });
    median_ns("label", || {
        label!("rust", Category::OTHER);
    });
    median_ns("counter", || COUNTER.add(1));
}

fn main() {
    match std::env::args().nth(1) {
        Some(library) => assert!(geckoprof::load_library(&library), "{} cannot be loaded", library),
        None => return all("without the library"),
    }
    all("inactive");
    let parameters = geckoprof::Parameters {
        capacity_bytes: 1 << 22,
        ..Default::default()
    };
    geckoprof::start(&parameters).unwrap();
    all("recording");
}
