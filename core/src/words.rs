//! One macro for every closed list of words, as they stand on the wire and in the database. The list gives the serde
//! names, the column, `ALL`, `as_str` and `parse`, so that no word is written twice.

macro_rules! words {
    // `tt`, not `literal`: a literal reaches the derives wrapped in a group, and utoipa then misses the rename.
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $($(#[$each:meta])* $variant:ident = $text:tt),+ $(,)?
    }) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, utoipa::ToSchema,
        )]
        $(#[$doc])*
        $vis enum $name { $($(#[$each])* #[serde(rename = $text)] $variant),+ }

        #[allow(dead_code, reason = "some lists are only written, or never walked")]
        impl $name {
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        crate::column::column!(
            $name as &str,
            word => word.as_str(),
            text => Self::parse(text).ok_or_else(|| format!("{text} is no {}", stringify!($name)).into())
        );
    };
}

pub(crate) use words;
