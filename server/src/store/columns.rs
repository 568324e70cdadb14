//! Reading a row of either database by the position of its columns.

use sqlx::{ColumnIndex, Database, Decode, Row, Type};

use super::StoreError;
use super::words::Word;

/// The kinds of columns that the schema has. A value of another kind is [`StoreError::Corrupt`].
pub(super) trait Columns<'r> {
    fn text(&self, index: usize) -> Result<&'r str, StoreError>;
    fn optional_text(&self, index: usize) -> Result<Option<&'r str>, StoreError>;
    fn integer(&self, index: usize) -> Result<i64, StoreError>;
    fn optional_integer(&self, index: usize) -> Result<Option<i64>, StoreError>;
    fn flag(&self, index: usize) -> Result<bool, StoreError>;
    fn optional_flag(&self, index: usize) -> Result<Option<bool>, StoreError>;
    fn bytes(&self, index: usize) -> Result<&'r [u8], StoreError>;

    /// The complaint about a column that holds nonsense.
    fn corrupt(&self, index: usize) -> StoreError;

    /// The value of a word.
    fn word<W: Word>(&self, index: usize) -> Result<W, StoreError> {
        W::read(self.text(index)?).ok_or_else(|| self.corrupt(index))
    }
}

/// A row with the name of its table for complaints.
pub(super) struct Fields<'r, R> {
    row: &'r R,
    table: &'static str,
}

impl<'r, R: Row> Fields<'r, R> {
    pub(super) const fn new(row: &'r R, table: &'static str) -> Self {
        Self { row, table }
    }

    fn get<T>(&self, index: usize) -> Result<T, StoreError>
    where
        T: Decode<'r, R::Database> + Type<R::Database>,
        usize: ColumnIndex<R>,
    {
        self.row.try_get(index).map_err(|_| self.complaint(index))
    }

    fn complaint(&self, index: usize) -> StoreError {
        use sqlx::Column;
        let what = self.row.columns().get(index).map_or_else(|| index.to_string(), |c| c.name().to_owned());
        StoreError::Corrupt { table: self.table, what }
    }
}

impl<'r, R> Columns<'r> for Fields<'r, R>
where
    R: Row,
    usize: ColumnIndex<R>,
    R::Database: Database,
    &'r str: Decode<'r, R::Database> + Type<R::Database>,
    &'r [u8]: Decode<'r, R::Database> + Type<R::Database>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    bool: Decode<'r, R::Database> + Type<R::Database>,
{
    fn text(&self, index: usize) -> Result<&'r str, StoreError> {
        self.get(index)
    }

    fn optional_text(&self, index: usize) -> Result<Option<&'r str>, StoreError> {
        self.get(index)
    }

    fn integer(&self, index: usize) -> Result<i64, StoreError> {
        self.get(index)
    }

    fn optional_integer(&self, index: usize) -> Result<Option<i64>, StoreError> {
        self.get(index)
    }

    fn flag(&self, index: usize) -> Result<bool, StoreError> {
        self.get(index)
    }

    fn optional_flag(&self, index: usize) -> Result<Option<bool>, StoreError> {
        self.get(index)
    }

    fn bytes(&self, index: usize) -> Result<&'r [u8], StoreError> {
        self.get(index)
    }

    fn corrupt(&self, index: usize) -> StoreError {
        self.complaint(index)
    }
}
