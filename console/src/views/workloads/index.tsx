import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { inOneStep } from "../../../../src/util/steps.ts";
import { kinds } from "../../api/discovery.ts";
import { namespaces } from "../../api/namespaces.ts";
import { now } from "../../state/clock.ts";
import { at, moment } from "../../state/moment.ts";
import { changedQuery, navigate, type PlainRoute } from "../../state/route.ts";
import { Badge, EmptyState, Loading } from "../../ui/basics.tsx";
import { countText } from "../../ui/bytes.ts";
import { Choice } from "../../ui/choice.tsx";
import { useFollowMany } from "../../ui/follow-many.ts";
import { FollowState } from "../../ui/follow-state.tsx";
import { leftOutOf } from "../../ui/left-out.ts";
import { NamespaceChoice } from "../../ui/namespace-choice.tsx";
import { useSliced } from "../../ui/sliced.ts";
import { useTitle } from "../../ui/title.ts";
import { VirtualRows } from "../../ui/virtual-rows.tsx";
import { RowDetails, usePast } from "./details.tsx";
import { NAMES, objectsIn, workloadKinds } from "./kinds.ts";
import { flatRows, rangeOf } from "./list.ts";
import { KINDS, rowSteps } from "./model.ts";
import type { Row } from "./rows.ts";
import type { Range } from "./scale.ts";
import { Axis, TimeRow, TONES, Zoom } from "./timeline.tsx";
import { useWhyOfRows } from "./why-of-rows.ts";
import "../../ui/views.css";
import "./workloads.css";

/** The most objects that are read of each kind. */
const MOST = 10_000;
const ROW_HEIGHT = 46;
/** The next runs of CronJobs are found again after this time. */
const DUE_MS = 15_000;

/** The view of the route `workloads`: rollouts, Jobs and CronJobs on a time line. */
export default function WorkloadsView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Workloads");
  const { query = {} } = route;
  const all = kinds.value;
  const served = useMemo(() => workloadKinds(all), [all]);
  const filter = {
    namespace: query["namespace"] ?? "",
    kind: query["kind"] ?? "",
    text: query["name"] ?? "",
    unfinished: query["unfinished"] !== undefined,
  };
  const followed = useFollowMany({ kinds: served, namespace: filter.namespace, at: at.value, most: MOST });
  const shownNow = Date.parse(moment.value?.time ?? "") || now.value;
  const objects = useMemo(() => objectsIn(followed), [followed]);
  // Of the time only the next runs of CronJobs depend.
  const { isLoading } = followed;
  const found = useSliced<readonly Row[] | undefined>(
    () => (isLoading ? inOneStep(() => undefined) : rowSteps(objects, shownNow)),
    [objects, Math.floor(shownNow / DUE_MS), isLoading],
  );
  const rows = found ?? [];
  const open = useSignal<ReadonlySet<string>>(new Set());
  const selected = useSignal<string | undefined>(undefined);
  // Without one it fits what is there, and ends now.
  const chosenRange = useSignal<Range | undefined>(undefined);
  const flat = useMemo(() => flatRows(rows, open.value, filter), [found, open.value, JSON.stringify(filter)]);
  const range =
    chosenRange.value ??
    rangeOf(
      flat.map(({ row }) => row),
      shownNow,
    );
  const says = useWhyOfRows(at.value === undefined ? flat : [], all);
  const set = (change: Readonly<Record<string, string | undefined>>): void =>
    navigate({ view: "workloads", query: changedQuery(query, change) }, { replace: true });
  const chosen = selected.value === undefined ? undefined : findRow(rows, selected.value);
  const past = usePast(chosen, all);
  const seen = useMemo(() => [...new Set(rows.map(({ namespace }) => namespace))].toSorted(), [found]);
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
        <FollowState followed={followed} names={NAMES} most={MOST} />
      </header>
      <div class="view-filters" role="search" aria-label="Filters">
        <NamespaceChoice
          value={filter.namespace}
          names={namespaces.value ?? seen}
          onChange={(value) => set({ namespace: value })}
        />
        <Choice label="Kind" value={filter.kind} values={KINDS} onChange={(value) => set({ kind: value })} />
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
          {isLoading || !found ? (
            <Loading what="workloads" />
          ) : flat.length === 0 ? (
            <Nothing isFiltered={Object.values(filter).some(Boolean)} isPartial={leftOutOf(followed) !== undefined} />
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
            now={shownNow}
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
            {countText(count)} {text}
          </Badge>
        );
      })}
    </>
  );
}

function Nothing({
  isFiltered,
  isPartial,
}: {
  readonly isFiltered: boolean;
  readonly isPartial: boolean;
}): JSX.Element {
  if (isFiltered) return <EmptyState title="No workload matches the filters." />;
  if (isPartial) {
    return (
      <EmptyState title="There are no workloads that you may list.">
        <p>Choose a namespace above if you may list those of one.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="There are no workloads yet.">
      <p>Deployments, StatefulSets, DaemonSets, Jobs and CronJobs appear here as soon as they are created.</p>
    </EmptyState>
  );
}
