/// A frame in the stacks of samples, until the end of the block: `label!("load", Category::STORAGE)`.
///
/// The name is a literal. With a text of the moment: [`with_label`](crate::with_label).
#[macro_export]
macro_rules! label {
    ($name:literal, $category:expr) => {
        let _geckoprof_label = $crate::Label::open(concat!($name, "\0"), $category);
    };
}

/// A marker: `marker!(name, category)`, an instant; `marker!(name, category, options)`;
/// `marker!(name, category, options, payload)`.
///
/// Where the name is a literal, which is faster, the category is a constant; it may be any `&str` as well. What is given
/// is evaluated only while something is recorded. For the result: [`add_marker`](crate::add_marker).
///
/// ```
/// use geckoprof::{marker, Category, Options};
/// marker!("request", Category::NETWORK, Options::now().with_stack());
/// marker!(&format!("request {}", 7), Category::NETWORK);
/// ```
#[macro_export]
macro_rules! marker {
    ($name:literal, $category:expr) => {
        if $crate::is_recording() {
            static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"), $category);
            $crate::__mark_instant(&SITE);
        }
    };
    ($name:literal, $category:expr, $options:expr) => {
        $crate::marker!($name, $category, $options, $crate::NoPayload)
    };
    ($name:literal, $category:expr, $options:expr, $payload:expr) => {
        if $crate::is_recording() {
            static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"), $category);
            let _ = $crate::__mark_at(&SITE, $options, &$payload);
        }
    };
    ($name:expr, $category:expr) => {
        $crate::marker!($name, $category, $crate::Options::now(), $crate::NoPayload)
    };
    ($name:expr, $category:expr, $options:expr) => {
        $crate::marker!($name, $category, $options, $crate::NoPayload)
    };
    ($name:expr, $category:expr, $options:expr, $payload:expr) => {
        if $crate::is_recording() {
            let _ = $crate::add_marker($name, $category, $options, &$payload);
        }
    };
}

/// A marker with a text: `marker_text!(name, category, options, text)`. The name may be any `&str`.
#[macro_export]
macro_rules! marker_text {
    ($name:expr, $category:expr, $options:expr, $text:expr) => {
        if $crate::is_recording() {
            let _ = $crate::add_text_marker($name, $category, $options, $text);
        }
    };
}

/// A marker with a text that is formatted as `format!` does, without the heap: `marker_fmt!(name, category, options,
/// format, ...)`.
///
/// Nothing is formatted or evaluated while nothing is recorded. The text is cut at 1,024 bytes, and the profile counts
/// that.
///
/// ```
/// use geckoprof::{marker_fmt, Category, Options};
/// let (done, all) = (3, 7);
/// marker_fmt!("decoded", Category::MEDIA, Options::now(), "{done} of {} frames", all);
/// ```
#[macro_export]
macro_rules! marker_fmt {
    ($name:expr, $category:expr, $options:expr, $($format:tt)+) => {
        if $crate::is_recording() {
            let text = $crate::__FormattedText::new(::std::format_args!($($format)+));
            let _ = $crate::add_text_marker($name, $category, $options.with_cut(text.was_cut()), text.as_str());
        }
    };
}

/// An interval until the end of the block: `scope!("load", Category::STORAGE)`. The fastest marker of all.
#[macro_export]
macro_rules! scope {
    ($name:literal, $category:expr) => {
        let _geckoprof_scope = {
            static SITE: $crate::Site = $crate::Site::new(concat!($name, "\0"), $category);
            $crate::Scope::begin(&SITE)
        };
    };
}

