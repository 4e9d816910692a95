//! `refrast program run --batch`: a program over arrays of somebody's own.

use std::path::Path;

use refrast_golden::{NumberColumn, NumberTable};
use refrast_simd::SimdLevel;
use refrast_vertex_program::{
    ATTRIBUTES, AttributeArray, AttributeData, BatchMachine, InputRegister, Output, Program, Settings, Values,
    VertexOutputs, attribute_name,
};

use crate::output::note;

/// What files of vertices call what the registers of NV_vertex_program are for.
const NAMES: [(&str, u8); 5] = [("position", 0), ("weights", 1), ("normal", 2), ("color", 3), ("texcoord", 8)];

/// Runs a program for each row of a table, and writes what it makes of it: a column a result register.
pub(super) fn run(
    program: &Program,
    settings: Settings,
    values: &Values,
    input: &Path,
    output: &Path,
    level: SimdLevel,
) -> Result<(), Box<dyn std::error::Error>> {
    let table = NumberTable::read_npy(input)?;
    let data = attributes(&table, input)?;
    let read = program.usage();
    // What is not in the table is the same for all vertices, as it is given on the command line.
    let arrays: Vec<AttributeArray<'_>> = (0..ATTRIBUTES as u8)
        .map(|register| {
            let same = AttributeData::Same(values.attributes[usize::from(register)]);
            let data = data[usize::from(register)].map_or(same, |column| AttributeData::Rows {
                values: &column.values,
                components: column.components,
                stride: column.components,
            });
            AttributeArray { register, data }
        })
        .collect();
    for register in read.attributes_read().filter(|&register| data[usize::from(register)].is_none()) {
        let [x, y, z, w] = values.attributes[usize::from(register)];
        note!("{} is not in {}: ({x}, {y}, {z}, {w}) for every row", attribute_name(register), input.display());
    }
    let constants = values.constant_file(program)?;
    let written: Vec<Output> = read.outputs_written().filter(|output| *output != Output::Position).collect();
    let stride = 4 * written.len();
    let mut planes: [Vec<f32>; 4] = std::array::from_fn(|_| vec![0.0; table.rows]);
    let mut varyings = vec![0.0; stride * table.rows];
    let position = planes.each_mut().map(Vec::as_mut_slice);
    let outputs = VertexOutputs { position, varyings: &mut varyings, stride, layout: &written };
    BatchMachine::new(program, settings)?.run(&constants, &arrays, outputs, level)?;
    let column = |name: &str, values: Vec<f32>| NumberColumn { name: name.to_owned(), components: 4, values };
    let position = (0..table.rows).flat_map(|row| planes.each_ref().map(|plane| plane[row])).collect();
    let mut columns = vec![column(Output::Position.name(), position)];
    for (place, output) in written.iter().enumerate() {
        let rows = varyings.chunks_exact(stride.max(1)).flat_map(|row| &row[4 * place..4 * place + 4]);
        columns.push(column(output.name(), rows.copied().collect()));
    }
    NumberTable { ids: None, columns, rows: table.rows }.write_npy(output)?;
    note!("{} rows are written to {}", table.rows, output.display());
    Ok(())
}

/// The column of each attribute register that the table has.
fn attributes<'a>(table: &'a NumberTable, path: &Path) -> Result<[Option<&'a NumberColumn>; ATTRIBUTES], String> {
    let mut data = [None; ATTRIBUTES];
    let mut others = Vec::new();
    for column in &table.columns {
        let Some(register) = register(&column.name) else {
            others.push(column.name.as_str());
            continue;
        };
        if !(1..=4).contains(&column.components) {
            let (path, name, count) = (path.display(), &column.name, column.components);
            return Err(format!("{path}: field `{name}` has {count} numbers a row; a register holds 1 to 4"));
        }
        if data[usize::from(register)].replace(column).is_some() {
            let (path, name) = (path.display(), attribute_name(register));
            return Err(format!("{path}: two fields are {name}; leave one of them"));
        }
    }
    let known = "name a field v0 to v15, v[OPOS], position, normal, color, texcoord or weights";
    if data.iter().all(Option::is_none) {
        return Err(format!("{}: none of its fields is an attribute ({}); {known}", path.display(), others.join(", ")));
    }
    if !others.is_empty() {
        note!("{}: not read: {}; {known}", path.display(), others.join(", "));
    }
    Ok(data)
}

/// The attribute register that a field is for. Plain numbers are positions.
fn register(name: &str) -> Option<u8> {
    if name.is_empty() {
        return Some(0);
    }
    let by_use = NAMES.iter().find(|(known, _)| *known == name).map(|(_, register)| *register);
    let by_register = || match name.parse().or_else(|_| format!("v[{name}]").parse()) {
        Ok(InputRegister::Attribute(register)) => Some(register),
        _ => None,
    };
    by_use.or_else(by_register)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_registers_by_number_mnemonic_or_use() {
        let names = ["", "position", "v0", "v[OPOS]", "OPOS", "vertex.attrib[0]"];
        assert!(names.iter().all(|name| register(name) == Some(0)));
        assert_eq!(["normal", "NRML", "v8", "texcoord", "6"].map(register), [2, 2, 8, 8, 6].map(Some));
        assert_eq!(["node", "c0", "position_bound", "v16"].map(register), [None; 4]);
    }
}
