import type { JSX } from "preact";
import type { KubeObject } from "../../api/kube.ts";
import { Age, Badge, EmptyState, ErrorBox, Loading, Text } from "../../ui/basics.tsx";
import { useFollow } from "../../ui/follow.ts";
import type { ObjectKey } from "./model.ts";

/** An Event of the core group, as far as it is shown. */
interface CoreEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

const timeOf = ({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: CoreEvent): string =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? "";

/** The Events about an object, live, newest first. */
export function EventsTab({
  of: { kind, namespace, name, at },
  uid,
}: {
  readonly of: ObjectKey;
  readonly uid: string | undefined;
}): JSX.Element {
  // Events about objects of the cluster stand in `default`.
  const selectors = [
    `involvedObject.kind=${kind.kind}`,
    `involvedObject.name=${name}`,
    ...(namespace ? [`involvedObject.namespace=${namespace}`] : []),
  ];
  const { objects, state, failure, truncated } = useFollow<CoreEvent>(
    `/api/v1/namespaces/${encodeURIComponent(namespace ?? "default")}/events`,
    {
      query: { labelSelector: undefined, fieldSelector: selectors.join(",") },
      most: 500,
      ...(at === undefined ? {} : { at }),
    },
  ).value;
  if (state === "failed" && failure) return <ErrorBox title="Events cannot be read." status={failure.status} />;
  if (state === "loading") return <Loading what="Events" />;
  if (objects.length === 0) return <EmptyState title="There are no Events about this object." />;
  const sorted = [...objects].sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
  return (
    <div class="events">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Last seen</th>
            <th scope="col">Type</th>
            <th scope="col">Reason</th>
            <th scope="col">From</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((event) => {
            const count = event.series?.count ?? event.count ?? 1;
            return (
              <tr key={event.metadata.uid}>
                <td>
                  <Age time={timeOf(event)} />
                  {count > 1 ? <span class="soft"> ×{count}</span> : undefined}
                </td>
                <td>
                  <Badge tone={event.type === "Warning" ? "warning" : "neutral"}>{event.type ?? ""}</Badge>
                </td>
                <td>
                  <Text value={event.reason ?? ""} />
                </td>
                <td>
                  <Text value={event.reportingComponent || event.source?.component || ""} />
                </td>
                <td class="event-message">
                  <Text value={event.message ?? ""} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {truncated ? <p class="warning-line">There are more Events than are shown.</p> : undefined}
      {uid && sorted.some((event) => !isAbout(event, uid)) ? (
        <p class="soft">Some of them are about an earlier object with this name.</p>
      ) : undefined}
    </div>
  );
}

const isAbout = (event: CoreEvent, uid: string): boolean => {
  const { uid: of } = (event as { readonly involvedObject?: { readonly uid?: string } }).involvedObject ?? {};
  return of === undefined || of === "" || of === uid;
};
