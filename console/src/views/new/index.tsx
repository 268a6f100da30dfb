import "../../editor/editor.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type Kind, discovery, kinds } from "../../api/discovery.ts";
import { FIELD_MANAGER, apiVersionOf } from "../../api/kube.ts";
import { can } from "../../api/rights.ts";
import type { Draft } from "../../editor/drafts.ts";
import { EditPane } from "../../editor/edit-pane.tsx";
import { drafts } from "../../editor/page-drafts.ts";
import { skeleton } from "../../editor/schema.ts";
import { loadSchema } from "../../editor/schemas.ts";
import { back, navigate, type NewRoute, objectRoute } from "../../state/route.ts";
import { EmptyState, Loading } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";

/** Makes new objects: from the skeleton of a kind, or from documents that are pasted. */
export default function NewView({ route }: { readonly route: NewRoute }): JSX.Element {
  useTitle("New");
  const { loaded } = discovery.value;
  const makeable = kinds.value.filter(({ verbs }) => verbs.includes("create") && verbs.includes("get"));
  const [group = "", version = "", resource = ""] = (route.kind ?? "").split("/");
  const kind = makeable.find(
    (one) => one.resource === resource && one.version === version && (one.group || "core") === group,
  );
  const text = useSignal<{ readonly of: string; readonly text: string } | undefined>(undefined);
  const of = `${route.kind ?? ""} ${route.namespace ?? ""}`;
  const draftKey = `new ${of}`;
  useEffect(() => {
    if (!kind) {
      if (route.kind === undefined) text.value = { of, text: "" };
      return undefined;
    }
    let closed = false;
    const namespace = kind.namespaced ? (route.namespace ?? "default") : undefined;
    const plain = `apiVersion: ${apiVersionOf(kind)}\nkind: ${kind.kind}\nmetadata:\n  name: ""\n`;
    loadSchema(kind).then(
      (schema) => {
        if (!closed) text.value = { of, text: schema ? skeleton(schema, kind, namespace) : plain };
      },
      () => {
        if (!closed) text.value = { of, text: plain };
      },
    );
    return () => {
      closed = true;
    };
  }, [of, kind]);
  if (!loaded) return <Loading what="the kinds of the server" />;
  const may = kind
    ? can("create", kind, kind.namespaced ? (route.namespace ?? "default") : undefined).value
    : undefined;
  return (
    <div class="object-view">
      <header class="object-head row">
        <h1 class="grow">New {kind ? kind.kind : "objects"}</h1>
        <label class="choice">
          <span class="soft">Kind</span>
          <select
            class="select"
            value={kind ? route.kind : ""}
            onChange={(event) => {
              const { value } = event.currentTarget;
              const { namespace } = route;
              navigate({ view: "new", ...(value ? { kind: value } : {}), ...(namespace ? { namespace } : {}) });
            }}
          >
            <option value="">any: paste documents</option>
            {makeable.map((one) => {
              const value = `${one.group || "core"}/${one.version}/${one.resource}`;
              return (
                <option key={value} value={value}>
                  {one.kind}
                  {one.group === "" ? "" : ` (${one.group})`}
                </option>
              );
            })}
          </select>
        </label>
      </header>
      {route.kind !== undefined && !kind ? (
        <EmptyState title="The server cannot create objects of this kind." />
      ) : undefined}
      {may === false ? <p class="warning-line">You may not create this: the server will refuse it.</p> : undefined}
      {text.value?.of === of ? (
        <div class="object-panel">
          <EditPane
            key={of}
            draft={drafts.get(draftKey) ?? newDraft(kind, text.value.text)}
            draftKey={draftKey}
            namespace={route.namespace}
            onSaved={({ kind: made, namespace, name }) => navigate(objectRoute(made, namespace, name))}
            onClose={back}
          />
        </div>
      ) : undefined}
    </div>
  );
}

/** An edit that begins with a text for new objects, of a kind if one is chosen. */
const newDraft = (kind: Kind | undefined, text: string): Draft => ({
  title: kind ? `new ${kind.kind}` : "new objects",
  text,
  initial: text,
  method: "create",
  manager: FIELD_MANAGER,
});
