#!/usr/bin/env python3
"""Scores the index's edges against compiler truth and writes the tables of benches/accuracy.md.

    accuracy.py --scorer DIR [--corpora DIR] [--graphify BIN] [--probes FILE] [--write]

The scorer is a folder with `score.py` and `truth/*/PROJECT.json.gz`; the corpora lie in one folder, each under its
project's name (default `$GRAPHIFY_CORPORA`, else `~/.cache/graphify-corpora`). A probes file holds many small
repositories with edges that must, or must not, be there. Without `--write` the tables go to standard output; with it they
replace what stands between the marks in accuracy.md. A project that is absent is named and left out.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPORT = HERE / "accuracy.md"
PROJECTS = ("trpc", "zod", "flask", "requests", "ripgrep")
COLUMNS = (
    ("calls fn->fn", "calls"),
    ("  same file", "same file"),
    ("  cross file", "cross-file"),
    ("calls module-level", "module level"),
    ("inherit", "inherits"),
    ("imports", "imports"),
    ("type refs", "type references"),
)


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def graph_of(graphify, tree, scratch):
    """The graph of a tree, by way of the exported graph.json."""
    out = scratch / "out"
    exported = scratch / "graph.json"
    shutil.rmtree(out, ignore_errors=True)
    run([graphify, "index", str(tree), "--out", str(out), "--quiet"])
    run([graphify, "export", "json", "--out", str(out), "--output", str(exported)], cwd=tree)
    return json.loads(exported.read_text(encoding="utf-8"))


def rows(graph):
    """One row for each edge that runs inside the tree, as the scorer reads them."""

    def end(node):
        if node.get("kind") == "file":
            return node["source_file"], 0, "<file>"
        line = re.match(r"L(\d+)", node.get("source_location") or "L0")
        return node["source_file"], int(line.group(1)), node["label"]

    nodes = {node["id"]: node for node in graph["nodes"]}
    for edge in graph["links"]:
        source, target = nodes[edge["source"]], nodes[edge["target"]]
        if source.get("source_file") and target.get("source_file"):
            cells = (*end(source), *end(target), edge["relation"], edge["confidence"])
            yield "\t".join(re.sub(r"[\t\n\r]", " ", str(c)) for c in cells)


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def ratio(part, whole):
    return None if not whole else part / whole


def score(args, project, scratch):
    truth = next(iter(sorted(args.scorer.glob(f"truth/*/{project}.json.gz"))), None)
    tree = args.corpora / project
    if truth is None or not tree.is_dir():
        print(f"left out: {project} (no truth or no tree)", file=sys.stderr)
        return None
    graph = graph_of(args.graphify, tree, scratch)
    edges = scratch / "edges.tsv"
    edges.write_text("\n".join(rows(graph)) + "\n", encoding="utf-8")
    result = scratch / "score.json"
    text = run([sys.executable, args.scorer / "score.py", truth, edges, "--json", result])
    scored = json.loads(result.read_text(encoding="utf-8"))
    scored["classes"] = {
        f"{relation}/{label}": (float(share) / 100, int(count))
        for relation, label, share, count in re.findall(
            r"^\s+(\w+)/(\w+)\s+([\d.]+)%\s+n=(\d+)", text, re.MULTILINE
        )
    }
    return scored


def others(scorer, project, column):
    """The best F1 of the other systems whose results lie beside the scorer."""
    best = None
    for path in sorted(scorer.glob(f"baselines/{project}.*.json")):
        value = json.loads(path.read_text(encoding="utf-8")).get(column, {}).get("f1")
        if value is not None:
            best = value if best is None else max(best, value)
    return best


def tables(args, scratch):
    scored = {p: s for p in PROJECTS if (s := score(args, p, scratch)) is not None}
    lines = ["Each cell: precision / recall → F1, and in brackets the best F1 of four other systems.", ""]
    lines.append("| project | " + " | ".join(name for _, name in COLUMNS) + " |")
    lines.append("|---" * (len(COLUMNS) + 1) + "|")
    for project, result in scored.items():
        cells = []
        for column, _ in COLUMNS:
            c = result[column]
            best = percent(others(args.scorer, project, column))
            cells.append(f"{percent(c['p'])} / {percent(c['r'])} → {percent(c['f1'])} ({best})")
        lines.append(f"| {project} | " + " | ".join(cells) + " |")
    means = []
    for column, _ in COLUMNS:
        values = [r[column]["f1"] for r in scored.values() if r[column]["f1"] is not None]
        means.append(f"**{percent(sum(values) / len(values))}**" if values else "–")
    lines.append("| mean F1 | " + " | ".join(means) + " |")
    lines += ["", "Precision of each class of confidence, all judged edges of the relation:", ""]
    lines += ["| project | class | precision | edges |", "|---|---|---|---|"]
    for project, result in scored.items():
        for name, (share, count) in sorted(result["classes"].items()):
            lines.append(f"| {project} | {name} | {percent(share)} | {count} |")
    return lines


def probe(args, scratch):
    """How many edges of the small repositories are as they should be, and which are not."""
    right, total, wrong, forbidden = 0, 0, [], 0
    for case in json.loads(args.probes.read_text(encoding="utf-8"))["probes"]:
        tree = scratch / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        for name, text in case["files"].items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        graph = graph_of(args.graphify, tree, scratch)
        names = {n["id"]: f"{n.get('source_file') or ''}:{n['label']}" for n in graph["nodes"]}
        drawn = [(names[e["source"]], e["relation"], names[e["target"]]) for e in graph["links"]]
        for edge in case["edges"]:
            there = any(
                re.fullmatch(edge["source"], s)
                and (edge["relation"] == "*" or r in edge["relation"].split("|"))
                and re.fullmatch(edge["target"], t)
                for s, r, t in drawn
            )
            total += 1
            if there == (edge["want"] == "present"):
                right += 1
            else:
                forbidden += edge["want"] != "present"
                wrong.append(f"{case['name']}: {edge['source']} {edge['relation']} {edge['target']} ({edge['want']})")
    lines = ["", f"Small repositories: {right} of {total} edges as they should be; {forbidden} that must not be there."]
    for line in wrong:
        print("probe " + line, file=sys.stderr)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scorer", type=Path, required=True)
    default = os.environ.get("GRAPHIFY_CORPORA") or Path.home() / ".cache" / "graphify-corpora"
    parser.add_argument("--corpora", type=Path, default=default)
    parser.add_argument("--graphify", default=str(HERE.parent / "target" / "release" / "graphify"))
    parser.add_argument("--probes", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    args.graphify = str(Path(args.graphify).resolve())
    args.scorer, args.corpora = args.scorer.resolve(), args.corpora.resolve()
    with tempfile.TemporaryDirectory() as folder:
        lines = tables(args, Path(folder))
        if args.probes:
            lines += probe(args, Path(folder))
    if not args.write:
        print("\n".join(lines))
        return
    text = REPORT.read_text(encoding="utf-8")
    begin, end = "<!-- begin: figures -->", "<!-- end: figures -->"
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    REPORT.write_text(f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
