/**
 * A kind that changes all the time, under everything that can be done to it: whatever is answered is whole, in the version
 * that was asked for, and a watch that is taken up where it ended misses nothing.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Watch, WatchSink } from "../../cache/index.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Store } from "../../storage/contract.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import { openSqliteStore } from "../../storage/sqlite/store.ts";
import { seededRandom, systemClock } from "../../util/clock.ts";
import type { BuiltRegistry } from "../build.ts";
import type { Resource } from "../contract.ts";
import { failureOf } from "../kind/errors.ts";
import type { ResourceSpec } from "../kinds.ts";
import { askingConverter } from "../testing/converted.ts";
import { APPLY, CALLER, LIST, WATCH, WRITE, bodyOf, named, registryOf, widget } from "../testing/registry.ts";

const VERSIONS = ["v1", "v2", "v3"] as const;
const KEY = "widgets.example.com";

type Pick = <T>(from: readonly T[]) => T;

const find = ({ kinds }: BuiltRegistry, version: string): Resource | undefined =>
  kinds.find("example.com", version, "widgets");

/** Any way to serve the kind: v2 always, so that there is something to ask for. */
function anySpec(pick: Pick): ResourceSpec {
  const selectableFields = { "spec.n": (object: ApiObject) => (object["spec"] as { n?: string } | undefined)?.n ?? "" };
  const versions = VERSIONS.map((version) =>
    widget(version, {
      served: version === "v2" || pick([true, false]),
      shortNames: [pick(["a", "b"])],
      selectableFields,
    }),
  );
  const asking = pick([true, false]) ? { converter: askingConverter().converter } : {};
  return { versions, storage: pick(versions), ...asking };
}

/** A client that watches one version and takes its watch up whenever it ends; it knows what there is. */
class Follower {
  readonly known = new Map<string, string>();
  readonly #built: BuiltRegistry;
  readonly #version: string;
  #revision = 0;
  #watch: Watch | undefined;
  #over = true;

  constructor(built: BuiltRegistry, version: string) {
    this.#built = built;
    this.#version = version;
  }

