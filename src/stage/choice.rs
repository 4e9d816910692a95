//! The words in which people choose a size, a colour and a camera.
//!
//! Why it exists: the command line and manifests of goldens say the same things about a picture, and must mean the same.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use super::{Orbit, RenderSettings};
use refrast_words::Offer;

/// The words are not those of a size, a colour or a camera.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseChoiceError(String);

impl From<&str> for ParseChoiceError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

/// `WxH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Self {
        let RenderSettings { width, height, .. } = RenderSettings::default();
        Self { width, height }
    }
}

/// As it is read.
impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Size {
    type Err = ParseChoiceError;

    fn from_str(text: &str) -> Result<Self, ParseChoiceError> {
        let parse = || {
            let (width, height) = text.split_once(['x', 'X'])?;
            Some(Self { width: width.parse().ok()?, height: height.parse().ok()? })
        };
        parse().ok_or("write width and height in pixels, as in 1280x720".into())
    }
}

/// `#RRGGBB`, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl Default for Rgb {
    fn default() -> Self {
        Self(RenderSettings::default().background)
    }
}

/// As it is read.
impl fmt::Display for Rgb {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([red, green, blue]) = self;
        write!(formatter, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl FromStr for Rgb {
    type Err = ParseChoiceError;

    fn from_str(text: &str) -> Result<Self, ParseChoiceError> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if digits.len() != 6 || !digits.is_ascii() {
            return Err("write six hexadecimal digits, as in #ff8800".into());
        }
        let byte = |start: usize| {
            u8::from_str_radix(&digits[start..start + 2], 16).map_err(|error| ParseChoiceError(error.to_string()))
        };
        Ok(Self([byte(0)?, byte(2)?, byte(4)?]))
    }
}

/// Where the camera comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum CameraChoice {
    /// Around what is drawn: `auto` or `orbit:YAW,PITCH[,DISTANCE]`.
    Orbit(Orbit),
    /// A camera of the scene, by name or index.
    Scene(String),
    /// A file as [`Camera::load`](super::Camera::load) reads it.
    File(PathBuf),
}

impl Default for CameraChoice {
    fn default() -> Self {
        Self::Orbit(Orbit::default())
    }
}

/// As it is read.
impl fmt::Display for CameraChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Orbit(orbit) if *orbit == Orbit::default() => formatter.write_str(Self::AUTO.name),
            Self::Orbit(Orbit { yaw, pitch, distance: None }) => write!(formatter, "orbit:{yaw},{pitch}"),
            Self::Orbit(Orbit { yaw, pitch, distance: Some(distance) }) => {
                write!(formatter, "orbit:{yaw},{pitch},{distance}")
            }
            Self::Scene(name) => formatter.write_str(name),
            Self::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

impl FromStr for CameraChoice {
    type Err = ParseChoiceError;

    fn from_str(text: &str) -> Result<Self, ParseChoiceError> {
        if text == Self::AUTO.name {
            return Ok(Self::default());
        }
        if let Some(numbers) = text.strip_prefix("orbit:") {
            let numbers: Result<Vec<f64>, _> = numbers.split(',').map(|number| number.trim().parse()).collect();
            return match numbers.as_deref() {
                Ok(numbers) if numbers.iter().any(|number| !number.is_finite()) => {
                    Err("an orbit is made of finite numbers: orbit:YAW,PITCH,DISTANCE in degrees, degrees and metres"
                        .into())
                }
                Ok(&[yaw, pitch]) => Ok(Self::Orbit(Orbit { yaw, pitch, distance: None })),
                Ok(&[yaw, pitch, distance]) if distance > 0.0 => {
                    Ok(Self::Orbit(Orbit { yaw, pitch, distance: Some(distance) }))
                }
                _ => Err("write orbit:YAW,PITCH or orbit:YAW,PITCH,DISTANCE: degrees, degrees, metres (> 0)".into()),
            };
        }
        let path = Path::new(text);
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return Ok(Self::File(path.to_owned()));
        }
        Ok(Self::Scene(text.to_owned()))
    }
}

impl CameraChoice {
    const AUTO: Offer = Offer::new("auto", "A three-quarter view that holds the whole clip in view");

    /// What can be written for a camera.
    pub fn offers() -> impl Iterator<Item = Offer> {
        let others = [
            Offer::new("orbit:YAW,PITCH[,DISTANCE]", "Around what is drawn: degrees, degrees, metres"),
            Offer::new("NAME|INDEX", "A camera of the file"),
            Offer::new("FILE.json", "Matrices, as `refrast render --print-camera` writes them"),
        ];
        [Self::AUTO].into_iter().chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_colours_are_read_and_refused() {
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        assert!("640".parse::<Size>().is_err());
        assert_eq!("#ff8000".parse(), Ok(Rgb([255, 128, 0])));
        assert!("#ff80".parse::<Rgb>().is_err());
        assert!("#€€".parse::<Rgb>().is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(Size::default().to_string(), "1280x720");
        assert_eq!(Rgb::default().to_string(), "#22262e");
        for text in ["auto", "orbit:90,-5.25,2.5", "orbit:0,0", "shot.json", "2", "Kamera vorn"] {
            assert_eq!(text.parse::<CameraChoice>().map(|choice| choice.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn a_camera_is_an_orbit_a_file_or_a_name() {
        assert_eq!(
            "orbit:90,-5,2.5".parse(),
            Ok(CameraChoice::Orbit(Orbit { yaw: 90.0, pitch: -5.0, distance: Some(2.5) }))
        );
        assert_eq!("shot.json".parse(), Ok(CameraChoice::File("shot.json".into())));
        assert_eq!("2".parse(), Ok(CameraChoice::Scene("2".into())));
        for text in ["orbit:1,2,0", "orbit:nan,0", "orbit:0,-inf", "orbit:0,0,inf", "orbit:0,0,1e999", "orbit:0,0,NaN"]
        {
            assert!(text.parse::<CameraChoice>().is_err(), "{text}");
        }
    }
}
