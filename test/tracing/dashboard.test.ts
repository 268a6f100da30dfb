/**
 * The dashboard for Grafana: every metric and label in its queries is one of the page of metrics, which is made from a server.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly exemplar: boolean;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly uid: string;
  readonly schemaVersion: number;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly panels: readonly Panel[];
}

const dashboard = JSON.parse(readFileSync(new URL("packaging/grafana/keelson.json", root), "utf8")) as Dashboard;
const plots = dashboard.panels.filter(({ type }) => type !== "row");

/** The labels of each metric. */
const metrics = new Map(
  readFileSync(new URL("docs/reference/metrics.md", root), "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name, type]) => name?.startsWith("`") && type !== undefined)
    .flatMap(([, name = "", type, labels = ""]): [string, Set<string>][] => {
      const of = new Set(labels.split(",").map((one) => one.trim().replaceAll("`", "")));
      const plain = name.replaceAll("`", "");
      return type === "histogram" ? [[`${plain}_bucket`, new Set([...of, "le"])]] : [[plain, of]];
    }),
);
/** Prometheus adds these to every metric. */
const ADDED = ["job", "instance"];

const expressions = [
  ...plots.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.map(({ expr }) => expr),
];
const namesIn = (expr: string): string[] => expr.match(/\b(?:apiserver|etcd|keelson|process|nodejs)_[a-z0-9_]+/g) ?? [];

test("every query has a metric, and each is one that a server has", () => {
  expect(expressions.length).toBeGreaterThan(30);
  expect(expressions.filter((expr) => namesIn(expr).length === 0)).toEqual([]);
  expect(expressions.flatMap(namesIn).filter((name) => !metrics.has(name))).toEqual([]);
});

const groupedIn = (expr: string): string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/, */));

test("every label of a query is one of its metric", () => {
  const unknown = expressions.flatMap((expr) => {
    const labels = new Set(namesIn(expr).flatMap((name) => [...(metrics.get(name) ?? []), ...ADDED]));
    const matched = [...expr.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label = ""]) => label);
    return [...groupedIn(expr), ...matched].filter((label) => !labels.has(label)).map((label) => `${label} of ${expr}`);
  });
  expect(unknown).toEqual([]);
});

test("every legend names labels that its query keeps", () => {
  const lost = plots.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr, legendFormat }) => {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      const grouped = groupedIn(expr);
      const kept = grouped.length > 0 || /\bsum\(/.test(expr) ? grouped : ADDED;
      return shown.filter((label) => !kept.includes(label)).map((label) => `${label} of ${expr}`);
    }),
  );
  expect(lost).toEqual([]);
});

test("it is a dashboard that Grafana can import: ids, places, a data source to choose", () => {
  const { panels, templating, uid, schemaVersion } = dashboard;
  expect([uid, schemaVersion]).toEqual(["keelson", 39]);
  expect(templating.list.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "datasource datasource",
    "job query",
    "instance query",
  ]);
  expect(
    templating.list.flatMap(({ definition = "" }) => namesIn(definition)).filter((name) => !metrics.has(name)),
  ).toEqual([]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(plots.filter(({ datasource, description }) => datasource?.uid !== "${datasource}" || !description)).toEqual(
    [],
  );
  const overlaps = panels.flatMap((a) =>
    panels.filter(({ id, gridPos: b }) => {
      const { x, y, w, h } = a.gridPos;
      return id > a.id && x < b.x + b.w && b.x < x + w && y < b.y + b.h && b.y < y + h;
    }),
  );
  expect(overlaps).toEqual([]);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  // Latencies lead to traces.
  const exemplars = plots.filter(({ targets = [] }) => targets.some(({ exemplar }) => exemplar));
  expect(exemplars.map(({ title }) => title)).toEqual(["Latency of reads", "Latency of writes"]);
});
