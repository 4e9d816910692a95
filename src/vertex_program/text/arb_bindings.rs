//! The bindings of ARB_vertex_program: `vertex.…`, `result.…`, `program.…` and `state.…` (tables X.2 to X.4).

use super::{cursor::Cursor, lexer::Kind};
use crate::error::{ProgramError, Rule};
use refrast_machine::{ATTRIBUTES, Binding, CONSTANTS, Output};

/// Texture units, and so texture coordinate sets.
const TEXTURE_UNITS: u32 = 8;
/// Weights and matrix indices a vertex; one attribute holds all of them.
const VERTEX_UNITS: u32 = 4;
const LIGHTS: u32 = 8;
const CLIP_PLANES: u32 = 6;
const PALETTE_MATRICES: u32 = 32;
const PROGRAM_MATRICES: u32 = 8;

/// The attribute register of `vertex.matrixindex`, which aliases none of the conventional ones.
const MATRIX_INDEX_REGISTER: u8 = 6;

/// Which names the program has bound attribute registers by: a register may be bound by one kind of name only
/// (table X.2.1).
#[derive(Default)]
pub(super) struct BoundAttributes {
    conventional: [bool; ATTRIBUTES],
    generic: [bool; ATTRIBUTES],
}

impl BoundAttributes {
    /// The registers that are bound by conventional names, bit n for register n.
    pub(super) fn conventional(&self) -> u16 {
        self.conventional.iter().enumerate().map(|(register, &bound)| u16::from(bound) << register).sum()
    }
}

/// `vertex.…`, after the word `vertex`: the attribute register.
pub(super) fn vertex(cursor: &mut Cursor<'_>, bound: &mut BoundAttributes) -> Result<u8, ProgramError> {
    cursor.expect('.')?;
    let (item, span) = cursor.identifier("the name of a vertex attribute")?;
    let mut generic = false;
    let register = match item {
        "position" => 0,
        "normal" => 2,
        "fogcoord" => 5,
        "color" => match cursor.take_dot_word(&["primary", "secondary"]) {
            Some("secondary") => 4,
            _ => 3,
        },
        "texcoord" => 8 + optional_index(cursor, "the texture coordinate set", TEXTURE_UNITS)?,
        "weight" => {
            optional_index_of_four(cursor)?;
            1
        }
        "matrixindex" => {
            if cursor.kind() != Kind::Mark('[') {
                return Err(cursor.unexpected("`[` and the first matrix index"));
            }
            optional_index_of_four(cursor)?;
            MATRIX_INDEX_REGISTER
        }
        "attrib" => {
            generic = true;
            index(cursor, "the number of an attribute", ATTRIBUTES as u32)?
        }
        _ => {
            let message = format!("there is no vertex.{item}");
            let remedy = "use position, weight, normal, color, fogcoord, texcoord[n], matrixindex[n] or attrib[n]";
            return Err(cursor.error(span, Rule::Name, message, remedy));
        }
    };
    let (ours, others) =
        if generic { (&mut bound.generic, &bound.conventional) } else { (&mut bound.conventional, &bound.generic) };
    ours[usize::from(register)] = true;
    if others[usize::from(register)] {
        let message = format!("attribute {register} is bound by its conventional and by its generic name");
        let remedy = "use one of the two names throughout (table X.2.1 of ARB_vertex_program)";
        return Err(cursor.error(span, Rule::Binding, message, remedy));
    }
    Ok(register)
}

