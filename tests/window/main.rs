//! The window without a display.

#![cfg(feature = "window")]

mod candidate;
mod diagnosis;
mod goldens;
mod hands;
mod lights;
mod registers;
mod table;
mod viewing;
