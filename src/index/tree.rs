//! From a source tree to commits.
