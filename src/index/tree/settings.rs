//! What besides the sources decides the result: configuration files, the extractor's version.
//!
//! Where it sits: read once a run by [`super`], stored as properties of the index. Invariant: when one of these differs
//! from what an index was made with, whatever depends on it is computed again.

use std::fs;

use crate::index::Writer;
use crate::index::tree::report::IndexReport;
use crate::link::Project;
use crate::model::unit::IMPORTED;
use crate::snapshot::Snapshot;
use crate::source::walk::Walked;
use xxhash_rust::xxh3::Xxh3;

/// Largest configuration file that is read.
const MAX_CONFIG: u64 = 4 << 20;

const EXTRACTOR: &str = "extractor";
const MODULES: &str = "modules";

/// The settings of a run.
pub(super) struct Settings {
    texts: Vec<(String, String)>,
    fingerprint: String,
}

impl Settings {
    /// Reads the configuration files that the walk found. One that cannot be read counts as absent.
    pub(super) fn read(walked: &Walked) -> Self {
        let mut texts = Vec::new();
        let mut hasher = Xxh3::new();
        for config in walked.configs.iter().filter(|c| c.stat.size <= MAX_CONFIG) {
            let Ok(bytes) = fs::read(&config.path) else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for part in [config.key.as_bytes(), &bytes] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            texts.push((config.key.clone(), text));
        }
        Self {
            texts,
            fingerprint: format!("{:016x}", hasher.digest()),
        }
    }

    /// The project that the linker asks for module names.
    pub(super) fn project(&self, walked: &Walked) -> Project {
        let texts = self
            .texts
            .iter()
            .map(|(key, text)| (key.as_str(), text.as_str()));
        Project::new(
            texts,
            walked
                .files
                .iter()
                .chain(&walked.configs)
                .map(|c| c.key.clone()),
        )
    }

    /// Whether the index was made by another version of the extractors.
    pub(super) fn extractor_changed(&self, snapshot: &Snapshot) -> bool {
        snapshot.generation().0 > 0
            && snapshot.property(EXTRACTOR) != Some(&super::extractor_version())
    }

    /// Whether module names may lead elsewhere than when the index was made.
    pub(super) fn modules_changed(&self, snapshot: &Snapshot) -> bool {
        snapshot.property(MODULES) != Some(&self.fingerprint)
    }

    /// Notes the settings with the next commit.
    pub(super) fn store(&self, writer: &mut Writer, report: &IndexReport) {
        writer.set_property(EXTRACTOR, super::extractor_version());
        writer.set_property(MODULES, self.fingerprint.clone());
        // What was imported is gone now: the tree's own files are all that is left.
        if writer.snapshot().property(IMPORTED).is_some() {
            writer.set_property(IMPORTED, "");
        }
        writer.set_property("tool", concat!("graphify ", env!("CARGO_PKG_VERSION")));
        for (name, value) in report.properties() {
            writer.set_property(name, value);
        }
    }
}
