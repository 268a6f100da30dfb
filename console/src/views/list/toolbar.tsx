import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Kind } from "../../api/discovery.ts";
import { request } from "../../api/http.ts";
import { collectionPath, itemsOf, type KubeList } from "../../api/kube.ts";
import { namespaces } from "../../api/namespaces.ts";
import type { ListRoute } from "../../state/route.ts";
import { Combo } from "../../ui/combo.tsx";
import { NamespaceChoice } from "../../ui/namespace-choice.tsx";
import { completeLabels, labelsOf, withFilter } from "./filters.ts";

/** A text that is typed reaches the list after this time without another one. */
const TYPED_MS = 150;
const NO_LABELS: ReadonlyMap<string, ReadonlySet<string>> = new Map();

/** The filters of a list. */
export function Filters({
  route,
  kind,
  offers,
  onChange,
  onLeave,
}: {
  readonly route: ListRoute;
  readonly kind: Kind;
  /** Whether namespaces are offered; they are read for that. */
  readonly offers: boolean;
  readonly onChange: (route: ListRoute) => void;
  /** The keyboard goes back to the table. */
  readonly onLeave: () => void;
}): JSX.Element {
  const current = useRef(route);
  current.current = route;
  const change = (more: Parameters<typeof withFilter>[1]): void => onChange(withFilter(current.current, more));
  return (
    <div class="filters" role="search" aria-label={`Filter ${kind.resource}`}>
      {kind.namespaced ? (
        <NamespaceChoice
          value={route.namespace ?? ""}
          names={(offers && namespaces.value) || []}
          onChange={(namespace) => change({ namespace })}
          onLeave={onLeave}
        />
      ) : undefined}
      <TypedFilter
        id="filter-name"
        label="Name contains"
        placeholder="Name  /"
        value={route.name ?? ""}
        onChange={(name) => change({ name })}
        onLeave={onLeave}
      />
      <LabelFilter route={route} kind={kind} onChange={(labels) => change({ labels })} onLeave={onLeave} />
      <TypedFilter
        id="filter-text"
        label="A column contains"
        placeholder="Status, any column"
        value={route.text ?? ""}
        onChange={(text) => change({ text })}
        onLeave={onLeave}
      />
      <TypedFilter
        id="filter-fields"
        label="Field selector"
        placeholder="Fields: spec.nodeName=…"
        value={route.fields ?? ""}
        onChange={(fields) => change({ fields })}
        onLeave={onLeave}
        onEnter
      />
    </div>
  );
}

interface TypedProps {
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
  readonly onLeave: () => void;
}

/** What is typed, and tells it after a short time: at once with Enter. A value from outside replaces it. */
function useTyped({ value, onChange }: Pick<TypedProps, "value" | "onChange">, onEnter: boolean) {
  const typed = useSignal(value);
  const sent = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (value !== sent.current) typed.value = value;
    sent.current = value;
  }, [value]);
  const send = (text: string): void => {
    if (text === sent.current) return;
    sent.current = text;
    latest.current(text || undefined);
  };
  useSignalEffect(() => {
    const text = typed.value;
    if (onEnter && text !== "") return undefined;
    const timer = setTimeout(() => send(text.trim()), TYPED_MS);
    return () => clearTimeout(timer);
  });
  return { typed, send };
}

function TypedFilter({
  id,
  label,
  placeholder,
  onLeave,
  onEnter = false,
  ...rest
}: TypedProps & {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  /** A selector is wrong until it is complete: it is sent with Enter. */
  readonly onEnter?: boolean;
}): JSX.Element {
  const { typed, send } = useTyped(rest, onEnter);
  return (
    <input
      id={id}
      class="input filter"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      value={typed.value}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        if (event.key === "Escape") typed.value = "";
        send(typed.value.trim());
        onLeave();
      }}
    />
  );
}

/** A label selector; it completes keys and values of the first objects of the list. */
function LabelFilter({
  route,
  kind,
  onChange,
  onLeave,
}: Omit<TypedProps, "value"> & { readonly route: ListRoute; readonly kind: Kind }): JSX.Element {
  const value = route.labels ?? "";
  const typed = useSignal(value);
  const seen = useSignal(NO_LABELS);
  useEffect(() => {
    typed.value = value;
  }, [value]);
  const read = (): void => {
    request<KubeList>(collectionPath(kind, route.namespace), {
      query: { limit: 500, resourceVersion: "0" },
      accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    }).then(
      (list) => {
        seen.value = labelsOf(itemsOf(list));
      },
      // Without completion the selector is typed whole.
      () => undefined,
    );
  };
  return (
    <Combo
      id="filter-labels"
      class="filter"
      label="Label selector"
      placeholder="Labels: app=web"
      value={typed.value}
      options={completeLabels(typed.value, seen.value)}
      onFocus={read}
      onInput={(text) => {
        typed.value = text;
        if (text === "" && value !== "") onChange(undefined);
      }}
      onTake={(option) => {
        if (option) typed.value = option.text;
        const text = typed.value.trim();
        // A key alone is not complete yet.
        if (text.endsWith("=")) return;
        if (text !== value) onChange(text || undefined);
        onLeave();
      }}
      onLeave={() => {
        typed.value = value;
        onLeave();
      }}
    />
  );
}