/// `result.…`, after the word `result`: the result register.
pub(super) fn result(cursor: &mut Cursor<'_>, position_invariant: bool) -> Result<Output, ProgramError> {
    cursor.expect('.')?;
    let (item, span) = cursor.identifier("the name of a result")?;
    Ok(match item {
        "position" if position_invariant => {
            let message = "a position-invariant program has no result.position".to_owned();
            let remedy = "leave the position to the modelview-projection matrix, or drop the option";
            return Err(cursor.error(span, Rule::PositionInvariant, message, remedy));
        }
        "position" => Output::Position,
        "fogcoord" => Output::Fog,
        "pointsize" => Output::PointSize,
        "texcoord" => Output::Texture(optional_index(cursor, "the texture coordinate set", TEXTURE_UNITS)?),
        "color" => {
            let back = cursor.take_dot_word(&["front", "back"]) == Some("back");
            let secondary = cursor.take_dot_word(&["primary", "secondary"]) == Some("secondary");
            match (back, secondary) {
                (false, false) => Output::FrontPrimary,
                (false, true) => Output::FrontSecondary,
                (true, false) => Output::BackPrimary,
                (true, true) => Output::BackSecondary,
            }
        }
        _ => {
            let message = format!("there is no result.{item}");
            let remedy = "use position, color, fogcoord, pointsize or texcoord[n]";
            return Err(cursor.error(span, Rule::Name, message, remedy));
        }
    })
}

/// `program.env[…]` or `program.local[…]`, after the word `program`. `ranges` allows `a..b`.
pub(super) fn program(cursor: &mut Cursor<'_>, ranges: bool) -> Result<Vec<Binding>, ProgramError> {
    cursor.expect('.')?;
    let (item, span) = cursor.identifier("`env` or `local`")?;
    let binding = match item {
        "env" => Binding::Environment,
        "local" => Binding::Local,
        _ => {
            let message = format!("there is no program.{item}");
            return Err(cursor.error(span, Rule::Name, message, "use program.env[n] or program.local[n]"));
        }
    };
    let indices = index_range(cursor, "the number of a parameter", CONSTANTS as u32, ranges)?;
    Ok(indices.map(|index| binding(index as u8)).collect())
}

/// `state.…`, after the word `state`: one vector, or with `ranges` the rows of a matrix.
pub(super) fn state(cursor: &mut Cursor<'_>, ranges: bool) -> Result<Vec<Binding>, ProgramError> {
    cursor.expect('.')?;
    let (item, span) = cursor.identifier("the name of a state vector")?;
    let single = |name: String| Ok(vec![Binding::State(name)]);
    match item {
        "material" => {
            let face = cursor.take_dot_word(&["front", "back"]).unwrap_or("front");
            let property = property(cursor, &["ambient", "diffuse", "specular", "emission", "shininess"])?;
            single(format!("state.material.{face}.{property}"))
        }
        "light" => {
            let light = index(cursor, "the number of a light", LIGHTS)?;
            let names = ["ambient", "diffuse", "specular", "position", "attenuation", "spot", "half"];
            let mut property = property(cursor, &names)?;
            if property == "spot" {
                cursor.expect('.')?;
                cursor.expect_word("direction")?;
                property = "spot.direction";
            }
            single(format!("state.light[{light}].{property}"))
        }
        "lightmodel" => {
            if cursor.take_dot_word(&["ambient"]).is_some() {
                return single("state.lightmodel.ambient".to_owned());
            }
            let face = cursor.take_dot_word(&["front", "back"]).unwrap_or("front");
            property(cursor, &["scenecolor"])?;
            single(format!("state.lightmodel.{face}.scenecolor"))
        }
        "lightprod" => {
            let light = index(cursor, "the number of a light", LIGHTS)?;
            let face = cursor.take_dot_word(&["front", "back"]).unwrap_or("front");
            let property = property(cursor, &["ambient", "diffuse", "specular"])?;
            single(format!("state.lightprod[{light}].{face}.{property}"))
        }
        "texgen" => {
            let unit = optional_index(cursor, "the texture unit", TEXTURE_UNITS)?;
            let plane = property(cursor, &["eye", "object"])?;
            let coordinate = property(cursor, &["s", "t", "r", "q"])?;
            single(format!("state.texgen[{unit}].{plane}.{coordinate}"))
        }
        "fog" => single(format!("state.fog.{}", property(cursor, &["color", "params"])?)),
        "clip" => {
            let plane = index(cursor, "the number of a clip plane", CLIP_PLANES)?;
            property(cursor, &["plane"])?;
            single(format!("state.clip[{plane}].plane"))
        }
        "point" => single(format!("state.point.{}", property(cursor, &["size", "attenuation"])?)),
        "matrix" => matrix(cursor, ranges),
        _ => {
            let message = format!("there is no state.{item}");
            let remedy = "use material, light, lightmodel, lightprod, texgen, fog, clip, point or matrix";
            Err(cursor.error(span, Rule::Name, message, remedy))
        }
    }
}

