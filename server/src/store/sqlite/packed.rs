//! Rows that `SQLite` packed into one JSON text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::store::StoreError;
use crate::store::columns::Columns;
use crate::store::sql::instance_columns;

/// How many columns an instance has.
const COLUMNS: usize = 23;

/// A row of `instances`, its columns in the order of `instance_columns!`.
pub(super) type PackedInstance<'r> = [Field<'r>; COLUMNS];

/// The rows of one text.
pub(super) fn unpack(json: &str) -> Result<Vec<PackedInstance<'_>>, StoreError> {
    serde_json::from_str(json).map_err(|_| StoreError::Corrupt { table: "instances", what: "row".to_owned() })
}

/// One value.
pub(super) enum Field<'r> {
    Null,
    Integer(i64),
    Text(Cow<'r, str>),
}

impl<'de> Deserialize<'de> for Field<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Field<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, an integer or a text")
    }

    fn visit_unit<E: Error>(self) -> Result<Field<'de>, E> {
        Ok(Field::Null)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Field<'de>, E> {
        Ok(Field::Integer(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Field<'de>, E> {
        i64::try_from(number).map(Field::Integer).map_err(E::custom)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Field<'de>, E> {
        Ok(Field::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Field<'de>, E> {
        Ok(Field::Text(Cow::Owned(text.to_owned())))
    }
}

impl<'s> Columns<'s> for &'s PackedInstance<'_> {
    fn text(&self, index: usize) -> Result<&'s str, StoreError> {
        self.optional_text(index)?.ok_or_else(|| self.corrupt(index))
    }

    fn optional_text(&self, index: usize) -> Result<Option<&'s str>, StoreError> {
        match self.get(index) {
            Some(Field::Text(text)) => Ok(Some(text)),
            Some(Field::Null) => Ok(None),
            _ => Err(self.corrupt(index)),
        }
    }

    fn integer(&self, index: usize) -> Result<i64, StoreError> {
        self.optional_integer(index)?.ok_or_else(|| self.corrupt(index))
    }

    fn optional_integer(&self, index: usize) -> Result<Option<i64>, StoreError> {
        match self.get(index) {
            Some(Field::Integer(number)) => Ok(Some(*number)),
            Some(Field::Null) => Ok(None),
            _ => Err(self.corrupt(index)),
        }
    }

    fn flag(&self, index: usize) -> Result<bool, StoreError> {
        self.integer(index).map(|number| number != 0)
    }

    fn optional_flag(&self, index: usize) -> Result<Option<bool>, StoreError> {
        Ok(self.optional_integer(index)?.map(|number| number != 0))
    }

    fn bytes(&self, index: usize) -> Result<&'s [u8], StoreError> {
        self.text(index).map(str::as_bytes)
    }

    fn corrupt(&self, index: usize) -> StoreError {
        let what = instance_columns!().split(", ").nth(index).unwrap_or("row").to_owned();
        StoreError::Corrupt { table: "instances", what }
    }
}
