import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { HistoryReport } from "../../../../src/meta/history-report.ts";
import { HISTORY_PATH } from "../../../../src/meta/history-report.ts";
import type { Kind } from "../../api/discovery.ts";
import { ApiFailure, request } from "../../api/http.ts";
import { collectionPath, itemsOf, type KubeList } from "../../api/kube.ts";
import { at } from "../../state/moment.ts";
import { href, objectRoute } from "../../state/route.ts";
import { Badge, Button, Text } from "../../ui/basics.tsx";
import { timeText } from "../../ui/time-text.ts";
import { useWhy, Why } from "../../ui/why.tsx";
import { kindOfRow } from "./kinds.ts";
import { marksOfEvents, marksOfHistory } from "./past.ts";
import { endOf, type Mark, type Row } from "./rows.ts";
import { lengthText } from "./scale.ts";
import { TONES } from "./timeline.tsx";

/** What is known of the past of the selected row. */
export interface Past {
  readonly marks: readonly Mark[];
  readonly failure?: string;
}

const NO_PAST: Past = { marks: [] };

/** Reads the versions and the Events of the selected object, again after it has changed. */
export function usePast(row: Row | undefined, all: readonly Kind[]): Past {
  const state = useMemo(() => signal<Past>(NO_PAST), [row?.uid]);
  useEffect(() => {
    const kind = row && kindOfRow(all, row.kind);
    if (!row || !kind) return undefined;
    const aborter = new AbortController();
    const { group, version, resource } = kind;
    const { namespace, name, uid } = row;
    const history = request<HistoryReport>(HISTORY_PATH, {
      query: { group, version, resource, namespace, name, limit: 50 },
      signal: aborter.signal,
    });
    const events = request<KubeList>(collectionPath({ group: "", version: "v1", resource: "events" }, namespace), {
      query: { fieldSelector: `involvedObject.uid=${uid}`, limit: 100 },
      signal: aborter.signal,
    });
    void Promise.allSettled([history, events]).then(([versions, list]) => {
      if (aborter.signal.aborted) return;
      const failed = [versions, list].find((one) => one.status === "rejected")?.reason;
      const message = failed instanceof ApiFailure ? (failed.status.message ?? "") : "";
      state.value = {
        marks: [
          ...(versions.status === "fulfilled" ? marksOfHistory(versions.value) : []),
          ...(list.status === "fulfilled" ? marksOfEvents(itemsOf(list.value)) : []),
        ].toSorted((a, b) => b.time - a.time),
        ...(message === "" ? {} : { failure: message }),
      };
    });
    return () => aborter.abort();
  }, [row?.uid, row?.resourceVersion]);
  return state.value;
}

/** What is known of the selected row. */
export function RowDetails({
  row,
  all,
  past,
  now: time,
  onClose,
}: {
  readonly row: Row;
  readonly all: readonly Kind[];
  readonly past: Past;
  readonly now: number;
  readonly onClose: () => void;
}): JSX.Element {
  const kind = kindOfRow(all, row.kind);
  const isPast = at.value !== undefined;
  const why = useWhy(
    kind && !isPast ? { kind, namespace: row.namespace, name: row.name } : undefined,
    row.resourceVersion,
  ).value;
  const [tone, text] = TONES[row.state];
  return (
    <aside class="details" aria-label="Selected">
      <div class="row">
        <h2 class="grow">
          {row.kind} <Text value={row.name} />
        </h2>
        <Button kind="quiet" aria-label="Close the details" onClick={onClose}>
          ✕
        </Button>
      </div>
      <p>
        <Badge tone={tone}>{text}</Badge> <Text value={row.detail} />
      </p>
      {row.says === undefined ? undefined : (
        <p class="says">
          <Text value={row.says} />
        </p>
      )}
      {kind ? (
        <p>
          <a href={href(objectRoute(kind, row.namespace, row.name))}>Open the object</a>
        </p>
      ) : undefined}
      <h3>Why</h3>
      {isPast ? <p class="soft">The server explains only the current state.</p> : <Why state={why} />}
      <h3>Life</h3>
      <ul class="lives">
        {row.spans.map((span, i) => (
          <li key={i}>
            <span class={`swatch span-${span.state}`} aria-hidden="true" /> <Text value={span.text} />{" "}
            <span class="soft">
              from {timeText(span.from)}, {lengthText(endOf(span, time) - span.from)}
            </span>
          </li>
        ))}
      </ul>
      <h3>Changes and Events</h3>
      {past.failure === undefined ? undefined : (
        <p class="soft">
          Not all of it could be read: <Text value={past.failure} />
        </p>
      )}
      {past.marks.length === 0 ? <p class="soft">none</p> : undefined}
      <ul class="lives">
        {past.marks.map((mark, i) => (
          <li key={i}>
            <span class="soft">{timeText(mark.time)}</span>{" "}
            <Badge tone={mark.kind === "warning" ? "warning" : "neutral"}>
              {mark.kind === "change" ? "change" : "Event"}
            </Badge>{" "}
            <Text value={mark.text} />
          </li>
        ))}
      </ul>
    </aside>
  );
}
