import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { DiffLine } from "../../../src/util/line-diff.ts";
import { useSliced } from "../ui/sliced.ts";
import { visible } from "../ui/visible.ts";
import { type Row, compared } from "./difference-rows.ts";

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
  const blocks = useMemo(
    () => (found ? found.blocks.map((rows, index) => <Block key={index} rows={rows} />) : []),
    [found],
  );
  const drawn = useGradual(blocks);
  // The result of other texts is not shown beside these.
  if (found?.before !== before || found.after !== after) return <p role="status">Comparing…</p>;
  return (
    // A part that scrolls takes the focus, so that keys can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre class="difference" tabIndex={0} role="group" aria-label={label}>
      {drawn}
      {found.hasMore && drawn.length === blocks.length ? (
        <span class="difference-line difference-gap">There are more differences than are shown.</span>
      ) : undefined}
    </pre>
  );
}

/** Returns more and more of what is drawn, a part with each frame: all of it at once would hold the page. */
function useGradual<T>(all: readonly T[]): readonly T[] {
  const drawn = useSignal({ of: all, count: 1 });
  const count = drawn.value.of === all ? drawn.value.count : 1;
  useEffect(() => {
    if (count >= all.length) return undefined;
    const frame = requestAnimationFrame(() => {
      drawn.value = { of: all, count: count + 1 };
    });
    return () => cancelAnimationFrame(frame);
  }, [all, count]);
  return all.slice(0, count);
}

function Block({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  return (
    <>
      {rows.map((row, index) =>
        typeof row === "number" ? <Gap key={index} lines={row} /> : <Line key={index} line={row} />,
      )}
    </>
  );
}

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
