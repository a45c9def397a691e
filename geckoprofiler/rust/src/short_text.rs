use std::ffi::CStr;

/// A text with a terminating zero, without the heap: cut at 255 bytes, or at the first zero.
pub struct ShortText {
    bytes: [u8; 256],
}

impl ShortText {
    /// Copies `text`.
    pub fn new(text: &str) -> ShortText {
        let mut bytes = [0; 256];
        let mut size = text.len().min(bytes.len() - 1);
        while !text.is_char_boundary(size) {
            size -= 1;
        }
        bytes[..size].copy_from_slice(&text.as_bytes()[..size]);
        ShortText { bytes }
    }

    /// The text up to the first zero.
    pub fn as_c_str(&self) -> &CStr {
        let end = self.bytes.iter().position(|&byte| byte == 0).unwrap_or(0);
        CStr::from_bytes_with_nul(&self.bytes[..=end]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::ShortText;

    fn text_of(text: &str) -> String {
        ShortText::new(text).as_c_str().to_str().unwrap().to_owned()
    }

    #[test]
    fn it_is_cut_between_characters_and_at_a_zero() {
        assert_eq!(text_of(""), "");
        assert_eq!(text_of("path"), "path");
        assert_eq!(text_of("a\0b"), "a");
        assert_eq!(text_of(&"x".repeat(300)), "x".repeat(255));
        assert_eq!(text_of(&"ä".repeat(200)), "ä".repeat(127));
    }
}
