//! Shadow maps: what of a scene the lights see.
//!
//! Why it exists: a shadow is an argument between two pictures, and every step of it is done differently somewhere: where
//! the camera's frustum is split, which box the light's camera takes, how far the map is moved away from the light, what a
//! lookup compares. Here each step is a file, and all numbers that a backend could have for itself (split distances,
//! matrices) are made first, as a [`ShadowPlan`], so that they can be printed, packed and handed over.
//!
//! 1. [`ShadowSettings`] (`settings.rs`): the words;
//! 2. [`Frustum`] (`frustum.rs`): split distances, clip depths, corners;
//! 3. the light's box around them (`fit.rs`);
//! 4. [`ShadowPlan`] (`plan.rs`): all matrices of a frame, rounded to f32;
//! 5. [`ShadowMaps`] (`lookup.rs`): the maps, and which part of a light arrives.

mod fit;
mod frustum;
mod lookup;
mod plan;
mod settings;

pub use frustum::Frustum;
pub use lookup::ShadowMaps;
pub use plan::{CastingLight, MapPlan, ShadowPlan, ShadowPlanError, Split, map_coordinates, view_depth};
pub use settings::{
    Casters, MOST_SPLITS, ParseShadowsError, ShadowCasting, ShadowFilter, ShadowFit, ShadowSettings, ShadowShape,
    SplitScheme, SplitSelection, Steadiness,
};
