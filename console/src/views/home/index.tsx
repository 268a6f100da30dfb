import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { WindowColumn, WindowRow } from "../../../../src/meta/console-protocol.ts";
import { discovery, findKind, kinds } from "../../api/discovery.ts";
import { session, sessionsOpened } from "../../api/http.ts";
import { openWindow } from "../../api/stream.ts";
import { EMPTY_WINDOW } from "../../api/window-state.ts";
import { at } from "../../state/moment.ts";
import { href } from "../../state/route.ts";
import { countText } from "../../ui/bytes.ts";
import { Age, classes, EmptyState, ErrorBox, Kbd, Loading, Text } from "../../ui/basics.tsx";
import { namesText } from "../../ui/left-out.ts";
import { CommandLine } from "../../ui/command-line.tsx";
import { useTitle } from "../../ui/title.ts";
import { visible } from "../../ui/visible.ts";
import { countedNamespaces, countKinds, countsInOrder, isInUse, type KindCount } from "./counts.ts";

/** Counts are read again after this time, while the page is seen. */
const COUNT_MS = 30_000;
const EVENTS = 12;

/** The first page: what there is, what happened, and how to begin. */
export default function HomeView(): JSX.Element {
  useTitle("");
  const counts = useSignal<readonly KindCount[] | undefined>(undefined);
  const refused = useMemo(() => new Set<string>(), [sessionsOpened.value]);
  useSignalEffect(() => {
    const all = kinds.value;
    const moment = at.value;
    if (all.length === 0 || session.value !== "open") return undefined;
    const aborter = new AbortController();
    const read = async (): Promise<void> => {
      const found: KindCount[] = [];
      await countKinds(all, (count) => found.push(count), { signal: aborter.signal, at: moment, refused });
      if (!aborter.signal.aborted) counts.value = found;
    };
    void read();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && moment === undefined) void read();
    }, COUNT_MS);
    return () => {
      clearInterval(timer);
      aborter.abort();
    };
  });
  const { loaded, failure } = discovery.value;
  const found = counts.value?.filter(({ count }) => count > 0);
  const namespaces = found && countedNamespaces(found);
  return (
    <section class="page" aria-labelledby="home-title">
      <h1 id="home-title">What is in this cluster</h1>
      {!loaded && failure ? <ErrorBox title="The kinds could not be read." status={failure.status} /> : undefined}
      {namespaces ? (
        <p class="soft">
          You may not list all of it: kinds with namespaces are counted in <Text value={namesText(namespaces)} />.
        </p>
      ) : undefined}
      {found === undefined ? <Loading what="counts" /> : <Counts counts={found} />}
      {/* Not before it is known whether the cluster is in use: what opens and closes by itself is not read. */}
      {found === undefined ? undefined : <Newcomer open={!isInUse(found)} />}
      <Events namespace={namespaces?.[0]} />
    </section>
  );
}

function Counts({ counts }: { readonly counts: readonly KindCount[] }): JSX.Element {
  if (counts.length === 0)
    return (
      <EmptyState title="You see no objects.">
        <p>There are none yet, or you may not list any kind.</p>
      </EmptyState>
    );
  const [made, kept] = countsInOrder(counts);
  return (
    <>
      <CountList counts={made} />
      {kept.length === 0 ? undefined : (
        <>
          <h2 id="kept-title">What the cluster keeps itself</h2>
          <CountList counts={kept} small />
        </>
      )}
    </>
  );
}

