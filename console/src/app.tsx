import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { session } from "./api/http.ts";
import { sessionInfo } from "./api/session.ts";
import { Banners } from "./shell/banners.tsx";
import { CommandBar } from "./shell/command-bar.tsx";
import { Header } from "./shell/header.tsx";
import { Help } from "./shell/help.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { moment } from "./state/moment.ts";
import { commandBar, drawer, help, timeStrip } from "./state/panels.ts";
import { sidebar } from "./state/preferences.ts";
import { back, navigate, route, type Route } from "./state/route.ts";
import { classes, EmptyState } from "./ui/basics.tsx";
import type { KeyBinding } from "./ui/keys.ts";
import { lazy } from "./ui/lazy.tsx";
import { Toasts } from "./ui/toast.tsx";
import HomeView from "./views/home/index.tsx";
import ListView from "./views/list/index.tsx";
import SignInView from "./views/sign-in/index.tsx";

const ObjectView = lazy(() => import("./views/object/index.tsx"));
const NewView = lazy(() => import("./views/new/index.tsx"));
const StorageView = lazy(() => import("./views/storage/index.tsx"));
const WorkloadsView = lazy(() => import("./views/workloads/index.tsx"));
const ServerView = lazy(() => import("./views/server/index.tsx"));
const FindingsView = lazy(() => import("./views/findings/index.tsx"));
const PlanView = lazy(() => import("./views/plan/index.tsx"));

const TimeStrip = lazy(() => import("./views/time/index.tsx"));

/** Keys that work in every view. */
export const KEYS: readonly KeyBinding[] = [
  {
    keys: ":",
    does: "go to a kind, a namespace or a view",
    run: () => {
      commandBar.value = "";
    },
  },
  {
    keys: "?",
    does: "this help",
    run: () => {
      help.value = true;
    },
  },
  {
    keys: "t",
    does: "choose the moment that is shown",
    run: () => {
      timeStrip.value = !timeStrip.peek();
    },
  },
  {
    keys: "Escape",
    does: "go back",
    run: () => {
      if (drawer.peek()) drawer.value = false;
      else back();
    },
  },
];

/** The view of a route. */
function View({ route: to }: { readonly route: Route }): JSX.Element {
  switch (to.view) {
    case "home":
      return <HomeView />;
    case "list":
      return <ListView route={to} />;
    case "object":
      return <ObjectView route={to} />;
    case "new":
      return <NewView route={to} />;
    case "storage":
      return <StorageView route={to} />;
    case "workloads":
      return <WorkloadsView route={to} />;
    case "server":
      return <ServerView route={to} />;
    case "explore":
      return <FindingsView route={to} />;
    case "plan":
      return <PlanView route={to} />;
    case "sign-in":
      return <SignInView route={to} />;
    case "unknown":
      return (
        <EmptyState isPage title="There is no such page.">
          <p>
            <a href="/console/">Go to the first page</a>
          </p>
        </EmptyState>
      );
  }
}

/** The page. */
export function App(): JSX.Element {
  const isSignIn = route.value.view === "sign-in";
  useEffect(() => {
    // Who comes without a session is asked for one first; one that ends later leaves the view as it is.
    const stop = effect(() => {
      if (session.value !== "lost" || sessionInfo.peek() || route.peek().view === "sign-in") return;
      navigate({ view: "sign-in", query: { to: location.pathname + location.search } }, { replace: true });
    });
    return stop;
  }, []);
  return (
    <div class={classes("app", sidebar.value === "hidden" && "app-wide")}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the view
      </a>
      <Header />
      <Banners />
      <div class="body">
        {isSignIn ? undefined : <Sidebar />}
        {drawer.value ? (
          <button
            type="button"
            class="drawer-ground"
            aria-label="Close the list of kinds"
            onClick={() => {
              drawer.value = false;
            }}
          />
        ) : undefined}
        <main id="main" tabIndex={-1}>
          <View route={route.value} />
        </main>
      </div>
      {timeStrip.value || moment.value ? (
        <TimeStrip
          onClose={() => {
            timeStrip.value = false;
          }}
        />
      ) : undefined}
      {commandBar.value === undefined ? undefined : <CommandBar />}
      {help.value ? <Help /> : undefined}
      <Toasts />
    </div>
  );
}
