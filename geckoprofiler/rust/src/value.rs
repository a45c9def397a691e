use crate::ffi;
use crate::time::{Flow, Time};
use std::marker::PhantomData;
use std::time::Duration;

/// How a field's values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[repr(u32)]
pub enum Kind {
    Int64 = 0,
    Uint64 = 1,
    Double = 2,
    Bool = 3,
    String = 4,
    Time = 5,
    Nanoseconds = 6,
    Flow = 7,
    List = 8,
}

/// One value of a marker's payload. Made by [`FieldValue`]; borrows what it shows.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Value<'a> {
    #[allow(dead_code)] // the library reads it
    given: ffi::Value,
    texts: PhantomData<&'a str>,
}

const NOTHING: u32 = 65;
const VALUES: u32 = 66;
const ROWS: u32 = 67;

impl<'a> Value<'a> {
    const fn new(kind: u32, count: u64, given: ffi::ValueAs) -> Value<'a> {
        Value {
            given: ffi::Value {
                kind,
                columns: 0,
                count,
                given,
            },
            texts: PhantomData,
        }
    }
    const fn whole(kind: Kind, whole: u64) -> Value<'a> {
        Value::new(kind as u32, 0, ffi::ValueAs { whole })
    }
    /// A table: its rows, with a cell for each column of the field's format.
    ///
    /// Cells are texts ([`Value::text`]), or made by `into()` of a number, a `bool` or a [`Duration`].
    #[inline]
    pub const fn rows<const N: usize>(rows: &'a [[Value<'a>; N]]) -> Value<'a> {
        let mut value = Value::new(
            ROWS,
            rows.len() as u64,
            ffi::ValueAs {
                values: rows.as_ptr() as *const ffi::Value,
            },
        );
        value.given.columns = N as u32;
        value
    }
    /// No value, for an optional field.
    pub const fn nothing() -> Value<'a> {
        Value::new(NOTHING, 0, ffi::ValueAs { whole: 0 })
    }
    /// A text; what is longer than 4,096 bytes is cut.
    #[inline]
    pub const fn text(text: &'a str) -> Value<'a> {
        Value::new(
            Kind::String as u32,
            text.len() as u64,
            ffi::ValueAs { text: text.as_ptr() },
        )
    }
    /// A list of texts.
    #[inline]
    pub const fn list(texts: &'a [Value<'a>]) -> Value<'a> {
        Value::new(
            VALUES,
            texts.len() as u64,
            ffi::ValueAs {
                values: texts.as_ptr() as *const ffi::Value,
            },
        )
    }
}

/// What may be the value of a field.
///
/// Whole numbers, `f32`, `f64`, `bool`, `str`, `String`, [`Time`], [`Duration`], [`Flow`], lists of texts
/// (`&[Value]`, each made by [`Value::text`]), tables (`&[[Value; N]]`), references to them, and `Option` of them.
pub trait FieldValue {
    /// How it is stored.
    const KIND: Kind;
    /// Whether there may be none.
    const IS_OPTIONAL: bool = false;
    /// The value, for one marker.
    fn to_value(&self) -> Value<'_>;
}

macro_rules! field_value {
    ($kind:ident: $($type:ty)+ => |$value:ident| $whole:expr) => {$(
        impl FieldValue for $type {
            const KIND: Kind = Kind::$kind;
            #[inline]
            fn to_value(&self) -> Value<'_> {
                let $value = *self;
                Value::whole(Kind::$kind, $whole)
            }
        }
        impl<'a> From<$type> for Value<'a> {
            #[inline]
            fn from($value: $type) -> Value<'a> {
                Value::whole(Kind::$kind, $whole)
            }
        }
    )+};
}
field_value!(Uint64: u8 u16 u32 u64 usize => |value| value as u64);
field_value!(Int64: i8 i16 i32 i64 isize => |value| value as i64 as u64);
field_value!(Bool: bool => |value| u64::from(value));
field_value!(Double: f32 f64 => |value| f64::to_bits(value as f64));
field_value!(Time: Time => |value| value.0);
field_value!(Flow: Flow => |value| value.0);
// 292 years, and no more.
field_value!(Nanoseconds: Duration => |value| value.as_nanos().min(i64::MAX as u128) as u64);

impl FieldValue for str {
    const KIND: Kind = Kind::String;
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::text(self)
    }
}
impl FieldValue for String {
    const KIND: Kind = Kind::String;
    #[inline]
    fn to_value(&self) -> Value<'_> {
        Value::text(self)
    }
}
impl FieldValue for [Value<'_>] {
    const KIND: Kind = Kind::List;
    fn to_value(&self) -> Value<'_> {
        Value::list(self)
    }
}
impl<const N: usize> FieldValue for [[Value<'_>; N]] {
    const KIND: Kind = Kind::List;
    fn to_value(&self) -> Value<'_> {
        Value::rows(self)
    }
}
impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::text(text)
    }
}
impl<T: FieldValue + ?Sized> FieldValue for &T {
    const KIND: Kind = T::KIND;
    const IS_OPTIONAL: bool = T::IS_OPTIONAL;
    #[inline]
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}
impl<T: FieldValue> FieldValue for Option<T> {
    const KIND: Kind = T::KIND;
    const IS_OPTIONAL: bool = true;
    #[inline]
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::nothing(), FieldValue::to_value)
    }
}
