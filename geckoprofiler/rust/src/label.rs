use crate::category::Category;
use crate::library::functions;
use crate::short_text::ShortText;
use std::ffi::CStr;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};
use std::ptr;

/// A frame in the stacks of samples of this thread, until it is dropped. Made by [`label!`](crate::label!).
///
/// One that is forgotten stays open as long as the thread. Labels that are dropped in another order than they were
/// opened in are closed in the order that they should have been.
#[must_use = "a label is closed when it is dropped"]
pub struct Label {
    entered: *mut c_void,
    // Of the thread that opened it.
    not_send: PhantomData<*mut ()>,
}

impl Label {
    /// `name` ends with a zero. It lives for ever, so a label that is never closed refers to nothing that is gone.
    #[doc(hidden)]
    #[inline(always)]
    pub fn open(name: &'static str, category: Category) -> Label {
        assert!(name.ends_with('\0'));
        let mut here = 0u8; // in the frame that the label belongs to: this function is inlined
        let entered = match functions().and_then(|functions| functions.label_enter) {
            // SAFETY: the text is terminated and static; the address is only compared.
            Some(enter) => unsafe {
                enter(
                    name.as_ptr() as *const c_char,
                    ptr::null(),
                    category.0,
                    &mut here as *mut u8 as *mut c_void,
                )
            },
            None => ptr::null_mut(),
        };
        Label {
            entered,
            not_send: PhantomData,
        }
    }
}

impl Drop for Label {
    #[inline(always)]
    fn drop(&mut self) {
        if self.entered.is_null() {
            return;
        }
        if let Some(leave) = functions().and_then(|functions| functions.label_leave) {
            // SAFETY: it is what label_enter gave, on this thread: Label is not Send. Closing more often than opening
            // does nothing.
            unsafe { leave(self.entered) }
        }
    }
}

/// Runs `body` inside a label with a text of the moment, shown after the name; it is cut at 255 bytes.
///
/// A function, and no object: whatever `body` does with labels, this one is closed before its text goes.
///
/// ```
/// use geckoprof::{with_label, Category};
/// let path = String::from("settings.json");
/// let size = with_label("load", Category::STORAGE, &path, || path.len());
/// assert_eq!(size, 13);
/// ```
#[inline]
pub fn with_label<Result>(name: &str, category: Category, text: &str, body: impl FnOnce() -> Result) -> Result {
    match functions() {
        Some(functions) if functions.label_cut.is_some() && functions.label_depth.is_some() => {
            let (name, text) = (ShortText::new(name), ShortText::new(text));
            let open = CutLabels::open(name.as_c_str(), text.as_c_str(), category);
            let result = body();
            drop(open); // before the texts
            result
        }
        _ => body(),
    }
}

/// Closes all labels that were opened since, also when `body` panics. Borrows the texts that the library reads.
struct CutLabels<'text> {
    depth: u32,
    texts: PhantomData<(&'text CStr, *mut ())>,
}

impl<'text> CutLabels<'text> {
    /// REQUIRES (by its only caller): it is dropped, and not forgotten.
    fn open(name: &'text CStr, text: &'text CStr, category: Category) -> CutLabels<'text> {
        let mut depth = 0;
        if let Some(functions) = functions() {
            if let (Some(get_depth), Some(enter)) = (functions.label_depth, functions.label_enter) {
                let mut here = 0u8;
                // SAFETY: the texts are terminated, and live until the label is closed: with_label keeps them, and its
                // CutLabels, in a frame that no code of the caller's can leave without the drop below.
                unsafe {
                    depth = get_depth();
                    enter(
                        name.as_ptr(),
                        text.as_ptr(),
                        category.0,
                        &mut here as *mut u8 as *mut c_void,
                    );
                }
            }
        }
        CutLabels {
            depth,
            texts: PhantomData,
        }
    }
}

impl Drop for CutLabels<'_> {
    fn drop(&mut self) {
        if let Some(cut) = functions().and_then(|functions| functions.label_cut) {
            // SAFETY: closes labels of this thread. Those that were opened inside and not closed are closed with it.
            unsafe { cut(self.depth) }
        }
    }
}