/// Declares a struct that is a type of markers: its fields are the payload.
///
/// ```
/// geckoprof::marker_type! {
///     /// What a request came to.
///     #[derive(Debug)]
///     pub struct Request<'a> {
///         "URL" [Url] url: &'a str,
///         "Status" [Integer] status: u32,
///         "Took" [Duration] took: std::time::Duration,
///         "Error" [String] error: Option<&'a str>,
///     }
///     name: "Request",
///     description: "A request that was answered",
///     table_label: "{marker.data.status} {marker.data.url}"
/// }
/// use geckoprof::MarkerType;
/// assert_eq!(Request::declared().description().fields[3].key, "error");
/// assert!(Request::declared().description().fields[3].is_optional);
/// ```
///
/// A field: its label, how it is shown (a [`Format`](crate::Format)), its name, which is the key (`match` of `r#match`), and
/// its type, a [`FieldValue`](crate::FieldValue). After the format may come `, hidden`: not shown, but searched and used by
/// labels; and `, key = "another key"`. A table's format has its columns: `[Table("Stage" String, "Took" Duration)]`. After the
/// struct, in any order: what [`TypeDescription`](crate::TypeDescription) has; `name` must be given.
///
/// ```
/// use geckoprof::{Format, MarkerType, Value};
/// geckoprof::marker_type! {
///     struct Build<'a> {
///         "Stages" [Table("Stage" String, "ms" Milliseconds)] stages: &'a [[Value<'a>; 2]],
///         "CPU" [Integer, key = "CPU Id", hidden] cpu: u32,
///     }
///     name: "Build", notes: &[geckoprof::Note { label: "Note", value: "of all" }]
/// }
/// let fields = Build::declared().description().fields;
/// assert!(matches!(fields[0].format, Format::Table(columns) if columns[1].format == Format::Milliseconds));
/// assert!(fields[1].is_hidden && fields[1].key == "CPU Id" && !fields[0].is_hidden);
/// # geckoprof::marker_type! { struct Raw { "Match" [Integer] r#match: u8 } name: "Raw" }
/// # assert_eq!(Raw::declared().description().fields[0].key, "match");
/// # let _ = Build { stages: &[["parse".into(), 1.5.into()]], cpu: 0 };
/// ```
#[macro_export]
macro_rules! marker_type {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $type:ident $(<$life:lifetime>)? {
            $(
                $(#[$field_attribute:meta])*
                $label:literal [$format:ident $(($($column:tt)*))? $(, $option:ident $(= $text:literal)?)*] $field:ident: $value:ty
            ),* $(,)?
        }
        $($key:ident: $set:expr),+ $(,)?
    ) => {
        $(#[$attribute])*
        $visibility struct $type $(<$life>)? {
            $($(#[$field_attribute])* #[doc = $label] pub $field: $value,)*
        }

        impl $(<$life>)? $crate::MarkerType for $type $(<$life>)? {
            fn declared() -> &'static $crate::DeclaredType {
                static DECLARED: $crate::DeclaredType = $crate::DeclaredType::new($crate::TypeDescription {
                    fields: $crate::marker_type!(@fields $($life)?;
                        $({$label} {$format $(($($column)*))?} {$($option $(= $text)?),*} {$field} {$value};)*),
                    $($key: $set,)+
                    ..$crate::TypeDescription::new("", &[])
                });
                &DECLARED
            }
            #[inline(always)]
            fn with_values<R>(&self, take: impl FnOnce(&[$crate::Value<'_>]) -> R) -> R {
                take(&[$($crate::FieldValue::to_value(&self.$field)),*])
            }
        }
    };
    // In a static, what a struct borrows is borrowed for ever.
    (@fields $life:lifetime; $({$label:literal} {$($format:tt)*} {$($option:tt)*} {$field:ident} {$value:ty};)*) => {{
        struct Fields<$life>(::std::marker::PhantomData<&$life ()>);
        impl<$life> Fields<$life> {
            const LIST: &'static [$crate::Field] =
                $crate::marker_type!(@list $({$label} {$($format)*} {$($option)*} {$field} {$value};)*);
        }
        Fields::<'static>::LIST
    }};
    (@fields ; $($entries:tt)*) => {
        $crate::marker_type!(@list $($entries)*)
    };
    (@list $({$label:literal} {$($format:tt)*} {$($option:tt)*} {$field:ident} {$value:ty};)*) => {
        &[$($crate::Field {
            key: $crate::marker_type!(@key $field; $($option)*),
            label: $label,
            format: $crate::marker_type!(@format $($format)*),
            kind: <$value as $crate::FieldValue>::KIND,
            is_optional: <$value as $crate::FieldValue>::IS_OPTIONAL,
            is_hidden: $crate::marker_type!(@hidden $($option)*),
        }),*]
    };
    (@format Table($($label:literal $format:ident),* $(,)?)) => {
        $crate::Format::Table(&[$($crate::Column { label: $label, format: $crate::Format::$format }),*])
    };
    (@format $format:ident) => { $crate::Format::$format };
    (@key $field:ident; key = $key:literal $(, $($rest:tt)*)?) => { $key };
    (@key $field:ident; hidden $(, $($rest:tt)*)?) => { $crate::marker_type!(@key $field; $($($rest)*)?) };
    (@key $field:ident;) => { $crate::__key_of(stringify!($field)) };
    (@hidden hidden $(, $($rest:tt)*)?) => { true };
    (@hidden key = $key:literal $(, $($rest:tt)*)?) => { $crate::marker_type!(@hidden $($($rest)*)?) };
    (@hidden) => { false };
}
