import type { JSX } from "preact";
import { type DiffLine, type Hunk, diffSteps, hunksOf } from "../../../src/util/line-diff.ts";
import type { Steps } from "../../../src/util/steps.ts";
import { useSliced } from "../ui/sliced.ts";
import { visible } from "../ui/visible.ts";

/** The most lines that are shown. */
const MAX_LINES = 2000;
const CONTEXT = 3;
const WORDS = { "+": "added: ", "-": "removed: ", " ": "" } as const;
const CLASSES = { "+": "difference-added", "-": "difference-removed", " ": "" } as const;

/** What is different between two texts, line by line; what is equal is left out but for some lines around. */
export function Difference({
  label,
  before,
  after,
}: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const found = useSliced(() => compared(before, after), [before, after]);
  // The result of other texts is not shown beside these.
  if (found?.before !== before || found.after !== after) return <p role="status">Comparing…</p>;
  let left = MAX_LINES;
  let next = 1;
  const parts: JSX.Element[] = [];
  for (const { from, lines } of found.hunks) {
    if (from > next) parts.push(<Gap key={`gap ${from}`} lines={from - next} />);
    const shown = lines.slice(0, left);
    left -= shown.length;
    parts.push(...shown.map((line, index) => <Line key={`${from} ${index}`} line={line} />));
    if (shown.length < lines.length) break;
    next = from + lines.filter(({ sign }) => sign !== "+").length;
  }
  return (
    // A part that scrolls takes the focus, so that keys can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre class="difference" tabIndex={0} role="group" aria-label={label}>
      {parts}
      {left === 0 ? (
        <span class="difference-line difference-gap">There are more differences than are shown.</span>
      ) : undefined}
    </pre>
  );
}

interface Compared {
  readonly before: string;
  readonly after: string;
  readonly hunks: readonly Hunk[];
}

function* compared(before: string, after: string): Steps<Compared> {
  const lines = yield* diffSteps(linesOf(before), linesOf(after));
  yield;
  return { before, after, hunks: hunksOf(lines, CONTEXT) };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function Gap({ lines }: { readonly lines: number }): JSX.Element {
  return (
    <span class="difference-line difference-gap">
      ⋯ {lines} equal {lines === 1 ? "line" : "lines"}
    </span>
  );
}

/** The most characters of a line that are shown. */
const MAX_LENGTH = 2000;

function Line({ line: { sign, text } }: { readonly line: DiffLine }): JSX.Element {
  const shown = visible(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
  return (
    <span class={`difference-line ${CLASSES[sign]}`}>
      <span aria-hidden="true">{sign} </span>
      {WORDS[sign] ? <span class="unseen">{WORDS[sign]}</span> : undefined}
      {shown}
    </span>
  );
}
