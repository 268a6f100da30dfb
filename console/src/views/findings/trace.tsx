import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { durationText } from "../../../../src/util/duration.ts";
import { Badge, classes, Text } from "../../ui/basics.tsx";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { visible } from "../../ui/visible.ts";
import { actorOf, lanesOf, type Moment, thinned, type TraceRow } from "./read.ts";

/** What happened, as lanes over the time and as a list; the one leads to the other. */
export function Trace({ rows }: { readonly rows: readonly TraceRow[] }): JSX.Element {
  const lanes = useMemo(() => thinned(lanesOf(rows)), [rows]);
  const items = useMemo(() => rows.map((row, i) => ({ row, i })), [rows]);
  const chosen = useSignal<number | undefined>(undefined);
  const last = useMemo(() => rows.reduce((most, { clean, run }) => Math.max(most, (run ?? clean)?.at ?? 0), 1), [rows]);
  const one = chosen.value === undefined ? undefined : rows[chosen.value];
  const at = useMemo(() => new Map(rows.map(({ clean, run }, i) => [(run ?? clean)?.seq, i])), [rows]);
  return (
    <>
      <h3>Time line</h3>
      <div class="lanes" role="group" aria-label="What each program did over the time">
        {lanes.map(({ actor, moments }) => (
          <div key={actor} class="lane">
            <span class="lane-name">
              <Text class="cut" value={actor} />
            </span>
            <span class="lane-track">
              {moments.map((moment, i) => (
                <button
                  key={i}
                  type="button"
                  tabIndex={-1}
                  class={classes(
                    "moment",
                    `moment-${moment.kind}`,
                    `moment-${moment.side}`,
                    moment.isPerturbed && "moment-perturbed",
                    moment.isFirst && "moment-first",
                  )}
                  style={{ left: `${(moment.at / last) * 100}%` }}
                  title={`${durationText(Math.max(0, moment.at))} ${visible(moment.text)}`}
                  aria-label={`${durationText(Math.max(0, moment.at))} ${visible(moment.text)}`}
                  onClick={() => {
                    chosen.value = at.get(moment.seq);
                  }}
                />
              ))}
            </span>
          </div>
        ))}
        <div class="lane soft" aria-hidden="true">
          <span class="lane-name" />
          <span class="lane-track lane-axis">
            <span>0</span>
            <span>{durationText(last)}</span>
          </span>
        </div>
      </div>
      <p class="lane-chosen" aria-live="polite">
        {one ? (
          <Chosen row={one} />
        ) : (
          <span class="soft">
            Choose a moment above, or read them below: in order, the clean run and this one side by side.
          </span>
        )}
      </p>
      <VirtualRows
        class="trace"
        label="Clean run and this run"
        items={items}
        height={26}
        keyOf={({ i }) => String(i)}
        render={({ row, i }) => <TraceLine row={row} isChosen={i === chosen.value} />}
      />
    </>
  );
}

function Chosen({ row: { clean, run } }: { readonly row: TraceRow }): JSX.Element {
  const one = run ?? clean;
  if (!one) return <></>;
  return (
    <>
      <Badge tone={one.isPerturbed ? "warning" : "neutral"}>{actorOf(one)}</Badge> {durationText(Math.max(0, one.at))}:{" "}
      <Text value={[one.text, one.note].filter(Boolean).join("; ")} />{" "}
      <span class="soft">{clean && run ? "in both runs" : run ? "only in this run" : "only in the clean run"}</span>
    </>
  );
}

function TraceLine({
  row: { clean, run, isFirst },
  isChosen,
}: {
  readonly row: TraceRow;
  readonly isChosen: boolean;
}): JSX.Element {
  const side = clean && run ? "both" : run ? "run" : "clean";
  const cell = (moment: Moment | undefined): JSX.Element => (
    <span class="trace-cell">
      {moment ? (
        <>
          <span class="trace-time">{durationText(Math.max(0, moment.at))}</span>{" "}
          <Text class="cut" value={[moment.text, moment.note].filter(Boolean).join("; ")} />
        </>
      ) : undefined}
    </span>
  );
  return (
    <div
      class={classes(
        "trace-line",
        `trace-${side}`,
        isFirst && "trace-first",
        isChosen && "trace-chosen",
        (run ?? clean)?.isPerturbed && "trace-perturbed",
      )}
    >
      {cell(clean)}
      {cell(run)}
    </div>
  );
}
