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
/// The name is a literal and the category a constant; options and payload are evaluated only while something is
/// recorded. For the result, or another name: [`add_marker`](crate::add_marker).
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
/// A field: its label, how it is shown (a [`Format`](crate::Format)), its name, which is the key, and its type, a
/// [`FieldValue`](crate::FieldValue). After the struct, in any order: what
/// [`TypeDescription`](crate::TypeDescription) has; `name` must be given.
#[macro_export]
macro_rules! marker_type {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $type:ident $(<$life:lifetime>)? {
            $($(#[$field_attribute:meta])* $label:literal [$format:ident] $field:ident: $value:ty),* $(,)?
        }
        $($key:ident: $text:expr),+ $(,)?
    ) => {
        $(#[$attribute])*
        $visibility struct $type $(<$life>)? {
            $($(#[$field_attribute])* #[doc = $label] pub $field: $value,)*
        }

        impl $(<$life>)? $crate::MarkerType for $type $(<$life>)? {
            fn declared() -> &'static $crate::DeclaredType {
                static DECLARED: $crate::DeclaredType = $crate::DeclaredType::new($crate::TypeDescription {
                    fields: $crate::marker_type!(@fields $($life)?; $($label, $format, $field, $value;)*),
                    $($key: $text,)+
                    ..$crate::TypeDescription::new("", &[])
                });
                &DECLARED
            }
            #[inline]
            fn with_values<R>(&self, take: impl FnOnce(&[$crate::Value<'_>]) -> R) -> R {
                take(&[$($crate::FieldValue::to_value(&self.$field)),*])
            }
        }
    };
    // In a static, what a struct borrows is borrowed for ever.
    (@fields $life:lifetime; $($label:literal, $format:ident, $field:ident, $value:ty;)*) => {{
        struct Fields<$life>(::std::marker::PhantomData<&$life ()>);
        impl<$life> Fields<$life> {
            const LIST: &'static [$crate::Field] = $crate::marker_type!(@list $($label, $format, $field, $value;)*);
        }
        Fields::<'static>::LIST
    }};
    (@fields ; $($label:literal, $format:ident, $field:ident, $value:ty;)*) => {
        $crate::marker_type!(@list $($label, $format, $field, $value;)*)
    };
    (@list $($label:literal, $format:ident, $field:ident, $value:ty;)*) => {
        &[$($crate::Field {
            key: stringify!($field),
            label: $label,
            format: $crate::Format::$format,
            kind: <$value as $crate::FieldValue>::KIND,
            is_optional: <$value as $crate::FieldValue>::IS_OPTIONAL,
            is_hidden: false,
        }),*]
    };
}
