//! Bundles of source over a small application: what is in them, in which order, within which budget.

#![cfg(feature = "languages")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use graphify::context::{Bundle, Changed, Entry, Mode, Request, assemble};
use graphify::fresh::DiskTree;
use graphify::index::tree::{IndexOptions, index_tree};
use graphify::model::progress::{Cancel, Silent};
use graphify::render::context::{Style, json, markdown, tagged};
use graphify::render::tokens;
use graphify::search::{Resolution, resolve};
use graphify::{ErrorKind, Snapshot, Store};

/// A tree in a folder of its own, and its index.
struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn of(files: &[(&str, &str)]) -> Self {
        let tree = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (path, text) in files {
            tree.write(path, text);
        }
        tree.index();
        tree
    }

    /// The application that the documentation speaks of.
    fn reports_app() -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/reports-app");
        let tree = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        copy(&from, &tree.root());
        tree.index();
        tree
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn store(&self) -> Store {
        Store::at(self.folder.path().join("index"))
    }

    fn index(&self) {
        let options = IndexOptions::default();
        index_tree(
            &self.root(),
            &self.store(),
            &options,
            &Silent,
            &Cancel::default(),
        )
        .unwrap();
    }

    fn snapshot(&self) -> Snapshot {
        self.store().snapshot().unwrap()
    }

    fn gather(&self, request: &Request) -> Bundle {
        assemble(&self.snapshot(), &DiskTree::new(self.root()), request).unwrap()
    }

    fn fails(&self, request: &Request) -> graphify::Error {
        assemble(&self.snapshot(), &DiskTree::new(self.root()), request).unwrap_err()
    }

    fn symbol(&self, name: &str) -> Entry {
        match resolve(&self.snapshot(), name).unwrap() {
            Resolution::Found { sym, .. } => Entry::Symbol(sym),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// The Markdown of a chain from a symbol.
    fn chain(&self, symbol: &str, budget: u64) -> String {
        let bundle = self.gather(&Request {
            entry: self.symbol(symbol),
            ..Request::default()
        });
        markdown(&bundle, budget, Style::default())
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            if entry.file_name() != "graphify-out" {
                copy(&entry.path(), &target);
            }
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn at(file: &str, line: u32) -> Entry {
    Entry::Line {
        file: file.into(),
        line,
    }
}

fn assert_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let found = text[from..].find(part);
        from += found.unwrap_or_else(|| panic!("{part} is not there, or too early, in:\n{text}"));
    }
}

/// The lines of source in a text that was written with line numbers, by file.
fn shown(text: &str) -> BTreeSet<(String, u32)> {
    let mut file = String::new();
    let mut lines = BTreeSet::new();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("## ") {
            file = path.to_string();
        } else if let Some((number, _)) = line.split_once("| ")
            && let Ok(number) = number.parse()
        {
            assert!(
                lines.insert((file.clone(), number)),
                "{file}:{number} twice in:\n{text}"
            );
        }
    }
    lines
}

#[test]
fn the_whole_chain_from_the_button_to_the_variable_in_order() {
    let tree = Tree::reports_app();
    let links = [
        "### ExportButton() (L12-L22) — entry",
        ".exportReport() (L21-L25) — called by ExportButton() at L15",
        "### requireExportPermission() (L11-L15) — called by .exportReport() at L22",
        "### EXPORTING_STATUSES (L10-L12) — used by canExport() at L8",
        "### exportsForTrials() (L2-L4) — called by EXPORTING_STATUSES at L10",
        "process.env.EXPORTS_FOR_TRIALS",
    ];
    let text = tree.chain("ExportButton", 6000);
    assert_order(&text, &links);
    assert!(
        text.contains("Environment variables: EXPORTS_FOR_TRIALS (src/config/env.ts:L3)"),
        "{text}"
    );
    let asked = tree.gather(&Request {
        entry: at("src/ui/ExportButton.tsx", 15),
        question: "why does the export fail for trial accounts".into(),
        ..Request::default()
    });
    assert_order(&markdown(&asked, 1500, Style::default()), &links);
}

