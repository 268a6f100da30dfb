import "../../editor/editor.css";
import "./object.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { discovery, findKind } from "../../api/discovery.ts";
import { can } from "../../api/rights.ts";
import type { Draft } from "../../editor/drafts.ts";
import { EditPane } from "../../editor/edit-pane.tsx";
import { drafts } from "../../editor/page-drafts.ts";
import { at as shownAt } from "../../state/moment.ts";
import { href, navigate, type ObjectRoute, objectRoute, type ObjectTab } from "../../state/route.ts";
import type { Value } from "../../../../src/value/value.ts";
import { Age, Badge, Button, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useIsShown } from "../../ui/is-shown.ts";
import { useTitle } from "../../ui/title.ts";
import { useKeys } from "../../ui/keys.ts";
import { inPageSlices } from "../../ui/sliced.ts";
import { type Tab, Tabs } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { ActionsMenu } from "./actions-menu.tsx";
import { EventsTab } from "./events-tab.tsx";
import { GraphTab } from "./graph-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { draftKeyOf, draftOf, readBase, restoredText } from "./edits.ts";
import { type ObjectKey, type ObjectModel, type ObjectState, objectModel } from "./model.ts";
import { WhyTab } from "./why-tab.tsx";
import { YamlTab } from "./yaml-tab.tsx";

/** The view of one object. */
export default function ObjectView({ route }: { readonly route: ObjectRoute }): JSX.Element {
  useTitle(`${route.name} (${route.resource})`);
  const { group, version, resource, namespace, name } = route;
  const { loaded, failure } = discovery.value;
  const kind = findKind(group, version, resource);
  if (!kind) {
    if (failure) return <ErrorBox title="The kinds of the server cannot be read." status={failure.status} />;
    if (!loaded) return <Loading what="the kinds of the server" />;
    return (
      <EmptyState isPage title="The server has no such kind.">
        <p>
          <code>
            {group === "" ? "core" : group}/{version} {resource}
          </code>
        </p>
      </EmptyState>
    );
  }
  const at = shownAt.value;
  // Another object is another component, with a state of its own.
  return (
    <OneObject
      key={JSON.stringify([group, version, resource, namespace, name, at])}
      route={route}
      of={{ kind, namespace, name, at }}
    />
  );
}

const TABS: readonly Tab<ObjectTab>[] = [
  { id: "yaml", label: "YAML" },
  { id: "history", label: "History" },
  { id: "events", label: "Events" },
  { id: "graph", label: "Graph" },
  { id: "why", label: "Why" },
];

