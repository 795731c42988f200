//! The writer's catalog.
