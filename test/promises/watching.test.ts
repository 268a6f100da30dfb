/** Where a watch begins and what it says of its progress. */
import { describe, expect, test } from "vitest";
import { at } from "../rules/answer.ts";
import { fresh, serve } from "../rules/api.ts";
import type { Watch, WatchEvent } from "../rules/watch-stream.ts";

const api = serve();

const maps = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`;

const versionOf = ({ object }: WatchEvent): bigint => BigInt(String(at(object, "metadata.resourceVersion")));

const isEnd = (object: object): boolean => {
  const { annotations } = at(object, "metadata") as { annotations?: Record<string, string> };
  return annotations?.["k8s.io/initial-events-end"] === "true";
};

/** Events until one is of `name`; a bookmark is shown as such. */
async function until(watch: Watch, name: string): Promise<string[]> {
  const seen: string[] = [];
  for (let event = await watch.next(); event; event = await watch.next()) {
    if (event.type === "BOOKMARK") seen.push(isEnd(event.object) ? "END" : "BOOKMARK");
    else seen.push(`${event.type} ${String(at(event.object, "metadata.name"))}`);
    if (seen.at(-1) === `ADDED ${name}`) return seen;
  }
  return [...seen, "ended"];
}

describe("the start of a watch: every combination of version, sendInitialEvents and bookmarks", () => {
  const versions = ["", "0", "past"];
  const cases = versions.flatMap((version) =>
    [undefined, "true", "false"].flatMap((initial) =>
      [undefined, "true"].map((bookmarks) => ({ version, initial, bookmarks })),
    ),
  );
  test.for(cases)("version $version, sendInitialEvents $initial, allowWatchBookmarks $bookmarks", async (one) => {
    const { version, initial, bookmarks } = one;
    const path = maps(fresh("ns"));
    const past = (await api.post(path, { metadata: { name: "a" } })).resourceVersion;
    await api.post(path, { metadata: { name: "b" } });
    using watch = await api.watch(path, {
      resourceVersion: version === "past" ? past : version || undefined,
      sendInitialEvents: initial,
      resourceVersionMatch: initial === undefined ? undefined : "NotOlderThan",
      allowWatchBookmarks: bookmarks,
    });
    expect(watch.status).toBe(200);
    await api.post(path, { metadata: { name: "last" } });
    // A watch from no version, or from any, is one that asks for the initial events.
    const state = initial === "true" || (initial === undefined && version !== "past");
    const before = state ? ["ADDED a", "ADDED b"] : version === "past" ? ["ADDED b"] : [];
    const end = state && bookmarks === "true" ? ["END"] : [];
    const seen = await until(watch, "last");
    expect(seen).toEqual([...before, ...end, "ADDED last"]);
  });

  test.each(["true", "false"])("sendInitialEvents=%s asks for resourceVersionMatch=NotOlderThan", async (initial) => {
    const path = maps(fresh("ns"));
    const answer = await api.get(path, { watch: "true", sendInitialEvents: initial });
    expect(answer.status).toBe(422);
  });
});

describe("bookmarks", () => {
  const WATCH_LIST = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" };

  test("the end of the initial events is at least the newest write to anything before the request", async () => {
    const path = maps(fresh("ns"));
    await api.post(path, { metadata: { name: "a" } });
    const elsewhere = await api.post(maps(fresh("ns")), { metadata: { name: "b" } });
    const secret = await api.post(`/api/v1/namespaces/${fresh("ns")}/secrets`, { metadata: { name: "c" } });
    for (const written of [elsewhere, secret]) {
      using watch = await api.watch(path, WATCH_LIST);
      expect((await watch.next())?.type).toBe("ADDED");
      const end = await watch.next();
      expect(end?.type).toBe("BOOKMARK");
      expect(BigInt(String(at(end!.object, "metadata.resourceVersion")))).toBeGreaterThanOrEqual(
        BigInt(written.resourceVersion),
      );
    }
  });

  test("have the kind of what is watched and nothing else but a version, and no event after one is older", async () => {
    const path = maps(fresh("ns"));
    for (let i = 0; i < 20; i++) await api.post(path, { metadata: { name: `o${i}` } });
    using watch = await api.watch(path, WATCH_LIST);
    const writes = Array.from({ length: 20 }, (_, i) => api.post(path, { metadata: { name: `p${i}` } }));
    const events: WatchEvent[] = [];
    while (events.filter(({ type }) => type !== "BOOKMARK").length < 40) events.push((await watch.next())!);
    const bookmarks = events.filter(({ type }) => type === "BOOKMARK");
    expect(bookmarks.length).toBeGreaterThan(0);
    for (const bookmark of bookmarks) {
      const { metadata, ...rest } = bookmark.object as { metadata: Record<string, unknown> };
      expect(rest).toEqual({ kind: "ConfigMap", apiVersion: "v1" });
      const members = Object.entries(metadata).flatMap(([key, value]) => (value === null ? [] : [key]));
      expect(members.toSorted()).toEqual(["annotations", "resourceVersion"]);
      const later = events.slice(events.indexOf(bookmark) + 1);
      expect(later.filter((event) => versionOf(event) <= versionOf(bookmark))).toEqual([]);
    }
    await Promise.all(writes);
  });
});

describe("going on after the connection was lost", () => {
  test(
    "from the last version that was seen every change comes once and in order, however often it is lost",
    { timeout: 60_000 },
    async () => {
      const path = maps(fresh("ns"));
      const WRITES = 200;
      using whole = await api.watch(path);
      let version = (await api.get(path)).resourceVersion;
      const writing = (async () => {
        for (let i = 0; i < WRITES; i += 10) {
          await Promise.all(Array.from({ length: 10 }, (_, j) => api.post(path, { metadata: { name: `o${i + j}` } })));
        }
      })();
      const seen: string[] = [];
      while (seen.length < WRITES) {
        using part = await api.watch(path, { resourceVersion: version });
        for (let i = 0; i < 7 && seen.length < WRITES; i++) {
          const event = await part.next();
          version = String(at(event!.object, "metadata.resourceVersion"));
          seen.push(`${event!.type} ${version}`);
        }
      }
      await writing;
      const expected: string[] = [];
      while (expected.length < WRITES) {
        const event = await whole.next();
        expected.push(`${event!.type} ${String(at(event!.object, "metadata.resourceVersion"))}`);
      }
      expect(seen).toEqual(expected);
    },
  );
});
