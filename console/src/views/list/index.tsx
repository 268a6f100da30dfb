import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { WindowRow } from "../../../../src/meta/console-protocol.ts";
import { discovery, findKind, type Kind } from "../../api/discovery.ts";
import { readableNamespaces } from "../../api/readable.ts";
import { can } from "../../api/rights.ts";
import { openWindow, type WindowHandle } from "../../api/stream.ts";
import { EMPTY_WINDOW, type WindowView } from "../../api/window-state.ts";
import { at } from "../../state/moment.ts";
import { columns as columnsChoice } from "../../state/preferences.ts";
import { back, href, type ListRoute, navigate, objectRoute } from "../../state/route.ts";
import { countText } from "../../ui/bytes.ts";
import { Button, EmptyState, ErrorBox, Loading } from "../../ui/basics.tsx";
import { useKeys } from "../../ui/keys.ts";
import { useTitle } from "../../ui/title.ts";
import { visible } from "../../ui/visible.ts";
import { BulkDialog, type BulkType } from "./bulk.tsx";
import { shownColumns } from "./columns.ts";
import { isFiltered, nextSort, windowList, withFilter } from "./filters.ts";
import { KubectlDialog } from "./kubectl.tsx";
import { rowAt } from "./rows.ts";
import { added, toggled, without, type Selected, type Selection } from "./selection.ts";
import { Table, type TableControl } from "./table.tsx";
import { Filters } from "./toolbar.tsx";

const NOTHING: Selection = new Map();

/** The list of a kind. */
export default function ListView({ route }: { readonly route: ListRoute }): JSX.Element {
  const kind = findKind(route.group, route.version, route.resource);
  const { loaded, failure } = discovery.value;
  // The rows do not wait for the kinds: what the window shows is in the URL.
  if (kind || (!loaded && !failure))
    return <KindList key={`${route.resource}.${route.group}`} route={route} kind={kind ?? kindToBe(route)} />;
  if (!loaded && failure) return <ErrorBox title="The kinds could not be read." status={failure.status} />;
  const name = `${route.resource}.${route.version}.${route.group || "core"}`;
  return (
    <EmptyState isPage title={`The server does not serve ${name}.`}>
      <p>Its definition may have been deleted. The list at the side has all kinds that are served.</p>
    </EmptyState>
  );
}

/** A kind of which only the URL is known; nothing may be done with it. */
function kindToBe({ group, version, resource }: ListRoute): Kind {
  const nothing: readonly never[] = [];
  return {
    group,
    version,
    resource,
    kind: "",
    singular: "",
    shortNames: nothing,
    categories: nothing,
    namespaced: false,
    verbs: nothing,
    subresources: nothing,
  };
}

/** Keeps a window open for as long as the component is shown; another list opens another one. */
function useWindow(
  route: ListRoute,
  moment: string | undefined,
): { view: Signal<WindowView>; handle: { current: WindowHandle | undefined } } {
  const view = useSignal<WindowView>(EMPTY_WINDOW);
  const handle = useRef<WindowHandle | undefined>(undefined);
  const list = windowList(route, moment);
  const key = JSON.stringify(list);
  // Before the first frame is drawn: the server responds meanwhile.
  useLayoutEffect(() => {
    // The columns of the last list stay until those of this one are there, so that nothing jumps.
    const before = view.peek();
    const opened = openWindow(list, { offset: 0, size: 100 }, (state) => {
      view.value = state.columns.length === 0 ? { ...state, columns: before.columns } : state;
    });
    handle.current = opened;
    return () => {
      handle.current = undefined;
      opened.close();
    };
  }, [key]);
  return { view, handle };
}

