/**
 * Files of `keelson explore`: a finding, or the report of an exploration as JSON. Anybody may have written them.
 *
 * Of a report only the members that the page shows are read, each with its type and within bounds; others are left out.
 *
 * @module
 */
import type { Finding } from "../../../../src/explore/contract/finding.ts";
import { findingOf } from "../../../../src/explore/finding-value.ts";
import { count, type Decoder, listOf, oneOf, refuse, text, wholeFrom } from "../../../../src/explore/strict.ts";
import { isObject, type Value } from "../../../../src/value/value.ts";

/** Something that happened in a run. */
export interface Moment {
  readonly seq: number;
  /** Milliseconds of the clock of the cluster since the run began. */
  readonly at: number;
  readonly kind: "step" | "write" | "delivery" | "life" | "perturbation";
  readonly text: string;
  readonly note?: string;
  readonly isPerturbed: boolean;
}

/** What happened in the clean run, in this run, or in both. */
export interface TraceRow {
  readonly clean?: Moment;
  readonly run?: Moment;
  /** Whether this is the first write that differs. */
  readonly isFirst: boolean;
}

/** A line of a comparison; a `gap` stands for lines that are left out. */
export interface ShownLine {
  readonly sign: "-" | "+" | " " | "gap";
  readonly text: string;
}

/** A finding with what its report says of it; the file of a finding has nothing but the finding. */
export interface ShownFinding {
  readonly finding: Finding;
  readonly file?: string;
  readonly steps: readonly string[];
  readonly rows: readonly TraceRow[];
  readonly difference?: {
    readonly text: string;
    readonly where: "clean" | "run" | "both";
    readonly lines: readonly ShownLine[];
  };
  readonly state: readonly ShownLine[];
  readonly knowledge?: {
    readonly actor: string;
    readonly sights: readonly { readonly object: string; readonly text: string }[];
  };
  readonly owners: readonly {
    readonly path: string;
    readonly owners: readonly { readonly manager: string; readonly operation: string }[];
  }[];
  readonly output: readonly { readonly actor: string; readonly lines: readonly string[] }[];
  readonly command?: string;
  readonly until?: string;
}

/** What a file has. */
export interface Opened {
  readonly title: string;
  readonly summary: readonly string[];
  readonly findings: readonly ShownFinding[];
}

const MAX_FINDINGS = 1000;
const MAX_ROWS = 20_000;
const MAX_LINES = 2000;
const MAX_TEXTS = 10_000;

/** Reads only the named members of an object; those of `optional` may be absent. */
function members<
  R extends Readonly<Record<string, Decoder<unknown>>>,
  O extends Readonly<Record<string, Decoder<unknown>>>,
>(
  required: R,
  optional: O,
): Decoder<{ readonly [K in keyof R]: ReturnType<R[K]> } & { readonly [K in keyof O]?: ReturnType<O[K]> }> {
  return (value, path) => {
    if (!isObject(value)) return refuse(path, "an object", value);
    const read = (name: string, decode: Decoder<unknown>): [string, unknown] => [
      name,
      decode(Object.hasOwn(value, name) ? value[name] : undefined, path === "" ? name : `${path}.${name}`),
    ];
    return Object.fromEntries([
      ...Object.entries(required).map(([name, decode]) => read(name, decode)),
      ...Object.entries(optional).flatMap(([name, decode]) => (Object.hasOwn(value, name) ? [read(name, decode)] : [])),
    ]) as never;
  };
}

const flag: Decoder<boolean> = (value, path) =>
  typeof value === "boolean" ? value : refuse(path, "true or false", value);
const texts: Decoder<readonly string[]> = listOf(text, MAX_TEXTS);
const millis: Decoder<number> = (value, path) =>
  typeof value === "number" && Number.isFinite(value) ? value : refuse(path, "a number", value);

const moment: Decoder<Moment> = members(
  {
    seq: wholeFrom(0),
    at: millis,
    kind: oneOf("step", "write", "delivery", "life", "perturbation"),
    text,
    isPerturbed: flag,
  },
  { note: text },
);
const row: Decoder<TraceRow> = members({ isFirst: flag }, { clean: moment, run: moment });

const line: Decoder<ShownLine> = (value, path) => {
  const { sign, ...rest } = members({ sign: oneOf("-", "+", " ", "gap") }, { text, count })(value, path);
  return { sign, text: sign === "gap" ? `${rest.count ?? 0} lines` : (rest.text ?? "") };
};
const lines = listOf(line, MAX_LINES);

