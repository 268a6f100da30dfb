import { signal, type ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { ReportedReason, WhyReport } from "../../../src/meta/why-report.ts";
import { WHY_PATH } from "../../../src/meta/why-report.ts";
import { ApiFailure, request } from "../api/http.ts";
import type { KindPath } from "../api/kube.ts";
import { Text } from "./basics.tsx";

/** What was found of why an object is as it is. */
export interface WhyState {
  readonly report?: WhyReport;
  readonly failure?: ApiFailure;
}

/** The object that is explained. */
export interface WhySubject {
  readonly kind: KindPath;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A report is asked for again after a change, but not more often than this. */
const FRESH_MS = 2000;

/** Reads why an object is as it is, again when `version` has changed; undefined subjects are not read. */
export function useWhy(subject: WhySubject | undefined, version: string): ReadonlySignal<WhyState> {
  const key = subject && JSON.stringify([subject.kind.group, subject.kind.resource, subject.namespace, subject.name]);
  const state = useMemo(() => signal<WhyState>({}), [key]);
  const asked = useMemo(() => ({ at: -Infinity }), [key]);
  useEffect(() => {
    if (!subject) return undefined;
    const aborter = new AbortController();
    const ask = (): void => {
      asked.at = performance.now();
      readWhy(subject, aborter.signal).then(
        (report) => {
          if (!aborter.signal.aborted) state.value = { report };
        },
        (error: unknown) => {
          if (!aborter.signal.aborted && error instanceof ApiFailure) state.value = { failure: error };
        },
      );
    };
    const wait = Math.max(0, asked.at + FRESH_MS - performance.now());
    const timer = setTimeout(ask, wait);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key, version]);
  return state;
}

/** Reads why an object is as it is. */
export async function readWhy({ kind, namespace, name }: WhySubject, abort: AbortSignal): Promise<WhyReport> {
  const { group, version, resource } = kind;
  return request<WhyReport>(WHY_PATH, { query: { group, version, resource, namespace, name }, signal: abort });
}

/** The sentences of a report. */
export function Why({ state }: { readonly state: WhyState }): JSX.Element {
  const { report, failure } = state;
  if (failure?.code === 403) {
    return (
      <p class="soft">
        The server explains objects to those who may get the path <code>{WHY_PATH}</code>; you may not.
      </p>
    );
  }
  if (failure) {
    return (
      <p class="soft">
        The server does not say why: <Text value={failure.status.message ?? `code ${failure.code}`} />
      </p>
    );
  }
  if (!report) return <p class="soft">Asking the server why…</p>;
  if (report.reasons.length === 0) return <p class="soft">It waits for nothing.</p>;
  return (
    <ul class="why">
      {report.reasons.map((reason, i) => (
        <li key={i}>
          <Text value={reason.says} />
          <Who reason={reason} />
        </li>
      ))}
    </ul>
  );
}

function Who({ reason: { who } }: { readonly reason: ReportedReason }): JSX.Element | null {
  if (who === undefined) return null;
  return (
    <p class="who">
      → <Text value={who} />
    </p>
  );
}
