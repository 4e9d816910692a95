//! Lists of words: what a person can choose from, written once.
//!
//! Why it exists: a mode, a method or a metric has a name, and the name is read from the command line and from manifests,
//! written to reports, listed in help and in errors, and offered by menus. Each of these was a list of its own, and a new
//! value had to be added to all of them. Here an enum is declared together with its names by [`words!`], and everything
//! else asks the [`Word`].
//!
//! Values with parameters, such as a profile with stated bits, keep parsers of their own; what can be said of them in a
//! list is an [`Offer`] too.

mod error;
mod tables;

use std::fmt;

pub use error::UnknownWord;

/// A value with a name.
pub trait Word: Copy + Eq + fmt::Debug + fmt::Display + 'static {
    /// What the words are, in the singular, as in "shading mode".
    const KIND: &'static str;
    /// Every value, in the order in which lists show them.
    const WORDS: &'static [Self];

    /// Its one name: what is written, and what lists show.
    fn name(self) -> &'static str;

    /// Names that are read as well.
    fn aliases(self) -> &'static [&'static str];

    /// What it is, in one line without a full stop: the first sentence of its documentation.
    fn about(self) -> &'static str;

    /// The value of this name, or of this other name.
    ///
    /// # Errors
    /// [`UnknownWord`], which lists the names that there are.
    fn named(name: &str) -> Result<Self, UnknownWord> {
        let found = Self::WORDS.iter().copied().find(|word| word.name() == name || word.aliases().contains(&name));
        found.ok_or_else(|| UnknownWord::new(Self::KIND, name, Self::WORDS.iter().map(|word| word.name())))
    }

    /// What a list says of it.
    fn offer(self) -> Offer {
        Offer { name: self.name(), aliases: self.aliases(), about: self.about() }
    }

    /// What a list says of all of them.
    fn offers() -> impl Iterator<Item = Offer> {
        Self::WORDS.iter().map(|word| word.offer())
    }
}

/// A line of a list that is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What is written; capitals stand for what has to be filled in, as in `program:FILE`.
    pub name: &'static str,
    /// What is read as well.
    pub aliases: &'static [&'static str],
    /// What it means, in one line without a full stop.
    pub about: &'static str,
}

impl Offer {
    /// A line without other names.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, aliases: &[], about }
    }
}

/// The first sentence of a text, without its full stop.
#[doc(hidden)]
#[must_use]
pub fn first_sentence(text: &'static str) -> &'static str {
    let text = text.trim();
    text.split_once(". ").map_or_else(|| text.strip_suffix('.').unwrap_or(text), |(first, _)| first)
}

#[cfg(test)]
mod tests {
    use super::*;

    words! {
        /// For the tests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Fruit: "fruit" = Quince {
            /// Grows on trees. Keeps
            /// through the winter.
            Apple = "apple",
            /// Wants sugar, v1.0 of it.
            Quince = "quince" | "cydonia" | "coing",
        }
    }

    #[test]
    fn names_and_other_names_are_read_and_one_name_is_written() {
        for fruit in Fruit::ALL {
            assert_eq!(fruit.to_string().parse(), Ok(fruit));
        }
        assert_eq!("coing".parse(), Ok(Fruit::Quince));
        assert_eq!(Fruit::try_from("cydonia".to_owned()), Ok(Fruit::Quince));
        assert_eq!(<&str>::from(Fruit::Quince), "quince");
        assert_eq!(Fruit::default(), Fruit::Quince);
    }

    #[test]
    fn an_unknown_name_is_told_with_all_that_there_are() {
        let error = "pear".parse::<Fruit>().unwrap_err().to_string();
        assert_eq!(error, "there is no fruit `pear`; there are: apple, quince");
    }

    #[test]
    fn help_is_the_first_sentence_of_the_documentation() {
        let offers: Vec<Offer> = Fruit::offers().collect();
        assert_eq!(offers[0], Offer::new("apple", "Grows on trees"));
        assert_eq!((offers[1].about, offers[1].aliases), ("Wants sugar, v1.0 of it", &["cydonia", "coing"][..]));
    }
}
