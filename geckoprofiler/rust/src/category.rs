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
}