function KindList({ route, kind }: { readonly route: ListRoute; readonly kind: Kind }): JSX.Element {
  useTitle(kind.resource);
  const moment = at.value;
  const { view, handle } = useWindow(route, moment);
  const selection = useSignal(NOTHING);
  const cursor = useSignal<{ index: number; uid: string | undefined }>({ index: 0, uid: undefined });
  const anchor = useRef(0);
  const dialog = useSignal<{ type: BulkType; objects: readonly Selected[] } | "kubectl" | undefined>(undefined);
  const control = useRef<TableControl>(null);
  const listKey = JSON.stringify(windowList(route, moment));
  useEffect(() => {
    cursor.value = { index: 0, uid: undefined };
  }, [listKey]);
  useEffect(() => {
    selection.value = NOTHING;
  }, [route.namespace, moment]);

  const wide = columnsChoice.value === "wide";
  const shown = view.value;
  const namespaces = !route.namespace && (kind.namespaced || shown.rows.some(({ namespace }) => namespace !== ""));
  const columns = useMemo(() => shownColumns(shown.columns, { wide, namespaces }), [shown.columns, wide, namespaces]);
  // Rows come first: what is asked for the buttons and the filters would hold them up.
  const hasRows = shown.state !== "loading";
  const may = (verb: string): boolean =>
    hasRows && moment === undefined && kind.verbs.includes(verb) && can(verb, kind, route.namespace).value === true;
  const [mayDelete, mayPatch, mayCreate] = [may("delete"), may("patch"), may("create")];

  const change = (to: ListRoute): void => navigate(to, { replace: true });
  const focusTable = (): void => {
    if (!control.current?.focus()) document.getElementById("main")?.focus();
  };
  const current = (): WindowRow | undefined => rowAt(view.peek(), cursor.peek().index);
  const routeOf = (row: WindowRow) => objectRoute(kind, row.namespace, row.name);
  const open = (row: WindowRow | undefined): void => {
    if (row) navigate(routeOf(row));
  };
  const select = (index: number, { range }: { readonly range: boolean }): void => {
    const state = view.peek();
    if (range) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      const rows: WindowRow[] = [];
      for (let at_ = from; at_ <= to; at_++) {
        const row = rowAt(state, at_);
        if (row) rows.push(row);
      }
      selection.value = added(selection.peek(), rows);
    } else {
      const row = rowAt(state, index);
      if (row) selection.value = toggled(selection.peek(), row);
    }
    anchor.current = index;
  };
  /** What an action is about: the selected rows, or the one of the cursor. */
  const meant = (): readonly Selected[] => {
    const row = current();
    return selection.peek().size > 0 ? [...selection.peek().values()] : row ? [row] : [];
  };
  const ask = (type: BulkType, allowed: boolean): void => {
    const objects = meant();
    if (allowed && objects.length > 0) dialog.value = { type, objects };
  };
  const newRoute = {
    view: "new",
    kind: `${kind.group || "core"}/${kind.version}/${kind.resource}`,
    ...(route.namespace ? { namespace: route.namespace } : {}),
  } as const;

  useKeys(
    "List",
    [
      { keys: "ArrowDown j", does: "the next row", run: () => control.current?.move(1) },
      { keys: "ArrowUp k", does: "the row before", run: () => control.current?.move(-1) },
      { keys: "PageDown Ctrl-f", does: "a page down", run: () => control.current?.move(1, { page: true }) },
      { keys: "PageUp Ctrl-b", does: "a page up", run: () => control.current?.move(-1, { page: true }) },
      { keys: "Home g", does: "the first row", run: () => control.current?.moveTo("first") },
      { keys: "End G", does: "the last row", run: () => control.current?.moveTo("last") },
      { keys: "Enter", does: "open the object", run: () => open(current()) },
      { keys: "d y", does: "open the object: YAML and who owns its lines", run: () => open(current()) },
      {
        keys: "Space",
        does: "select the row, and go to the next one",
        run: () => {
          select(cursor.peek().index, { range: false });
          control.current?.move(1);
        },
      },
      {
        keys: "Ctrl-a",
        does: "select all rows that are loaded",
        run: () => {
          selection.value = added(selection.peek(), view.peek().rows);
        },
      },
      { keys: "Ctrl-d Delete", does: "delete the selected objects", run: () => ask("delete", mayDelete) },
      { keys: "l", does: "label the selected objects", run: () => ask("label", mayPatch) },
      { keys: "/", does: "filter by name", run: () => document.getElementById("filter-name")?.focus() },
      {
        keys: "w",
        does: "all columns, or the most important ones",
        run: () => {
          columnsChoice.value = columnsChoice.peek() === "wide" ? "narrow" : "wide";
        },
      },
      { keys: "n", does: "a new object", run: () => mayCreate && navigate(newRoute) },
      {
        keys: "Escape",
        does: "clear the selection; go back",
        run: () => {
          if (selection.peek().size > 0) selection.value = NOTHING;
          else back();
        },
      },
    ],
    [listKey, kind, mayDelete, mayPatch, mayCreate],
  );

  const selected = selection.value;
  const sort = route.sort ? { column: route.sort, descending: Boolean(route.desc) } : undefined;
  return (
    <section class="list" aria-labelledby="list-title">
      <div class="row list-head">
        <h1 id="list-title">{kind.kind}</h1>
        <Count view={shown} filtered={isFiltered(route)} />
        <span class="grow" />
        {selected.size > 0 ? (
          <>
            <span role="status">{selected.size} selected</span>
            {mayPatch ? <Button onClick={() => ask("label", true)}>Label</Button> : undefined}
            {mayPatch ? <Button onClick={() => ask("annotate", true)}>Annotate</Button> : undefined}
            {mayDelete ? (
              <Button kind="danger" onClick={() => ask("delete", true)}>
                Delete
              </Button>
            ) : undefined}
          </>
        ) : undefined}
        <Button
          aria-pressed={wide}
          onClick={() => {
            columnsChoice.value = wide ? "narrow" : "wide";
          }}
        >
          All columns
        </Button>
        <Button
          onClick={() => {
            dialog.value = "kubectl";
          }}
        >
          As kubectl
        </Button>
        {mayCreate ? (
          <a class="button button-primary" href={href(newRoute)}>
            New
          </a>
        ) : undefined}
      </div>
      <Filters route={route} kind={kind} offers={hasRows} onChange={change} onLeave={focusTable} />
      {shown.state === "failed" && shown.failure ? (
        <Failure
          failure={shown.failure}
          route={route}
          kind={kind}
          onChange={change}
          onRetry={() => handle.current?.retry()}
        />
      ) : undefined}
      {shown.state === "loading" || (shown.progress && shown.rows.length === 0) ? (
        <Loading what={kind.resource} {...(shown.progress ? { progress: shown.progress } : {})} />
      ) : shown.matching === 0 && shown.state !== "failed" ? (
        <Empty route={route} kind={kind} onChange={change} />
      ) : shown.rows.length > 0 || shown.state !== "failed" ? (
        <Table
          key={listKey}
          label={kind.resource}
          view={view}
          columns={columns}
          cursor={cursor}
          selection={selection}
          sort={sort}
          hrefOf={(row) => href(routeOf(row))}
          onRange={(offset, size) => handle.current?.move(offset, size)}
          onOpen={open}
          onSelect={select}
          onSort={(column) =>
            change(withFilter(route, { sort: undefined, desc: undefined, ...nextSort(route, column) }))
          }
          control={control}
        />
      ) : undefined}
      {dialog.value === "kubectl" ? (
        <KubectlDialog
          route={route}
          namespaced={kind.namespaced}
          wide={wide}
          at={moment}
          onClose={() => {
            dialog.value = undefined;
          }}
        />
      ) : dialog.value ? (
        <BulkDialog
          {...dialog.value}
          kind={kind}
          onDone={(objects) => {
            selection.value = without(
              selection.peek(),
              objects.map(({ uid }) => uid),
            );
          }}
          onClose={() => {
            dialog.value = undefined;
          }}
        />
      ) : undefined}
    </section>
  );
}

