/**
 * One object as the view shows it: its text with owners, live, or as it was at a moment.
 *
 * @module
 */
import { type ReadonlySignal, batch, effect, signal } from "@preact/signals";
import { isStatus } from "../../../../src/client/errors.ts";
import { withSetters } from "../../../../src/client/objects/blame-setters.ts";
import type { BlameReport } from "../../../../src/meta/ownership-reports.ts";
import type { Status } from "../../../../src/meta/status.ts";
import { equal, type Value } from "../../../../src/value/value.ts";
import type { Kind } from "../../api/discovery.ts";
import { type KubeObject, apiVersionOf, collectionPath } from "../../api/kube.ts";
import { follow } from "../../api/watch.ts";
import { client, servedKind, statusOf } from "../../editor/client.ts";
import { type OwnedText, ownedText, withoutOwners } from "../../editor/owners.ts";
import { inPageSlices } from "../../ui/sliced.ts";

/** An object by its kind and name. */
export interface ObjectKey {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The resourceVersion of the moment that is shown; undefined is now. */
  readonly at: string | undefined;
}

/** What is known of an object. */
export interface ObjectState {
  /**
   * - `loading`: nothing is known yet.
   * - `live`: it is followed.
   * - `still`: it was read once: it is that of a moment, or the user may not watch it.
   * - `stale`: the connection is lost.
   * - `gone`: there is no such object; what was last seen may be there.
   * - `failed`: it cannot be read; `failure` says why.
   */
  readonly state: "loading" | "live" | "still" | "stale" | "gone" | "failed";
  readonly report?: BlameReport;
  readonly owned?: OwnedText;
  /** The object, whose integers beyond 2^53 are rounded: for what the page asks of it, never to be written. */
  readonly object?: KubeObject;
  readonly failure?: Pick<Status, "message" | "reason" | "details" | "code">;
}

/** A model that its user closes. */
export interface ObjectModel {
  readonly value: ReadonlySignal<ObjectState>;
  /** Reads the object again. */
  reload(): void;
  close(): void;
}

/** Reads an object with its owners; without them from a server that does not say who owns what. @throws {StatusError} */
export async function readReport({ kind, namespace, name }: Omit<ObjectKey, "at">): Promise<BlameReport> {
  const resource = client.resource(servedKind(kind));
  const key = namespace === undefined ? { name } : { name, namespace };
  try {
    return await resource.blame(key);
  } catch (error) {
    // A server behind this one may not say it.
    if (!isStatus(error, "NotAcceptable")) throw error;
    const object = await resource.get(key);
    const { resourceVersion, uid } = object.metadata;
    const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, ...(namespace ? { namespace } : {}) };
    return inPageSlices(withoutOwners(object as unknown as Value, { ...identity, resourceVersion, uid }));
  }
}

/** An object that could not be read again is read once more after this time. */
const RETRY_MS = 5000;

/** Follows an object. */
export function objectModel({ kind, namespace, name, at }: ObjectKey): ObjectModel {
  const value = signal<ObjectState>({ state: "loading" });
  const served = servedKind(kind);
  const resource = client.resource(served);
  const key = namespace === undefined ? { name } : { name, namespace };
  const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, ...(namespace ? { namespace } : {}) };
  const follower =
    at === undefined
      ? follow<KubeObject>(collectionPath(kind, namespace), {
          query: { fieldSelector: `metadata.name=${name}` },
          most: 1,
        })
      : undefined;
  const setters = new Map<string, BlameReport["leaves"][number]>();
  let closed = false;
  let loading = false;
  let again = false;
  let askedSetters = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const set = (more: Partial<ObjectState>): void => {
    if (!closed) value.value = { ...value.peek(), ...more };
  };

  const read = async (): Promise<BlameReport> => {
    if (at !== undefined) {
      const { versions } = await resource.history(key, { at, objects: true });
      const [version] = versions;
      if (version?.object === undefined) throw new Error(`the history has no object at version ${at}`);
      return inPageSlices(withoutOwners(version.object, { ...identity, resourceVersion: version.resourceVersion }));
    }
    return readReport({ kind, namespace, name });
  };

  const withKnownSetters = (report: BlameReport): BlameReport => {
    if (setters.size === 0) return report;
    const leaves = report.leaves.map((leaf) => {
      const known = leaf.managers.length === 0 ? setters.get(leaf.pointer) : undefined;
      return known?.setBy && equal(known.value, leaf.value) ? { ...leaf, setBy: known.setBy } : leaf;
    });
    return { ...report, leaves };
  };

  const show = async (report: BlameReport): Promise<void> => {
    const owned = await inPageSlices(ownedText(report));
    batch(() => set({ report, owned }));
  };

  const load = async (): Promise<void> => {
    if (loading) {
      again = true;
      return;
    }
    loading = true;
    try {
      do {
        again = false;
        const report = withKnownSetters(await read());
        await show(report);
        const { state } = value.peek();
        if (state === "loading" || state === "failed") set({ state: "still" });
        // Only a read had failed: the watch goes on, or there is none.
        const followed = follower?.value.peek().state;
        if (state === "stale" && followed !== "stale") set({ state: followed === "live" ? "live" : "still" });
        if (askedSetters || at !== undefined) continue;
        askedSetters = true;
        // What sets the fields without an owner is requested once, because it needs a dry run.
        const asked = await withSetters(client, served, report).catch(() => report);
        for (const leaf of asked.leaves) if (leaf.setBy) setters.set(leaf.pointer, leaf);
        if (setters.size > 0) await show(withKnownSetters(asked));
      } while (again && !closed);
    } catch (error) {
      const failure = statusOf(error);
      if (failure.code === 404) set({ state: "gone" });
      else if (value.peek().owned === undefined) set({ state: "failed", failure });
      else {
        set({ state: "stale", failure });
        // No event may come that makes it read again.
        clearTimeout(retry);
        if (!closed) retry = setTimeout(() => void load(), RETRY_MS);
      }
    } finally {
      loading = false;
    }
  };

  if (!follower) {
    void load();
    return { value, reload: () => void load(), close: () => void (closed = true) };
  }
  let seen = "";
  void load();
  const stop = effect(() => {
    const { objects, state, failure } = follower.value.value;
    if (state === "loading") return;
    // The user may read the object without the right to watch it.
    if (state === "failed") return;
    const [object] = objects;
    if (state === "stale") {
      set({ state: "stale", ...(failure ? { failure: failure.status } : {}) });
      return;
    }
    if (!object) {
      seen = "";
      set({ state: "gone" });
      return;
    }
    set({ state: "live", object });
    const { uid = "", resourceVersion = "" } = object.metadata;
    if (seen === `${uid}/${resourceVersion}`) return;
    const isFirst = seen === "";
    seen = `${uid}/${resourceVersion}`;
    if (!isFirst || value.peek().report?.object.resourceVersion !== resourceVersion) void load();
  });
  return {
    value,
    reload: () => void load(),
    close() {
      closed = true;
      clearTimeout(retry);
      stop();
      follower.close();
    },
  };
}