function CountList({
  counts,
  small = false,
}: {
  readonly counts: readonly KindCount[];
  readonly small?: boolean;
}): JSX.Element {
  return (
    <ul class={classes("counts", small && "counts-small")}>
      {counts.map(({ kind: { group, version, resource, kind }, count, namespaces = [] }) => (
        <li key={`${resource}.${group}`}>
          <a
            href={href({
              view: "list",
              group,
              version,
              resource,
              ...(namespaces.length === 1 ? { namespace: namespaces[0]! } : {}),
            })}
            class="count"
            title={group === "" ? resource : `${resource}.${group}`}
          >
            <span class="count-number">{countText(count)}</span> <span class="cut">{visible(kind)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Three things to try: open at first if the cluster is not in use. */
function Newcomer({ open }: { readonly open: boolean }): JSX.Element {
  // Later it is as the user left it.
  const [first] = useState(open);
  return (
    <details class="newcomer" open={first}>
      <summary>
        <h2>Three things to try</h2>
      </summary>
      <ol>
        <li>
          <p>
            Create an object in a terminal, and see it appear in{" "}
            <a href={href({ view: "list", group: "", version: "v1", resource: "configmaps", namespace: "default" })}>
              the ConfigMaps of default
            </a>
            :
          </p>
          <CommandLine line="kubectl create configmap hello -n default --from-literal=greeting=hello" />
        </li>
        <li>
          <p>Change it as another field manager; the page of the object says who owns which line:</p>
          <CommandLine
            line={`kubectl patch configmap hello -n default --field-manager=me -p '{"data":{"name":"me"}}'`}
          />
        </li>
        <li>
          <p>
            Press <Kbd keys=":" /> to go to any kind, <Kbd keys="/" /> to filter a list, <Kbd keys="?" /> to see all
            keys. Or start with <a href={href({ view: "new" })}>a new object</a> here, or with{" "}
            <a href={href({ view: "plan" })}>a plan</a> of the changes of manifests.
          </p>
        </li>
      </ol>
    </details>
  );
}

/** The newest Events, live: of all namespaces, or of one for a user who may not list all. */
function Events({ namespace }: { readonly namespace: string | undefined }): JSX.Element | null {
  const kind = findKind("", "v1", "events");
  const view = useSignal(EMPTY_WINDOW);
  const moment = at.value;
  useEffect(() => {
    if (!kind) return undefined;
    const { group, version, resource } = kind;
    const list = {
      group,
      version,
      resource,
      sort: { column: "Last Seen", descending: true },
      ...(namespace === undefined ? {} : { namespace }),
      ...(moment ? { at: moment } : {}),
    };
    const handle = openWindow(list, { offset: 0, size: EVENTS }, (state) => {
      view.value = state;
    });
    return () => handle.close();
  }, [kind, moment, namespace]);
  if (!kind || view.value.state === "failed") return null;
  const { columns, rows, state } = view.value;
  return (
    <section aria-labelledby="events-title">
      <h2 id="events-title">
        <a
          href={href({
            view: "list",
            group: "",
            version: "v1",
            resource: "events",
            sort: "Last Seen",
            desc: true,
            ...(namespace === undefined ? {} : { namespace }),
          })}
        >
          The newest Events{namespace === undefined ? "" : ` of ${visible(namespace)}`}
        </a>
      </h2>
      {rows.length === 0 && state === "loading" ? (
        <Loading what="Events" />
      ) : rows.length === 0 ? (
        <p class="soft">There are none. Controllers write them when something happens.</p>
      ) : (
        <ul class="events">
          {rows.map((row) => (
            <EventLine key={row.uid} row={row} columns={columns} />
          ))}
        </ul>
      )}
    </section>
  );
}

function EventLine({
  row,
  columns,
}: {
  readonly row: WindowRow;
  readonly columns: readonly WindowColumn[];
}): JSX.Element {
  const cell = (name: string): string => String(row.cells[columns.findIndex((column) => column.name === name)] ?? "");
  return (
    <li class="event">
      <span class="event-age soft">
        <Age time={cell("Last Seen")} />
      </span>
      <span class={cell("Type") === "Warning" ? "badge badge-warning" : "badge"}>
        <Text value={cell("Reason")} />
      </span>
      <span class="event-object">
        <Text value={`${row.namespace}: ${cell("Object")}`} />
      </span>
      <span class="event-message">
        <Text value={cell("Message")} />
      </span>
    </li>
  );
}