/** Why nothing is shown; where all namespaces are refused, those that are not. */
function Failure({
  failure,
  route,
  kind,
  onChange,
  onRetry,
}: {
  readonly failure: NonNullable<WindowView["failure"]>;
  readonly route: ListRoute;
  readonly kind: Kind;
  readonly onChange: (route: ListRoute) => void;
  readonly onRetry: () => void;
}): JSX.Element {
  const readable = useSignal<readonly string[] | undefined>(undefined);
  const isRefused = failure.code === 403 && kind.namespaced && !route.namespace;
  useEffect(() => {
    if (!isRefused) return undefined;
    let isLeft = false;
    readableNamespaces(kind).then(
      ({ namespaces }) => {
        if (isLeft) return;
        readable.value = namespaces;
        const [only, ...others] = namespaces;
        if (only !== undefined && others.length === 0) onChange(withFilter(route, { namespace: only }));
      },
      // The failure of the list says enough.
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [isRefused, kind]);
  if (isRefused && readable.value && readable.value.length > 0) {
    return (
      <EmptyState title={`You may list ${kind.resource} in some namespaces only.`}>
        <ul class="row namespace-links">
          {readable.value.map((namespace) => (
            <li key={namespace}>
              <a class="button" href={href(withFilter(route, { namespace }))}>
                {visible(namespace)}
              </a>
            </li>
          ))}
        </ul>
      </EmptyState>
    );
  }
  return (
    <ErrorBox title={`The ${kind.resource} cannot be shown.`} status={failure}>
      <Button onClick={onRetry}>Try again</Button>
    </ErrorBox>
  );
}

function Count({ view, filtered }: { readonly view: WindowView; readonly filtered: boolean }): JSX.Element {
  if (view.columns.length === 0 || view.state === "loading") return <span class="soft" />;
  const [matching, total] = [countText(view.matching), countText(view.total)];
  return <span class="soft list-count">{filtered ? `${matching} of ${total}` : total}</span>;
}

function Empty({
  route,
  kind,
  onChange,
}: {
  readonly route: ListRoute;
  readonly kind: Kind;
  readonly onChange: (route: ListRoute) => void;
}): JSX.Element {
  const where = kind.namespaced ? (route.namespace ? ` in the namespace ${route.namespace}` : " in any namespace") : "";
  if (isFiltered(route))
    return (
      <EmptyState title={`No ${kind.resource}${where} match the filters.`}>
        <Button
          onClick={() =>
            onChange(withFilter(route, { name: undefined, text: undefined, labels: undefined, fields: undefined }))
          }
        >
          Clear the filters
        </Button>
      </EmptyState>
    );
  return (
    <EmptyState title={`There are no ${kind.resource}${where}.`}>
      <p>New ones appear here as soon as they are created.</p>
    </EmptyState>
  );
}
