//! Files to scenes.

mod loading;
mod mannequin;
mod tangents;
