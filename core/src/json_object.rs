//! Parts of a body that are objects (`#[serde(deserialize_with = "json_object::read")]`). A struct that serde derives
//! is read from an array too, value by value: whoever mistakes two of them would hear of no wrong name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// # Errors
/// Those of `T`, and for everything that is no object.
pub fn read<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<T, D::Error> {
    Object::deserialize(input).map(|Object(part)| part)
}

/// As [`read`], for a part that may be left out; it needs `default`, too.
///
/// # Errors
/// As [`read`].
pub fn read_optional<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    input: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::deserialize(input)?.map(|Object(part)| part))
}

/// As [`read`], for a list of objects.
///
/// # Errors
/// As [`read`].
pub fn read_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    input: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Vec::deserialize(input)?.into_iter().map(|Object(part)| part).collect())
}

struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
