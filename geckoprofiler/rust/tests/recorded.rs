//! With the libraries: GECKOPROF_BASE and GECKOPROF_FULL name them, and where they do not nothing is tested. One process:
//! everything here is one test.

mod read_profile;

use geckoprof::{label, marker, marker_text, marker_type, scope, with_label};
use geckoprof::{Category, Counter, CounterGraph, Flow, MarkerError, MarkerType, NoPayload, Options, Time, Value};
use read_profile::{Json, Marker};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

marker_type! {
    #[derive(Clone, Copy)]
    struct Mixed<'a> {
        "A" [Integer] a: i64,
        "B" [Decimal] b: f64,
        "C" [String] c: bool,
        "D" [String] d: &'a str,
        "E" [Duration] e: Duration,
        "F" [FlowId] f: Flow,
        "G" [List] g: &'a [Value<'a>],
        "H" [Bytes] h: Option<u64>,
        "I" [Time] i: Time,
        "J" [Table("Stage" String, "Took" Duration, "" Integer)] j: &'a [[Value<'a>; 3]],
        "K" [String, key = "a key", hidden] k: &'a str,
        "L" [String] l: &'static str,
    }
    name: "Mixed", color_field: "l", notes: &[geckoprof::Note { label: "A note", value: "of Rust" }], chart_label: "{marker.data.d}", is_stack_based: true,
    graphs: &[geckoprof::Graph { key: "a", kind: "bar", color: "red" }]
}
marker_type! {
    struct Short<'a> { "A" [Table("one" String, "two" String)] a: &'a [[Value<'a>; 1]], }
    name: "Log", has_schema: false
}
marker_type! {
    struct Twice { "A" [Integer] a: u8, "B" [Integer] b: u8, }
    name: "Twice", color_field: "nothing of it"
}

static COUNTER: Counter = Counter::new("rust counter", "Memory", "Counted").unit("bytes");
static RATE: Counter = Counter::new("rust rate", "Things", "Counted")
    .graph(CounterGraph::Rate)
    .color("red");

/// Counts what the thread allocates while it says so.
struct Counting;
thread_local! {
    #[allow(clippy::declare_interior_mutable_const)] // of the macro
    static ALLOCATED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Returns what it was. rustc 1.85 does not link a thread-local that several units of code use.
#[inline(never)]
fn change_allocated(change: fn(Option<u64>) -> Option<u64>) -> Option<u64> {
    ALLOCATED.with(|allocated| allocated.replace(change(allocated.get())))
}

// SAFETY: the system's, which keeps all promises.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        change_allocated(|count| count.map(|count| count + 1));
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        System.dealloc(memory, layout)
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(body: impl Fn()) -> u64 {
    body(); // declares what it needs
    change_allocated(|_| Some(0));
    for _ in 0..1000 {
        body();
    }
    change_allocated(|_| None).unwrap_or(0)
}

const ROWS: &[[Value<'static>; 3]] = &[
    [Value::text("parse"), Value::nothing(), Value::nothing()],
    [Value::text("link"), Value::nothing(), Value::nothing()],
];

fn mixed<'a>(parts: &'a [Value<'a>], text: &'a str) -> Mixed<'a> {
    Mixed {
        a: -5,
        b: 0.25,
        c: true,
        d: text,
        e: Duration::from_micros(1500),
        f: Flow::global(0xabc),
        g: parts,
        h: None,
        i: Time::now(),
        j: ROWS,
        k: "hidden of mixed",
        l: "teal",
    }
}

fn never() -> Options {
    panic!("options are evaluated while nothing is recorded")
}

/// A marker of each kind, with a stack that begins here.
#[inline(never)]
fn marks_with_stacks() {
    let name = String::from("rust stack of a name");
    marker!("rust stack", Category::OTHER, Options::now().with_stack());
    marker!(
        "rust stack of a type",
        Category::OTHER,
        Options::now().with_stack(),
        mixed(&[], "stack")
    );
    marker!(&name, Category::OTHER, Options::now().with_stack());
    marker_text!(
        "rust stack of a text",
        Category::OTHER,
        Options::now().with_stack(),
        "text"
    );
}

extern "C" {
    /// Of the unwinder that std is linked with: the first instruction of the function that has this one.
    fn _Unwind_FindEnclosingFunction(address: *mut std::ffi::c_void) -> *mut std::ffi::c_void;
}

/// Of an address as profiles write it.
fn function_of(frame: &str) -> usize {
    let address = usize::from_str_radix(frame.strip_prefix("0x").expect(frame), 16).unwrap();
    // SAFETY: any address will do.
    unsafe { _Unwind_FindEnclosingFunction(address as *mut _) as usize }
}

fn spin(milliseconds: u64) {
    let begin = std::time::Instant::now();
    while begin.elapsed() < Duration::from_millis(milliseconds) {}
}

/// Until all that was done before is in some of them.
fn wait_for_samples() {
    let taken = || geckoprof::buffer_info().map_or(0, |info| info.samples_taken);
    let (before, begin) = (taken(), std::time::Instant::now());
    while taken() < before + 10 && begin.elapsed() < Duration::from_secs(10) {
        spin(1);
    }
}

#[test]
fn what_is_marked_is_in_the_profile() {
    let (base, full) = match (std::env::var("GECKOPROF_BASE"), std::env::var("GECKOPROF_FULL")) {
        (Ok(base), Ok(full)) => (base, full),
        _ => return eprintln!("not tested: GECKOPROF_BASE and GECKOPROF_FULL name no libraries"),
    };
    assert!(geckoprof::load_library(&base) && geckoprof::library_is_here());
    let profiler = geckoprof::full::Profiler::load(&full).expect("the full library");
    assert!(!geckoprof::is_recording());
    assert_eq!(profiler.profile().unwrap_err().text, "nothing is recorded");
    assert_eq!(profiler.save_profile("/nowhere/at/all").unwrap_err().status, 4);
    let idle = vec![("GECKOPROF_STARTUP".to_string(), String::new())];
    assert_eq!(profiler.child_environment(), idle);
    let parameters = geckoprof::Parameters {
        interval: Duration::from_micros(500),
        ..Default::default()
    };
    assert_eq!(geckoprof::start(&parameters), Ok(()));
    assert_eq!(geckoprof::start(&parameters), Err(geckoprof::StartError::AlreadyActive));
    assert!(geckoprof::is_recording() && geckoprof::features().0 & geckoprof::Features::CPU.0 != 0);
    assert!(geckoprof::pause() && !geckoprof::is_recording() && geckoprof::resume());
    assert!(geckoprof::pause_sampling() && !geckoprof::pause_sampling() && geckoprof::is_recording());
    assert_eq!(geckoprof::state(), geckoprof::State::SamplingPaused);
    assert!(!geckoprof::resume() && geckoprof::resume_sampling());
    assert_eq!(geckoprof::state(), geckoprof::State::Active);

    let parts = [Value::text("one"), Value::text("two")];
    label!("rust label", Category::STORAGE);
    {
        scope!("rust scope", Category::STORAGE);
        with_label("rust reads", Category::STORAGE, "a.json", || spin(30));
    }
    {
        label!("rust block", Category::STORAGE);
        marker!("rust in a block", Category::OTHER, Options::now().with_labels());
    }
    marker!("rust after a block", Category::OTHER, Options::now().with_labels());
    marker!("rust instant", Category::OTHER);
    marker!("rust start", Category::OTHER, Options::interval_start());
    marker!(
        "rust end",
        Category::OTHER,
        Options::interval_end().on_thread(std::process::id() as i32)
    );
    marker_text!("rust text", Category::OTHER, Options::now(), "some \"text\" ä");
    marker!(
        "rust mixed",
        Category::OTHER,
        Options::since(Time::now()),
        mixed(&parts, "d of mixed")
    );
    let name = String::from("rust named");
    assert_eq!(
        geckoprof::add_marker(&name, Category::MEDIA, Options::now(), &mixed(&[], "named")),
        Ok(())
    );
    assert_eq!(
        geckoprof::add_marker(&name, Category::MEDIA, Options::now(), &NoPayload),
        Ok(())
    );
    marker!(&format!("{} by a macro", name), Category::MEDIA);
    marker!(
        ["rust named, with options"][0],
        Category::MEDIA,
        Options::interval_start()
    );
    marker!(
        &name.replace("named", "typed"),
        Category::MEDIA,
        Options::now(),
        mixed(&[], "typed")
    );
    marks_with_stacks();
    let in_network = Options::now().in_category(Category::NETWORK);
    marker!("rust in network", Category::OTHER, in_network);
    for name in ["rust added in network", "rust text in network"] {
        let result = if name.contains("text") {
            geckoprof::add_text_marker(name, Category::OTHER, in_network, "a text")
        } else {
            geckoprof::add_marker(name, Category::OTHER, in_network, &NoPayload)
        };
        assert_eq!(result, Ok(()));
    }
    let long_name = format!("rust\0{}", "n".repeat(380));
    marker_text!(&long_name, Category::OTHER, Options::now(), "of a long name");
    let text_as_duration = [[Value::text("parse"), Value::text("soon"), Value::nothing()]];
    let unsuited = Mixed {
        j: &text_as_duration,
        ..mixed(&[], "unsuited")
    };
    assert_eq!(
        geckoprof::add_marker(&name, Category::MEDIA, Options::now(), &unsuited),
        Err(MarkerError::BadArgument)
    );
    let long = "x".repeat(5000);
    assert_eq!(
        geckoprof::add_text_marker("rust cut", Category::OTHER, Options::now(), &long),
        Ok(())
    );
    let row = [[Value::from("row of one")]];
    marker!(
        "rust in a flow",
        Category::OTHER,
        Options::now().in_flow(Flow::global(0xf10))
    );
    marker_text!(
        "rust at its end",
        Category::OTHER,
        Options::now().at_end_of_flow(Flow::global(0xf10)),
        "a text"
    );
    let refused = geckoprof::add_marker("refused", Category::OTHER, Options::now(), &Short { a: &row });
    assert_eq!(refused, Err(MarkerError::BadArgument));
    assert_eq!(Short::declared().problem(), None);
    let cells = [[
        Value::from("numbers"),
        Value::from(Duration::from_micros(1500)),
        Value::from(-7i32),
    ]];
    let numbers = Mixed {
        j: &cells,
        ..mixed(&[], "d of numbers")
    };
    marker!("rust numbers", Category::OTHER, Options::now().with_stack(), numbers);
    marker!(
        "rust labels",
        Category::OTHER,
        Options::interval_start_at(Time::now()).with_labels()
    );
    let refused = geckoprof::add_marker("refused", Category::OTHER, Options::now(), &Twice { a: 1, b: 2 });
    assert_eq!(refused, Err(MarkerError::BadArgument));
    assert_eq!(
        Twice::declared().problem().as_deref(),
        Some("the colour is no field with a text")
    );
    assert_eq!(Mixed::declared().problem(), None);
    own_categories();
    COUNTER.add(4096);
    RATE.add(1);
    labels_that_end_in_another_order();
    no_allocations(&parts, &name);
    wait_for_samples();
    COUNTER.set(77);
    wait_for_samples();

    let mut told = Vec::new();
    let file = std::env::temp_dir().join(format!("geckoprof-rust-{}.json", std::process::id()));
    let name = file.to_str().unwrap();
    let progress = |fraction: f64, text: &str| {
        told.push((fraction, text.to_string()));
        true
    };
    assert_eq!(profiler.save_profile_with_progress(name, progress), Ok(()));
    assert!(told.len() >= 2 && told[told.len() - 1].0 == 1.0 && told.iter().all(|(_, text)| !text.is_empty()));
    let cancelled = profiler.save_profile_with_progress(name, |fraction, _| fraction < 0.4);
    assert_eq!(cancelled.unwrap_err().text, "it was cancelled");
    assert_eq!(
        profiler
            .save_profile_with_progress(name, |_, _| panic!("in a test"))
            .unwrap_err()
            .status,
        20
    );
    assert_eq!(profiler.capture_last(Duration::from_millis(200), name), Ok(()));
    assert!(std::fs::read_to_string(&file)
        .unwrap()
        .contains("\"profilingStartTime\""));
    std::fs::remove_file(&file).unwrap();

    let json = profiler.profile().unwrap();
    for expected in [
        "\"rust label\"",
        "rust reads a.json",
        "\"rust scope\"",
        "\"rust instant\"",
        "\"rust start\"",
        "\"rust end\"",
        "some \\\"text\\\" ä",
        "\"d of mixed\"",
        "\"rust named\"",
        "\"rust counter\"",
        "\"rust rate\"",
        "\"Mixed\"",
        "\"a\":-5",
        "\"b\":0.25",
        "\"c\":true",
        "\"e\":1.5",
        "[\"one\",\"two\"]",
        "\"{marker.data.d}\"",
        r#"{"type":"table","columns":[{"label":"Stage","type":"string"},{"label":"Took","type":"duration"},{"type":"integer"}]}"#,
        r#""j":[["parse",null,null],["link",null,null]],"a key":"hidden of mixed","l":"teal""#,
        r#""j":[["numbers",1.5,-7]]"#,
        "\"d\":\"typed\"",
        r#""colorField":"l""#,
        r#"{"label":"A note","value":"of Rust"}"#,
        r#"{"key":"a key","label":"K","format":"string","hidden":true}"#,
        "\"rust labels\"",
        "\"rust collision\"",
        r#"{"name":"Rust physics","color":"magenta","subcategories":["Other","Rust collisions"]}"#,
        "\"rust in a flow\"",
        "\"rust at its end\"",
        "\"f10\"",
        r#"{"key":"markerTerminatingFlow","label":"Terminating Flow","format":"terminating-flow-id"}"#,
        "\"stack\":{",
    ] {
        assert!(json.contains(expected), "{} is not in the profile", expected);
    }
    read_back(&Json::parse(&json));
    assert!(!json.contains("row of one"));
    assert!(!json.contains("\"refused\"") && !json.contains(&long) && json.contains(&long[..4096]));
    let info = geckoprof::buffer_info().unwrap();
    assert!(info.samples_taken > 10 && info.used_bytes > 0 && info.capacity_bytes >= 1 << 20);
    assert!(geckoprof::stop() && !geckoprof::is_recording());
    marker!("after", Category::OTHER, never());
}

fn read_back(profile: &Json) {
    let scope = Marker::one(profile, "rust scope");
    assert_eq!(scope.phase(), 1.0);
    assert!(scope.end_ms() - scope.start_ms() >= 25.0, "the scope is too short");
    let main_thread = f64::from(std::process::id());
    assert_eq!(Marker::one(profile, "rust end").thread["tid"].number(), main_thread);
    assert_ne!(Marker::one(profile, "rust start").thread["tid"].number(), main_thread);

    let category_of = |name| Marker::one(profile, name).category();
    assert_eq!(category_of("rust named by a macro"), category_of("rust typed"));
    assert_eq!(Marker::one(profile, "rust named, with options").phase(), 2.0);
    assert_eq!(category_of("rust added in network"), category_of("rust in network"));
    assert_eq!(category_of("rust text in network"), category_of("rust in network"));
    assert_ne!(category_of("rust instant"), category_of("rust in network"));
    Marker::one(profile, &format!(r"rust\u0000{}", "n".repeat(380)));

    let stack_of = |name| Marker::one(profile, name).stack();
    assert_eq!(stack_of("rust instant"), None);
    assert_eq!(stack_of("rust labels").unwrap(), ["rust label", "(root)"]);
    assert_eq!(
        stack_of("rust in a block").unwrap(),
        ["rust block", "rust label", "(root)"]
    );
    assert_eq!(stack_of("rust after a block").unwrap(), ["rust label", "(root)"]);
    assert!(stack_of("rust numbers").unwrap().contains(&"rust label"));
    // What is not optimized has the crate's frames, too.
    if !cfg!(debug_assertions) {
        for name in [
            "rust stack",
            "rust stack of a type",
            "rust stack of a name",
            "rust stack of a text",
        ] {
            let innermost = function_of(stack_of(name).unwrap()[0]);
            assert_eq!(innermost, marks_with_stacks as *const () as usize, "{}", name);
        }
    }

    // What lies before the first row is in it.
    let value_of = |name: &str| {
        let mut counters = profile["counters"].list().iter();
        let counter = counters.find(|counter| counter["name"].text() == name).expect(name);
        let samples = counter["samples"]["data"].list();
        samples.iter().map(|sample| sample.list()[1].number()).sum::<f64>()
    };
    assert_eq!((value_of("rust counter"), value_of("rust rate")), (77.0, 1.0));
}

fn own_categories() {
    let physics = Category::add("Rust physics", "magenta").unwrap();
    let collisions = physics.add_subcategory("Rust collisions").unwrap();
    assert_eq!(Category::add("Rust physics", "magenta"), Some(physics));
    assert_eq!(collisions.to_pair() >> 8, physics.to_pair() >> 8);
    assert!(Category::add("Rust colour", "no colour").is_none() && Category::add("", "red").is_none());
    assert!(Category::add("a\0b", "red").is_none() && Category::from_pair(u32::MAX).add_subcategory("s").is_none());
    marker!(
        "rust collision",
        Category::OTHER,
        Options::now().in_category(collisions)
    );
}

/// No label is left that refers to a text which is gone.
fn labels_that_end_in_another_order() {
    let kept = with_label("outer", Category::OTHER, &String::from("gone soon"), || {
        geckoprof::Label::open("inner\0", Category::OTHER)
    });
    with_label("next", Category::OTHER, &String::from("text"), || drop(kept));
    std::mem::forget(geckoprof::Label::open("forgotten\0", Category::OTHER));
    let caught = std::panic::catch_unwind(|| with_label("panics", Category::OTHER, "text", || panic!("as it should")));
    assert!(caught.is_err());
    spin(5);
}

fn no_allocations(parts: &[Value<'_>], name: &str) {
    assert_ne!(allocations_of(|| drop(Box::new(5))), 0, "nothing is counted");
    let count = allocations_of(|| {
        label!("a", Category::OTHER);
        scope!("b", Category::OTHER);
        marker!("c", Category::OTHER);
        marker!("d", Category::OTHER, Options::now(), mixed(parts, name));
        marker_text!("e", Category::OTHER, Options::now(), name);
        let _ = geckoprof::add_marker(name, Category::OTHER, Options::now(), &mixed(parts, name));
        with_label("f", Category::OTHER, name, || COUNTER.add(0));
    });
    assert_eq!(count, 0);
}
