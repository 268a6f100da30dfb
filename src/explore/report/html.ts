/**
 * Reports as one page of HTML: it needs no script and loads nothing, and each text of others is escaped.
 *
 * @module
 */
import { durationText } from "../../util/duration.ts";
import { objectText } from "../names.ts";
import { perturbationTypes } from "../perturbations/index.ts";
import type { ExplorationReport } from "./exploration-report.ts";
import type { FindingReport } from "./finding-report.ts";
import { faultKinds } from "./kinds.ts";
import { escaped } from "./markup.ts";
import type { ShownLine } from "./object-diff.ts";
import { momentOf, type Row } from "./time-line.ts";
import { type Moment, momentText } from "./words.ts";

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --dim: #666; --minus: #b22; --plus: #172; --mark: #850; --back: #8881; }
@media (prefers-color-scheme: dark) { :root { --dim: #999; --minus: #f77; --plus: #6d7; --mark: #fb4; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { margin-bottom: .3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .15rem .5rem; border-bottom: 1px solid var(--line); min-width: 3ch; }
th { white-space: nowrap; }
pre { background: var(--back); padding: .6rem .8rem; overflow-x: auto; font-size: 13px; }
pre span, tr { display: revert; }
.dim, tr.alike td { color: var(--dim); }
.minus, tr.clean td { color: var(--minus); }
.plus, tr.run td { color: var(--plus); }
.mark, tr.perturbed td { color: var(--mark); }
tr.step td { font-weight: bold; }
tr.first td { border: 2px solid var(--mark); }
`;

/** Returns the page of an exploration. */
export function explorationHtml(report: ExplorationReport): string {
  const { scenario, findings, notices, summary } = report;
  const all = [...findings, ...notices];
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(scenario)}: ${findings.length} found</title>`,
    `<style>${STYLE}</style>`,
    "</head>",
    "<body>",
    `<h1>Exploration of ${escaped(scenario)}</h1>`,
    ...summary.map((line) => `<p>${escaped(line)}</p>`),
    ...(all.length === 0 ? [] : ["<ol>", ...all.map(entryOf), "</ol>"]),
    ...all.flatMap(findingSection),
    ...coverageSection(report),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

const entryOf = ({ finding: { fault } }: FindingReport, i: number): string =>
  `<li><a href="#finding-${i + 1}">${escaped(fault.sentence)}</a> <span class="dim">${fault.severity}</span></li>`;

function findingSection(report: FindingReport, i: number): string[] {
  const { finding, plan, steps, difference, knowledge, owners, state, output, replay } = report;
  const { fault, replayed, seed } = finding;
  const where = fault.object ? [objectText(fault.object) + (fault.path === undefined ? "" : ` ${fault.path}`)] : [];
  const facts = [
    fault.severity,
    faultKinds[fault.kind].title,
    ...where,
    `shown ${replayed.shown} of ${replayed.of} times`,
    `seed ${seed}`,
  ];
  const places = { clean: "only in the clean run", run: "only in this run", both: "with other contents" };
  return [
    `<h2 id="finding-${i + 1}">${escaped(fault.sentence)}</h2>`,
    `<p class="dim">${escaped(facts.join(" · "))}</p>`,
    `<p>${escaped(faultKinds[fault.kind].meaning)}</p>`,
    ...section(plan.length === 0 ? "Nothing was perturbed" : "What went wrong", list("ul", plan)),
    ...section("Steps", list("ol", steps)),
    ...(difference
      ? [
          "<h3>The first write that differs</h3>",
          `<p>${escaped(difference.text)}: ${places[difference.where]}</p>`,
          ...diff(difference.lines),
        ]
      : []),
    ...section("Expected (-) and found (+)", diff(state)),
    ...(knowledge
      ? section(
          `What ${knowledge.actor} knew ${knowledge.isInTheEnd ? "at the end" : "at that moment"}`,
          list(
            "ul",
            knowledge.sights.map(({ object, text }) => `${object}: ${text}`),
          ),
        )
      : []),
    ...section("Who owns it", ownersTable(owners)),
    ...section("Time line", timeTable(report.timeLine)),
    ...output.flatMap(({ actor, lines }) =>
      section(`What ${actor} printed`, [`<pre>${escaped(lines.join("\n"))}</pre>`]),
    ),
    ...(replay.command === undefined
      ? []
      : section("Play it again", [`<pre>${escaped([replay.command, replay.until].filter(Boolean).join("\n"))}</pre>`])),
    ...Object.entries(report.tests).map(
      ([runner, text]) => `<details><summary>A test to paste: ${runner}</summary><pre>${escaped(text)}</pre></details>`,
    ),
  ];
}

const section = (title: string, content: readonly string[]): string[] =>
  content.length === 0
    ? [`<h3>${escaped(title)}</h3>`].slice(title === "Nothing was perturbed" ? 0 : 1)
    : [`<h3>${escaped(title)}</h3>`, ...content];

const list = (tag: "ul" | "ol", items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`<${tag}>`, ...items.map((item) => `<li>${escaped(item)}</li>`), `</${tag}>`];

const CLASSES = { "-": "minus", "+": "plus", " ": "" } as const;

function diff(lines: readonly ShownLine[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.map((line) =>
    line.sign === "gap"
      ? `<span class="dim">… ${line.count} lines</span>`
      : `<span class="${CLASSES[line.sign]}">${line.sign} ${escaped(line.text)}</span>`,
  );
  return [`<pre>${shown.join("\n")}</pre>`];
}

function ownersTable(owners: FindingReport["owners"]): string[] {
  const rows = owners.flatMap(({ object, path, owners: all }) =>
    all.map(({ manager, operation, time = "" }) => [`${object} ${path}`, manager, operation, time]),
  );
  return rows.length === 0
    ? []
    : table(
        ["member", "manager", "operation", "time"],
        rows.map((cells) => ({ cells, style: "" })),
      );
}

interface TableRow {
  readonly cells: readonly string[];
  readonly style: string;
}

const table = (head: readonly string[], rows: readonly TableRow[]): string[] => [
  '<div class="wide"><table>',
  `<tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join("")}</tr>`,
  ...rows.map(
    ({ cells, style }) => `<tr class="${style}">${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`,
  ),
  "</table></div>",
];

/** The whole time line, including the rows that a terminal omits. */
function timeTable(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const cells = (moment: Moment | undefined): string[] =>
    moment ? [durationText(moment.at), momentText(moment)] : ["", ""];
  return table(
    ["time", "clean run", "time", "this run"],
    rows.map((row) => ({ cells: [...cells(row.clean), ...cells(row.run)], style: styleOf(row) })),
  );
}

function styleOf(row: Row): string {
  const { kind, isPerturbed } = momentOf(row);
  const side = row.clean && row.run ? "alike" : row.run ? "run" : "clean";
  const style = isPerturbed ? "perturbed" : kind === "step" ? "step" : side;
  return row.isFirst ? `${style} first` : style;
}

function coverageSection({ coverage, skipped }: ExplorationReport): string[] {
  const types = perturbationTypes.filter((type) => coverage.types.some((one) => one.type === type));
  const writes = coverage.writes.map(({ actor, write, perturbations }) => ({
    cells: [`${actor}: ${write}`, ...types.map((type) => perturbations[type] ?? "")],
    style: "",
  }));
  return [
    '<h2 id="coverage">Coverage</h2>',
    ...table(
      ["perturbation", "worth trying", "tried", "came up"],
      coverage.types.map(({ type, planned, tried, met }) => ({
        cells: [type, planned, tried, met].map(String),
        style: "",
      })),
    ),
    ...(writes.length === 0 ? [] : ["<h3>By writes</h3>", ...table(["write", ...types], writes)]),
    ...(skipped.length === 0
      ? []
      : [
          "<h3>Members without operations</h3>",
          ...table(
            ["member", "why"],
            skipped.map(({ path, why }) => ({ cells: [path, why], style: "" })),
          ),
        ]),
  ];
}
