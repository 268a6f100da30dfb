/** What a resourceVersion promises, and reads by it. */
import { describe, expect, test } from "vitest";
import { nextPass } from "../../src/util/testing/pass.ts";
import { cpuMillis } from "../../src/util/testing/cpu-time.ts";
import { expectNotLong } from "../../src/util/testing/slices.ts";
import { MERGE, fresh, serve } from "../rules/api.ts";

const api = serve();

const maps = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`;
const secrets = (ns: string): string => `/api/v1/namespaces/${ns}/secrets`;

/** Objects of these names in a namespace of their own. */
async function filled(...names: string[]): Promise<string> {
  const items = maps(fresh("ns"));
  for (const name of names) await api.post(items, { metadata: { name } });
  return items;
}

const versionOf = async (path: string): Promise<string> => (await api.get(path)).resourceVersion;

describe("resourceVersions", () => {
  test("are decimal numbers without leading zeros, and each write of any resource has a larger one than those before", async () => {
    const ns = fresh("ns");
    const versions: string[] = [];
    for (let i = 0; i < 12; i++) {
      const items = i % 2 === 0 ? maps(ns) : secrets(ns);
      versions.push((await api.post(items, { metadata: { name: `o${i}` } })).resourceVersion);
      versions.push((await api.merge(`${items}/o${i}`, { metadata: { labels: { i: String(i) } } })).resourceVersion);
    }
    let before = 0n;
    for (const version of versions) {
      expect(version).toMatch(/^[1-9][0-9]*$/);
      expect(BigInt(version)).toBeGreaterThan(before);
      before = BigInt(version);
    }
  });

  test("do not move by reading: get, list, watch and a write that changes nothing", async () => {
    const items = await filled("a");
    const before = await versionOf(items);
    await api.get(`${items}/a`);
    await api.get(items, { limit: "1" });
    using watch = await api.watch(items);
    expect(await watch.take(1)).toEqual(["ADDED a"]);
    await api.merge(`${items}/a`, {});
    await api.get(`${items}/missing`);
    expect(await versionOf(items)).toBe(before);
  });

  test("a list without one has that of the newest write to anything", async () => {
    const items = await filled("a");
    for (let i = 0; i < 5; i++) {
      const { resourceVersion } = await api.post(secrets(fresh("ns")), { metadata: { name: "elsewhere" } });
      expect(await versionOf(items)).toBe(resourceVersion);
    }
  });
});

describe("a get by version", () => {
  test("without one, with 0 and with a past one answers the newest state", async () => {
    const items = await filled("a");
    const first = await versionOf(`${items}/a`);
    const { resourceVersion } = await api.merge(`${items}/a`, { data: { k: "v" } });
    for (const asked of [undefined, "0", first, resourceVersion]) {
      expect((await api.get(`${items}/a`, { resourceVersion: asked })).resourceVersion).toBe(resourceVersion);
    }
    expect((await api.get(`${items}/missing`, { resourceVersion: "0" })).status).toBe(404);
  });

  test("beyond the present waits, then is 504 with Retry-After and the cause ResourceVersionTooLarge", async () => {
    const items = await filled("a");
    const far = String(Number(await versionOf(items)) + 1_000_000);
    for (const path of [`${items}/a`, items]) {
      const waiting = api.get(path, { resourceVersion: far });
      const soon = await api.later(2000, Promise.race([waiting, nextPass()]));
      expect(soon).toBeUndefined();
      const answer = await api.later(1000, waiting);
      expect(answer.status).toBe(504);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(answer.causes).toEqual(["ResourceVersionTooLarge"]);
    }
  });

  test("a little beyond the present is answered as soon as it is there", async () => {
    const items = await filled("a");
    const next = String(Number(await versionOf(items)) + 1);
    const waiting = api.get(`${items}/b`, { resourceVersion: next });
    await api.post(items, { metadata: { name: "b" } });
    expect((await waiting).status).toBe(200);
  });
});

describe("a list by version", () => {
  test("Exact is what was there at that version: before and after each create, update and delete", async () => {
    const items = await filled();
    const states: { version: string; shown: string[] }[] = [];
    const note = async (): Promise<void> => {
      const list = await api.get(items);
      states.push({ version: list.resourceVersion, shown: shown(list.body) });
    };
    await note();
    for (const name of ["c", "a", "b"]) {
      await api.post(items, { metadata: { name } });
      await note();
      await api.merge(`${items}/${name}`, { data: { k: name } });
      await note();
    }
    await api.delete(`${items}/a`);
    await note();
    await api.post(items, { metadata: { name: "a" }, data: { k: "again" } });
    await note();
    for (const { version, shown: expected } of states) {
      const list = await api.get(items, { resourceVersion: version, resourceVersionMatch: "Exact" });
      expect(shown(list.body)).toEqual(expected);
      expect(list.resourceVersion).toBe(version);
      const pages = await paged(items, { resourceVersion: version, resourceVersionMatch: "Exact", limit: "2" });
      expect(pages).toEqual({ shown: expected, versions: [version] });
    }
  });

  test("Exact is the same again while others write", async () => {
    const items = await filled("a", "b", "c");
    const version = await versionOf(items);
    const writes = Array.from({ length: 50 }, (_, i) => api.post(items, { metadata: { name: `w${i}` } }));
    for (let i = 0; i < 10; i++) {
      expect((await api.get(items, { resourceVersion: version, resourceVersionMatch: "Exact" })).names).toEqual([
        "a",
        "b",
        "c",
      ]);
    }
    await Promise.all(writes);
  });
});

interface Item {
  readonly metadata: { readonly name: string };
  readonly data?: { readonly k?: string };
}

const shown = (list: Record<string, unknown>): string[] =>
  (list["items"] as Item[]).map(({ metadata, data }) => `${metadata.name}=${data?.k ?? ""}`);

/** All pages of a list: what they show together, and the different versions that they have. */
async function paged(items: string, query: Record<string, string>): Promise<{ shown: string[]; versions: string[] }> {
  const all: string[] = [];
  const versions = new Set<string>();
  for (let next: string | undefined = ""; next !== undefined;) {
    const page = await api.get(items, next === "" ? query : { limit: query["limit"], continue: next });
    expect(page.status).toBe(200);
    all.push(...shown(page.body));
    versions.add(page.resourceVersion);
    next = page.at("metadata.continue") as string | undefined;
  }
  return { shown: all, versions: [...versions] };
}

describe("pages", () => {
  test("a page with a selector is filled from further on, and there is a token only while something is left to look at", async () => {
    const items = maps(fresh("ns"));
    for (let i = 0; i < 12; i++) {
      await api.post(items, { metadata: { name: `o${String(i).padStart(2, "0")}`, labels: { third: String(i % 3) } } });
    }
    const first = await api.get(items, { labelSelector: "third=1", limit: "2" });
    expect(first.names).toEqual(["o01", "o04"]);
    const rest = { labelSelector: "third=1", limit: "2", continue: String(first.at("metadata.continue")) };
    const second = await api.get(items, rest);
    expect([second.names, second.resourceVersion]).toEqual([["o07", "o10"], first.resourceVersion]);
    // Something is left to look at, but nothing of it matches.
    const last = await api.get(items, { ...rest, continue: String(second.at("metadata.continue")) });
    expect([last.names, last.at("metadata.continue")]).toEqual([[], undefined]);
  });

  test(
    "the one of a thousand that matches is a page of its own without a token, and costs little",
    { timeout: 60_000 },
    async () => {
      const items = maps(fresh("ns"));
      const make = (i: number) =>
        api.post(items, { metadata: { name: `o${String(i).padStart(4, "0")}`, labels: { rare: String(i === 999) } } });
      for (let i = 0; i < 1000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => make(i + j)));
      const before = cpuMillis();
      const page = await api.get(items, { labelSelector: "rare=true", limit: "1" });
      expectNotLong(cpuMillis() - before, 200);
      expect([page.names, page.at("metadata.continue")]).toEqual([["o0999"], undefined]);
    },
  );

  test("a key that begins with another one's is not in its list: namespaces ns and nsx, names a and ab", async () => {
    const ns = fresh("ns");
    await api.post(maps(ns), { metadata: { name: "a" } });
    await api.post(maps(ns), { metadata: { name: "ab" } });
    await api.post(maps(`${ns}x`), { metadata: { name: "c" } });
    const version = await versionOf(maps(ns));
    for (const query of [
      {},
      { resourceVersion: version },
      { resourceVersion: version, resourceVersionMatch: "Exact" },
    ]) {
      expect((await api.get(maps(ns), query)).names).toEqual(["a", "ab"]);
      expect((await api.get(maps(ns), { ...query, fieldSelector: "metadata.name=a" })).names).toEqual(["a"]);
    }
  });
});

describe("writes at the same moment", () => {
  test("patches without a version all take effect, whatever the others do", async () => {
    const items = await filled("a");
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    const answers = await Promise.all(keys.map((key) => api.patch(`${items}/a`, MERGE, { data: { [key]: key } })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(new Set(answers.map((answer) => answer.resourceVersion)).size).toBe(keys.length);
    expect(Object.keys((await api.get(`${items}/a`)).at("data") as object).toSorted()).toEqual(keys.toSorted());
  });

  test("of updates with the same version one wins, the others are 409", async () => {
    const items = await filled("a");
    const { body } = await api.get(`${items}/a`);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.put(`${items}/a`, { ...body, data: { by: String(i) } })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  });

  test("a delete without preconditions gets through among updates, and nothing comes after it", async () => {
    const items = await filled("a");
    using watch = await api.watch(items);
    const patch = (i: number) => api.merge(`${items}/a`, { data: { k: String(i) } });
    const patches = Array.from({ length: 30 }, (_, i) => patch(i));
    const deleted = await api.delete(`${items}/a`);
    expect(deleted.status).toBe(200);
    const answers = await Promise.all(patches);
    expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 404])).size).toBe(0);
    const events: string[] = [];
    const data: unknown[] = [];
    for (let event = await watch.next(); event; event = event.type === "DELETED" ? undefined : await watch.next()) {
      events.push(event.type);
      data.push((event.object["data"] as { k?: string } | undefined)?.k);
    }
    const patched = answers.filter(({ status }) => status === 200).length;
    expect(events).toEqual(["ADDED", ...Array.from({ length: events.length - 2 }, () => "MODIFIED"), "DELETED"]);
    // What was there when the watch began may already have been patched; the delete shows what was there last.
    expect(events.length - 2).toBeLessThanOrEqual(patched);
    expect(data.at(-1)).toBe(data.at(-2));
    expect((await api.get(`${items}/a`)).status).toBe(404);
  });
});
