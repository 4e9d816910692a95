//! The header of an NPY file: which numbers its rows hold.
//!
//! Why it exists: the header is a Python literal, and the crates that read it bring a parser generator, big integers and
//! a C compiler with them, more code than all the rest of this room. What numpy writes is a small part of that language, and
//! this is all of it (numpy.lib.format, versions 1.0 to 3.0).

use std::fmt;

/// The magic bytes of an NPY file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// How deep brackets may nest; a structured array needs three.
const DEEPEST: usize = 16;

/// What a file says of itself.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) elements: DataType,
    pub(super) fortran_order: bool,
    /// A number too large for 64 bits is the largest that they hold.
    pub(super) shape: Vec<u64>,
}

/// The type of an element or of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DataType {
    Number(Number),
    Array(u64, Box<DataType>),
    Record(Vec<Field>),
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) data_type: DataType,
}

/// A type string, such as `<f4`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) big_endian: bool,
    /// `f`, `i`, `u` and others that are no numbers.
    pub(super) kind: char,
    /// Bytes.
    pub(super) width: usize,
    /// As it was written.
    pub(super) text: String,
}

impl Header {
    /// Reads a header; returns the bytes after it too.
    ///
    /// # Errors
    /// What is wrong, for a message about the file.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), String> {
        if !bytes.starts_with(MAGIC) {
            return Err("it does not begin with the NPY signature".to_owned());
        }
        let (start, length) = match *bytes {
            [_, _, _, _, _, _, 1, _, a, b, ..] => (10, usize::from(u16::from_le_bytes([a, b]))),
            [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
            _ => return Err("its header is cut off, or of an unknown version".to_owned()),
        };
        let (text, data) = bytes[start..].split_at_checked(length).ok_or("its header is cut off")?;
        let text = std::str::from_utf8(text).map_err(|_| "its header is no text")?;
        let Literal::Map(entries) = Literal::parse(text)? else {
            return Err("its header is no dictionary".to_owned());
        };
        let entry = |name: &str| {
            let found = entries.iter().rfind(|(key, _)| *key == Literal::Text(name.to_owned()));
            found.map(|(_, value)| value).ok_or(format!("its header does not give `{name}`"))
        };
        let Literal::List(shape) = entry("shape")? else {
            return Err("its shape is no tuple".to_owned());
        };
        let header = Self {
            elements: data_type(entry("descr")?)?,
            fortran_order: *entry("fortran_order")? == Literal::Word("True".to_owned()),
            shape: shape.iter().map(whole).collect::<Result<_, _>>()?,
        };
        Ok((header, data))
    }

