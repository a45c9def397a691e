//! Without a library the program runs, and nothing is recorded.

use geckoprof::{label, marker, marker_text, scope, with_label, Category, Counter, MarkerError, NoPayload, Options};

static COUNTER: Counter = Counter::new("counter", "", "");

fn never(what: &str) -> Options {
    panic!("{} was evaluated", what)
}

#[test]
fn nothing_happens() {
    // Where the tests themselves are recorded, there is one.
    if geckoprof::library_is_here() {
        return;
    }
    let _thread = geckoprof::register_thread("thread");
    label!("label", Category::OTHER);
    scope!("scope", Category::OTHER);
    marker!("marker", Category::OTHER);
    marker!("marker", Category::OTHER, never("options"));
    marker!(
        {
            never("name");
            "marker"
        },
        Category::OTHER
    );
    marker_text!("marker", Category::OTHER, never("options"), "text");
    assert_eq!(with_label("label", Category::OTHER, "text", || 5), 5);
    assert!(Category::add("Own", "red").is_none() && Category::OTHER.add_subcategory("Own").is_none());
    COUNTER.add(1);
    COUNTER.set(5);
    let now = Options::now();
    assert_eq!(
        geckoprof::add_marker("m", Category::OTHER, now, &NoPayload),
        Err(MarkerError::NotRecording)
    );
    assert_eq!(
        geckoprof::add_text_marker("m", Category::OTHER, now, "t"),
        Err(MarkerError::NotRecording)
    );
    assert!(!geckoprof::is_recording());
    assert_eq!(geckoprof::state(), geckoprof::State::Inactive);
    assert_eq!(
        geckoprof::start(&geckoprof::Parameters::default()),
        Err(geckoprof::StartError::NotHere)
    );
    assert!(!geckoprof::stop() && !geckoprof::pause() && !geckoprof::resume());
    assert!(!geckoprof::pause_sampling() && !geckoprof::resume_sampling());
    assert_eq!(geckoprof::features().0, 0);
    assert!(geckoprof::buffer_info().is_none());
    assert!(geckoprof::full::Profiler::find().is_none());
    assert!(!geckoprof::load_library("/there/is/no/such/library.so"));
    assert!(!geckoprof::load_library("a\0b"));
    assert!(!geckoprof::library_is_here());
}
