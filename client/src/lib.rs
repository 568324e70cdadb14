//! A client of Rollcall's API (`/api/v1`) and of the management API, which the vendor's servers speak too.
//!
//! It asks with an API key, follows no redirect, so that the key goes nowhere else, and reads answers leniently: keys
//! that it does not know are ignored, keys that older servers lack may be absent.

mod error;
mod http;
mod management;
mod own;
mod shapes;

pub use self::error::ClientError;
pub use self::http::{Answer, Client, Key};
pub use self::management::Listed;
pub use self::shapes::{Counts, Delegate, Delegates, Latest, Replica};
