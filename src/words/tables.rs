//! [`words!`] and [`names!`]: an enum and the names of its values, in one table.
//!
//! Why macros and no derive: a derive would be a package of its own with a parser of Rust, for what twenty lines do.

/// Declares an enum whose values are chosen by name: what [`names!`](crate::names) declares, `FromStr` with
/// [`UnknownWord`](crate::UnknownWord) as its error, and conversions to `&'static str` and from `String`, by which serde
/// writes and reads names.
///
/// ```
/// refrast_words::words! {
///     /// How a person likes it.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum Taste: "taste" = Sweet {
///         /// With sugar.
///         Sweet = "sweet" | "sugared",
///         /// As it is.
///         Plain = "plain",
///     }
/// }
/// assert_eq!("sugared".parse(), Ok(Taste::Sweet));
/// assert_eq!("sour".parse::<Taste>().unwrap_err().to_string(), "there is no taste `sour`; there are: sweet, plain");
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $type:ident: $($rest:tt)+) => {
        $crate::names! { $(#[$meta])* $vis enum $type: $($rest)+ }

        impl ::std::str::FromStr for $type {
            type Err = $crate::UnknownWord;

            fn from_str(name: &str) -> ::std::result::Result<Self, $crate::UnknownWord> {
                $crate::Word::named(name)
            }
        }

        impl ::std::convert::From<$type> for &'static str {
            fn from(word: $type) -> Self {
                word.name()
            }
        }

        impl ::std::convert::TryFrom<::std::string::String> for $type {
            type Error = $crate::UnknownWord;

            fn try_from(name: ::std::string::String) -> ::std::result::Result<Self, $crate::UnknownWord> {
                $crate::Word::named(&name)
            }
        }
    };
}

/// Declares an enum whose values have names: `ALL`, `name`, `Display`, [`Word`](crate::Word), and `Default` where a value
/// stands behind `=`. The first sentence of a value's documentation is what lists say of it.
#[macro_export]
macro_rules! names {
    (
        $(#[$meta:meta])* $vis:vis enum $type:ident: $kind:literal $(= $default:ident)? {
            $($(#[doc = $about:literal])+ $value:ident = $name:literal $(| $alias:literal)*,)+
        }
    ) => {
        $(#[$meta])*
        $vis enum $type { $($(#[doc = $about])+ $value,)+ }

        impl $type {
            /// Every value, in the order in which lists show them.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name on the command line, in files and in reports.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)+ }
            }
        }

        $(impl ::std::default::Default for $type {
            fn default() -> Self {
                Self::$default
            }
        })?

        impl ::std::fmt::Display for $type {
            /// The name, padded as the format asks.
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad(self.name())
            }
        }

        impl $crate::Word for $type {
            const KIND: &'static str = $kind;
            const WORDS: &'static [Self] = &Self::ALL;

            fn name(self) -> &'static str {
                self.name()
            }

            fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$value => &[$($alias),*],)+ }
            }

            fn about(self) -> &'static str {
                $crate::first_sentence(match self { $(Self::$value => ::std::concat!($($about),+),)+ })
            }
        }
    };
}