const report: Decoder<ShownFinding> = (value, path) => {
  const read = members(
    {
      finding: (inner, at) => {
        if (inner === undefined) return refuse(at, "a finding", inner);
        return findingOf(inner);
      },
    },
    {
      file: text,
      steps: texts,
      timeLine: listOf(row, MAX_ROWS),
      difference: members({ text, where: oneOf("clean", "run", "both"), lines }, {}),
      state: lines,
      knowledge: members({ actor: text, sights: listOf(members({ object: text, text }, {}), MAX_LINES) }, {}),
      owners: listOf(
        members({ path: text, owners: listOf(members({ manager: text, operation: text }, {}), 100) }, {}),
        100,
      ),
      output: listOf(members({ actor: text, lines: texts }, {}), 100),
      replay: members({}, { command: text, until: text }),
    },
  )(value, path);
  const {
    finding,
    file,
    steps = [],
    timeLine = [],
    difference,
    state = [],
    knowledge,
    owners = [],
    output = [],
    replay = {},
  } = read;
  return {
    finding,
    steps,
    rows: timeLine,
    state,
    owners,
    output,
    ...(file !== undefined && { file }),
    ...(difference && { difference }),
    ...(knowledge && { knowledge }),
    ...(replay.command !== undefined && { command: replay.command }),
    ...(replay.until !== undefined && { until: replay.until }),
  };
};

const exploration = members(
  { scenario: text, summary: texts, findings: listOf(report, MAX_FINDINGS), notices: listOf(report, MAX_FINDINGS) },
  {},
);

/**
 * Returns what a file has.
 *
 * @throws StrictError that names the member which is not as expected
 */
export function openedOf(value: Value, file: string): Opened {
  if (isObject(value) && Object.hasOwn(value, "findings")) {
    const { scenario, summary, findings, notices } = exploration(value, "");
    return { title: scenario, summary, findings: [...findings, ...notices] };
  }
  const finding = findingOf(value);
  const { expected = "", found = "" } = finding.fault;
  return {
    title: finding.scenario.name,
    summary: [],
    findings: [
      {
        finding,
        file,
        steps: [],
        rows: [],
        state: [...signed("-", expected), ...signed("+", found)],
        owners: [],
        output: [],
      },
    ],
  };
}

const signed = (sign: "-" | "+", source: string): ShownLine[] =>
  source === ""
    ? []
    : source
        .trimEnd()
        .split("\n")
        .slice(0, MAX_LINES)
        .map((one) => ({ sign, text: one }));

/** A program, the user or the cluster, and what it did in a run. */
export interface Lane {
  readonly actor: string;
  readonly moments: readonly (Moment & { readonly side: "both" | "run" | "clean"; readonly isFirst: boolean })[];
}

/** The most programs that have a lane of their own. */
const MAX_LANES = 30;

/** Who a moment is of: the first word of its text. Steps are of the user, and perturbations that no request met of `perturbations`. */
export function actorOf({ kind, text: says }: Pick<Moment, "kind" | "text">): string {
  if (kind === "step") return "user";
  if (kind === "perturbation") return "perturbations";
  const end = says.indexOf(" ");
  const word = end < 0 ? says : says.slice(0, end);
  return word.endsWith(":") ? word.slice(0, -1) : word;
}

/** Returns a lane for each program, in the order in which they first did something; the user first. */
export function lanesOf(rows: readonly TraceRow[]): readonly Lane[] {
  const lanes = new Map<string, Lane["moments"][number][]>();
  for (const { clean, run, isFirst } of rows) {
    const one = run ?? clean;
    if (!one) continue;
    const actor = actorOf(one);
    const name = lanes.has(actor) || lanes.size < MAX_LANES ? actor : "others";
    const lane = lanes.get(name) ?? [];
    lanes.set(name, lane);
    lane.push({ ...one, side: clean && run ? "both" : run ? "run" : "clean", isFirst });
  }
  return [...lanes]
    .map(([actor, moments]) => ({ actor, moments }))
    .toSorted((a, b) => Number(b.actor === "user") - Number(a.actor === "user"));
}

/** The most moments of all lanes together: of more, every n-th one, and those that matter. */
const MOST_MOMENTS = 1200;

/** The lanes with as many moments as a page can draw; the first write that differs, and what was perturbed, stay as long as they fit. */
export function thinned(lanes: readonly Lane[]): readonly Lane[] {
  const all = lanes.reduce((sum, { moments }) => sum + moments.length, 0);
  if (all <= MOST_MOMENTS) return lanes;
  const step = Math.ceil((2 * all) / MOST_MOMENTS);
  const most = Math.floor(MOST_MOMENTS / lanes.length);
  return lanes.map(({ actor, moments }) => {
    const kept = moments.filter(({ isFirst, isPerturbed }, i) => i % step === 0 || isFirst || isPerturbed);
    if (kept.length <= most) return { actor, moments: kept };
    const every = Math.ceil(kept.length / most);
    return { actor, moments: kept.filter(({ isFirst }, i) => i % every === 0 || isFirst) };
  });
}
