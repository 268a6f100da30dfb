import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { kinds } from "../../api/discovery.ts";
import { at } from "../../state/moment.ts";
import { navigate, type PlainRoute } from "../../state/route.ts";
import { Badge, EmptyState, Loading, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { type FollowedMany, useFollowMany } from "../../ui/follow-many.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { capacityOf } from "./capacity.ts";
import { Details } from "./details.tsx";
import { dialectOf, objectsIn, RESOURCES, storageKinds } from "./kinds.ts";
import { layoutOf } from "./layout.ts";
import { Picture } from "./drawing.tsx";
import { boxesOf, type Item, type StorageFilter, storageOf } from "./picture.ts";
import { CapacityTable, ItemTable } from "./tables.tsx";
import "../../ui/views.css";
import "./storage.css";

/** The most objects that are read of each kind. */
const MOST = 10_000;

const TABS = [
  { id: "picture", label: "Picture" },
  { id: "table", label: "Table" },
  { id: "capacity", label: "Capacity" },
] as const;

type TabId = (typeof TABS)[number]["id"];

/** The view of the route `storage`: claims, volumes, classes, attachments, nodes and drivers, and what is bound to what. */
export default function StorageView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Storage");
  const { query = {} } = route;
  const all = kinds.value;
  const served = useMemo(() => storageKinds(all), [all]);
  const followed = useFollowMany({ kinds: served, at: at.value, most: MOST }).value;
  const filter: StorageFilter = {
    namespace: query["namespace"] ?? "",
    storageClass: query["class"] ?? "",
    node: query["node"] ?? "",
    waiting: query["waiting"] !== undefined,
  };
  const filterKey = JSON.stringify(filter);
  const dialect = dialectOf(all);
  const objects = useMemo(() => objectsIn(followed), [followed]);
  const storage = useMemo(() => storageOf(objects, dialect, filter), [objects, dialect, filterKey]);
  const drawn = useMemo(() => boxesOf(storage), [storage]);
  const main = useRef<HTMLDivElement>(null);
  const room = useRoom(main);
  const layout = useMemo(() => layoutOf(drawn.boxes, drawn.lines, room), [drawn, room]);
  const selected = useSignal<string | undefined>(undefined);
  const tab: TabId = TABS.find(({ id }) => id === query["tab"])?.id ?? "picture";
  const set = (change: Readonly<Record<string, string>>): void => {
    const next = Object.fromEntries(Object.entries({ ...query, ...change }).filter(([, value]) => value !== ""));
    navigate({ view: "storage", query: next }, { replace: true });
  };
  const waiting = storage.items.filter(({ state }) => state === "waits" || state === "stuck").length;
  const chosen = itemsOf(selected.value, drawn.boxes, storage.items);
  return (
    <div class="view storage" data-view={route.view}>
      <header class="view-head">
        <h1>Storage</h1>
        <Badge tone={waiting === 0 ? "good" : "warning"}>{waiting === 0 ? "nothing waits" : `${waiting} wait`}</Badge>
        <State followed={followed} />
      </header>
      <div class="view-filters" role="search" aria-label="Filters">
        <Choice
          label="Namespace"
          value={filter.namespace ?? ""}
          values={storage.namespaces}
          onChange={(value) => set({ namespace: value })}
        />
        <Choice
          label="Class"
          value={filter.storageClass ?? ""}
          values={storage.classes}
          onChange={(value) => set({ class: value })}
        />
        <Choice
          label="Node"
          value={filter.node ?? ""}
          values={storage.nodes}
          onChange={(value) => set({ node: value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={filter.waiting === true}
            onChange={(event) => set({ waiting: event.currentTarget.checked ? "1" : "" })}
          />{" "}
          only what waits
        </label>
      </div>
      <Tabs
        label="Forms of the picture"
        tabs={TABS}
        selected={tab}
        onSelect={(id) => set({ tab: id === "picture" ? "" : id })}
      />
      <div class="view-body">
        <div ref={main} class="view-main" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
          {followed.isLoading ? (
            <Loading what="storage" />
          ) : tab === "capacity" ? (
            <CapacityTable rows={capacityOf(objects, dialect)} />
          ) : storage.items.length === 0 ? (
            <Nothing
              isFiltered={filterKey !== JSON.stringify({ namespace: "", storageClass: "", node: "", waiting: false })}
            />
          ) : tab === "table" ? (
            <ItemTable
              items={storage.items}
              links={storage.links}
              selected={selected.value}
              onSelect={(id) => {
                selected.value = id;
              }}
            />
          ) : (
            <Picture
              layout={layout}
              selected={selected.value}
              onSelect={(id) => {
                selected.value = id;
              }}
            />
          )}
        </div>
        {chosen ? (
          <Details
            items={chosen}
            storage={storage}
            served={served}
            versionOf={(item) => versionOf(item, followed)}
            onSelect={(id) => {
              selected.value = id;
            }}
            onClose={() => {
              selected.value = undefined;
            }}
          />
        ) : undefined}
      </div>
    </div>
  );
}

/** What a bar for scrolling takes, so that the drawing is as wide with one as without. */
const SCROLLBAR = 16;

/** The width that an element has for a drawing; undefined before it is known. */
function useRoom(element: { readonly current: HTMLElement | null }): number | undefined {
  const room = useSignal<number | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const measure = (): void => {
      room.value = Math.max(0, current.clientWidth - SCROLLBAR);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return room.value;
}

/** The objects of the selected box, or the selected object of the table. */
function itemsOf(
  id: string | undefined,
  boxes: ReturnType<typeof boxesOf>["boxes"],
  items: readonly Item[],
): readonly Item[] | undefined {
  if (id === undefined) return undefined;
  const box = boxes.find((one) => one.id === id);
  if (box) return box.items;
  const item = items.find((one) => one.id === id);
  return item && [item];
}

/** The resourceVersion of an object, so that what is said of it is asked for again when it has changed. */
function versionOf({ column, name, namespace }: Item, { lists }: FollowedMany): string {
  const object = lists[column]?.objects.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === (namespace ?? ""),
  );
  return object?.metadata.resourceVersion ?? "";
}

function Choice({
  label,
  value,
  values,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <label class="choice">
      <span class="soft">{label}</span>
      <select class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {value !== "" && !values.includes(value) ? <option value={value}>{value}</option> : undefined}
        {values.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What of the lists cannot be shown, and why. */
function State({ followed: { lists } }: { readonly followed: FollowedMany }): JSX.Element {
  const entries = Object.entries(lists);
  const failed = entries.filter(([, { state }]) => state === "failed");
  const stale = entries.some(([, { state }]) => state === "stale");
  const cut = entries.filter(([, { truncated }]) => truncated);
  return (
    <>
      {stale ? <Badge tone="warning">the connection is lost; it is tried again</Badge> : undefined}
      {at.value === undefined ? undefined : <Badge tone="info">as it was at the chosen moment</Badge>}
      {cut.map(([name]) => (
        <Badge key={name} tone="warning">
          only the first {MOST} {RESOURCES[name as keyof typeof RESOURCES]}
        </Badge>
      ))}
      {failed.map(([name, { failure }]) => (
        <Badge key={name} tone="bad">
          {RESOURCES[name as keyof typeof RESOURCES]}: <Text value={failure?.status.message ?? "cannot be read"} />
        </Badge>
      ))}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered) return <EmptyState title="No object matches the filters." />;
  return (
    <EmptyState title="There is no storage yet.">
      <p>A StorageClass describes how volumes are created, a PersistentVolumeClaim requests one.</p>
    </EmptyState>
  );
}
