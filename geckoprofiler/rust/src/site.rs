use crate::category::Category;
use crate::ffi;
use crate::library::functions;
use crate::marker_type::DeclaredType;
use std::os::raw::c_char;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What is the same for all markers of one place: a static of the macros'.
pub struct Site {
    name: &'static str,
    category: Category,
    handle: AtomicPtr<ffi::SiteHandle>,
}

impl Site {
    /// `name` ends with a zero.
    #[doc(hidden)]
    pub const fn new(name: &'static str, category: Category) -> Site {
        assert!(!name.is_empty() && name.as_bytes()[name.len() - 1] == 0);
        Site {
            name,
            category,
            handle: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Null if it cannot be had. A site is always used with the same type.
    #[inline]
    pub(crate) fn handle(&self, declared: &DeclaredType) -> *mut ffi::SiteHandle {
        let handle = self.handle.load(Ordering::Acquire);
        if handle.is_null() {
            return self.declare(declared);
        }
        handle
    }

    #[cold]
    fn declare(&self, declared: &DeclaredType) -> *mut ffi::SiteHandle {
        let handle = declare(self.name.as_ptr() as *const c_char, self.category, declared);
        self.handle.store(handle, Ordering::Release);
        handle
    }
}

/// `name`: terminated, or null.
pub(crate) fn declare(name: *const c_char, category: Category, declared: &DeclaredType) -> *mut ffi::SiteHandle {
    let declare_site = match functions().and_then(|functions| functions.declare_site) {
        Some(declare_site) => declare_site,
        None => return ptr::null_mut(),
    };
    let handle = if declared.has_payload() {
        declared.handle()
    } else {
        ptr::null_mut()
    };
    if declared.has_payload() && handle.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: the name is terminated and copied; the handle is the library's own, or null; no place is given.
    unsafe { declare_site(ptr::null_mut(), name, category.0, handle) }
}
