//! Pictures, metrics and envelopes as files.

mod compare;
mod envelope_files;
mod png;
