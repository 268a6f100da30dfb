import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Dialect } from "../../../../src/meta/dialect.ts";
import { inOneStep, type Steps } from "../../../../src/util/steps.ts";
import { kinds } from "../../api/discovery.ts";
import { namespaces } from "../../api/namespaces.ts";
import { at } from "../../state/moment.ts";
import { changedQuery, navigate, type PlainRoute } from "../../state/route.ts";
import { Badge, EmptyState, Loading } from "../../ui/basics.tsx";
import { countText } from "../../ui/bytes.ts";
import { Choice } from "../../ui/choice.tsx";
import { useFollowMany } from "../../ui/follow-many.ts";
import { FollowState } from "../../ui/follow-state.tsx";
import { NamespaceChoice } from "../../ui/namespace-choice.tsx";
import { useSliced } from "../../ui/sliced.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { useTitle } from "../../ui/title.ts";
import { boxSteps, type Drawn } from "./boxes.ts";
import { capacitySteps } from "./capacity.ts";
import { Details } from "./details.tsx";
import { Picture } from "./drawing.tsx";
import type { StorageFilter } from "./filter.ts";
import type { Item, Storage } from "./item.ts";
import { type StorageInput, storageSteps } from "./items.ts";
import { dialectOf, objectsIn, partialLists, RESOURCES, storageKinds } from "./kinds.ts";
import { layoutOf } from "./layout.ts";
import type { StorageObjects } from "./objects.ts";
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
  const filter: StorageFilter = {
    namespace: query["namespace"] ?? "",
    storageClass: query["class"] ?? "",
    node: query["node"] ?? "",
    waiting: query["waiting"] !== undefined,
  };
  const followed = useFollowMany({
    kinds: served,
    namespace: filter.namespace,
    // Capacities are in the namespaces of drivers.
    everywhere: ["capacities"],
    at: at.value,
    most: MOST,
  });
  const dialect = dialectOf(all);
  const objects = useMemo(() => objectsIn(followed), [followed]);
  const partial = partialLists(followed);
  const { isLoading } = followed;
  // There is no picture of lists that are not read: an empty one would say that there is nothing.
  const picture = useSliced<StoragePicture | undefined>(
    () => (isLoading ? inOneStep(() => undefined) : pictureSteps({ objects, dialect, filter, partial })),
    [objects, dialect, JSON.stringify(filter), isLoading],
  );
  const main = useRef<HTMLDivElement>(null);
  const room = useRoom(main);
  const layout = useMemo(() => picture && layoutOf(picture.boxes, picture.lines, room), [picture, room]);
  const selected = useSignal<string | undefined>(undefined);
  const select = (id: string | undefined): void => {
    selected.value = id;
  };
  const tab: TabId = TABS.find(({ id }) => id === query["tab"])?.id ?? "picture";
  const set = (change: Readonly<Record<string, string | undefined>>): void =>
    navigate({ view: "storage", query: changedQuery(query, change) }, { replace: true });
  const chosen = picture && itemsOf(selected.value, picture);
  return (
    <div class="view storage" data-view={route.view}>
      <header class="view-head">
        <h1>Storage</h1>
        {picture && !isLoading ? (
          <Badge tone={picture.waiting > 0 ? "warning" : partial.size > 0 ? "neutral" : "good"}>
            {picture.waiting === 0
              ? "nothing waits"
              : `${countText(picture.waiting)} ${picture.waiting === 1 ? "waits" : "wait"}`}
          </Badge>
        ) : undefined}
        <FollowState followed={followed} names={RESOURCES} most={MOST} />
      </header>
      <div class="view-filters" role="search" aria-label="Filters">
        <NamespaceChoice
          value={filter.namespace ?? ""}
          names={namespaces.value ?? picture?.namespaces ?? []}
          onChange={(value) => set({ namespace: value })}
        />
        <Choice
          label="Class"
          value={filter.storageClass ?? ""}
          values={picture?.classes ?? []}
          onChange={(value) => set({ class: value })}
        />
        <Choice
          label="Node"
          value={filter.node ?? ""}
          values={picture?.nodes ?? []}
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
          {isLoading || !picture || !layout ? (
            <Loading what="storage" />
          ) : tab === "capacity" ? (
            <Capacity objects={objects} dialect={dialect} />
          ) : picture.items.length === 0 ? (
            <Nothing isFiltered={Object.values(filter).some(Boolean)} isPartial={partial.has("claims")} />
          ) : tab === "table" ? (
            <ItemTable storage={picture} selected={selected.value} onSelect={select} />
          ) : (
            <Picture layout={layout} selected={selected.value} onSelect={select} />
          )}
        </div>
        {chosen ? (
          <Details
            items={chosen}
            storage={picture}
            served={served}
            onSelect={select}
            onClose={() => select(undefined)}
          />
        ) : undefined}
      </div>
    </div>
  );
}

/** The objects, and what is drawn of them. */
interface StoragePicture extends Storage, Drawn {}

function* pictureSteps(input: StorageInput): Steps<StoragePicture> {
  const storage = yield* storageSteps(input);
  return { ...storage, ...(yield* boxSteps(storage)) };
}

function Capacity({ objects, dialect }: { readonly objects: StorageObjects; readonly dialect: Dialect }): JSX.Element {
  const rows = useSliced(() => capacitySteps(objects, dialect), [objects, dialect]);
  return rows ? <CapacityTable rows={rows} /> : <Loading what="capacity" />;
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
function itemsOf(id: string | undefined, { boxes, byId }: StoragePicture): readonly Item[] | undefined {
  if (id === undefined) return undefined;
  const item = byId.get(id);
  return boxes.find((one) => one.id === id)?.items ?? (item && [item]);
}

function Nothing({
  isFiltered,
  isPartial,
}: {
  readonly isFiltered: boolean;
  readonly isPartial: boolean;
}): JSX.Element {
  if (isFiltered) return <EmptyState title="No object matches the filters." />;
  if (isPartial) {
    return (
      <EmptyState title="There is nothing that you may list.">
        <p>Choose a namespace above if you may list the claims of one.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="There is no storage yet.">
      <p>A StorageClass describes how volumes are created, a PersistentVolumeClaim requests one.</p>
    </EmptyState>
  );
}
