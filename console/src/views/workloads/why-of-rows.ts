import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Kind } from "../../api/discovery.ts";
import { ApiFailure } from "../../api/http.ts";
import { readWhy } from "../../ui/why.tsx";
import { kindOfRow } from "./kinds.ts";
import type { FlatRow } from "./list.ts";

/** How many rows that are not finished are explained. */
const EXPLAINED = 8;
const EXPLAIN_MS = 3000;

/** What the first unfinished rows wait for, as the server says it: one question after the other, again after a change. */
export function useWhyOfRows(flat: readonly FlatRow[], all: readonly Kind[]): ReadonlyMap<string, string> {
  const known = useMemo(() => signal<ReadonlyMap<string, string>>(new Map()), []);
  const asked = useRef(new Map<string, string>());
  const wanted = flat
    .filter(({ row, depth }) => depth === 0 && (row.state === "waits" || row.state === "failed"))
    .slice(0, EXPLAINED)
    .map(({ row }) => row);
  const latest = useRef({ wanted, all });
  latest.current = { wanted, all };
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isRefused = false;
    const step = async (): Promise<void> => {
      const rows = latest.current.wanted;
      for (const row of rows) {
        const kind = kindOfRow(latest.current.all, row.kind);
        if (!kind || asked.current.get(row.uid) === row.resourceVersion) continue;
        asked.current.set(row.uid, row.resourceVersion);
        const { namespace, name } = row;
        // oxlint-disable-next-line no-await-in-loop -- one question after the other
        const report = await readWhy({ kind, namespace, name }, aborter.signal).catch((error: unknown) => {
          isRefused = error instanceof ApiFailure && error.code === 403;
        });
        // What is refused for one object is refused for all: the right is that of the path.
        if (aborter.signal.aborted || isRefused) return;
        const [first] = report ? report.reasons : [];
        const uids = new Set(latest.current.wanted.map(({ uid }) => uid));
        const kept = new Map([...known.peek()].filter(([uid]) => uids.has(uid)));
        if (first) kept.set(row.uid, first.says);
        else kept.delete(row.uid);
        known.value = kept;
      }
      timer = setTimeout(() => void step(), EXPLAIN_MS);
    };
    void step();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, []);
  return known.value;
}
