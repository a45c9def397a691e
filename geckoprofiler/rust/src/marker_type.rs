use crate::ffi;
use crate::library::functions;
use crate::value::{Kind, Value};
use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// How a field's values are shown: the viewer's formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    // [marker_formats] tools/build_lists writes these lines from common/lists/marker_formats.json.
    Url,
    FilePath,
    SanitizedString,
    String,
    UniqueString,
    Duration,
    Time,
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    Bytes,
    Percentage,
    Integer,
    Decimal,
    Hexadecimal,
    Pid,
    Tid,
    List,
    FlowId,
    TerminatingFlowId,
    // [/marker_formats]
    /// Rows of cells: `&[[Value; N]]`, with a cell for each column.
    Table(&'static [Column]),
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its head; may be empty.
    pub label: &'static str,
    /// Any but `Table`, `List`, `UniqueString` and those of flows.
    pub format: Format,
}

impl Format {
    /// As the library wants it: a table's columns follow its name.
    fn text(self) -> String {
        let mut text = String::from(self.name());
        if let Format::Table(columns) = self {
            for column in columns {
                text.push('\x1e');
                text.push_str(column.label);
                text.push('\x1f');
                text.push_str(column.format.name());
            }
        }
        text
    }

    const fn name(self) -> &'static str {
        match self {
            // [marker_formats names] tools/build_lists writes these lines from common/lists/marker_formats.json.
            Format::Url => "url",
            Format::FilePath => "file-path",
            Format::SanitizedString => "sanitized-string",
            Format::String => "string",
            Format::UniqueString => "unique-string",
            Format::Duration => "duration",
            Format::Time => "time",
            Format::Seconds => "seconds",
            Format::Milliseconds => "milliseconds",
            Format::Microseconds => "microseconds",
            Format::Nanoseconds => "nanoseconds",
            Format::Bytes => "bytes",
            Format::Percentage => "percentage",
            Format::Integer => "integer",
            Format::Decimal => "decimal",
            Format::Hexadecimal => "hexadecimal",
            Format::Pid => "pid",
            Format::Tid => "tid",
            Format::List => "list",
            Format::FlowId => "flow-id",
            Format::TerminatingFlowId => "terminating-flow-id",
            // [/marker_formats names]
            Format::Table(_) => "table",
        }
    }
}

/// One field of a type.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// In the profile's JSON, and in labels: `{marker.data.key}`.
    pub key: &'static str,
    /// What the viewer writes beside it.
    pub label: &'static str,
    /// How it is shown.
    pub format: Format,
    /// How it is stored.
    pub kind: Kind,
    /// Whether there may be none.
    pub is_optional: bool,
    /// Not shown, but searched and used by labels.
    pub is_hidden: bool,
}

/// The key of a field of this name: a raw identifier's is what stands behind `r#`.
#[doc(hidden)]
pub const fn key_of(name: &'static str) -> &'static str {
    if let [b'r', b'#', rest @ ..] = name.as_bytes() {
        if let Ok(key) = std::str::from_utf8(rest) {
            return key;
        }
    }
    name
}

/// A field as a graph over time: its key, "line", "bar" or "line-filled", and a colour name of the viewer or "".
#[derive(Clone, Copy, Debug)]
pub struct Graph {
    /// Of a field with a number.
    pub key: &'static str,
    /// "line", "bar" or "line-filled".
    pub kind: &'static str,
    /// "" for the default.
    pub color: &'static str,
}

/// What is shown with every marker of the type.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Note {
    pub label: &'static str,
    pub value: &'static str,
}

/// What markers of a type have in common. Empty texts and lists are none; `display` is chart and table then.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct TypeDescription {
    pub name: &'static str,
    pub description: &'static str,
    pub chart_label: &'static str,
    pub tooltip_label: &'static str,
    pub table_label: &'static str,
    /// The key of the field that holds a colour name.
    pub color_field: &'static str,
    /// "marker-chart", "marker-table", "timeline-overview", ...
    pub display: &'static [&'static str],
    /// In the order of the values; 31 at most.
    pub fields: &'static [Field],
    pub graphs: &'static [Graph],
    pub notes: &'static [Note],
    /// Markers of a thread nest properly.
    pub is_stack_based: bool,
    /// `false`: the viewer knows the type itself.
    pub has_schema: bool,
}

impl TypeDescription {
    /// A name, and nothing else.
    pub const fn new(name: &'static str, fields: &'static [Field]) -> TypeDescription {
        TypeDescription {
            name,
            description: "",
            chart_label: "",
            tooltip_label: "",
            table_label: "",
            color_field: "",
            display: &[],
            fields,
            graphs: &[],
            notes: &[],
            is_stack_based: false,
            has_schema: true,
        }
    }
}

