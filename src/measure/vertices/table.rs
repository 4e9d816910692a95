//! Vertices of a CSV file: ours, a debugger's export (RenderDoc's mesh view), or any with a line of names.
//!
//! Why it exists: what a capture tool shows can be saved as text, and is the quickest way to a vertex that a shader wrote.
//! Its rows are indices in the order of the draw, so a vertex comes as often as triangles use it.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use super::{
    Attribute, CandidateBuffer, Given, Space, VertexAlternative, VertexBuffer, VertexFileError, VertexId,
    candidate::WANTED, spaces::without_w,
};

/// The columns of one name, by component.
struct Group {
    /// As it stands in the file.
    name: String,
    columns: Vec<usize>,
}

impl CandidateBuffer {
    /// Reads a CSV file whose first line names its columns: `position_x` or `POSITION.x`, with a prefix such as `in_`, `gl_`
    /// or `SV_` or without. Where there is a column `IDX` (RenderDoc), it says which vertex a row is; where a position of the
    /// shader's input and one of its output are there, `space` says which is meant.
    ///
    /// # Errors
    /// [`VertexFileError`] names the line or the column, and what is there.
    pub fn from_csv(text: &str, space: Space, path: &Path) -> Result<Self, VertexFileError> {
        let not = |reason: String| VertexFileError::NotVertices { path: path.to_owned(), reason };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let Some((_, head)) = lines.next() else { return Err(not("it is empty".to_owned())) };
        let names: Vec<&str> = cells(head.trim_start_matches('\u{feff}')).collect();
        let groups = groups(&names);
        let position = position(&groups, space).map_err(|reason| VertexFileError::Field {
            path: path.to_owned(),
            field: "position",
            reason: format!("{reason}; {WANTED}"),
        })?;
        let of = |wanted: &str, count: usize| {
            groups.iter().find(|group| meaning(&group.name) == wanted && group.columns.len() == count)
        };
        let (normal, tangent) = (of("normal", 3), of("tangent", 4));
        let bounds = ["position_bound", "normal_bound"].map(|name| of(name, 3));
        let tangent_bound = of("tangent_bound", 4);
        let id = ["node", "primitive", "vertex"].map(|name| names.iter().position(|own| *own == name));
        let index = names.iter().position(|name| name.eq_ignore_ascii_case("idx"));

        let mut kept: Vec<Vec<f64>> = Vec::new();
        let mut by_index: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, line) in lines {
            let row: Vec<&str> = cells(line).collect();
            if row.len() != names.len() {
                let (found, wanted) = (row.len(), names.len());
                return Err(not(format!("line {} has {found} cells, and the first line names {wanted}", number + 1)));
            }
            let numbers: Vec<f64> = row.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
            // What is not used may be anything.
            for &column in &position.columns {
                if numbers[column].is_nan() && !row[column].is_empty() && !row[column].eq_ignore_ascii_case("nan") {
                    return Err(not(format!("line {}: `{}` is no number", number + 1, row[column])));
                }
            }
            let Some(index) = index else {
                kept.push(numbers);
                continue;
            };
            let vertex: usize = row[index].parse().map_err(|_| {
                not(format!("line {}: `{}` in the column IDX is no index of a vertex", number + 1, row[index]))
            })?;
            match by_index.entry(vertex) {
                Entry::Vacant(entry) => {
                    entry.insert(kept.len());
                    kept.push(numbers);
                }
                Entry::Occupied(entry) => {
                    let same = |column: &usize| kept[*entry.get()][*column].to_bits() == numbers[*column].to_bits();
                    if !position.columns.iter().all(same) {
                        return Err(not(format!(
                            "line {}: vertex {vertex} has another position than before; export one instance of one draw",
                            number + 1
                        )));
                    }
                }
            }
        }
        let rows = index.map(|_| by_index.keys().copied().collect());
        let order: Vec<usize> =
            if index.is_some() { by_index.into_values().collect() } else { (0..kept.len()).collect() };
        let three = |group: &Group| -> Vec<[f64; 3]> { vectors(group, &kept, &order) };
        let attribute =
            |group: &Group, bound: Option<&Group>| Attribute { values: three(group), bounds: bound.map(three) };
        let (position_values, w) = if position.columns.len() == 4 {
            let four: Vec<[f64; 4]> = vectors(position, &kept, &order);
            (four.iter().map(without_w).collect(), Some(four.iter().map(|position| position[3]).collect()))
        } else {
            (three(position), None)
        };
        let ids = match (id, index) {
            ([Some(node), Some(primitive), Some(vertex)], None) => Some(
                order
                    .iter()
                    .map(|&row| {
                        let [node, primitive, vertex] =
                            [node, primitive, vertex].map(|column| kept[row][column] as u32);
                        VertexId { node, primitive, vertex }
                    })
                    .collect(),
            ),
            _ => None,
        };
        let buffer = VertexBuffer {
            ids,
            position: Attribute { values: position_values, bounds: bounds[0].map(three) },
            normal: normal.map(|group| attribute(group, bounds[1])),
            tangent: tangent.map(|group| Attribute {
                values: vectors(group, &kept, &order),
                bounds: tangent_bound.map(|bound| vectors(bound, &kept, &order)),
            }),
            given: names
                .iter()
                .position(|name| *name == "given")
                .and_then(|column| Given::of_number(kept.first()?[column] as u32)),
            alternatives: groups
                .iter()
                .filter_map(|group| group.name.strip_prefix("position@"))
                .map(|label| {
                    let named = |name: &str| groups.iter().find(|group| group.name == format!("{name}@{label}"));
                    let three = |name: &str| {
                        let group = named(name).filter(|group| group.columns.len() == 3)?;
                        let bound = named(&format!("{name}_bound")).filter(|group| group.columns.len() == 3);
                        Some(attribute(group, bound))
                    };
                    let four = |name: &str| {
                        Some(vectors(named(name).filter(|group| group.columns.len() == 4)?, &kept, &order))
                    };
                    VertexAlternative {
                        label: label.to_owned(),
                        position: three("position").unwrap_or_default(),
                        normal: three("normal"),
                        tangent: four("tangent").map(|values| Attribute { values, bounds: four("tangent_bound") }),
                    }
                })
                .collect(),
        };
        Ok(Self { buffer, w, rows })
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|cell| cell.trim().trim_matches('"'))
}

