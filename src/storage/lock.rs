//! The writer's lock.