#[test]
fn the_budget_holds_in_every_form_and_a_larger_one_never_shows_less() {
    let tree = Tree::reports_app();
    let numbered = Style { line_numbers: true };
    for mode in [Mode::Slice, Mode::Chain, Mode::Global] {
        for (entry, question) in [
            (tree.symbol("ExportButton"), ""),
            (tree.symbol("ReportStore"), "who saves reports"),
            (at("src/reports/reportService.ts", 23), ""),
        ] {
            let bundle = tree.gather(&Request {
                mode,
                entry,
                question: question.into(),
                ..Request::default()
            });
            let mut before = BTreeSet::new();
            for budget in (1..80).chain((80..2400).step_by(37)) {
                let text = markdown(&bundle, budget, numbered);
                assert!(
                    tokens(&text) <= budget,
                    "{budget}: {} in\n{text}",
                    tokens(&text)
                );
                let lines = shown(&text);
                assert!(
                    before.is_subset(&lines),
                    "{mode:?} {budget} shows less:\n{text}"
                );
                before = lines;
                let xml = tagged(&bundle, budget, numbered);
                assert!(
                    tokens(&xml) <= budget,
                    "{budget}: {} in\n{xml}",
                    tokens(&xml)
                );
                let object = json(&bundle, budget, numbered);
                assert!(
                    tokens(&object) <= budget,
                    "{budget}: {} in\n{object}",
                    tokens(&object)
                );
                if !object.is_empty() {
                    let value: serde_json::Value = serde_json::from_str(&object).unwrap();
                    assert!(value.is_object());
                }
            }
            assert!(!before.is_empty());
        }
    }
}

#[test]
fn a_budget_shows_something_from_early_on_and_says_what_it_left_out() {
    let tree = Tree::reports_app();
    let small = tree.chain("ExportButton", 130);
    assert!(small.contains("export function ExportButton"), "{small}");
    assert!(small.contains("cut L"), "{small}");
    let medium = tree.chain("ExportButton", 700);
    assert!(medium.contains("Left out for want of budget: "), "{medium}");
    assert!(medium.contains(" left out\n"), "{medium}");
    let all = tree.chain("ExportButton", 20_000);
    assert!(!all.contains("Left out"), "{all}");
}

#[test]
fn a_slice_is_the_unit_with_its_head_and_its_imports_alone() {
    let tree = Tree::reports_app();
    let slice = |file: &str, line: u32| {
        let bundle = tree.gather(&Request {
            mode: Mode::Slice,
            entry: at(file, line),
            ..Request::default()
        });
        markdown(&bundle, 6000, Style::default())
    };
    assert_eq!(
        slice("src/reports/reportService.ts", 23),
        "Context: slice of src/reports/reportService.ts::ReportService.exportReport() | 1 file | 1 symbol | ~198 of 6000 tokens\n\
         ## src/reports/reportService.ts\n### .exportReport() (L21-L25) — entry\n```typescript\n\
         import { requireExportPermission, type User } from \"../accounts/index.js\";\n// ...\n\
         import { toCsv } from \"./csv.js\";\n// ...\nexport class ReportService {\n// ...\n  \
         /** Checks that the user may export, then renders the report as CSV. */\n  \
         async exportReport(user: User, reportId: string): Promise<ExportedFile> {\n    \
         requireExportPermission(user);\n    const report = await this.store.load(reportId);\n    \
         return { name: `${report.title}.csv`, content: toCsv(report.rows) };\n  }\n```\n"
    );
    let between = slice("src/reports/reportService.ts", 26);
    assert!(between.contains("Note: line 26 of src/reports/reportService.ts lies in no unit; .titles() is the next one"), "{between}");
    assert!(between.contains("async titles()"), "{between}");
    let helper = slice("src/ui/ExportButton.tsx", 14);
    assert!(
        helper.contains("export function ExportButton"),
        "a short helper stands in its function:\n{helper}"
    );
}

#[test]
fn places_that_are_not_there_are_errors() {
    let tree = Tree::reports_app();
    let error = tree.fails(&Request {
        entry: at("src/ui/toast.ts", 99),
        ..Request::default()
    });
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("there is no line 99"), "{error}");
    let error = tree.fails(&Request {
        question: "zzz qqq".into(),
        ..Request::default()
    });
    assert_eq!(error.kind(), ErrorKind::NotFound);
    std::fs::remove_file(tree.root().join("src/ui/toast.ts")).unwrap();
    let error = tree.fails(&Request {
        entry: at("src/ui/toast.ts", 2),
        ..Request::default()
    });
    assert!(error.to_string().contains("not there any more"), "{error}");
}

#[test]
fn source_is_what_is_on_disk_now() {
    let tree = Tree::reports_app();
    tree.write(
        "src/accounts/permissions.ts",
        "import { EXPORTING_STATUSES } from \"./accountStatus.js\";\nimport type { User } from \"./user.js\";\n\n\
         // A line that moves everything.\n\nexport function requireExportPermission(user: User): void {\n  \
         if (!EXPORTING_STATUSES.includes(user.status)) throw new Error(\"no right\");\n}\n\nfunction brandNew(user: User) {\n  return requireExportPermission(user);\n}\n",
    );
    std::fs::remove_file(tree.root().join("src/ui/toast.ts")).unwrap();
    let text = tree.chain("ExportButton", 6000);
    assert!(text.contains("throw new Error(\"no right\")"), "{text}");
    assert!(
        text.contains("### requireExportPermission() (L6-L8)"),
        "{text}"
    );
    for gone in [
        "### canExport()",
        "function canExport",
        "### showToast",
        "#toast",
    ] {
        assert!(!text.contains(gone), "{gone} in:\n{text}");
    }
    assert!(
        text.contains("read anew, changed since indexed: src/accounts/permissions.ts"),
        "{text}"
    );
    assert!(
        text.contains("Not shown: src/ui/toast.ts::showToast() (the file is gone)"),
        "{text}"
    );
    assert!(
        text.contains(
            "Not shown: src/accounts/permissions.ts::canExport() (not in the file any more)"
        ),
        "{text}"
    );
    let bundle = tree.gather(&Request {
        entry: at("src/accounts/permissions.ts", 11),
        ..Request::default()
    });
    let fresh = markdown(&bundle, 6000, Style::default());
    assert_order(
        &fresh,
        &[
            "### requireExportPermission() (L6-L8) — named by brandNew() at L11",
            "### brandNew() (L10-L12) — entry",
        ],
    );
}

