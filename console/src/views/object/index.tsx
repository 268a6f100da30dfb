import "../../editor/editor.css";
import "./object.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { discovery, findKind } from "../../api/discovery.ts";
import { can } from "../../api/rights.ts";
import { client, servedKind } from "../../editor/client.ts";
import { type EditBase, EditPane } from "../../editor/edit-pane.tsx";
import { ownedText } from "../../editor/owners.ts";
import { at as shownAt } from "../../state/moment.ts";
import { href, navigate, type ObjectRoute, objectRoute, type ObjectTab } from "../../state/route.ts";
import { Age, Badge, Button, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { useKeys } from "../../ui/keys.ts";
import { type Tab, Tabs } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { ActionsMenu } from "./actions-menu.tsx";
import { EventsTab } from "./events-tab.tsx";
import { GraphTab } from "./graph-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { type ObjectKey, type ObjectModel, type ObjectState, inSteps, objectModel } from "./model.ts";
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
      <EmptyState title="The server has no such kind.">
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
  const state = model.value.value;
  const editing = useSignal<{ readonly text: string; readonly base: EditBase } | undefined>(undefined);
  const hideStatus = kind.subresources.some(({ name: one }) => one === "status");
  const hasLogs = kind.subresources.some(({ name: one }) => one === "log");
  const tabs = hasLogs && at === undefined ? [...TABS, { id: "logs" as const, label: "Logs" }] : TABS;
  const wanted = route.tab ?? "yaml";
  const tab = tabs.some(({ id }) => id === wanted) ? wanted : "yaml";
  const select = (id: ObjectTab): void => navigate({ ...route, tab: id }, { replace: true });
  const mayEdit =
    at === undefined && kind.verbs.includes("update") && can("update", kind, namespace, name).value !== false;
  const edit = async (text?: string): Promise<void> => {
    const base = await baseOf(of, hideStatus).catch((error: unknown) => {
      toast(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`, "bad");
    });
    if (!base) return;
    editing.value = { text: text === undefined ? base.text : withVersion(text, base), base };
    select("yaml");
  };
  useKeys(
    "Object",
    [
      ...(mayEdit && !editing.value ? [{ keys: "e", does: "edit the object", run: () => void edit() }] : []),
      ...tabs.map(({ id, label }, index) => ({
        keys: String(index + 1),
        does: `show ${label}`,
        run: () => select(id),
      })),
    ],
    [mayEdit, editing.value, tab, tabs.length],
  );
  const isThere = state.state !== "gone" && state.state !== "loading";
  return (
    <div class="object-view">
      <Head of={of} state={state}>
        {mayEdit && isThere && !editing.value ? <Button onClick={() => void edit()}>Edit</Button> : undefined}
        {isThere && at === undefined && state.object ? <ActionsMenu of={of} object={state.object} /> : undefined}
      </Head>
      <Tabs label={`Views of ${name}`} tabs={tabs} selected={tab} onSelect={select} />
      <div class="object-panel" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        <Panel
          of={of}
          tab={tab}
          state={state}
          model={model}
          editing={tab === "yaml" ? editing.value : undefined}
          onEdit={(text) => void edit(text)}
          onEdited={() => {
            editing.value = undefined;
            model.reload();
          }}
          hideStatus={hideStatus}
        />
      </div>
    </div>
  );
}

function Panel({
  of,
  tab,
  state,
  model,
  editing,
  hideStatus,
  onEdit,
  onEdited,
}: {
  readonly of: ObjectKey;
  readonly tab: ObjectTab;
  readonly state: ObjectState;
  readonly model: ObjectModel;
  readonly editing: { readonly text: string; readonly base: EditBase } | undefined;
  readonly hideStatus: boolean;
  readonly onEdit: (text: string) => void;
  readonly onEdited: () => void;
}): JSX.Element {
  const { name, namespace, kind } = of;
  if (editing)
    return (
      <EditPane
        text={editing.text}
        base={editing.base}
        reread={() => baseOf(of, hideStatus)}
        onSaved={() => {
          toast(`${name} is stored.`, "good");
          onEdited();
        }}
        onClose={onEdited}
      />
    );
  if (tab === "history") return <HistoryTab of={of} state={state} onRestore={onEdit} onBack={() => model.reload()} />;
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

/** Reads an object to edit it. */
async function baseOf({ kind, namespace, name }: ObjectKey, hideStatus: boolean): Promise<EditBase> {
  const report = await client
    .resource(servedKind(kind))
    .blame(namespace === undefined ? { name } : { name, namespace });
  const { text } = await inSteps(ownedText(report, { status: hideStatus }));
  return { kind, namespace, name, text, report, hideStatus };
}

/** The text of an old version with the resourceVersion and the uid of the object that it replaces. */
function withVersion(text: string, { report: { object } }: EditBase): string {
  return text
    .replace(/^ {2}resourceVersion: .*$/m, `  resourceVersion: ${JSON.stringify(object.resourceVersion)}`)
    .replace(/^ {2}uid: .*$/m, `  uid: ${object.uid}`);
}

const STATES = {
  loading: undefined,
  live: undefined,
  still: { tone: "neutral", text: "not live" },
  stale: { tone: "warning", text: "connection lost" },
  gone: { tone: "bad", text: "deleted" },
  failed: { tone: "bad", text: "not readable" },
} as const;

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
  const badge = at === undefined ? STATES[state.state] : undefined;
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
