use crate::library::functions;
use std::ffi::CString;

/// What a label or marker belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category(pub(crate) u32);

impl Category {
    /// Of a pair of category and subcategory, `category << 8 | subcategory`. One that there is not counts as OTHER.
    pub const fn from_pair(pair: u32) -> Category {
        Category(pair)
    }
    /// The number of the pair.
    pub const fn to_pair(self) -> u32 {
        self.0
    }

    /// The program's own category of this name, made if there is none, for all recordings of this process. `color`: a
    /// colour name of the viewer, such as "magenta". Takes a lock.
    ///
    /// `None`: there is no library, or it refused: an unknown colour, a name that is empty or longer than 63 bytes, or 255
    /// categories are there. A profile says how many were refused.
    ///
    /// ```
    /// use geckoprof::{marker, Category, Options};
    /// let physics = Category::add("Physics", "magenta").unwrap_or(Category::OTHER);
    /// marker!("collision", Category::OTHER, Options::now().in_category(physics));
    /// ```
    pub fn add(name: &str, color: &str) -> Option<Category> {
        let add = functions()?.add_category?;
        let (name, color) = (CString::new(name).ok()?, CString::new(color).ok()?);
        // SAFETY: the texts are terminated, and copied before it returns; the pair is written before that.
        added(|pair| unsafe { add(name.as_ptr(), color.as_ptr(), pair) })
    }

    /// The subcategory of this name, likewise; the category's own subcategory does not count. 127 of one at most.
    pub fn add_subcategory(self, name: &str) -> Option<Category> {
        let add = functions()?.add_subcategory?;
        let name = CString::new(name).ok()?;
        // SAFETY: as above.
        added(|pair| unsafe { add(self.0, name.as_ptr(), pair) })
    }
}

/// `add` answers at most this where there is a category now: GECKOPROF_CATEGORY_OTHER_COLOR.
const LAST_THERE: i32 = 2;

fn added(add: impl FnOnce(*mut u32) -> i32) -> Option<Category> {
    let mut pair = 0;
    let result = add(&mut pair);
    (result <= LAST_THERE).then_some(Category(pair))
}
