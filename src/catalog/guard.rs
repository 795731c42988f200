//! A border that panics of the database do not cross.
//!
//! Where it sits: every call into the database runs inside [`guarded`]. The database trusts its file, so bytes that are
//! wrong can make it panic, where the catalog owes an [`Error`](crate::error::Error). It is the second belt: a file that
//! is not as it was left is checked page by page first (see [`mark`](super::mark)), since a panic that meets another one
//! while it unwinds cannot be caught at all.
//!
//! Invariants: nothing unwinds out of [`guarded`], and nothing is printed for a panic inside it. The second needs the
//! process's panic hook, because a hook runs before the unwinding that is caught here, and there is no hook for one
//! thread. So the first guarded call puts a hook in front of the one that is there; it is silent for a thread that is
//! inside a guarded call and hands every other panic on unchanged. It is never taken out again: that would race with other
//! threads. A program that sets its own hook later replaces it, and then decides itself what is printed.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

static HOOK: Once = Once::new();

/// The database panicked; the message of the panic.
#[derive(Debug)]
pub(super) struct Panicked(pub(super) String);

/// Runs `call`, and turns a panic in it into an error. Whatever `call` was using is to be taken for broken afterwards.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    install_hook();
    let _inside = Inside::enter();
    // The state that a panic may leave half changed is the database's, and its owner gives the database up.
    panic::catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_string())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_else(|| "unknown".to_string()))
    })
}

struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.with(|depth| depth.set(depth.get().saturating_add(1)));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}

fn install_hook() {
    if std::thread::panicking() {
        return; // the hook cannot be changed now; a drop during unwinding comes here
    }
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let inside = DEPTH.try_with(|depth| depth.get() > 0).unwrap_or(false);
            if !inside {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "panics are the subject")]

    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        assert_eq!(guarded(|| 7).unwrap(), 7);
        assert_eq!(
            guarded(|| panic!("page {}", 3)).map(|()| 0).unwrap_err().0,
            "page 3"
        );
        let list: Vec<u8> = Vec::new();
        let at = list.len();
        let found = guarded(move || list[at]);
        assert!(found.unwrap_err().0.contains("out of bounds"));
    }

    #[test]
    fn the_mark_of_a_thread_is_taken_back() {
        let _ = guarded(|| panic!("inside"));
        assert_eq!(DEPTH.with(Cell::get), 0);
        guarded(|| assert_eq!(DEPTH.with(Cell::get), 1)).unwrap();
        let nested = guarded(|| guarded(|| panic!("deep")).is_err() && DEPTH.with(Cell::get) == 1);
        assert!(nested.unwrap());
    }

    /// Run by the test below in a process of its own, where what reaches the standard error can be looked at.
    #[test]
    fn panic_inside_and_outside() {
        if std::env::var_os("GRAPHIFY_TEST_PANIC").is_none() {
            return;
        }
        let _ = guarded(|| panic!("kept quiet"));
        let _ = panic::catch_unwind(|| panic!("told"));
    }

    #[test]
    fn only_panics_outside_are_printed() {
        let out = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "catalog::guard::tests::panic_inside_and_outside",
                "--nocapture",
            ])
            .env("GRAPHIFY_TEST_PANIC", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(text.contains("told"), "{text}");
        assert!(!text.contains("kept quiet"), "{text}");
    }
}
