use std::fmt::{Arguments, Write};

const MOST_BYTES: usize = 1024;

/// A text that was formatted without the heap: cut at 1,024 bytes. For [`marker_fmt!`](crate::marker_fmt!).
#[doc(hidden)]
pub struct FormattedText {
    bytes: [u8; MOST_BYTES],
    size: usize,
    was_cut: bool,
}

impl FormattedText {
    /// Formats. A value whose `Display` fails ends the text.
    pub fn new(arguments: Arguments<'_>) -> FormattedText {
        let mut text = FormattedText {
            bytes: [0; MOST_BYTES],
            size: 0,
            was_cut: false,
        };
        let _ = text.write_fmt(arguments);
        text
    }
    /// The text, which ends between two characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.size]).unwrap_or_default()
    }
    /// Whether it was cut.
    pub fn was_cut(&self) -> bool {
        self.was_cut
    }
}

impl Write for FormattedText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let mut fit = text.len().min(MOST_BYTES - self.size);
        while !text.is_char_boundary(fit) {
            fit -= 1;
        }
        self.bytes[self.size..self.size + fit].copy_from_slice(&text.as_bytes()[..fit]);
        self.size += fit;
        if fit == text.len() {
            return Ok(());
        }
        self.was_cut = true;
        Err(std::fmt::Error) // nothing after a gap
    }
}

#[cfg(test)]
mod tests {
    use super::FormattedText;

    #[test]
    fn it_is_cut_between_characters() {
        let text = FormattedText::new(format_args!("{} {:?}", 7, "x"));
        assert_eq!((text.as_str(), text.was_cut()), ("7 \"x\"", false));
        let long = FormattedText::new(format_args!("a{}{}", "ä".repeat(600), "b"));
        assert_eq!((long.as_str().len(), long.was_cut()), (1023, true));
        assert!(long.as_str().ends_with('ä'));
    }
}
