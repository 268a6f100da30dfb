/**
 * The cache against a model that keeps every state: random histories, and all kinds of reads.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CacherOptions } from "./options.ts";
import { type Selection, covers, passes } from "./entry.ts";
import { CacheError } from "./errors.ts";
import type { Snapshot } from "./snapshot.ts";
import { FakeStore } from "./testing/fake-store.ts";
import {
  ALL,
  type TestCache,
  type Line,
  Notes,
  TestEntry,
  type TestObject,
  type TestPut,
  testCache,
  inNamespace,
  keysOf,
  one,
  untilIdle,
  withField,
  withLabel,
} from "./testing/fixtures.ts";

const SELECTIONS: readonly Selection[] = [
  ALL,
  inNamespace("a"),
  inNamespace("a-b"),
  one("a/x"),
  withLabel("color", "red"),
  withLabel("color", "red", "a/"),
  withField("phase", "on"),
  { ...withField("phase", "on"), id: "both", labels: [["color", "blue"]] },
  { ...one("a/y"), ...withField("phase", "on"), id: "one on", prefix: "", key: "a/y" },
];

const key = fc
  .tuple(fc.constantFrom("a", "a-b", "b"), fc.constantFrom("x", "xx", "y", "z"))
  .map(([namespace, name]) => `${namespace}/${name}`);
const object = fc.record({
  labels: fc.constantFrom<NonNullable<TestObject["labels"]>[]>({}, { color: "red" }, { color: "blue" }),
  fields: fc.constantFrom<NonNullable<TestObject["fields"]>[]>({}, { phase: "on" }, { phase: "off" }),
});
const change = fc.tuple(key, fc.option(object, { nil: undefined, freq: 3 }));
/** Changes that are committed together, each with its own revision or all with one. */
interface Commit {
  readonly asOne: boolean;
  readonly changes: readonly TestPut[];
}
const commit: fc.Arbitrary<Commit> = fc.record({
  asOne: fc.boolean(),
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
});
const commits = fc.array(commit, {
  minLength: 1,
  maxLength: 30,
  size: "max",
});

type State = ReadonlyMap<string, TestEntry>;

/** All states of a store, by revision. */
class Model {
  readonly states: State[] = [new Map()];

  apply(changes: readonly TestPut[]): void {
    const before = this.states.at(-1)!;
    const state = new Map(before);
    for (const [name, value] of changes) {
      if (value === undefined) state.delete(name);
      else state.set(name, new TestEntry(name, Buffer.from(JSON.stringify(value)), this.states.length));
    }
    if (changes.some(([name, value]) => value !== undefined || before.has(name))) this.states.push(state);
  }

  get revision(): number {
    return this.states.length - 1;
  }