#[test]
fn what_was_changed_lately_ranks_up_and_is_marked() {
    let tree = Tree::reports_app();
    let place = |changed: Changed| {
        let bundle = tree.gather(&Request {
            entry: tree.symbol("ExportButton"),
            changed,
            ..Request::default()
        });
        let at = bundle
            .pieces
            .iter()
            .position(|p| p.label == "quote()")
            .unwrap();
        let turn = bundle.steps.iter().position(|s| s.piece == at).unwrap();
        (
            turn,
            bundle.pieces[at].changed,
            markdown(&bundle, 6000, Style::default()),
        )
    };
    let (before, unmarked, _) = place(Changed::default());
    let lines = [("src/reports/csv.ts".to_string(), vec![(9, 9)])];
    let (after, marked, text) = place(Changed(lines.into()));
    assert!(!unmarked && marked && after < before, "{before} {after}");
    assert!(text.contains("quote() (L8-L10) [changed] — "), "{text}");
    assert!(!text.contains("toCsv() (L4-L6) [changed]"), "{text}");
}

#[test]
fn cycles_end_and_everything_appears_once() {
    let tree = Tree::of(&[
        (
            "a.ts",
            "import { b } from './b';\nexport function a(n: number): number { return b(n - 1); }\n",
        ),
        (
            "b.ts",
            "import { a } from './a';\nexport function b(n: number): number { return n ? a(n) : 0; }\n",
        ),
    ]);
    let text = tree.chain("a", 6000);
    assert_eq!(text.matches("export function a").count(), 1, "{text}");
    assert_eq!(text.matches("export function b").count(), 1, "{text}");
}

#[test]
fn tables_are_told_of_and_fences_survive() {
    let rows: String = (0..3000).map(|i| format!("  \"row {i}\",\n")).collect();
    let tree = Tree::of(&[(
        "fat.ts",
        &format!(
            "export const TABLE = [\n{rows}];\n/** Says ```` four. */\nexport function look(i: number) {{ return TABLE[i]; }}\n"
        ),
    )]);
    let text = tree.chain("look", 6000);
    assert!(
        text.contains("// ... L7-L3002: a table of 3000 texts in 3002 lines"),
        "{text}"
    );
    assert!(!text.contains("row 7\""), "{text}");
    assert!(text.contains("`````typescript\n/** Says ````"), "{text}");
    let entry = tree.chain("TABLE", 6000);
    assert!(
        entry.contains("row 20\""),
        "an entry is shown as it is:\n{entry}"
    );
}

#[test]
fn chinese_counts_as_chinese_and_is_never_cut_inside_a_character() {
    let lines: String = (0..200)
        .map(|i| format!("  // 步骤{i}：检查输入并累加结果，遇到异常情况时返回默认值。\n"))
        .collect();
    let tree = Tree::of(&[(
        "zh.ts",
        &format!("export function 计算总价(数量: number) {{\n{lines}  return 数量;\n}}\n"),
    )]);
    let text = tree.chain("计算总价", 800);
    assert!(text.contains("export function 计算总价"), "{text}");
    assert!(text.chars().count() < 1200 && !text.contains('\u{fffd}'));
}

#[test]
fn a_question_alone_starts_from_what_it_names() {
    let tree = Tree::reports_app();
    let bundle = tree.gather(&Request {
        mode: Mode::Global,
        question: "which accounts may export a report".into(),
        ..Request::default()
    });
    let text = markdown(&bundle, 3000, Style::default());
    for part in ["canExport", "EXPORTING_STATUSES", "exportReport"] {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
}

#[test]
fn the_same_request_gives_the_same_bytes_whatever_the_history_of_the_index() {
    let tree = Tree::reports_app();
    let fresh = tree.chain("ExportButton", 3000);
    let path = tree.root().join("src/reports/csv.ts");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}\nexport const MORE = 1;\n")).unwrap();
    tree.index();
    std::fs::write(&path, &text).unwrap();
    tree.index();
    assert_eq!(tree.chain("ExportButton", 3000), fresh);
}
