//! [`word`] and [`offered`]: how clap reads what a list of words offers.
//!
//! Why it exists: help and completions show the list that parsing reads, with the line that documents each word, so that
//! no option repeats it.

use std::{error::Error, ffi::OsStr, marker::PhantomData, str::FromStr};

use clap::{
    Arg, Command,
    builder::{PossibleValue, TypedValueParser},
};
use refrast_words::{Offer, Word};

/// Reads a `T`, and knows what can be written for it.
#[derive(Clone)]
pub(super) struct Offered<T> {
    offers: Vec<Offer>,
    value: PhantomData<fn() -> T>,
}

/// One of a list of words.
pub(super) fn word<W: Word + FromStr>() -> Offered<W> {
    offered(W::offers())
}

/// What is offered, which need not be all that can be read.
pub(super) fn offered<T>(offers: impl IntoIterator<Item = Offer>) -> Offered<T> {
    Offered { offers: offers.into_iter().collect(), value: PhantomData }
}

impl<T> TypedValueParser for Offered<T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Into<Box<dyn Error + Send + Sync>>,
{
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        // The type's own error says what there is; capitals in an offer stand for what nobody can type.
        T::from_str.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = self.offers.iter().map(|offer| {
            let value = PossibleValue::new(offer.name).help(offer.about);
            value.aliases(offer.aliases.iter().copied())
        });
        Some(Box::new(values))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Parser, error::ErrorKind};
    use refrast_shading::ShadingMode;

    use super::*;

    #[derive(Parser)]
    struct Options {
        #[arg(long, default_value_t, value_parser = word::<ShadingMode>())]
        shading: ShadingMode,
    }

    #[test]
    fn a_word_is_read_by_its_name_and_refused_with_those_that_there_are() {
        assert_eq!(Options::parse_from(["", "--shading", "uv"]).shading, ShadingMode::Uv);
        assert_eq!(Options::parse_from([""]).shading, ShadingMode::Lambert);
        let error = Options::try_parse_from(["", "--shading", "Uv"]).err().expect("names are lower case");
        assert_eq!(error.kind(), ErrorKind::ValueValidation);
        let said = error.to_string();
        assert!(ShadingMode::ALL.iter().all(|mode| said.contains(mode.name())), "{said}");
    }

    #[test]
    fn help_shows_every_word_with_its_line() {
        let help = <Options as clap::CommandFactory>::command().term_width(200).render_long_help().to_string();
        for mode in ShadingMode::ALL {
            assert!(help.contains(&format!("{mode}:")) && help.contains(mode.about()), "{mode}: {help}");
        }
        assert!(help.contains("[default: lambert]"), "{help}");
    }
}