fn vectors<const N: usize>(group: &Group, kept: &[Vec<f64>], order: &[usize]) -> Vec<[f64; N]> {
    order.iter().map(|&row| std::array::from_fn(|axis| kept[row][group.columns[axis]])).collect()
}

/// Columns that are components x, y, z, w (or 0 to 3) of one name, in this order and beside each other.
fn groups(names: &[&str]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (column, name) in names.iter().enumerate() {
        let Some((base, component)) = component(name) else { continue };
        match groups.last_mut().filter(|group| group.name == base && group.columns.len() == component) {
            Some(group) => group.columns.push(column),
            None if component == 0 => groups.push(Group { name: base.to_owned(), columns: vec![column] }),
            None => {}
        }
    }
    groups
}

/// A name without its component: `POSITION.x`, `position_x`, `position[0]`, `x`.
fn component(name: &str) -> Option<(&str, usize)> {
    let name = name.strip_suffix(']').unwrap_or(name);
    let last = name.chars().last()?;
    let component = ["xX0", "yY1", "zZ2", "wW3"].iter().position(|letters| letters.contains(last))?;
    let base = &name[..name.len() - 1];
    match base.chars().last() {
        None => Some(("", component)),
        Some('.' | '_' | '[') => Some((&base[..base.len() - 1], component)),
        Some(_) => None,
    }
}

/// What a name means: without capitals, the prefixes that shaders have, and a number behind it.
fn meaning(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let mut rest = lower.as_str();
    for prefix in ["sv_", "gl_", "in_", "out_", "vs_", "a_", "v_", "i_", "o_", "in.", "out."] {
        rest = rest.strip_prefix(prefix).unwrap_or(rest);
    }
    match rest.trim_end_matches(|character: char| character.is_ascii_digit()) {
        "" | "pos" => "position".to_owned(),
        rest => rest.to_owned(),
    }
}

