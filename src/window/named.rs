//! [`named!`]: an enum whose values have names on the command line.

/// Declares an enum with `ALL`, `name`, `Display` and `FromStr`; the error of the last lists all names.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $type:ident ($kind:literal) {
        $($(#[$value_meta:meta])* $value:ident = $name:literal,)*
    }) => {
        $(#[$meta])*
        pub enum $type { $($(#[$value_meta])* $value,)* }

        impl $type {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$value),*];

            /// The name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().copied().find(|value| value.name() == name);
                found.ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|value| value.name()).collect();
                    format!(concat!("there is no ", $kind, " `{}`; there are: {}"), name, names.join(", "))
                })
            }
        }
    };
}

pub(crate) use named;