  list(selection: Selection, revision: number): TestEntry[] {
    const selected = [...this.states[revision]!.values()].filter(
      (e) => covers(selection, e.key) && passes(selection, e),
    );
    return selected.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The expected events of a watch: the differences of the lists at each revision and the previous one. */
  events(selection: Selection, after: number): Line[] {
    const lines: Line[] = [];
    for (let revision = after + 1; revision <= this.revision; revision++) {
      const before = new Map(this.list(selection, revision - 1).map((entry) => [entry.key, entry]));
      for (const entry of this.list(selection, revision)) {
        const there = before.get(entry.key);
        before.delete(entry.key);
        if (there?.revision !== entry.revision) lines.push(`${there ? "~" : "+"} ${entry.key}@${revision}`);
      }
      for (const gone of before.keys()) lines.push(`- ${gone}@${revision}`);
    }
    return lines;
  }
}

/** Commits random changes to a cache and a model; data that only distinguishes versions is left out of the lines. */
async function play(
  cache: TestCache,
  model: Model,
  history: readonly Commit[],
  between: (step: number) => void | Promise<void> = () => {},
): Promise<void> {
  for (const [step, { asOne, changes }] of history.entries()) {
    // Each key once.
    const puts = asOne ? [...new Map(changes)] : changes;
    if (asOne) {
      model.apply(puts);
      cache.putAsOne(...puts);
    } else {
      for (const put of puts) model.apply([put]);
      cache.put(...puts);
    }
    await between(step);
  }
}

/** The recorded lines; adjacent lines of one revision are sorted. */
function linesOf(notes: Notes): Line[] {
  const revisionOf = (line: Line | undefined): string | undefined => line?.split("@")[1];
  const runs: Line[][] = [];
  for (const line of notes.lines) {
    if (runs.length > 0 && revisionOf(runs.at(-1)![0]) === revisionOf(line)) runs.at(-1)!.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => run.toSorted(byChange));
}

/** The order of the changes of one revision in {@link Model.events}: deletes come last. */
const byChange = (a: Line, b: Line): number =>
  Number(a.startsWith("-")) - Number(b.startsWith("-")) || (a.slice(2) < b.slice(2) ? -1 : 1);

/** Checks that no two batches have events of one revision. */
function expectWholeRevisions({ batches }: Notes): void {
  const last = batches.map(({ events }) => events.at(-1)!.entry.revision);
  const first = batches.map(({ events }) => events[0]!.entry.revision);
  expect(first.slice(1).filter((revision, i) => revision <= last[i]!)).toEqual([]);
}

const forgetful: CacherOptions = { historyEvents: 3, historyMillis: 0 };

describe("random histories", () => {
  test.each([
    ["all in memory", {}],
    ["mostly from the store's log", forgetful],
  ] as const)("a watch from any revision shows the differences of the lists, %s", async (_, options) => {
    await fc.assert(
      fc.asyncProperty(
        commits,
        fc.array(fc.tuple(fc.nat(29), fc.nat(120), fc.nat(8)), { maxLength: 12, size: "max" }),
        async (history, starts) => {
          const cache = await testCache(options);
          const model = new Model();
          const watches: { notes: Notes; selection: Selection; after: number }[] = [];
          await play(cache, model, history, async (step) => {
            cache.clock.advance(1);
            for (const [at, after, i] of starts) {
              if (at !== step) continue;
              const watch = {
                notes: new Notes(),
                selection: SELECTIONS[i]!,
                after: Math.min(after, model.revision + 3),
              };
              cache.things.watch(watch.selection, { after: watch.after }, watch.notes);
              watches.push(watch);
            }
            if (step % 3 === 0) await untilIdle();
          });
          await untilIdle();
          for (const { notes, selection, after } of watches) {
            expect(notes.error).toBeUndefined();
            expect(linesOf(notes)).toEqual(model.events(selection, after));
            expectWholeRevisions(notes);
          }
          expect(await cache.cacher.verify()).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a watch from the present state shows that state and then the differences", async () => {
    await fc.assert(
      fc.asyncProperty(commits, fc.nat(8), fc.nat(29), async (history, i, at) => {
        const cache = await testCache();
        const model = new Model();
        const notes = new Notes();
        const selection = SELECTIONS[i]!;
        let started: number | undefined;
        await play(cache, model, history, async (step) => {
          if (step !== Math.min(at, history.length - 1)) return;
          cache.things.watch(selection, { initial: true }, notes);
          await untilIdle();
          started = model.revision;
        });
        await untilIdle();
        const present = model.list(selection, started!).map((entry) => `+ ${entry.key}@${entry.revision}`);
        const count = present.length;
        expect(notes.lines.slice(0, count)).toEqual(present);
        expect(linesOf(notes).slice(count)).toEqual(model.events(selection, started!));
        expect(notes.batches.filter((batch) => batch.initialEnd).map((batch) => batch.revision)).toEqual([started]);
      }),
      { numRuns: 60 },
    );
  });

  test("a past state is what it was: exactly, or `compacted`", async () => {
    await fc.assert(
      fc.asyncProperty(
        commits,
        fc.array(fc.tuple(fc.nat(29), fc.nat(120)), { maxLength: 20, size: "max" }),
        fc.constantFrom<CacherOptions[]>(
          {},
          { historyEvents: 20, historyMillis: 0 },
          { ...forgetful, pageVersions: 2 },
        ),
        async (history, reads, options) => {
          const cache = await testCache(options);
          const model = new Model();
          await play(cache, model, history, (step) => {
            cache.clock.advance(1);
            for (const [at, revision] of reads) {
              if (at === step) expectState(cache, model, Math.min(revision, model.revision));
            }
          });
          for (let revision = 0; revision <= model.revision; revision++) expectState(cache, model, revision);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("DEC-25: pages with writes between them show the state of the first page", async () => {
    await fc.assert(
      fc.asyncProperty(
        commits,
        fc.nat(29),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(8),
        async (history, at, limit, i) => {
          const cache = await testCache({ ...forgetful, pageMillis: 1000 });
          const model = new Model();
          const selection = SELECTIONS[i]!;
          const pages: string[][] = [];
          let revision: number | undefined;
          let after: string | undefined;
          await play(cache, model, history, (step) => {
            cache.clock.advance(1);
            if (step < at || (revision !== undefined && after === undefined)) return;
            revision ??= model.revision;
            const snapshot = cache.things.snapshotAt(revision);
            const page = snapshot.list(selection, { limit, ...(after === undefined ? {} : { after }) });
            pages.push(keysOf(page.entries));
            after = page.next;
          });
          const expected = revision === undefined ? [] : keysOf(model.list(selection, revision));
          expect(pages.flat()).toEqual(expected.slice(0, pages.length * limit));
          expect(after !== undefined || pages.length * limit >= expected.length).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("after a restart in the middle, with compaction, a watch shows the exact events or ends with `compacted`", async () => {
    await fc.assert(
      fc.asyncProperty(
        commits,
        commits,
        fc.nat(60),
        fc.nat(60),
        fc.nat(8),
        async (first, second, after, compact, i) => {
          const store = new FakeStore();
          const model = new Model();
          await play(await testCache({}, store), model, first);
          const cache = await testCache({}, store);
          await store.compact(Math.min(compact, store.revision));
          const selection = SELECTIONS[i]!;
          const notes = new Notes();
          cache.things.watch(selection, { after }, notes);
          await play(cache, model, second, (step) => (step % 2 ? untilIdle() : undefined));
          await untilIdle();
          const tooOld = after < Math.min(compact, model.revision) && notes.error !== undefined;
          expect(notes.error?.code).toBe(tooOld ? "compacted" : undefined);
          expect(linesOf(notes)).toEqual(tooOld ? [] : model.events(selection, after));
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** The state at a revision, undefined when it is compacted. */
function stateAt({ things }: TestCache, revision: number): Snapshot | undefined {
  try {
    return things.snapshotAt(revision);
  } catch (error) {
    if (error instanceof CacheError && error.code === "compacted") return undefined;
    throw error;
  }
}

function expectState(cache: TestCache, model: Model, revision: number): void {
  const snapshot = stateAt(cache, revision);
  expect(snapshot !== undefined || revision < cache.things.stats().historyStart).toBe(true);
  if (!snapshot) return;
  const found = SELECTIONS.map((selection) => snapshot.list(selection).entries.map((e) => `${e.key}@${e.revision}`));
  expect(found).toEqual(
    SELECTIONS.map((selection) => model.list(selection, revision).map((e) => `${e.key}@${e.revision}`)),
  );
  expect(snapshot.size).toBe(model.states[revision]!.size);
}
