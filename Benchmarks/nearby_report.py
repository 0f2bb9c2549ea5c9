"""The tables of `Benchmarks/nearby`, in Markdown."""

import statistics
import sys

NAMES = {
    "humon": "Humon",
    "humon-no-contents": "Humon, contents not in memory",
    "humon-postgresql": "Humon on PostgreSQL",
    "postgis": "PostGIS (Go, lib/pq)",
}
# The allowed CPU on SQLite without contents in memory, as a multiple of the bar.
WITHOUT_CONTENTS = 5
WORLD_MS, WORLD_P99_MS = 250, 10
# Compared with an earlier version: the maximum ratio of CPU, and the minimum ratio of inserts.
NEARESTS_BAR, INSERTS_BAR = 1.03, 0.9


def median(runs, figure):
    return statistics.median(run[figure] for run in runs)


def ratio(runs, others, figure):
    """Returns the median of the ratios within rounds, or None without common rounds."""
    by_round = {run["round"]: run[figure] for run in others}
    ratios = [run[figure] / max(by_round[run["round"]], 1e-9)
              for run in runs if run["round"] in by_round]
    return statistics.median(ratios) if ratios else None


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |")


def header(*cells):
    row(*cells)
    row(*["---"] * len(cells))


class Report:
    def __init__(self, runs, queries, counts, rejected, events):
        self.queries, self.counts, self.events = queries, counts, events
        self.rejected = rejected
        self.found, self.world, self.missed = {}, [], []
        for run in runs:
            if run["test"] == "clusters-world":
                self.world.append(run)
            else:
                self.found.setdefault((run["peer"], run["test"]), []).append(run)
        self.base = self.found["humon", "nearests"]
        self.failed = {}
        for run in self.found.values():
            name = run[0]["peer"]
            failed = sum(each["status_errors"] + each["socket_errors"] for each in run)
            self.failed[name] = self.failed.get(name, 0) + failed

    def write(self):
        """Prints all tables, and returns the exit status."""
        servers = [name for name in NAMES if (name, "nearests") in self.found]
        print(f"{self.events:,} events.")
        self.write_summary(servers)
        for name in servers:
            self.write_server(name)
        if self.world:
            self.write_world()
        self.write_before()
        for name, failed in self.failed.items():
            if failed:
                print(f"\n{failed} requests to {NAMES.get(name, name)} failed.")
        for (name, query), status in self.rejected.items():
            print(f"\n{NAMES[name]} responds with {status} to the query {query}.")
        for text in self.missed:
            print(f"MISSED  {text}", file=sys.stderr)
        own = sum(failed for name, failed in self.failed.items() if name != "postgis")
        return 1 if self.missed or self.rejected or own else 0

    def write_summary(self, servers):
        print("\nCPU per request:\n")
        header("query", *(NAMES[name] for name in servers))
        for query in self.queries:
            cells = []
            for name in servers:
                runs = self.found.get((name, query.name))
                status = self.rejected.get((name, query.name), "")
                cells.append(f"{median(runs, 'cpu_us'):,.1f} µs" if runs else status)
            row(query.title, *cells)

    def write_server(self, name):
        print(f"\n{NAMES[name]}:\n")
        has_bars = name in ("humon", "humon-no-contents")
        has_postgresql = name in ("humon-postgresql", "postgis")
        header("query", "rows", "CPU per request", "x /nearests",
               *(["x its own"] if name != "humon" else []),
               *(["bar"] if has_bars else []),
               *(["of it PostgreSQL"] if has_postgresql else []),
               "responses/s", "p50", "p99", "connections")
        for query in self.queries:
            runs = self.found.get((name, query.name))
            if not runs:
                continue
            cells = [query.title, f"{self.counts[query.name]:.0f}",
                     f"{median(runs, 'cpu_us'):,.1f} µs"]
            value = ratio(runs, self.base, "cpu_us")
            cells.append(f"{value:.2f}")
            if name != "humon":
                own = ratio(runs, self.found[name, "nearests"], "cpu_us")
                cells.append(f"{own:.2f}")
            if has_bars:
                cells.append(self.judge(name, query, value))
            if has_postgresql:
                cells.append(f"{median(runs, 'postgres_us'):,.1f} µs")
            row(*cells, f"{median(runs, 'rate'):,.0f}", f"{median(runs, 'p50'):.2f} ms",
                f"{median(runs, 'p99'):.1f} ms", runs[0]["connections"])

    def judge(self, name, query, value):
        """Returns the text of a bar, and records whether it is missed."""
        bar = query.bar
        if bar and name == "humon-no-contents":
            bar *= WITHOUT_CONTENTS
        if bar is None:
            return ""
        return self.bar(f"{NAMES[name]}, {query.title}: {value:.2f} x", value <= bar, f"<= {bar:g}")

    def bar(self, text, is_met, limit):
        if not is_met:
            self.missed.append(f"{text}, bar {limit}")
        return limit if is_met else f"**{limit}**"

    def write_world(self):
        print("\nClusters of the whole world, one after the other, beside 200 requests a second "
              "for /v1/events/nearests:\n")
        header("server", "status", "p50", "bar", "p99 of the others alone", "beside it", "bar")
        for run in self.world:
            factor = {"humon": 1, "humon-no-contents": WITHOUT_CONTENTS}.get(run["peer"])
            bars = ["", ""]
            if factor:
                name = NAMES[run["peer"]]
                bars[0] = self.bar(
                    f"{name}, clusters of the world: {run['p50']:.0f} ms, status {run['status']}",
                    run["p50"] <= factor * WORLD_MS and run["status"] == 200,
                    f"<= {factor * WORLD_MS} ms",
                )
                bars[1] = self.bar(
                    f"{name}, p99 beside clusters of the world: {run['p99_beside']:.1f} ms",
                    run["p99_beside"] <= WORLD_P99_MS, f"<= {WORLD_P99_MS} ms",
                )
            row(NAMES[run["peer"]], run["status"], f"{run['p50']:.0f} ms", bars[0],
                f"{run['p99_alone']:.1f} ms", f"{run['p99_beside']:.1f} ms", bars[1])

    def write_before(self):
        """Compares with an earlier version, and a million events with 10,000."""
        print("\n/v1/events/nearests, and inserts:\n")
        header("measurement", "Humon", "before", "ratio", "bar")
        rows = (
            ("nearests", "humon", "before", f"CPU per request, {self.events:,} events"),
            ("nearests-10k", "humon-10k", "before-10k", "CPU per request, 10,000 events"),
            ("post-32", "humon", "before", "inserts per second, 32 connections"),
            ("post-64", "humon", "before", "inserts per second, 64 connections"),
        )
        for test, own, other, title in rows:
            runs, others = self.found.get((own, test)), self.found.get((other, test))
            if not runs:
                continue
            is_rate = test.startswith("post")
            figure, form = ("rate", "{:,.0f}/s") if is_rate else ("cpu_us", "{:,.1f} µs")
            cells = [title, form.format(median(runs, figure)), "", "", ""]
            if others:
                value = ratio(runs, others, figure)
                is_met = value >= INSERTS_BAR if is_rate else value <= NEARESTS_BAR
                limit = f">= {INSERTS_BAR}" if is_rate else f"<= {NEARESTS_BAR}"
                cells[2:] = [form.format(median(others, figure)), f"{value:.2f}",
                             self.bar(f"{title}: {value:.2f} x before", is_met, limit)]
            row(*cells)
