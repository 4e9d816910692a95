//! What is right and what can be wrong: envelopes, backends that are played, diagnosis.

mod cameras;
mod clearcoat;
mod declared;
mod diagnose;
mod diagnose_buffers;
mod diagnose_numbers;
mod diagnose_pairs;
mod diagnose_places;
mod diagnose_views;
mod envelope;
mod envelope_faults;
mod envelope_given;
mod envelope_support;
mod golden_pack;
mod jpeg;
mod occlusion;
mod shadows;
mod sheen;
mod simulator;
