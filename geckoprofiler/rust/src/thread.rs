use crate::library::functions;
use crate::short_text::ShortText;
use std::marker::PhantomData;

/// The calling thread's name in profiles, until it is dropped.
#[must_use = "the thread is unregistered when it is dropped"]
pub struct ThreadRegistration {
    // Of the thread that made it.
    not_send: PhantomData<*mut ()>,
}

/// Names the calling thread; registrations nest, and the first name stays.
///
/// Threads are recorded whether they are registered or not. A name that was given by `std::thread::Builder` is known.
///
/// ```
/// let worker = std::thread::spawn(|| {
///     let _registered = geckoprof::register_thread("worker");
/// });
/// worker.join().unwrap();
/// ```
pub fn register_thread(name: &str) -> ThreadRegistration {
    if let Some(register) = functions().and_then(|functions| functions.register_thread) {
        // SAFETY: the text is terminated, and copied.
        unsafe { register(ShortText::new(name).as_c_str().as_ptr()) }
    }
    ThreadRegistration { not_send: PhantomData }
}

impl Drop for ThreadRegistration {
    fn drop(&mut self) {
        if let Some(unregister) = functions().and_then(|functions| functions.unregister_thread) {
            // SAFETY: on the thread that registered. More often than registering does nothing.
            unsafe { unregister() }
        }
    }
}
