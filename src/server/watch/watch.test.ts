import { describe, expect, test } from "vitest";
import { expired } from "../../meta/status.ts";
import type { WatchSink } from "../../registry/index.ts";
import { ManualClock } from "../../util/clock.ts";
import type { InjectResponse } from "../http/inject.ts";
import { testServer } from "../testing/test-server.ts";

const CM = "/api/v1/namespaces/n/configmaps";
const object = (name: string) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "n" },
  data: { k: "v" },
});

interface Event {
  type: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  object: any;
}

/** Reads events of a watch, line by line. */
class Reader {
  readonly #pieces: AsyncGenerator<Uint8Array, void, undefined>;
  #text = "";

  constructor(response: InjectResponse) {
    this.#pieces = response.pieces();
  }

  /** The next event, undefined at the end of the stream. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return JSON.parse(line) as Event;
      }
      const { value, done } = await this.#pieces.next();
      if (done) return undefined;
      this.#text += Buffer.from(value).toString();
    }
  }

  async types(count: number): Promise<(string | undefined)[]> {
    const seen: (string | undefined)[] = [];
    for (let i = 0; i < count; i++) seen.push((await this.next())?.type);
    return seen;
  }
}

async function setup(options: Parameters<typeof testServer>[0] = {}) {
  const clock = new ManualClock();
  const made = await testServer({ clock, ...options });
  const watch = async (query: string, headers: Record<string, string> = {}): Promise<Reader> =>
    new Reader(await made.ask("GET", `${CM}?watch=true&${query}`, { headers }));
  return { ...made, clock, watch };
}

describe("watch", () => {
  test("DEC-28: headers come at once, then one JSON text for each change", async () => {
    const { ask, put } = await setup();
    const response = await ask("GET", `${CM}?watch=1`);
    expect([response.code, response.headers["content-type"]]).toEqual([200, "application/json"]);
    const reader = new Reader(response);
    await put(object("a"));
    expect(await reader.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" }, data: { k: "v" } } });
  });

  test("what is there already leaves as one piece, and each change is encoded once for all watchers", async () => {
    const { put, ask } = await setup();
    for (const name of ["a", "b"]) await put(object(name));
    const first = (await ask("GET", `${CM}?watch=1`)).pieces();
    const second = (await ask("GET", `${CM}?watch=1`)).pieces();
    for (const pieces of [first, second]) {
      expect(
        Buffer.from((await pieces.next()).value!)
          .toString()
          .split("\n"),
      ).toHaveLength(3);
    }
    await put(object("c"));
    const [one, two] = [await first.next(), await second.next()];
    expect(one.value).toBe(two.value);
  });

  test("DEC-28: initial events end with a bookmark that says so, when both were asked for", async () => {
    const { watch, put } = await setup();
    await put(object("a"));
    const reader = await watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
    expect((await reader.next())?.type).toBe("ADDED");
    const bookmark = await reader.next();
    expect(bookmark).toMatchObject({
      type: "BOOKMARK",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { annotations: { "svc.io/initial-events-end": "true" } },
      },
    });
    expect(Object.keys(bookmark!.object as object)).toEqual(["kind", "apiVersion", "metadata"]);
  });

  test("DEC-28: bookmarks come every minute or so when asked for, and once more before the end", async () => {
    const { clock, watch } = await setup();
    const asked = await watch("allowWatchBookmarks=true&timeoutSeconds=200");
    const unasked = await watch("timeoutSeconds=200");
    for (let step = 0; step < 7; step++) clock.advance(30_000);
    const types = await asked.types(6);
    expect(types.filter((type) => type === "BOOKMARK").length).toBeGreaterThanOrEqual(3);
    expect(types.at(-1)).toBeUndefined();
    expect(await unasked.next()).toBeUndefined();
  });

  test("DEC-28: timeoutSeconds ends the stream in order, a negative one at once, none after 30 to 60 minutes", async () => {
    const { clock, watch, server } = await setup();
    await watch("");
    const short = await watch("timeoutSeconds=2");
    const over = await watch("timeoutSeconds=-1");
    clock.advance(1000);
    expect([server.watches, await over.next()]).toEqual([2, undefined]);
    clock.advance(2000);
    expect([server.watches, await short.next()]).toEqual([1, undefined]);
    clock.advance(29 * 60_000);
    expect(server.watches).toBe(1);
    clock.advance(31 * 60_000);
    expect(server.watches).toBe(0);
  });

  test("DEC-28: what ended the watch is an ERROR with a Status, and nothing follows", async () => {
    const { put, resource, watch, server } = await setup();
    const configmaps = resource("configmaps");
    const begin = configmaps.watch.bind(configmaps);
    let sink: WatchSink | undefined;
    configmaps.watch = (namespace, options, to) => begin(namespace, options, (sink = to));
    const reader = await watch("");
    sink!.ended({ code: "compacted", message: "old" } as Parameters<WatchSink["ended"]>[0]);
    expect(await reader.next()).toMatchObject({
      type: "ERROR",
      object: { kind: "Status", code: 410, reason: "Expired" },
    });
    expect(await reader.next()).toBeUndefined();
    expect(server.watches).toBe(0);
    await put(object("a"));
  });

  test("DEC-28: a version that is gone from the start is an ERROR too, a bad selector is a plain 400", async () => {
    const { resource, watch, json, ask } = await setup();
    resource("configmaps").watch = () => Promise.reject(expired("gone"));
    expect(await (await watch("resourceVersion=1")).next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
    expect((await json("GET", `${CM}?watch=1&resourceVersion=x`)).code).toBe(400);
    expect((await ask("GET", `${CM}?watch=1`, { headers: { accept: "application/yaml" } })).code).toBe(406);
  });

  test("a watcher whose reader is too slow is closed and delays no other", async () => {
    const { watch, ask, server, put } = await setup({ limits: { watchBufferBytes: 10_000 } });
    const reader = await watch("");
    await ask("GET", `${CM}?watch=1`);
    let seen = 0;
    for (let i = 0; i < 200; i++) {
      await put(object(`o${i}`));
      if ((await reader.next())?.object.metadata.name === `o${i}`) seen++;
    }
    expect([seen, server.watches]).toEqual([200, 1]);
    expect(await (await ask("GET", "/metrics")).text()).toContain(
      'apiserver_terminated_watchers_total{reason="slow"} 1',
    );
  });

  test("a client that goes away ends its watch", async () => {
    const { ask, server } = await setup();
    const response = await ask("GET", `${CM}?watch=1`);
    response.cancel();
    await Promise.resolve();
    expect(server.watches).toBe(0);
  });

  test("a table tells its columns with the first event only", async () => {
    const { watch, put } = await setup();
    const reader = await watch("", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    await put(object("a"));
    await put(object("b"));
    const [first, second] = [await reader.next(), await reader.next()];
    expect(first!.object.columnDefinitions).toHaveLength(2);
    expect(second!.object).toMatchObject({ kind: "Table", columnDefinitions: null, rows: [{ cells: ["b", 1] }] });
  });

  test("a bookmark in a table is a row whose cells are empty", async () => {
    const { clock, watch } = await setup();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const reader = await watch("allowWatchBookmarks=true&timeoutSeconds=1", { accept });
    clock.advance(3000);
    expect((await reader.next())!.object.rows).toMatchObject([
      { cells: ["", 0], object: { kind: "PartialObjectMetadata" } },
    ]);
  });

  test("the deprecated path watches, also one object by its name", async () => {
    const { put, ask } = await setup();
    for (const name of ["a", "b"]) await put(object(name));
    const reader = new Reader(await ask("GET", "/api/v1/watch/namespaces/n/configmaps/b?watch=false"));
    await put(object("c"));
    await ask("DELETE", `${CM}/b`);
    const seen = [await reader.next(), await reader.next()];
    expect(seen).toMatchObject([
      { type: "ADDED", object: { metadata: { name: "b" } } },
      { type: "DELETED", object: { metadata: { name: "b" } } },
    ]);
  });

  test("a shutdown ends watches with a last bookmark", async () => {
    const { watch, server, json } = await setup();
    const { resourceVersion } = (await json("GET", CM)).body.metadata as { resourceVersion: string };
    const reader = await watch(`resourceVersion=${resourceVersion}&allowWatchBookmarks=true`);
    await server.close(0);
    expect(await reader.types(2)).toEqual(["BOOKMARK", undefined]);
  });
});
