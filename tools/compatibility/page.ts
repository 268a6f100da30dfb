/**
 * `docs/evidence/compatibility.md` from what was counted. The same results make the same page: no times, no order of chance.
 *
 * @module
 */
import { type Answers, COLUMNS, type Count } from "./answers.ts";
import { asRanges } from "./rule-ids.ts";
import type { SectionResult } from "./rules.ts";

/** The whole page. */
export function page(
  answers: Answers,
  sections: readonly SectionResult[],
  reasons: Readonly<Record<string, string>>,
): string {
  return [
    "# Compatibility",
    "",
    "`npm run compatibility` writes this page from the results of the last complete test run; do not edit it. It compares",
    "the server with the responses of a real Kubernetes API server (release 1.35), recorded in `test/conformance/`, and with the",
    'rules of the API\'s conventions and of the descriptions of its kinds ("the documents"), numbered in `test/rules/rules.json`;',
    "the names of tests contain the numbers. For users, the first two tables are enough.",
    "",
    ...summary(answers, sections),
    ...areaTable(answers),
    ...deviationList(answers),
    ...resourceTable(answers),
    ...otherTable(answers),
    ...ruleTable("Numbered rules", "rule", sections),
    ...ruleTable("Decisions on what the documents leave open", "decision", sections),
    ...notObservableList(sections, reasons),
  ]
    .join("\n")
    .concat("\n");
}

const total = (sections: readonly SectionResult[], kind: SectionResult["kind"]) => {
  const all = sections.filter((section) => section.kind === kind);
  const sum = (read: (section: SectionResult) => readonly string[]): number =>
    all.reduce((n, s) => n + read(s).length, 0);
  return {
    all: sum((s) => s.all),
    proven: sum((s) => s.proven),
    not: sum((s) => s.notObservable),
    open: sum((s) => s.open),
  };
};

function summary(answers: Answers, sections: readonly SectionResult[]): string[] {
  const cells = answers.rows.flatMap((row) => [...row.cells.values()]);
  const recorded = cells.filter(({ all }) => all > 0);
  const equal = recorded.filter((count) => count.equal === count.all);
  const [rules, decisions] = [total(sections, "rule"), total(sections, "decision")];
  return table(
    ["", "total", "as expected", "otherwise"],
    [
      ["recorded scenarios", ...counts(answers.scenarios)],
      ["recorded responses", ...counts(answers.steps)],
      [
        "resource and verb",
        String(cells.length),
        `${equal.length} equal`,
        `${recorded.length - equal.length} differ, ${cells.length - recorded.length} without a recorded response`,
      ],
      [
        "numbered rules",
        String(rules.all),
        `${rules.proven} proven`,
        `${rules.not} not observable, ${rules.open} open`,
      ],
      [
        "decisions",
        String(decisions.all),
        `${decisions.proven} proven`,
        `${decisions.not} not observable, ${decisions.open} open`,
      ],
    ],
  );
}

const counts = ({ equal, all }: Count): string[] => [String(all), `${equal} equal`, `${all - equal} differ`];

function areaTable({ areas }: Answers): string[] {
  const rows = [...areas].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    "## Recorded responses by area",
    "",
    ...table(
      ["area", "scenarios equal", "responses equal"],
      rows.map(([area, { scenarios, steps }]) => [area, of(scenarios), of(steps)]),
    ),
  ];
}

const of = ({ equal, all }: Count): string => `${equal} of ${all}`;

function deviationList({ deviations }: Answers): string[] {
  const lines = deviations
    .toSorted((a, b) => (a.scenario < b.scenario ? -1 : 1))
    .map(({ scenario, requests, reason }) => `- **${scenario}** (\`${requests.join("`, `")}\`): ${reason}`);
  return ["### Differences", "", ...(lines.length > 0 ? lines : ["None."]), ""];
}

function resourceTable({ rows, notServed }: Answers): string[] {
  return [
    "## Recorded responses by resource and verb",
    "",
    "The number of compared recorded responses in the kubernetes dialect: `7` are equal, `6/7` has one that differs, `·` is",
    "served and has no recorded response, an empty cell is not served. Of the responses to requests for resources, verbs and",
    `media types that are not served, ${of(notServed)} are equal.`,
    "",
    ...table(
      ["resource", ...COLUMNS],
      rows.map(({ name, cells }) => [name, ...COLUMNS.map((column) => cell(cells.get(column)))]),
    ),
  ];
}

function cell(count: Count | undefined): string {
  if (!count) return "";
  if (count.all === 0) return "·";
  return count.equal === count.all ? String(count.all) : `${count.equal}/${count.all}`;
}

function otherTable({ others }: Answers): string[] {
  const rows = [...others].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    "### Other paths",
    "",
    ...table(
      ["path", "responses equal"],
      rows.map(([path, count]) => [`\`${path}\``, of(count)]),
    ),
  ];
}

function ruleTable(title: string, kind: SectionResult["kind"], sections: readonly SectionResult[]): string[] {
  const { all, proven, not, open } = total(sections, kind);
  const rows = sections
    .filter((section) => section.kind === kind)
    .map((s) => [
      s.section,
      String(s.all.length),
      String(s.proven.length),
      String(s.notObservable.length),
      asRanges(s.open),
    ]);
  const sum = ["**total**", String(all), String(proven), String(not), String(open)];
  return [
    `## ${title}`,
    "",
    "Proven: a test with the ID in its name passed, and none failed.",
    "",
    ...table(["section", kind === "rule" ? "rules" : "decisions", "proven", "not observable", "open"], [...rows, sum]),
  ];
}

function notObservableList(sections: readonly SectionResult[], reasons: Readonly<Record<string, string>>): string[] {
  const byReason = new Map<string, string[]>();
  for (const id of sections.flatMap((section) => section.notObservable)) {
    const reason = reasons[id]!;
    byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  }
  return [
    "## Not observable",
    "",
    "No request of a client can show whether these hold: they are about what other programs do with the objects.",
    "",
    ...[...byReason].map(([reason, ids]) => `- ${reason}: ${asRanges(ids)}`),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""];
}
