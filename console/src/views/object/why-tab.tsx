import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReportedObject } from "../../../../src/meta/ownership-reports.ts";
import type { Status } from "../../../../src/meta/status.ts";
import type { WhyReport } from "../../../../src/meta/why-report.ts";
import { kindOfObject } from "../../api/discovery.ts";
import { client, servedKind, statusOf } from "../../editor/client.ts";
import { href, objectRoute } from "../../state/route.ts";
import { Age, Badge, Button, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import type { ObjectKey } from "./model.ts";

/** Why an object is as it is, in sentences. */
export function WhyTab({ of, version }: { readonly of: ObjectKey; readonly version: string | undefined }): JSX.Element {
  const { kind, namespace, name, at } = of;
  const report = useSignal<WhyReport | undefined>(undefined);
  const failure = useSignal<Pick<Status, "message" | "reason" | "details"> | undefined>(undefined);
  const turn = useSignal(0);
  useEffect(() => {
    if (at !== undefined) return undefined;
    const abort = new AbortController();
    const key = namespace === undefined ? { name } : { name, namespace };
    client
      .resource(servedKind(kind))
      .why(key, { signal: abort.signal })
      .then(
        (found) => {
          report.value = found;
          failure.value = undefined;
        },
        (error: unknown) => {
          if (!abort.signal.aborted) failure.value = statusOf(error);
        },
      );
    return () => abort.abort();
  }, [version, turn.value, name, namespace, kind, at]);
  if (at !== undefined) return <p class="soft">The server knows only for now what an object waits for.</p>;
  const again = (
    <Button
      onClick={() => {
        turn.value++;
      }}
    >
      Ask again
    </Button>
  );
  if (failure.value)
    return (
      <ErrorBox title="The server does not say why." status={failure.value}>
        {again}
      </ErrorBox>
    );
  if (!report.value) return <Loading what="the reasons" />;
  const {
    phase,
    isTerminating,
    reasons,
    considered,
    nodes,
    content,
    command,
    leftOut = 0,
    isUnknownKind,
  } = report.value;
  const lacking =
    considered?.map(({ volume, lacks }) => ({ what: volume, lacks })) ??
    nodes?.map(({ node, lacks }) => ({ what: node, lacks }));
  return (
    <div class="why">
      <p class="row">
        {phase ? <Badge tone="info">{phase}</Badge> : undefined}
        {isTerminating ? <Badge tone="warning">is being deleted</Badge> : undefined}
        {again}
      </p>
      {isUnknownKind ? (
        <p class="soft">For this kind, only finalizers, conditions that are not true and the last warning are known.</p>
      ) : undefined}
      {reasons.length === 0 ? <p>It waits for nothing: no pending conditions or finalizers were found.</p> : undefined}
      <ul class="reasons">
        {reasons.map(({ says, who, about, quotes }, index) => (
          <li key={index}>
            <p>
              <Text value={says} />
              {about ? (
                <>
                  {" ("}
                  <About of={about} />)
                </>
              ) : undefined}
            </p>
            {quotes ? (
              <p class="soft">
                {quotes.in} <Text value={quotes.reason} />
                {quotes.from ? (
                  <>
                    {" of "}
                    <Text value={quotes.from} />
                  </>
                ) : undefined}
                {quotes.time ? (
                  <>
                    , <Age time={quotes.time} /> ago
                  </>
                ) : undefined}
              </p>
            ) : undefined}
            {who === undefined ? undefined : (
              <p class="who">
                → <Text value={who} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {lacking && lacking.length > 0 ? (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">{considered ? "Volume" : "Node"}</th>
              <th scope="col">Lacks</th>
            </tr>
          </thead>
          <tbody>
            {lacking.map(({ what, lacks }) => (
              <tr key={what}>
                <td>
                  <Text value={what} />
                </td>
                <td>
                  <Text value={lacks.join("; ") || "nothing"} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : undefined}
      {leftOut > 0 ? <p class="soft">{leftOut} more are left out.</p> : undefined}
      {content && content.length > 0 ? (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Left</th>
              <th scope="col">Count</th>
              <th scope="col">Finalizers</th>
            </tr>
          </thead>
          <tbody>
            {content.map(({ group, resource, count, finalizers }) => (
              <tr key={`${resource}.${group}`}>
                <td>
                  <Text value={group === "" ? resource : `${resource}.${group}`} />
                </td>
                <td>{count}</td>
                <td>
                  <Text
                    value={
                      Object.entries(finalizers)
                        .map(([finalizer, held]) => `${finalizer} (${held})`)
                        .join(", ") || "none"
                    }
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : undefined}
      {command === undefined ? undefined : (
        <p>
          To see them: <code>{command}</code>
        </p>
      )}
    </div>
  );
}

function About({ of: { apiVersion, kind, name, namespace } }: { readonly of: ReportedObject }): JSX.Element {
  const text = `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
  const served = kindOfObject(apiVersion, kind);
  if (!served) return <Text value={`(${text})`} />;
  return (
    <a href={href({ ...objectRoute(served, namespace, name), tab: "why" })}>
      <Text value={text} />
    </a>
  );
}