/// The group that is the position; of a shader's own and the one that it hands to the rasteriser the one that is in `space`.
fn position(groups: &[Group], space: Space) -> Result<&Group, String> {
    let found: Vec<&Group> =
        groups.iter().filter(|group| meaning(&group.name) == "position" && group.columns.len() >= 3).collect();
    let handed_over = |group: &&&Group| {
        let name = group.name.to_ascii_lowercase();
        name.starts_with("sv_") || name.starts_with("gl_")
    };
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
            Err(format!(
                "no columns are called so (position_x or POSITION.x, and so on); there are: {}",
                names.join(", ")
            ))
        }
        several => {
            let fitting: Vec<&&Group> =
                several.iter().filter(|group| handed_over(group) == (space == Space::Clip)).collect();
            match fitting.as_slice() {
                [one] => Ok(one),
                _ => {
                    let names: Vec<&str> = several.iter().map(|group| group.name.as_str()).collect();
                    Err(format!("there are several: {}; remove all columns but those of one", names.join(", ")))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, space: Space) -> Result<CandidateBuffer, String> {
        CandidateBuffer::from_csv(text, space, Path::new("mine.csv")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_export_of_a_debugger_is_read_by_its_indices() {
        // The columns and the separators of RenderDoc's mesh view; a vertex stands where triangles use it.
        let text = "VTX, IDX, in_position.x, in_position.y, in_position.z, gl_Position.x, gl_Position.y, gl_Position.z, gl_Position.w\n\
            0, 5, 1.00, 2.00, 3.00, 10, 20, 30, 4\n\
            1, 2, 0.5, 0.25, 0.125, 5, 6, 7, 8\n\
            2, 5, 1.00, 2.00, 3.00, 10, 20, 30, 4\n";
        let world = read(text, Space::World).unwrap();
        assert_eq!(world.rows, Some(vec![2, 5]));
        assert_eq!((world.buffer.position.values, world.w), (vec![[0.5, 0.25, 0.125], [1.0, 2.0, 3.0]], None));
        let clip = read(text, Space::Clip).unwrap();
        assert_eq!((clip.buffer.position.values[1], clip.w), ([10.0, 20.0, 30.0], Some(vec![8.0, 4.0])));
        let other = text.replace("2, 5, 1.00", "2, 5, 1.01");
        let said = read(&other, Space::World).unwrap_err();
        assert!(said.contains("line 4: vertex 5 has another position") && said.contains("one draw"), "{said}");
    }

    #[test]
    fn what_we_write_is_read_back() {
        let buffer = VertexBuffer {
            ids: Some(vec![VertexId { node: 1, primitive: 2, vertex: 3 }]),
            position: Attribute { values: vec![[0.5, 2.0, -3.0]], bounds: Some(vec![[0.0, 0.5, f64::INFINITY]]) },
            normal: None,
            tangent: Some(Attribute { values: vec![[1.0, 0.0, 0.0, -1.0]], bounds: Some(vec![[0.25; 4]]) }),
            given: Some(Given::File),
            alternatives: vec![VertexAlternative {
                label: "keys-unit".to_owned(),
                position: Attribute { values: vec![[7.5, 2.0, 1.0]], bounds: Some(vec![[0.25; 3]]) },
                normal: None,
                tangent: None,
            }],
        };
        let read = read(&buffer.to_csv(), Space::World).unwrap();
        let other = &read.buffer.alternatives[0];
        assert_eq!((read.buffer.given, &other.label), (buffer.given, &buffer.alternatives[0].label));
        assert_eq!(other.position, buffer.alternatives[0].position);
        assert_eq!((&read.buffer.ids, &read.buffer.position), (&buffer.ids, &buffer.position));
        assert_eq!(read.buffer.tangent, buffer.tangent);
        assert!(read.buffer.normal.unwrap().values[0][0].is_nan());
    }

    #[test]
    fn what_is_missing_is_named() {
        for (text, expected) in [
            ("", "it is empty"),
            ("a,b\n1,2\n", "there are: ; `position` holds 3 numbers"),
            ("place.x,place.y,place.z\n1,2,3\n", "there are: place"),
            ("pos.x,pos.y\n1,2\n", "there are: pos"),
            ("pos.x,pos.y,pos.z\n1,2\n", "line 2 has 2 cells"),
            ("x,y,z\n1,2,---\n", "line 2: `---` is no number"),
            ("IDX,x,y,z\n-1,1,2,3\n", "`-1` in the column IDX"),
            ("pos.x,pos.y,pos.z,a_position.x,a_position.y,a_position.z\n1,2,3,4,5,6\n", "several: pos, a_position"),
        ] {
            let said = read(text, Space::World).unwrap_err();
            assert!(said.starts_with("mine.csv: ") && said.contains(expected), "{text:?}: {said}");
        }
        assert_eq!(read("x,y,z\n1,2,3\n", Space::World).unwrap().buffer.position.values, [[1.0, 2.0, 3.0]]);
    }
}
