import type { JSX } from "preact";
import { route, type Route } from "./state/route.ts";
import { EmptyState } from "./ui/basics.tsx";
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
      return <SignInView />;
    case "unknown":
      return (
        <EmptyState title="There is no such page.">
          <p>
            <a href="/console/">Begin at the first page</a>
          </p>
        </EmptyState>
      );
  }
}

/** The page. */
export function App(): JSX.Element {
  return (
    <div class="app">
      <main id="main" tabIndex={-1}>
        <View route={route.value} />
      </main>
      <Toasts />
    </div>
  );
}
