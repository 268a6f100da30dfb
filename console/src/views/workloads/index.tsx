import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { HistoryReport } from "../../../../src/meta/history-report.ts";
import { HISTORY_PATH } from "../../../../src/meta/history-report.ts";
import { kinds, type Kind } from "../../api/discovery.ts";
import { ApiFailure, request } from "../../api/http.ts";
import { collectionPath, itemsOf, type KubeList } from "../../api/kube.ts";
import { now } from "../../state/clock.ts";
import { at, moment } from "../../state/moment.ts";
import { href, navigate, objectRoute, type PlainRoute } from "../../state/route.ts";
import { Badge, Button, classes, EmptyState, Loading, Text, type Tone } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { type FollowedMany, useFollowMany } from "../../ui/follow-many.ts";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { visible } from "../../ui/visible.ts";
import { readWhy, useWhy, Why } from "../../ui/why.tsx";
import { kindOfRow, objectsIn, workloadKinds } from "./kinds.ts";
import { type FlatRow, flatRows, type Mark, rangeOf, type Row, rowsOf, type Span, type SpanState } from "./model.ts";
import { marksOfEvents, marksOfHistory } from "./past.ts";
import { lengthText, moved, percentOf, type Range, ticksOf, zoomed } from "./scale.ts";
import "../../ui/views.css";
import "./workloads.css";

/** The most objects that are read of each kind. */
const MOST = 10_000;
const ROW_HEIGHT = 46;
const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"];

const TONES: Readonly<Record<SpanState, readonly [Tone, string]>> = {
  waits: ["warning", "waits"],
  runs: ["info", "runs"],
  ready: ["good", "ready"],
  done: ["good", "done"],
  failed: ["bad", "failed"],
  old: ["neutral", "old"],
  deleting: ["warning", "deleting"],
};

/** The view of the route `workloads`: rollouts, Jobs and CronJobs on a time line. */
export default function WorkloadsView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Workloads");
  const { query = {} } = route;
  const all = kinds.value;
  const served = useMemo(() => workloadKinds(all), [all]);
  const followed = useFollowMany({ kinds: served, at: at.value, most: MOST }).value;
  const shownNow = Date.parse(moment.value?.time ?? "") || now.value;
  const objects = useMemo(() => objectsIn(followed), [followed]);
  const rows = useMemo(() => rowsOf(objects, shownNow), [objects, Math.floor(shownNow / 1000)]);
  const open = useSignal<ReadonlySet<string>>(new Set());
  const selected = useSignal<string | undefined>(undefined);
  // Without one it fits what is there, and ends now.
  const chosenRange = useSignal<Range | undefined>(undefined);
  const filter = {
    namespace: query["namespace"] ?? "",
    kind: query["kind"] ?? "",
    text: query["name"] ?? "",
    unfinished: query["unfinished"] !== undefined,
  };
  const flat = flatRows(rows, open.value, filter);
  const range =
    chosenRange.value ??
    rangeOf(
      flat.map(({ row }) => row),
      shownNow,
    );
  const says = useWhyOfRows(at.value === undefined ? flat : [], all);
  const set = (change: Readonly<Record<string, string>>): void => {
    const next = Object.fromEntries(Object.entries({ ...query, ...change }).filter(([, value]) => value !== ""));
    navigate({ view: "workloads", query: next }, { replace: true });
  };
  const chosen = selected.value === undefined ? undefined : findRow(rows, selected.value);
  const past = usePast(chosen, all);
  const toggle = (id: string): void => {
    const next = new Set(open.value);
    if (!next.delete(id)) next.add(id);
    open.value = next;
  };
  return (
    <div class="view workloads" data-view={route.view}>
      <header class="view-head">
        <h1>Workloads</h1>
        <Counts rows={rows} />
        <Failures followed={followed} />
      </header>
      <div class="view-filters" role="search" aria-label="Filters">
        <label class="choice">
          <span class="soft">Namespace</span>
          <select
            class="select"
            value={filter.namespace}
            onChange={(event) => set({ namespace: event.currentTarget.value })}
          >
            <option value="">all</option>
            {[...new Set([...rows.map(({ namespace }) => namespace), filter.namespace])]
              .filter((name) => name !== "")
              .toSorted()
              .map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        <label class="choice">
          <span class="soft">Kind</span>
          <select class="select" value={filter.kind} onChange={(event) => set({ kind: event.currentTarget.value })}>
            <option value="">all</option>
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {kind}
              </option>
            ))}
          </select>
        </label>
        <label class="choice">
          <span class="soft">Name</span>
          <input
            class="input"
            type="search"
            value={filter.text}
            onInput={(event) => set({ name: event.currentTarget.value })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={filter.unfinished}
            onChange={(event) => set({ unfinished: event.currentTarget.checked ? "1" : "" })}
          />{" "}
          only what is not finished
        </label>
        <Zoom
          range={range}
          isFixed={chosenRange.value !== undefined}
          now={shownNow}
          onRange={(next) => {
            chosenRange.value = next;
          }}
        />
      </div>
      <div class="view-body">
        <div class="view-main timeline">
          {followed.isLoading ? (
            <Loading what="workloads" />
          ) : flat.length === 0 ? (
            <EmptyState
              title={rows.length === 0 ? "There are no workloads yet." : "No workload matches the filters."}
            />
          ) : (
            <>
              <Axis range={range} now={shownNow} />
              <VirtualRows
                class="timeline-rows"
                label="Workloads and their time lines"
                items={flat}
                height={ROW_HEIGHT}
                keyOf={({ row }) => `${row.id} ${row.uid}`}
                render={(item) => (
                  <TimeRow
                    item={item}
                    range={range}
                    now={shownNow}
                    says={says.get(item.row.uid) ?? item.row.says}
                    marks={item.row.uid === chosen?.uid ? past.marks : []}
                    isOpen={open.value.has(item.row.id)}
                    isSelected={item.row.id === selected.value}
                    onToggle={() => toggle(item.row.id)}
                    onSelect={() => {
                      selected.value = item.row.id;
                    }}
                    onRange={(next) => {
                      chosenRange.value = next;
                    }}
                  />
                )}
              />
            </>
          )}
        </div>
        {chosen ? (
          <RowDetails
            key={chosen.uid}
            row={chosen}
            all={all}
            past={past}
            onClose={() => {
              selected.value = undefined;
            }}
          />
        ) : undefined}
      </div>
    </div>
  );
}

