import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { discovery, kinds } from "../api/discovery.ts";
import { drawer } from "../state/panels.ts";
import { href, route, type ListRoute, type PlainRoute } from "../state/route.ts";
import { classes } from "../ui/basics.tsx";
import { visible } from "../ui/visible.ts";
import { groupKinds } from "./groups.ts";

const VIEWS: readonly { readonly view: PlainRoute["view"]; readonly label: string }[] = [
  { view: "home", label: "Home" },
  { view: "workloads", label: "Workloads" },
  { view: "storage", label: "Storage" },
  { view: "server", label: "Server" },
  { view: "plan", label: "Plan" },
  { view: "explore", label: "Explore" },
];

/** Views, and kinds by group, with a search. */
export function Sidebar(): JSX.Element {
  const searched = useSignal("");
  const current = route.value;
  const groups = groupKinds(kinds.value, searched.value);
  // The namespace stays the same from list to list.
  const namespace = current.view === "list" || current.view === "object" ? current.namespace : undefined;
  const shownNamespace = current.view === "list" ? namespace : undefined;
  const close = (): void => {
    drawer.value = false;
  };
  return (
    <nav class={classes("sidebar", drawer.value && "sidebar-open")} aria-label="Kinds and views">
      <ul class="sidebar-views">
        {VIEWS.map(({ view, label }) => (
          <li key={view}>
            <a
              href={href({ view })}
              class="sidebar-link"
              aria-current={current.view === view ? "page" : undefined}
              onClick={close}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
      <div class="sidebar-search">
        <input
          class="input"
          type="search"
          aria-label="Search kinds"
          placeholder="Search kinds"
          spellcheck={false}
          value={searched.value}
          onInput={({ currentTarget }) => {
            searched.value = currentTarget.value;
          }}
        />
      </div>
      {/* It is scrolled, by keys too. */}
      <div class="sidebar-kinds">
        {groups.map(({ title, kinds: members }) => (
          <section key={title} aria-label={title}>
            <h2 class="sidebar-title" title={title}>
              {title}
            </h2>
            <ul>
              {members.map((kind) => {
                const { group, version, resource } = kind;
                const to: ListRoute = {
                  view: "list",
                  group,
                  version,
                  resource,
                  ...(kind.namespaced && shownNamespace ? { namespace: shownNamespace } : {}),
                };
                const isCurrent =
                  (current.view === "list" || current.view === "object") &&
                  current.resource === resource &&
                  current.group === group;
                return (
                  <li key={resource}>
                    <a
                      href={href(to)}
                      class="sidebar-link"
                      title={`${resource}${kind.shortNames.length > 0 ? ` (${kind.shortNames.join(", ")})` : ""}`}
                      aria-current={isCurrent ? "page" : undefined}
                      onClick={close}
                    >
                      {visible(kind.kind)}
                    </a>
                  </li>
                );
              })}
            </ul>
          </section>
        ))}
        {groups.length === 0 ? (
          <p class="soft sidebar-none" role="status">
            {discovery.value.loaded ? "No kind has this name." : "Loading kinds…"}
          </p>
        ) : undefined}
      </div>
    </nav>
  );
}
