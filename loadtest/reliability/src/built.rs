//! Where cargo put the programs: read from what `cargo build --message-format=json` printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bipe_swarm::Outcome;
use serde_json::Value;

use crate::row::Suite;

pub struct Built(BTreeMap<(String, String), PathBuf>);

/// The folder of the other programs, from anywhere.
///
/// # Errors
/// When it is not there.
pub fn folder(path: &Path) -> Outcome<PathBuf> {
    Ok(path.canonicalize().map_err(|error| unbuilt(path, &error))?)
}

fn unbuilt(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}; run `make reliability`", path.display())
}

impl Built {
    /// # Errors
    /// When the file cannot be read or holds no test program.
    pub fn read(file: &Path) -> Outcome<Self> {
        let text = std::fs::read_to_string(file).map_err(|error| unbuilt(file, &error))?;
        let built = Self::parse(&text);
        if built.0.is_empty() {
            return Err(format!("{} names no test program", file.display()).into());
        }
        Ok(built)
    }

    /// Test programs by the folder of their package and the name of their target.
    fn parse(text: &str) -> Self {
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Self(messages.filter_map(|message| test_program(&message)).collect())
    }

    /// # Errors
    /// When the build had no such program.
    pub fn program(&self, suite: Suite) -> Outcome<&Path> {
        let (folder, target) = suite.place();
        let found = self.0.iter().find(|((manifest, name), _)| {
            Path::new(manifest).ends_with(format!("{folder}/Cargo.toml")) && name == target
        });
        let (_, path) = found.ok_or_else(|| format!("no test program {target} of {folder}"))?;
        Ok(path)
    }
}

fn test_program(message: &Value) -> Option<((String, String), PathBuf)> {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
    let is_test = message.pointer("/profile/test") == Some(&Value::Bool(true));
    let path = text("/executable").filter(|_| is_test)?;
    let (manifest, name) = (text("/manifest_path")?, text("/target/name")?);
    Some(((manifest.to_owned(), name.to_owned()), path.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_program_is_found_by_folder_and_target() {
        let line = |manifest: &str, name: &str, is_test: bool| {
            serde_json::json!({"reason": "compiler-artifact", "manifest_path": manifest,
                "target": {"name": name}, "profile": {"test": is_test},
                "executable": format!("/t/{name}-{is_test}")})
            .to_string()
        };
        let text = [
            line("/r/http/Cargo.toml", "bipe", false),
            line("/r/core/Cargo.toml", "it", true),
            line("/r/http/Cargo.toml", "it", true),
            "no json".to_owned(),
        ];
        let built = Built::parse(&text.join("\n"));
        assert_eq!(built.program(Suite::Http).unwrap(), Path::new("/t/it-true"));
        assert!(built.program(Suite::Money).is_err());
    }
}