    /// The first bytes of a file with `rows` elements of these little-endian fields (name, type, how many), padded so that
    /// the data is aligned as numpy wants it.
    pub(super) fn write<T: fmt::Display>(fields: &[(T, &str, usize)], rows: usize) -> Vec<u8> {
        let field = |(name, number, count): &(T, &str, usize)| match count {
            1 => format!("('{name}', '{number}')"),
            _ => format!("('{name}', '{number}', ({count},))"),
        };
        let fields: Vec<String> = fields.iter().map(field).collect();
        let text = format!("{{'descr': [{}], 'fortran_order': False, 'shape': ({rows},), }}", fields.join(", "));
        let start = MAGIC.len() + 4;
        let length = (start + text.len() + 1).next_multiple_of(64) - start;
        let mut bytes = [MAGIC, &[1, 0], &(length as u16).to_le_bytes(), text.as_bytes()].concat();
        bytes.resize(start + length - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

impl DataType {
    /// Bytes; `None` where they are more than can be counted.
    pub(super) fn size(&self) -> Option<usize> {
        match self {
            Self::Number(number) => Some(number.width),
            Self::Array(count, of) => of.size()?.checked_mul(usize::try_from(*count).ok()?),
            Self::Record(fields) => {
                fields.iter().try_fold(0_usize, |sum, field| sum.checked_add(field.data_type.size()?))
            }
        }
    }
}

/// A type string, or a list of fields: `(name, type)` or `(name, type, shape)`, the name perhaps with a title before it.
fn data_type(literal: &Literal) -> Result<DataType, String> {
    let fields = match literal {
        Literal::Text(text) => return number(text).map(DataType::Number),
        Literal::List(fields) => fields,
        _ => return Err("its type is neither a text nor a list of fields".to_owned()),
    };
    let field = |field: &Literal| {
        let parts = if let Literal::List(parts) = field { parts.as_slice() } else { &[] };
        let [name, of, shape @ ..] = parts else {
            return Err("a field is not (name, type) or (name, type, shape)".to_owned());
        };
        let name = match name {
            Literal::Text(name) => name,
            Literal::List(names) if let [_, Literal::Text(name)] = names.as_slice() => name,
            _ => return Err("a field has no name".to_owned()),
        };
        let mut data_type = data_type(of)?;
        for shape in shape {
            let sides = if let Literal::List(sides) = shape { sides } else { &vec![shape.clone()] };
            for side in sides {
                data_type = DataType::Array(whole(side)?, Box::new(data_type));
            }
        }
        Ok(Field { name: name.clone(), data_type })
    };
    fields.iter().map(field).collect::<Result<_, _>>().map(DataType::Record)
}

fn number(text: &str) -> Result<Number, String> {
    let unknown = || format!("its type {text} is not known");
    let mut rest = text.chars();
    let order = rest.next().ok_or_else(unknown)?;
    let kind = rest.next().filter(char::is_ascii_alphabetic).ok_or_else(unknown)?;
    let digits: String = rest.take_while(char::is_ascii_digit).collect();
    let count: usize = digits.parse().map_err(|_| unknown())?;
    let big_endian = match order {
        '<' | '|' => false,
        '>' => true,
        '=' => cfg!(target_endian = "big"),
        _ => return Err(unknown()),
    };
    // A character of `U` has four bytes.
    let width = if kind == 'U' { count.checked_mul(4).ok_or_else(unknown)? } else { count };
    Ok(Number { big_endian, kind, width, text: text.to_owned() })
}

fn whole(literal: &Literal) -> Result<u64, String> {
    match literal {
        Literal::Whole(number) => Ok(*number),
        _ => Err("its shape is not made of whole numbers".to_owned()),
    }
}

/// The part of Python's literals that headers are made of.
#[derive(Clone, Debug, PartialEq)]
enum Literal {
    Text(String),
    Whole(u64),
    /// `True`, `False`, `None`.
    Word(String),
    /// A tuple or a list.
    List(Vec<Literal>),
    Map(Vec<(Literal, Literal)>),
}

impl Literal {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let literal = parser.literal(0)?;
        match parser.next() {
            None => Ok(literal),
            Some(_) => Err("its header goes on behind its end".to_owned()),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// The next character that is no space.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Takes the next character if it is this one.
    fn takes(&mut self, expected: char) -> bool {
        let found = self.next() == Some(expected);
        if found {
            self.rest = &self.rest[expected.len_utf8()..];
        }
        found
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, String> {
        if depth > DEEPEST {
            return Err("its header nests too deep".to_owned());
        }
        match self.next() {
            Some('(') => self.items('(', ')', |parser| parser.literal(depth + 1)).map(Literal::List),
            Some('[') => self.items('[', ']', |parser| parser.literal(depth + 1)).map(Literal::List),
            Some('{') => {
                let entry = |parser: &mut Self| {
                    let key = parser.literal(depth + 1)?;
                    if !parser.takes(':') {
                        return Err("its header has a key without a value".to_owned());
                    }
                    Ok((key, parser.literal(depth + 1)?))
                };
                self.items('{', '}', entry).map(Literal::Map)
            }
            Some(quote @ ('\'' | '"')) => self.text(quote).map(Literal::Text),
            Some(first) if first.is_ascii_digit() => {
                let number = self.word(|character| character.is_ascii_digit()).parse().unwrap_or(u64::MAX);
                // Python 2 wrote an L behind whole numbers.
                self.takes('L');
                Ok(Literal::Whole(number))
            }
            Some(first) if first.is_ascii_alphabetic() => {
                Ok(Literal::Word(self.word(|character| character.is_ascii_alphanumeric()).to_owned()))
            }
            Some(other) => Err(format!("its header has a {other:?} where a value belongs")),
            None => Err("its header ends where a value belongs".to_owned()),
        }
    }

    fn items<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.takes(open);
        let mut items = Vec::new();
        while !self.takes(close) {
            items.push(item(self)?);
            if !self.takes(',') && self.next() != Some(close) {
                return Err(format!("its header lacks a comma or a {close:?}"));
            }
        }
        Ok(items)
    }

    fn text(&mut self, quote: char) -> Result<String, String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                _ if character == quote => {
                    self.rest = &self.rest[at + quote.len_utf8()..];
                    return Ok(text);
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                _ => text.push(character),
            }
        }
        Err("its header has a text without an end".to_owned())
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let end = self.rest.find(|character| !belongs(character)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Vec<u8> {
        [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes(), b"data"].concat()
    }

    fn float(text: &str, width: usize) -> DataType {
        let big_endian = text.starts_with('>');
        DataType::Number(Number { big_endian, kind: 'f', width, text: text.to_owned() })
    }

    #[test]
    fn what_numpy_writes_is_read() {
        // As numpy 2.1 wrote them: np.save of arrays with these types.
        let bytes = file("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }                 \n");
        let (header, data) = Header::read(&bytes).unwrap();
        assert_eq!(header, Header { elements: float(">f8", 8), fortran_order: true, shape: vec![2, 3] });
        assert_eq!(data, b"data");

        let bytes = file(
            "{'descr': [('a', '<f4', (3,)), (('title', 'b'), '<f2'), ('c', [('x', '<f4'), ('y', '<U3')], (2, 2))], \
             'fortran_order': False, 'shape': (1,), }\n",
        );
        let (header, _) = Header::read(&bytes).unwrap();
        assert_eq!(header.elements.size(), Some(12 + 2 + 4 * (4 + 12)));
        let DataType::Record(fields) = &header.elements else { panic!("fields were given") };
        assert_eq!(fields[0].data_type, DataType::Array(3, Box::new(float("<f4", 4))));
        assert_eq!(fields[1], Field { name: "b".to_owned(), data_type: float("<f2", 2) });
        let (header, _) = Header::read(&file("{'descr': '<f4', 'fortran_order': False, 'shape': (), }")).unwrap();
        assert!(header.shape.is_empty());
    }

    #[test]
    fn what_is_written_is_read_and_aligned() {
        let bytes = Header::write(&[("node", "<u4", 1), ("position", "<f4", 3)], 7);
        assert_eq!(bytes.len() % 64, 0);
        assert!(bytes.ends_with(b"\n"));
        let (header, data) = Header::read(&bytes).unwrap();
        assert_eq!(
            (header.shape, header.fortran_order, header.elements.size(), data),
            (vec![7], false, Some(16), &b""[..])
        );
    }

    #[test]
    fn damaged_headers_are_told() {
        for (text, expected) in [
            ("", "ends where a value belongs"),
            ("[]", "no dictionary"),
            ("{}", "does not give `shape`"),
            ("{'shape': (1,)}", "does not give `descr`"),
            ("{'shape' (1,)}", "a key without a value"),
            ("{'shape': (1 2)}", "lacks a comma"),
            ("{'shape': (1,), 'descr", "a text without an end"),
            ("{'shape': ('x',), 'descr': '<f4', 'fortran_order': False}", "whole numbers"),
            ("{'shape': (1,), 'descr': '<', 'fortran_order': False}", "its type < is not known"),
            ("{'shape': (1,), 'descr': '<f99999999999999999999', 'fortran_order': False}", "is not known"),
            ("{'shape': (1,), 'descr': [('a',)], 'fortran_order': False}", "a field is not"),
            ("{'shape': (1,), 'descr': [(1, '<f4')], 'fortran_order': False}", "has no name"),
            ("{'shape': -1}", "'-' where a value belongs"),
            ("{'shape': (1,), 'descr': '<f4', 'fortran_order': False} x", "goes on behind its end"),
        ] {
            let error = Header::read(&file(text)).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let deep = Header::read(&file(&"[".repeat(5000))).unwrap_err();
        assert!(deep.contains("nests too deep"), "{deep}");
    }
}
