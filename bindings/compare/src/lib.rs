//! Comparing pictures as refrast does, for C and WebAssembly: four functions and bytes.
//!
//! Why it exists: a picture is judged where it is made, in an engine's own test or in a browser, and there is no command to
//! start and no file to write. Who calls fills inputs, asks, and reads outputs; the memory is always this library's own, so
//! that neither side has to trust a pointer of the other. What it holds belongs to the calling thread.

use std::{cell::RefCell, path::Path};

use refrast_golden::{ErrorMap, Measurement, Picture, difference_picture, measure_in_words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Golden, candidate, envelope, words.
const INPUTS: usize = 4;
/// The answer as JSON, the differences as a PNG.
const OUTPUTS: usize = 2;

/// What a thread has filled in, and what came out.
#[derive(Default)]
struct Desk {
    inputs: [Vec<u8>; INPUTS],
    outputs: [Vec<u8>; OUTPUTS],
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Makes room for `length` bytes of an input and tells where; they are zero. Input 0 is the golden and 1 the candidate, each
/// the bytes of a PNG file, or RGBA where the words say how large; 2 is the bytes of an envelope, or nothing; 3 is the words,
/// a JSON object or nothing. Null where there is no such input or no memory. Valid until the next call for this input.
#[expect(unsafe_code, reason = "found by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn refrast_input(input: u32, length: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        let Some(bytes) = desk.inputs.get_mut(input as usize) else { return std::ptr::null_mut() };
        bytes.clear();
        if bytes.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        bytes.resize(length, 0);
        bytes.as_mut_ptr()
    })
}

/// Compares what the inputs hold: 0 the same, 1 different, 2 an error, which output 0 tells. Inputs are empty after it.
#[expect(unsafe_code, reason = "found by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn refrast_compare() -> i32 {
    DESK.with_borrow_mut(|desk| {
        let inputs = std::mem::take(&mut desk.inputs);
        let (status, answer, differences) = match compare(inputs) {
            Ok((measurement, differences)) => {
                let same = measurement.accepted;
                let verdict = if same { "same" } else { "different" };
                let answer = Answer { verdict, text: measurement.summary(), measurement: Some(measurement) };
                (i32::from(!same), answer, differences)
            }
            Err(text) => (2, Answer { verdict: "error", text, measurement: None }, Vec::new()),
        };
        // No number and no text that is measured can not be written.
        desk.outputs = [serde_json::to_vec(&answer).unwrap_or_default(), differences];
        status
    })
}

/// Where an output is. Output 0 is the answer, a JSON object with `verdict`, `text` and `measurement`; 1 is a PNG of the
/// differences, or nothing where there are none. Valid until the next comparison of this thread.
#[expect(unsafe_code, reason = "found by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn refrast_output(output: u32) -> *const u8 {
    DESK.with_borrow(|desk| desk.outputs.get(output as usize).map_or(std::ptr::null(), |bytes| bytes.as_ptr()))
}

/// How long an output is, in bytes.
#[expect(unsafe_code, reason = "found by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn refrast_output_length(output: u32) -> usize {
    DESK.with_borrow(|desk| desk.outputs.get(output as usize).map_or(0, Vec::len))
}

/// What came out.
#[derive(Serialize)]
struct Answer {
    verdict: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    measurement: Option<Measurement>,
}

/// Sizes of pictures that are RGBA bytes; all other words are those of `measure_in_words`.
#[derive(Default, Deserialize)]
struct Words {
    golden: Option<(u32, u32)>,
    candidate: Option<(u32, u32)>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

fn compare([golden, candidate, envelope, words]: [Vec<u8>; INPUTS]) -> Result<(Measurement, Vec<u8>), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let words: Words = match words.is_empty() {
        true => Words::default(),
        false => serde_json::from_slice(&words).map_err(|error| format!("the options are no JSON object: {error}"))?,
    };
    let picture = |bytes: Vec<u8>, size: Option<(u32, u32)>, name: &str| match size {
        Some((width, height)) => Picture::from_rgba8(width, height, bytes).map_err(|error| format!("{name}: {error}")),
        None => Picture::decode(&bytes, Path::new(name)).map_err(|error| text(&error)),
    };
    let golden = picture(golden, words.golden, "the golden")?;
    let candidate = picture(candidate, words.candidate, "the candidate")?;
    let envelope = Some(envelope).filter(|bytes| !bytes.is_empty());
    let others = Value::Object(words.others).to_string();
    let measurement = measure_in_words(&golden, &candidate, &others, envelope).map_err(|error| text(&error))?;
    if measurement.channels.largest == [0; 4] {
        return Ok((measurement, Vec::new()));
    }
    let channels;
    let map = match &measurement.map {
        Some(map) => map,
        None => {
            channels = ErrorMap::of_channels(&golden, &candidate);
            &channels
        }
    };
    let differences = difference_picture(&golden, map, &[]).map_err(|error| text(&error))?;
    let png = differences.encode(Path::new("the differences")).map_err(|error| text(&error))?;
    Ok((measurement, png))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(red: u8) -> Vec<u8> {
        let picture = Picture::from_rgba8(2, 2, [red, 0, 0, 255].repeat(4)).expect("four pixels");
        picture.encode(Path::new("a picture")).expect("a PNG")
    }

    fn compared(inputs: [Vec<u8>; INPUTS]) -> Result<(bool, String, usize), String> {
        compare(inputs).map(|(measurement, png)| (measurement.accepted, measurement.summary(), png.len()))
    }

    #[test]
    fn files_and_pixels_are_compared_alike() {
        let words = |text: &str| text.as_bytes().to_vec();
        let exact = words(r#"{"metric": "exact"}"#);
        assert_eq!(
            compared([png(9), png(9), vec![], exact.clone()]),
            Ok((true, "exact: all 4 pixels equal".into(), 0))
        );
        let (same, text, differences) = compared([png(9), png(10), vec![], exact]).expect("they can be compared");
        assert!(!same && text == "exact: 4 of 4 pixels differ" && differences > 60, "{text}");
        let raw = words(r#"{"metric": "exact", "candidate": [2, 2]}"#);
        assert!(compared([png(9), [9, 0, 0, 255].repeat(4), vec![], raw.clone()]).expect("pixels").0);
        let short = compared([png(9), vec![9, 0, 0, 255], vec![], raw]).expect_err("one pixel is no four");
        assert!(short.starts_with("the candidate: "), "{short}");
    }

    #[test]
    fn the_desk_is_cleared_and_what_is_not_there_is_null() {
        assert!(refrast_input(9, 1).is_null() && refrast_output(2).is_null());
        assert!(refrast_input(0, usize::MAX / 2).is_null());
        assert!(!refrast_input(0, 8).is_null());
        assert_eq!(refrast_compare(), 2);
        let answer = DESK.with_borrow(|desk| String::from_utf8_lossy(&desk.outputs[0]).into_owned());
        assert!(answer.contains("\"verdict\":\"error\"") && answer.contains("the golden"), "{answer}");
        assert_eq!((refrast_output_length(0), refrast_output_length(1)), (answer.len(), 0));
    }
}