function OneObject({ route, of }: { readonly route: ObjectRoute; readonly of: ObjectKey }): JSX.Element {
  const { kind, namespace, name, at } = of;
  const model = useMemo(() => objectModel(of), []);
  useEffect(() => () => model.close(), [model]);
  const isShown = useIsShown();
  const state = model.value.value;
  const draftKey = draftKeyOf(of);
  const kept = drafts.get(draftKey);
  const begun = useSignal<Draft | undefined>(undefined);
  const editing = at === undefined ? (kept ?? begun.value) : undefined;
  /** A version of the history that would replace an edit that is not saved. */
  const replacement = useSignal<Value | undefined>(undefined);
  const hideStatus = kind.subresources.some(({ name: one }) => one === "status");
  const hasLogs = kind.subresources.some(({ name: one }) => one === "log");
  const tabs = hasLogs && at === undefined ? [...TABS, { id: "logs" as const, label: "Logs" }] : TABS;
  const wanted = route.tab ?? "yaml";
  const tab = tabs.some(({ id }) => id === wanted) ? wanted : "yaml";
  const select = (id: ObjectTab): void => navigate({ ...route, tab: id }, { replace: true });
  const mayEdit =
    at === undefined && kind.verbs.includes("update") && can("update", kind, namespace, name).value === true;
  const edit = async (version?: Value): Promise<void> => {
    const base = await readBase(of, hideStatus).catch((error: unknown) => {
      toast(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`, "bad");
    });
    if (!base) return;
    const text = version === undefined ? undefined : await inPageSlices(restoredText(version, base));
    // The user may look at something else by now.
    if (!isShown.current) return;
    drafts.drop(draftKey);
    begun.value = draftOf(base, text);
    select("yaml");
  };
  const open = (): void => {
    if (editing) select("yaml");
    else void edit();
  };
  const close = (): void => {
    drafts.drop(draftKey);
    begun.value = undefined;
    model.reload();
  };
  const isInEditor = editing !== undefined && tab === "yaml";
  useKeys(
    "Object",
    [
      ...(mayEdit && !isInEditor ? [{ keys: "e", does: "edit the object", run: open }] : []),
      ...tabs.map(({ id, label }, index) => ({
        keys: String(index + 1),
        does: `show ${label}`,
        run: () => select(id),
      })),
    ],
    [mayEdit, editing, tab, tabs.length],
  );
  const isThere = state.state !== "gone" && state.state !== "loading";
  return (
    <div class="object-view">
      <Head of={of} state={state}>
        {kept && !isInEditor ? <Badge tone="warning">edit not saved</Badge> : undefined}
        {editing && !isInEditor ? (
          <Button onClick={open}>Continue the edit</Button>
        ) : mayEdit && isThere && !isInEditor ? (
          <Button onClick={open}>Edit</Button>
        ) : undefined}
        {isThere && at === undefined && state.object ? <ActionsMenu of={of} object={state.object} /> : undefined}
      </Head>
      <Tabs label={`Views of ${name}`} tabs={tabs} selected={tab} onSelect={select} />
      <div class="object-panel" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        {editing && isInEditor ? (
          <EditPane
            draft={editing}
            draftKey={draftKey}
            reread={() => readBase(of, hideStatus)}
            newest={state.state === "gone" ? undefined : state.report}
            onSaved={close}
            onClose={close}
          />
        ) : (
          <Panel
            of={of}
            tab={tab}
            state={state}
            model={model}
            onRestore={
              mayEdit
                ? (version) => {
                    if (kept) replacement.value = version;
                    else void edit(version);
                  }
                : undefined
            }
          />
        )}
      </div>
      {replacement.value === undefined ? undefined : (
        <Dialog
          title={`Replace your edit of ${name}?`}
          onClose={() => {
            replacement.value = undefined;
          }}
          actions={
            <Button
              kind="danger"
              onClick={() => {
                void edit(replacement.value);
                replacement.value = undefined;
              }}
            >
              Replace
            </Button>
          }
        >
          <p>You have an edit that is not saved. The text of the version would replace it.</p>
        </Dialog>
      )}
    </div>
  );
}

function Panel({
  of,
  tab,
  state,
  model,
  onRestore,
}: {
  readonly of: ObjectKey;
  readonly tab: ObjectTab;
  readonly state: ObjectState;
  readonly model: ObjectModel;
  readonly onRestore: ((version: Value) => void) | undefined;
}): JSX.Element {
  const { name, namespace, kind } = of;
  if (tab === "history")
    return <HistoryTab of={of} state={state} onRestore={onRestore} onBack={() => model.reload()} />;
  if (state.state === "failed" && state.failure)
    return <ErrorBox title={`${kind.kind} ${name} cannot be read.`} status={state.failure} />;
  if (state.state === "gone" && !state.owned)
    return (
      <EmptyState title={`There is no ${kind.kind} ${namespace ? `${namespace}/` : ""}${name}.`}>
        <p>
          <a href={href({ ...objectRoute(kind, namespace, name), tab: "history" })}>Its history may have it.</a>
        </p>
      </EmptyState>
    );
  switch (tab) {
    case "events":
      return <EventsTab of={of} uid={state.report?.object.uid} />;
    case "graph":
      return <GraphTab of={of} object={state.object} />;
    case "why":
      return <WhyTab of={of} version={state.report?.object.resourceVersion} />;
    case "logs":
      return <LogsTab of={of} object={state.object} />;
    default:
      return <YamlTab state={state} name={name} />;
  }
}

const STATES = {
  loading: undefined,
  live: undefined,
  still: { tone: "neutral", text: "not live" },
  stale: { tone: "warning", text: "connection lost" },
  gone: { tone: "bad", text: "deleted" },
  failed: { tone: "bad", text: "not readable" },
} as const;

/** An object that was not there when the page asked: it may have been deleted, or never existed. */
const NOT_THERE = { tone: "warning", text: "not there" } as const;

function Head({
  of: { kind, namespace, name, at },
  state,
  children,
}: {
  readonly of: ObjectKey;
  readonly state: ObjectState;
  readonly children: JSX.Element | undefined | (JSX.Element | undefined)[];
}): JSX.Element {
  const { group, version, resource } = kind;
  const badge =
    at === undefined ? (state.state === "gone" && !state.owned ? NOT_THERE : STATES[state.state]) : undefined;
  const { creationTimestamp, deletionTimestamp } = state.object?.metadata ?? {};
  return (
    <header class="object-head row">
      <h1 class="grow object-title">
        <a href={href({ view: "list", group, version, resource, ...(namespace ? { namespace } : {}) })}>{kind.kind}</a>{" "}
        {namespace ? (
          <span class="object-namespace">
            <Text value={namespace} />/
          </span>
        ) : undefined}
        <Text value={name} class="object-name" />
      </h1>
      {badge ? <Badge tone={badge.tone}>{badge.text}</Badge> : undefined}
      {at === undefined ? undefined : <Badge tone="info">at version {at}, read-only</Badge>}
      {deletionTimestamp ? <Badge tone="warning">is being deleted</Badge> : undefined}
      {creationTimestamp ? (
        <span class="soft">
          <Age time={creationTimestamp} /> old
        </span>
      ) : undefined}
      {children}
    </header>
  );
}
