//! The door for other tools: a store of units, nodes and edges in a folder.
//!
//! Where it sits: on top of `index` (writing) and `snapshot` (reading); holds no state but where the store is. Invariant:
//! a store never blocks a reader, and what a reader holds never changes under it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::index::{VerifyReport, Writer, WriterOptions, verify};
use crate::snapshot::Snapshot;
use crate::storage::RealFs;
use crate::storage::fs::Fs;

/// A graph store in a folder: any number of readers, one writer at a time.
///
/// Units are the grain of change: each holds some nodes and the edges that leave them, and is replaced or removed as a
/// whole. An edge may lead to a symbol that nobody has defined yet: it is bound when somebody does.
///
/// ```
/// use graphify::model::edge::EdgeLabel;
/// use graphify::model::label::{Language, NodeKind};
/// use graphify::model::unit::{NewNode, Unit};
/// use graphify::Store;
///
/// # fn main() -> graphify::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("store");
/// let store = Store::at(&path);
/// let mut writer = store.writer()?;
/// let person = writer.kind("person")?;
/// let knows = writer.relation("knows")?;
///
/// let mut family = Unit::new("family", Language::NONE);
/// let ada = family.add(NewNode::new("Ada", person))?;
/// family.link_key(ada, "club::Charles", EdgeLabel::stated(knows));
/// writer.put(family)?;
///
/// let mut club = Unit::new("club", Language::NONE);
/// club.add(NewNode::new("Charles", person))?;
/// writer.put(club)?;
/// writer.commit()?;
///
/// let snapshot = store.snapshot()?;
/// let ada = snapshot.find_key("family::Ada")?.expect("stored above");
/// let known: Vec<String> = snapshot
///     .out_edges(ada)
///     .filter_map(|edge| snapshot.node(edge.target).map(|n| n.key()))
///     .collect();
/// assert_eq!(known, ["club::Charles"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    fs: Arc<dyn Fs>,
    dir: PathBuf,
}

impl Store {
    /// The store in the folder `dir`, whether or not it exists yet.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self::with_fs(Arc::new(RealFs::default()), dir)
    }

    /// The store in the folder `dir` of another file system; for tests that lose power.
    #[doc(hidden)]
    pub fn with_fs(fs: Arc<dyn Fs>, dir: impl Into<PathBuf>) -> Self {
        Self {
            fs,
            dir: dir.into(),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// The last commit, mapped. Takes no lock and waits for nobody.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub fn snapshot(&self) -> Result<Snapshot> {
        Snapshot::open_with(&*self.fs, &self.dir, &[])
    }

    /// The last commit, given an earlier one: segments that both share are not opened again, and the earlier one is
    /// returned when nothing was committed since.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub fn refresh(&self, earlier: &Arc<Snapshot>) -> Result<Arc<Snapshot>> {
        let now = Snapshot::open_with(&*self.fs, &self.dir, &earlier.segments())?;
        let same = now.generation() == earlier.generation() && now.epoch() == earlier.epoch();
        Ok(if same {
            Arc::clone(earlier)
        } else {
            Arc::new(now)
        })
    }

    /// Checks every byte and every cross-reference of the last commit. Changes nothing and waits for nobody.
    ///
    /// # Errors
    /// As [`Snapshot::open`]: a store that cannot even be opened has no report.
    pub fn verify(&self) -> Result<VerifyReport> {
        verify::verify(&*self.fs, &self.dir)
    }

    /// Mends what can be mended without the sources (HEAD, the catalog, leftovers of a killed writer), then checks.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Locked`] while a writer is at work; else as [`Snapshot::open`].
    pub fn repair(&self) -> Result<VerifyReport> {
        verify::repair(&self.fs, &self.dir)
    }

    /// The writer. Creates the store when it does not exist, and repairs what a killed writer left behind.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Locked`] while another writer is at work; else as [`Snapshot::open`].
    pub fn writer(&self) -> Result<Writer> {
        self.writer_with(WriterOptions::default())
    }

    /// [`Self::writer`] with options.
    ///
    /// # Errors
    /// As [`Self::writer`].
    pub fn writer_with(&self, options: WriterOptions) -> Result<Writer> {
        Writer::open(Arc::clone(&self.fs), &self.dir, options)
    }
}
