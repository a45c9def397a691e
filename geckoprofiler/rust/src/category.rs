/// What a label or marker belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category(pub(crate) u32);

#[allow(missing_docs)]
impl Category {
    pub const IDLE: Category = Category(0);
    pub const OTHER: Category = Category(1 << 8);
    pub const TEST: Category = Category(2 << 8);
    pub const NETWORK: Category = Category(3 << 8);
    pub const GRAPHICS: Category = Category(4 << 8);
    pub const IPC: Category = Category(5 << 8);
    pub const MEDIA: Category = Category(6 << 8);
    pub const STORAGE: Category = Category(7 << 8);
    pub const PROFILER: Category = Category(8 << 8);
    pub const TIMER: Category = Category(9 << 8);
    pub const LOGS: Category = Category(10 << 8);
}

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
