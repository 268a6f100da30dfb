import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { at } from "../../state/moment.ts";
import type { PlainRoute } from "../../state/route.ts";
import { Badge, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { useTitle } from "../../ui/title.ts";
import { Cards } from "./cards.tsx";
import { pollServer, type ServerState } from "./poll.ts";
import { Fairness, Requests, Resources, StoreFacts } from "./tables.tsx";
import "../../ui/views.css";
import "./server.css";

/** The view of the route `server`: what the server does now, from its metrics. */
export default function ServerView({ route }: { readonly route: PlainRoute }): JSX.Element {
  useTitle("Server");
  const poll = useMemo(() => pollServer(), []);
  useEffect(() => () => poll.close(), [poll]);
  const state = poll.value.value;
  return (
    <div class="view server" data-view={route.view}>
      <header class="view-head">
        <h1>Server</h1>
        {at.value === undefined ? undefined : (
          <Badge tone="info">This view always shows now: metrics have no history here</Badge>
        )}
        <Health state={state} />
      </header>
      <Content state={state} />
    </div>
  );
}

function Content({ state }: { readonly state: ServerState }): JSX.Element {
  const { failure, after, before } = state;
  if (failure?.code === 403) return <NoRight message={failure.status.message ?? ""} />;
  if (!after && failure) return <ErrorBox title="The metrics could not be read." status={failure.status} />;
  if (!after) return <Loading what="metrics" />;
  return (
    <>
      {failure ? (
        <ErrorBox title="The last read failed; the view tries again by itself." status={failure.status} />
      ) : undefined}
      {state.isCut ? (
        <p class="soft">The metrics are larger than this page can read: sums are of a part of them.</p>
      ) : undefined}
      <Cards state={state} />
      <Requests before={before} after={after} millis={state.millis} />
      <Resources samples={after} />
      <Fairness samples={after} />
      <StoreFacts samples={after} />
    </>
  );
}

function Health({ state: { health } }: { readonly state: ServerState }): JSX.Element {
  if (health.length === 0) return <Badge>health unknown</Badge>;
  const failed = health.filter(({ isOk }) => !isOk);
  return (
    <details class="health">
      <summary>
        <Badge tone={failed.length === 0 ? "good" : "bad"}>
          {failed.length === 0
            ? `ready: ${health.length} checks pass`
            : `${failed.length} of ${health.length} checks fail`}
        </Badge>
      </summary>
      <ul class="checks">
        {health.map(({ name, isOk, says }) => (
          <li key={name}>
            <Badge tone={isOk ? "good" : "bad"}>{isOk ? "ok" : "fails"}</Badge> <Text value={name} />
            {isOk ? undefined : <Text value={` ${says}`} />}
          </li>
        ))}
      </ul>
    </details>
  );
}

const ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: metrics-reader
rules:
- nonResourceURLs: ["/metrics"]
  verbs: ["get"]`;

function NoRight({ message }: { readonly message: string }): JSX.Element {
  return (
    <EmptyState title="You may not read the metrics of the server.">
      <p>
        <Text value={message} />
      </p>
      <p>Ask an administrator to bind this role to you:</p>
      <pre class="no-right">{ROLE}</pre>
    </EmptyState>
  );
}
