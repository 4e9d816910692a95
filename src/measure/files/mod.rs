//! Files that appear whole or not at all, and files that may not end.
//!
//! Why it exists: an interrupted run must lose nothing and leave nothing half-written that a later run would trust. And a
//! path that a user names may be a link, a pipe or a device: it is written through and never replaced, and read as far as
//! it is what it should be, and no further than a limit.

mod interrupt;
mod lock;
mod read;
mod write;

pub use interrupt::{abandon_writing, do_whole};
pub use lock::FolderLock;
pub use read::{LARGEST_FILE, read_file};
pub(super) use read::{ReadError, read_signed};
pub use write::{remove_parts, write_whole};