/// A type of markers: a struct whose fields are the payload. [`marker_type!`](crate::marker_type!) writes all of this.
pub trait MarkerType {
    /// A static of the type's.
    fn declared() -> &'static DeclaredType;
    /// Gives `take` one value for each field of the description, in its order; returns what that does.
    fn with_values<R>(&self, take: impl FnOnce(&[Value<'_>]) -> R) -> R;
}

const NO_SCHEMA: u32 = 2;

/// No payload.
#[derive(Clone, Copy, Debug)]
pub struct NoPayload;

impl MarkerType for NoPayload {
    fn declared() -> &'static DeclaredType {
        static NONE: DeclaredType = DeclaredType::new(TypeDescription::new("", &[]));
        &NONE
    }
    #[inline(always)]
    fn with_values<R>(&self, take: impl FnOnce(&[Value<'_>]) -> R) -> R {
        take(&[])
    }
}

/// A description, and what the library knows it by once a marker was made.
pub struct DeclaredType {
    description: TypeDescription,
    handle: AtomicPtr<ffi::Type>,
    /// Of markers whose name comes with them.
    pub(crate) nameless: AtomicPtr<ffi::SiteHandle>,
}

impl DeclaredType {
    /// For a static.
    pub const fn new(description: TypeDescription) -> DeclaredType {
        DeclaredType {
            description,
            handle: AtomicPtr::new(ptr::null_mut()),
            nameless: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// What it describes.
    pub fn description(&self) -> &TypeDescription {
        &self.description
    }

    /// Why the library refuses the description. `None`: it does not, or there is no library.
    pub fn problem(&self) -> Option<String> {
        let type_problem = functions()?.type_problem?;
        self.with_c(|described| {
            // SAFETY: all texts are terminated and live through the call; the answer is static.
            unsafe {
                let problem = type_problem(described);
                (!problem.is_null()).then(|| std::ffi::CStr::from_ptr(problem).to_string_lossy().into_owned())
            }
        })
    }

    pub(crate) fn has_payload(&self) -> bool {
        !self.description.name.is_empty()
    }

    /// Null if it cannot be had.
    pub(crate) fn handle(&self) -> *mut ffi::Type {
        let handle = self.handle.load(Ordering::Acquire);
        if handle.is_null() {
            return self.declare();
        }
        handle
    }

    #[cold]
    fn declare(&self) -> *mut ffi::Type {
        let declare_type = match functions().and_then(|functions| functions.declare_type) {
            Some(declare_type) => declare_type,
            None => return ptr::null_mut(),
        };
        let handle = self.with_c(|described| {
            // SAFETY: all texts are terminated and live through the call, which copies them; no place is given.
            unsafe { declare_type(ptr::null_mut(), described) }
        });
        self.handle.store(handle, Ordering::Release);
        handle
    }

    fn with_c<R>(&self, take: impl FnOnce(*const ffi::MarkerType) -> R) -> R {
        let mut kept = Texts(Vec::new());
        let description = &self.description;
        let fields: Vec<ffi::MarkerField> = description.fields.iter().map(|field| kept.field(field)).collect();
        let graphs: Vec<ffi::MarkerGraph> = description
            .graphs
            .iter()
            .map(|graph| ffi::MarkerGraph {
                key: kept.keep(graph.key),
                kind: kept.keep(graph.kind),
                color: kept.keep(graph.color),
            })
            .collect();
        let notes: Vec<ffi::MarkerNote> = description
            .notes
            .iter()
            .map(|note| ffi::MarkerNote {
                label: kept.keep(note.label),
                value: kept.keep(note.value),
            })
            .collect();
        let display: Vec<*const c_char> = description.display.iter().map(|place| kept.keep(place)).collect();
        let described = ffi::MarkerType {
            size_bytes: std::mem::size_of::<ffi::MarkerType>() as u32,
            flags: u32::from(description.is_stack_based) | if description.has_schema { 0 } else { NO_SCHEMA },
            name: kept.keep(description.name),
            description: kept.keep(description.description),
            chart_label: kept.keep(description.chart_label),
            tooltip_label: kept.keep(description.tooltip_label),
            table_label: kept.keep(description.table_label),
            color_field: kept.keep(description.color_field),
            display: if display.is_empty() {
                ptr::null()
            } else {
                display.as_ptr()
            },
            fields: fields.as_ptr(),
            notes: notes.as_ptr(),
            graphs: graphs.as_ptr(),
            display_count: display.len() as u32,
            field_count: fields.len() as u32,
            note_count: notes.len() as u32,
            graph_count: graphs.len() as u32,
            registered: 0,
        };
        take(&described)
    }
}

/// Terminated copies, which stay where they are.
struct Texts(Vec<CString>);

impl Texts {
    /// Null for an empty text. One with a zero ends there.
    fn keep(&mut self, text: &str) -> *const c_char {
        let text = text.split('\0').next().unwrap_or("");
        if text.is_empty() {
            return ptr::null();
        }
        self.0.push(CString::new(text).unwrap_or_default());
        self.0[self.0.len() - 1].as_ptr()
    }

    fn field(&mut self, field: &Field) -> ffi::MarkerField {
        const HIDDEN: u32 = 1;
        const OPTIONAL: u32 = 2;
        ffi::MarkerField {
            key: self.keep(field.key),
            label: self.keep(field.label),
            format: self.keep(&field.format.text()),
            kind: field.kind as u32,
            flags: if field.is_hidden { HIDDEN } else { 0 } | if field.is_optional { OPTIONAL } else { 0 },
        }
    }
}