  async follow(): Promise<void> {
    const resource = find(this.#built, this.#version);
    if (!this.#over || !resource) return;
    this.#over = false;
    const from = this.#revision === 0 ? { sendInitialEvents: true } : { resourceVersion: String(this.#revision) };
    const sink: WatchSink = {
      deliver: ({ events, revision }) => {
        for (const { type, entry } of events) {
          const text = whole(resource, entry.key, resource.view(entry));
          expect(entry.revision).toBeGreaterThan(type === "ADDED" && this.#revision === 0 ? 0 : this.#revision - 1);
          if (type === "DELETED") this.known.delete(entry.key);
          else this.known.set(entry.key, text);
        }
        if (revision > 0) this.#revision = revision;
      },
      ended: (error) => {
        expect(error.code).toBe("closed");
        this.#over = true;
      },
    };
    try {
      this.#watch = (await resource.watch("", { ...WATCH, ...from }, sink)).watch;
    } catch (error) {
      this.#over = true;
      expectSound(error);
    }
  }

  close(): void {
    this.#watch?.close();
  }
}

/** The text of what was answered, which is the object that was asked for, in the version that was asked for. */
function whole({ definition }: Resource, key: string, bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  const { apiVersion, kind, metadata } = JSON.parse(text) as ApiObject;
  expect([apiVersion, kind, metadata.name]).toEqual([`example.com/${definition.version}`, "Widget", key]);
  expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  return text;
}

/** Refusals that a client understands: its own mistakes, conflicts, and a kind that is not there just now. */
function expectSound(error: unknown): void {
  const { code, message } = failureOf(error);
  expect([400, 404, 409, 410, 422, 503], `${code} ${message} ${String((error as Error).stack)}`).toContain(code);
}

async function ask(resource: Resource, pick: Pick): Promise<void> {
  const name = pick(["a", "b", "c", "d", "e"]);
  const spec = { n: pick(["1", "2", "3"]) };
  const { version } = resource.definition;
  const sent = bodyOf({ apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name }, spec });
  const steps: (() => Promise<unknown>)[] = [
    () => resource.create(named(""), sent, WRITE, CALLER),
    () => resource.create(named(""), sent, WRITE, CALLER),
    () => resource.update(named(name), sent, WRITE, CALLER),
    () => resource.patch(named(name), sent, APPLY, CALLER),
    () => resource.patch(named(name), bodyOf({ spec }), { ...APPLY, type: "merge" }, CALLER),
    () => resource.delete(named(name), { dryRun: false }, CALLER),
    () => resource.deleteCollection("", { ...LIST, fieldSelector: "spec.n=3" }, { dryRun: false }, CALLER),
    () => resource.history(named(name), { limit: 5, objects: true }),
    async () => {
      const entry = await resource.get(named(name), { resourceVersion: "" });
      whole(resource, name, resource.view(entry));
    },
    async () => {
      for (let token = ""; ;) {
        const page = await resource.list("", { ...LIST, limit: 2, continue: token });
        for (const entry of page.entries) whole(resource, entry.key, resource.view(entry));
        if (page.continue === "") return;
        token = page.continue;
      }
    },
    async () => {
      const { entries } = await resource.list("", { ...LIST, fieldSelector: "spec.n=2" });
      for (const entry of entries) expect(resource.object(entry)["spec"]).toEqual({ n: "2" });
    },
  ];
  await pick(steps)();
}

/** Some time of everything at once; what is there at its end, in v2. */
async function storm(built: BuiltRegistry, seed: number): Promise<Map<string, string>> {
  const random = seededRandom(seed);
  const pick: Pick = (from) => from[Math.floor(random.next() * from.length)]!;
  await built.kinds.set(anySpec(pick));
  const followers = [...VERSIONS, "v2"].map((version) => new Follower(built, version));
  const all: Promise<unknown>[] = [];
  for (let round = 0; round < 60; round++) {
    const under: Promise<unknown>[] = followers.map((follower) => follower.follow());
    for (let i = 0; i < 8; i++) {
      const resource = find(built, pick(VERSIONS));
      if (resource) under.push(ask(resource, pick).catch(expectSound));
    }
    if (random.next() < 0.4) under.push(built.kinds.set(anySpec(pick)));
    if (random.next() < 0.1) under.push(built.kinds.remove(KEY));
    all.push(...under);
    if (random.next() < 0.6) await Promise.all(under);
    else await new Promise((resolve) => void setImmediate(resolve));
  }
  await Promise.all(all);
  await built.kinds.set({ versions: VERSIONS.map((version) => widget(version)), storage: widget(pick(VERSIONS)) });
  const v2 = find(built, "v2")!;
  const { entries } = await v2.list("", LIST);
  const there = new Map(entries.map((entry) => [entry.key, whole(v2, entry.key, v2.view(entry))]));
  for (const follower of [followers[1]!, followers[3]!]) {
    await follower.follow();
    await expect.poll(() => new Map(follower.known)).toEqual(there);
  }
  for (const follower of followers) follower.close();
  expect(await built.cacher.verify()).toEqual([]);
  return there;
}

/** Storms over one store, with a new server for each: what one has left the next one finds. How many passed. */
async function storms(open: () => Promise<Store>, close: boolean, seeds: readonly number[]): Promise<number> {
  let store = await open();
  let passed = 0;
  for (const seed of seeds) {
    const built = await registryOf([], { store });
    const left = await storm(built, seed);
    built.cacher.close();
    if (close) {
      await store.close();
      store = await open();
    }
    const again = await registryOf([], { store });
    expect(again.kinds.resources).toEqual([]);
    await again.kinds.set({ versions: VERSIONS.map((version) => widget(version)), storage: widget("v3") });
    const v2 = find(again, "v2")!;
    const { entries } = await v2.list("", LIST);
    expect(new Map(entries.map((entry) => [entry.key, Buffer.from(v2.view(entry)).toString()]))).toEqual(left);
    again.cacher.close();
    passed++;
  }
  await store.close();
  return passed;
}

test("in memory, twenty storms", async () => {
  const store = await openMemoryStore();
  const seeds = Array.from({ length: 20 }, (_, i) => i + 1);
  expect(await storms(() => Promise.resolve(store), false, seeds)).toBe(20);
});

test("on disk, three storms, the store opened again after each", async () => {
  const directory = await mkdtemp(join(tmpdir(), "keelson-storm-"));
  try {
    expect(await storms(() => openSqliteStore({ directory, clock: systemClock }), true, [31, 32, 33])).toBe(3);
  } finally {
    await rm(directory, { recursive: true });
  }
});
