//! A profile of the raw format, read back.

/// A value of a profile's text. Escapes in strings stay as they are written.
#[derive(Debug, PartialEq)]
pub enum Json {
    /// null, true or false.
    Word(String),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn parse(text: &str) -> Json {
        let mut rest = text.trim();
        let json = value(&mut rest);
        assert_eq!(rest, "", "there is more than one value");
        json
    }
    pub fn get(&self, wanted: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(key, _)| key == wanted).map(|(_, value)| value),
            _ => None,
        }
    }
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => panic!("{:?} is no list", self),
        }
    }
    pub fn number(&self) -> f64 {
        match self {
            Json::Number(number) => *number,
            _ => panic!("{:?} is no number", self),
        }
    }
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => panic!("{:?} is no text", self),
        }
    }
    fn row(&self, row: &Json) -> &Json {
        &self.list()[row.number() as usize]
    }
    fn rows(&self, table: &str) -> &Json {
        self.get(table).and_then(|table| table.get("data")).expect(table)
    }
}

impl std::ops::Index<&str> for Json {
    type Output = Json;
    fn index(&self, key: &str) -> &Json {
        self.get(key)
            .unwrap_or_else(|| panic!("nothing is named {} in {:?}", key, self))
    }
}

fn string(rest: &mut &str) -> String {
    let body = &rest[1..];
    let mut escaped = false;
    let end = body.find(|next| {
        let ends = next == '"' && !escaped;
        escaped = next == '\\' && !escaped;
        ends
    });
    let (text, after) = body.split_at(end.expect("a string without an end"));
    *rest = &after[1..];
    text.to_string()
}

/// What lies between brackets, up to the closing one.
fn items<Item>(rest: &mut &str, close: char, mut item: impl FnMut(&mut &str) -> Item) -> Vec<Item> {
    *rest = rest[1..].trim_start();
    let mut found = Vec::new();
    while !rest.starts_with(close) {
        found.push(item(rest));
        *rest = rest.trim_start();
        *rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    *rest = &rest[1..];
    found
}

fn member(rest: &mut &str) -> (String, Json) {
    let key = string(rest);
    *rest = rest
        .trim_start()
        .strip_prefix(':')
        .expect("a key without a value")
        .trim_start();
    (key, value(rest))
}

fn value(rest: &mut &str) -> Json {
    match rest.as_bytes()[0] {
        b'{' => Json::Object(items(rest, '}', member)),
        b'[' => Json::List(items(rest, ']', value)),
        b'"' => Json::Text(string(rest)),
        _ => {
            let end = rest
                .find(|next: char| ",]}".contains(next) || next.is_whitespace())
                .unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            *rest = after;
            match word.parse() {
                Ok(number) => Json::Number(number),
                Err(_) => Json::Word(word.to_string()),
            }
        }
    }
}

/// A marker, and the thread that it is in.
pub struct Marker<'a> {
    pub thread: &'a Json,
    row: &'a [Json],
}

impl<'a> Marker<'a> {
    /// The only one of its name.
    pub fn one(profile: &'a Json, name: &str) -> Marker<'a> {
        let mut found = Vec::new();
        for thread in profile["threads"].list() {
            for row in thread.rows("markers").list() {
                if thread["stringTable"].row(&row.list()[0]).text() == name {
                    found.push(Marker {
                        thread,
                        row: row.list(),
                    });
                }
            }
        }
        assert_eq!(found.len(), 1, "markers named {}", name);
        found.remove(0)
    }
    pub fn start_ms(&self) -> f64 {
        self.row[1].number()
    }
    pub fn end_ms(&self) -> f64 {
        self.row[2].number()
    }
    pub fn phase(&self) -> f64 {
        self.row[3].number()
    }
    /// The number of its category in the profile.
    pub fn category(&self) -> f64 {
        self.row[4].number()
    }
    /// The texts of its stack, innermost first. None: it has none.
    pub fn stack(&self) -> Option<Vec<&'a str>> {
        let stack = self.row.get(5)?.get("stack")?;
        let mut next = &stack.rows("samples").list()[0].list()[0];
        let mut texts = Vec::new();
        while let Json::Number(_) = next {
            let row = self.thread.rows("stackTable").row(next).list();
            let frame = self.thread.rows("frameTable").row(&row[1]).list();
            texts.push(self.thread["stringTable"].row(&frame[0]).text());
            next = &row[0];
        }
        Some(texts)
    }
}
