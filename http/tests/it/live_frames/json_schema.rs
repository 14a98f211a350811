//! As much of JSON Schema 2020-12 as the generated contract uses; any other keyword is an error, so that nothing is
//! skipped. Stricter in one thing: an object has no property that its schema does not name.

use serde_json::Value;

pub struct Contract(Value);

impl Contract {
    pub fn generated() -> Self {
        Self(serde_json::to_value(bipe_http::openapi::document()).unwrap())
    }

    pub fn component(&self, name: &str) -> &Value {
        &self.0["components"]["schemas"][name]
    }

    /// What is wrong with the value; none when it is valid.
    pub fn refusal(&self, component: &str, value: &Value) -> Option<String> {
        self.check(self.component(component), value, component, true).err()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, closed: bool) -> Result<(), String> {
        let Some(keywords) = schema.as_object() else {
            return Err(format!("{at}: no schema"));
        };
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                "description" | "discriminator" | "format" | "required" | "items" => {}
                "$ref" => {
                    let target = wanted.as_str().unwrap().trim_start_matches('#');
                    self.check(self.0.pointer(target).unwrap(), value, at, closed)?;
                }
                "type" => check_type(wanted, value, at)?,
                "enum" => check_that(wanted.as_array().unwrap().contains(value), value, at)?,
                "minItems" => check_that(count(value) >= wanted.as_u64(), value, at)?,
                "maxItems" => check_that(count(value) <= wanted.as_u64(), value, at)?,
                "minimum" => check_that(value.as_f64() >= wanted.as_f64(), value, at)?,
                "prefixItems" => self.check_tuple(wanted, value, at)?,
                "properties" => self.check_object(schema, value, at, closed)?,
                "oneOf" => self.check_one(schema, value, at)?,
                "allOf" => {
                    for part in wanted.as_array().unwrap() {
                        self.check(part, value, at, false)?;
                    }
                }
                other => return Err(format!("{at}: the keyword {other} is not known here")),
            }
        }
        match (&schema["items"], value) {
            (items @ Value::Object(_), Value::Array(values)) => {
                values.iter().try_for_each(|value| self.check(items, value, at, true))
            }
            _ => Ok(()),
        }
    }

    fn check_object(
        &self,
        schema: &Value,
        value: &Value,
        at: &str,
        closed: bool,
    ) -> Result<(), String> {
        let Some(fields) = value.as_object() else { return Ok(()) };
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            fields.get(name).ok_or(format!("{at}.{name} is missing: {value}"))?;
        }
        for (name, value) in fields {
            match schema["properties"].get(name) {
                Some(property) => self.check(property, value, &format!("{at}.{name}"), true)?,
                None if closed => return Err(format!("{at}.{name} is not declared")),
                None => {}
            }
        }
        Ok(())
    }

    fn check_tuple(&self, schemas: &Value, value: &Value, at: &str) -> Result<(), String> {
        let (schemas, values) = (schemas.as_array().unwrap(), value.as_array().unwrap());
        check_that(schemas.len() == values.len(), value, at)?;
        let mut pairs = schemas.iter().zip(values);
        pairs.try_for_each(|(schema, value)| self.check(schema, value, at, true))
    }

    /// With a discriminator, the one that it names; without, exactly one.
    fn check_one(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        if let Some(property) = schema["discriminator"]["propertyName"].as_str() {
            let word = value[property].as_str().unwrap_or_default();
            let target = schema["discriminator"]["mapping"][word].as_str();
            let target = target.ok_or(format!("{at}: {property} {word:?} is not declared"))?;
            let listed =
                schema["oneOf"].as_array().unwrap().iter().any(|one| one["$ref"] == target);
            check_that(listed, value, at)?;
            let at = format!("{at}:{word}");
            return self.check(self.0.pointer(&target[1..]).unwrap(), value, &at, true);
        }
        let choices = schema["oneOf"].as_array().unwrap().iter();
        let refusals: Vec<String> =
            choices.clone().filter_map(|one| self.check(one, value, at, true).err()).collect();
        if choices.count() - refusals.len() == 1 { Ok(()) } else { Err(refusals.join(" | ")) }
    }
}

fn count(value: &Value) -> Option<u64> {
    value.as_array().map(|values| u64::try_from(values.len()).unwrap())
}

fn check_that(holds: bool, value: &Value, at: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{at}: {value}")) }
}

fn check_type(wanted: &Value, value: &Value, at: &str) -> Result<(), String> {
    let is = |kind: &Value| match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("{other}"),
    };
    let holds = wanted.as_array().map_or_else(|| is(wanted), |kinds| kinds.iter().any(is));
    if holds { Ok(()) } else { Err(format!("{at} is no {wanted}: {value}")) }
}