/// `state.matrix.…`, after the word `matrix`.
fn matrix(cursor: &mut Cursor<'_>, ranges: bool) -> Result<Vec<Binding>, ProgramError> {
    let name = property(cursor, &["modelview", "projection", "mvp", "texture", "palette", "program"])?;
    let what = "the number of a matrix";
    let name = match name {
        "modelview" => format!("modelview[{}]", optional_index(cursor, what, VERTEX_UNITS)?),
        "texture" => format!("texture[{}]", optional_index(cursor, what, TEXTURE_UNITS)?),
        "palette" => format!("palette[{}]", index(cursor, what, PALETTE_MATRICES)?),
        "program" => format!("program[{}]", index(cursor, what, PROGRAM_MATRICES)?),
        other => other.to_owned(),
    };
    let modifier = cursor.take_dot_word(&["inverse", "transpose", "invtrans"]);
    let modifier = modifier.map(|word| format!(".{word}")).unwrap_or_default();
    let rows = if cursor.take_dot_word(&["row"]).is_some() {
        index_range(cursor, "the number of a row", 4, ranges)?
    } else if ranges {
        0..=3
    } else {
        return Err(cursor.unexpected("`.row[n]`: one vector is needed here"));
    };
    Ok(rows.map(|row| Binding::State(format!("state.matrix.{name}{modifier}.row[{row}]"))).collect())
}

/// `.name`, one of `names`.
fn property(cursor: &mut Cursor<'_>, names: &[&'static str]) -> Result<&'static str, ProgramError> {
    match cursor.take_dot_word(names) {
        Some(name) => Ok(name),
        None => Err(cursor.unexpected(&format!("`.` and one of {}", names.join(", ")))),
    }
}

/// `[n]`
fn index(cursor: &mut Cursor<'_>, what: &str, count: u32) -> Result<u8, ProgramError> {
    cursor.expect('[')?;
    let value = cursor.integer(what, 0..=count - 1)?;
    cursor.expect(']')?;
    Ok(value as u8)
}

/// `[n]` or nothing, which is 0.
fn optional_index(cursor: &mut Cursor<'_>, what: &str, count: u32) -> Result<u8, ProgramError> {
    if cursor.kind() == Kind::Mark('[') { index(cursor, what, count) } else { Ok(0) }
}

/// `[n]` or nothing, where n is a multiple of four below the number of vertex units: 0 is the only one.
fn optional_index_of_four(cursor: &mut Cursor<'_>) -> Result<(), ProgramError> {
    let span = cursor.span();
    let value = optional_index(cursor, "the first vertex unit", VERTEX_UNITS)?;
    if value == 0 {
        return Ok(());
    }
    let message = format!("{value} is not divisible by four");
    Err(cursor.error(span, Rule::Range, message, "use [0]: this machine has four vertex units"))
}

/// `[a]`, or with `ranges` also `[a..b]`.
fn index_range(
    cursor: &mut Cursor<'_>,
    what: &str,
    count: u32,
    ranges: bool,
) -> Result<std::ops::RangeInclusive<u32>, ProgramError> {
    cursor.expect('[')?;
    let first = cursor.integer(what, 0..=count - 1)?;
    let mut last = first;
    if ranges && cursor.kind() == Kind::Range {
        cursor.advance();
        let span = cursor.span();
        last = cursor.integer(what, 0..=count - 1)?;
        if last < first {
            let message = format!("the range {first}..{last} runs backwards");
            return Err(cursor.error(span, Rule::Range, message, "write the smaller number first"));
        }
    }
    cursor.expect(']')?;
    Ok(first..=last)
}