function findRow(rows: readonly Row[], id: string): Row | undefined {
  for (const row of rows) {
    const found = row.id === id ? row : findRow(row.children, id);
    if (found) return found;
  }
  return undefined;
}

function Counts({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  const counts = Map.groupBy(rows, ({ state }) => state);
  return (
    <>
      {(["failed", "waits", "runs"] as const).map((state) => {
        const count = counts.get(state)?.length ?? 0;
        const [tone, text] = TONES[state];
        return count === 0 ? undefined : (
          <Badge key={state} tone={tone}>
            {count} {text}
          </Badge>
        );
      })}
    </>
  );
}

function Failures({ followed: { lists } }: { readonly followed: FollowedMany }): JSX.Element {
  const entries = Object.entries(lists);
  return (
    <>
      {at.value === undefined ? undefined : <Badge tone="info">as it was at the chosen moment</Badge>}
      {entries.some(([, { state }]) => state === "stale") ? (
        <Badge tone="warning">the connection is lost; it is tried again</Badge>
      ) : undefined}
      {entries.map(([name, { truncated, state, failure }]) =>
        state === "failed" ? (
          <Badge key={name} tone="bad">
            {name}: <Text value={failure?.status.message ?? "cannot be read"} />
          </Badge>
        ) : truncated ? (
          <Badge key={name} tone="warning">
            only the first {MOST} {name}
          </Badge>
        ) : undefined,
      )}
    </>
  );
}

function Zoom({
  range,
  isFixed,
  now: time,
  onRange,
}: {
  readonly range: Range;
  readonly isFixed: boolean;
  readonly now: number;
  readonly onRange: (range: Range | undefined) => void;
}): JSX.Element {
  const middle = (range.from + range.to) / 2;
  // What ends now is made larger around now.
  const around = time >= range.from && time <= range.to ? time : middle;
  return (
    <div class="row" role="group" aria-label="Time that is shown">
      <Button aria-label="Earlier" title="Earlier" onClick={() => onRange(moved(range, -0.25))}>
        ←
      </Button>
      <Button aria-label="Later" title="Later" onClick={() => onRange(moved(range, 0.25))}>
        →
      </Button>
      <Button aria-label="Shorter time" title="Shorter time" onClick={() => onRange(zoomed(range, 0.5, around))}>
        +
      </Button>
      <Button aria-label="Longer time" title="Longer time" onClick={() => onRange(zoomed(range, 2, around))}>
        −
      </Button>
      <Button disabled={!isFixed} onClick={() => onRange(undefined)}>
        Fit
      </Button>
      <span class="soft">{lengthText(range.to - range.from)}</span>
    </div>
  );
}

const offsetMillis = (time: number): number => -new Date(time).getTimezoneOffset() * 60_000;

function Axis({ range, now: time }: { readonly range: Range; readonly now: number }): JSX.Element {
  const ticks = ticksOf(range, 8, offsetMillis(time));
  return (
    <div class="axis" aria-hidden="true">
      <div class="axis-names" />
      <div class="axis-track">
        {ticks.map((tick) => (
          <span key={tick.time} class="axis-tick" style={{ left: `${percentOf(range, tick.time)}%` }}>
            {tick.text}
          </span>
        ))}
      </div>
    </div>
  );
}

function TimeRow({
  item: { row, depth },
  range,
  now: time,
  says,
  marks,
  isOpen,
  isSelected,
  onToggle,
  onSelect,
  onRange,
}: {
  readonly item: FlatRow;
  readonly range: Range;
  readonly now: number;
  readonly says: string | undefined;
  readonly marks: readonly Mark[];
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
  readonly onSelect: () => void;
  readonly onRange: (range: Range) => void;
}): JSX.Element {
  const [tone, text] = TONES[row.state];
  const drag = useRef<{ x: number; range: Range } | undefined>(undefined);
  return (
    <div class={classes("time-row", isSelected && "time-row-selected")} data-row={row.id} data-state={row.state}>
      <div class="time-names" style={{ paddingLeft: `${depth * 16}px` }}>
        {row.children.length > 0 ? (
          <button
            type="button"
            class="time-toggle"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? "Close" : "Open"} ${row.kind} ${visible(row.name)}: ${row.children.length} below it`}
            onClick={onToggle}
          >
            {isOpen ? "▾" : "▸"}
          </button>
        ) : (
          <span class="time-toggle" aria-hidden="true" />
        )}
        <button type="button" class="time-name" aria-pressed={isSelected} onClick={onSelect}>
          <span class="time-title">
            <Text class="cut" value={depth === 0 ? `${row.namespace}/${row.name}` : row.name} />
            <Badge tone={tone}>{text}</Badge>
          </span>
          <span class="time-says soft">
            <Text class="cut" value={`${row.kind} · ${says ?? row.detail}`} />
          </span>
        </button>
      </div>
      {/* The track is moved with the pointer; the buttons above do the same. */}
      <div
        class="time-track"
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, range };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (!drag.current || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
          const by = (drag.current.x - event.clientX) / Math.max(1, event.currentTarget.clientWidth);
          if (Math.abs(by) > 0.005) onRange(moved(drag.current.range, by));
        }}
        onPointerUp={() => {
          drag.current = undefined;
        }}
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const around = range.from + ((event.clientX - left) / Math.max(1, width)) * (range.to - range.from);
          onRange(zoomed(range, event.deltaY > 0 ? 1.25 : 0.8, around));
        }}
      >
        {row.spans.map((span, i) => (
          <SpanBar key={i} span={span} range={range} />
        ))}
        {[...row.marks, ...marks].map((mark, i) => (
          <MarkDot key={i} mark={mark} range={range} />
        ))}
        <span class="time-now" style={{ left: `${percentOf(range, time)}%` }} />
      </div>
    </div>
  );
}

function SpanBar({ span, range }: { readonly span: Span; readonly range: Range }): JSX.Element | null {
  const [from, to] = [Math.max(-1, percentOf(range, span.from)), Math.min(101, percentOf(range, span.to))];
  if (to < 0 || from > 100) return null;
  const text = `${visible(span.text)}, ${lengthText(span.to - span.from)}`;
  return (
    <span
      class={`span span-${span.state}`}
      style={{ left: `${from}%`, width: `max(3px, ${to - from}%)` }}
      title={text}
      role="img"
      aria-label={text}
    />
  );
}

function MarkDot({ mark, range }: { readonly mark: Mark; readonly range: Range }): JSX.Element | null {
  const left = percentOf(range, mark.time);
  if (left < 0 || left > 100) return null;
  const text = visible(mark.text);
  return (
    <span class={`mark mark-${mark.kind}`} style={{ left: `${left}%` }} title={text} role="img" aria-label={text} />
  );
}

/** How many rows that are not finished are explained. */
const EXPLAINED = 8;
const EXPLAIN_MS = 3000;

/** What the first unfinished rows wait for, as the server says it: one question after the other, again after a change. */
function useWhyOfRows(flat: readonly FlatRow[], all: readonly Kind[]): ReadonlyMap<string, string> {
  const known = useMemo(() => signal<ReadonlyMap<string, string>>(new Map()), []);
  const asked = useRef(new Map<string, string>());
  const wanted = flat
    .filter(({ row, depth }) => depth === 0 && (row.state === "waits" || row.state === "failed"))
    .slice(0, EXPLAINED)
    .map(({ row }) => row);
  const latest = useRef({ wanted, all });
  latest.current = { wanted, all };
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = async (): Promise<void> => {
      const rows = latest.current.wanted;
      for (const row of rows) {
        const kind = kindOfRow(latest.current.all, row.kind);
        if (!kind || asked.current.get(row.uid) === row.resourceVersion) continue;
        asked.current.set(row.uid, row.resourceVersion);
        const { namespace, name } = row;
        // oxlint-disable-next-line no-await-in-loop -- one question after the other
        const report = await readWhy({ kind, namespace, name }, aborter.signal).catch(() => undefined);
        if (aborter.signal.aborted) return;
        const [first] = report?.reasons ?? [];
        const uids = new Set(latest.current.wanted.map(({ uid }) => uid));
        const kept = new Map([...known.peek()].filter(([uid]) => uids.has(uid)));
        if (first) kept.set(row.uid, first.says);
        else kept.delete(row.uid);
        known.value = kept;
      }
      timer = setTimeout(() => void step(), EXPLAIN_MS);
    };
    void step();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, []);
  return known.value;
}

/** What is known of the past of the selected row. */
interface Past {
  readonly marks: readonly Mark[];
  readonly failure?: string;
}

const NO_PAST: Past = { marks: [] };

/** Reads the versions and the Events of the selected object, again after it has changed. */
function usePast(row: Row | undefined, all: readonly Kind[]): Past {
  const state = useMemo(() => signal<Past>(NO_PAST), [row?.uid]);
  useEffect(() => {
    const kind = row && kindOfRow(all, row.kind);
    if (!row || !kind) return undefined;
    const aborter = new AbortController();
    const { group, version, resource } = kind;
    const { namespace, name, uid } = row;
    const history = request<HistoryReport>(HISTORY_PATH, {
      query: { group, version, resource, namespace, name, limit: 50 },
      signal: aborter.signal,
    });
    const events = request<KubeList>(collectionPath({ group: "", version: "v1", resource: "events" }, namespace), {
      query: { fieldSelector: `involvedObject.uid=${uid}`, limit: 100 },
      signal: aborter.signal,
    });
    void Promise.allSettled([history, events]).then(([versions, list]) => {
      if (aborter.signal.aborted) return;
      const failed = [versions, list].find((one) => one.status === "rejected")?.reason;
      const message = failed instanceof ApiFailure ? (failed.status.message ?? "") : "";
      state.value = {
        marks: [
          ...(versions.status === "fulfilled" ? marksOfHistory(versions.value) : []),
          ...(list.status === "fulfilled" ? marksOfEvents(itemsOf(list.value)) : []),
        ].toSorted((a, b) => b.time - a.time),
        ...(message === "" ? {} : { failure: message }),
      };
    });
    return () => aborter.abort();
  }, [row?.uid, row?.resourceVersion]);
  return state.value;
}

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

function RowDetails({
  row,
  all,
  past,
  onClose,
}: {
  readonly row: Row;
  readonly all: readonly Kind[];
  readonly past: Past;
  readonly onClose: () => void;
}): JSX.Element {
  const kind = kindOfRow(all, row.kind);
  const isPast = at.value !== undefined;
  const why = useWhy(
    kind && !isPast ? { kind, namespace: row.namespace, name: row.name } : undefined,
    row.resourceVersion,
  ).value;
  const [tone, text] = TONES[row.state];
  return (
    <aside class="details" aria-label="Selected">
      <div class="row">
        <h2 class="grow">
          {row.kind} <Text value={row.name} />
        </h2>
        <Button kind="quiet" aria-label="Close the details" onClick={onClose}>
          ✕
        </Button>
      </div>
      <p>
        <Badge tone={tone}>{text}</Badge> <Text value={row.detail} />
      </p>
      {row.says === undefined ? undefined : (
        <p class="says">
          <Text value={row.says} />
        </p>
      )}
      {kind ? (
        <p>
          <a href={href(objectRoute(kind, row.namespace, row.name))}>Open the object</a>
        </p>
      ) : undefined}
      <h3>Why</h3>
      {isPast ? <p class="soft">The server explains only the current state.</p> : <Why state={why} />}
      <h3>Life</h3>
      <ul class="lives">
        {row.spans.map((span, i) => (
          <li key={i}>
            <span class={`swatch span-${span.state}`} aria-hidden="true" /> <Text value={span.text} />{" "}
            <span class="soft">
              from {TIME.format(span.from)}, {lengthText(span.to - span.from)}
            </span>
          </li>
        ))}
      </ul>
      <h3>Changes and Events</h3>
      {past.failure === undefined ? undefined : (
        <p class="soft">
          Not all of it could be read: <Text value={past.failure} />
        </p>
      )}
      {past.marks.length === 0 ? <p class="soft">none</p> : undefined}
      <ul class="lives">
        {past.marks.map((mark, i) => (
          <li key={i}>
            <span class="soft">{TIME.format(mark.time)}</span>{" "}
            <Badge tone={mark.kind === "warning" ? "warning" : "neutral"}>
              {mark.kind === "change" ? "change" : "Event"}
            </Badge>{" "}
            <Text value={mark.text} />
          </li>
        ))}
      </ul>
    </aside>
  );
}
