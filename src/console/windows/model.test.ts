/** Random histories of writes against random windows: what a client shows is always the list as it was at that revision. */
import fc from "fast-check";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { WindowList } from "../../meta/console-protocol.ts";
import { map, optional, text } from "../../meta/types.ts";
import { CALLER, WRITE, bodyOf } from "../../registry/testing/registry.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { ageColumn } from "../../schema/columns.ts";
import { Listening } from "../../server/testing/listening.ts";
import { KINDS } from "../../server/testing/kinds.ts";
import { amount } from "../../util/testing/amount.ts";
import type { Shown } from "./testing/client.ts";
import { startWindows } from "./testing/started.ts";

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

/** Texts in the order in which they are sorted: quantities, what begins with a digit, other texts. */
const TEXTS = [
  "500m",
  "7",
  "10",
  "500Mi",
  "2Gi",
  "2 of 3",
  "5/9",
  "5/10",
  "10/2",
  "",
  "<none>",
  "Run",
  "a-10",
  "a-9",
  "é",
  "\u{1f600}",
];

const dataOf = (object: { readonly [member: string]: unknown }): Record<string, string> =>
  (object["data"] as Record<string, string> | undefined) ?? {};

const thing: ResourceDefinition = {
  group: "example.com",
  version: "v1",
  plural: "things",
  kind: "Thing",
  singular: "thing",
  scope: "Namespaced",
  description: "A thing.",
  schema: objectSchema("A thing.", { data: optional(map(text(), "Texts.")) }),
  deleteReturns: "status",
  columns: [
    { name: "Text", type: "string", description: "A text.", cell: (object) => dataOf(object)["text"] ?? "" },
    { name: "Number", type: "integer", description: "A number.", cell: (object) => Number(dataOf(object)["number"]) },
    ageColumn,
  ],
};

/** An object as the model has it. */
interface Model {
  readonly namespace: string;
  readonly name: string;
  readonly text: string;
  readonly number: number;
  readonly revision: number;
  readonly created: string;
}

/** Every state after a write, the newest last. */
type History = { revision: number; objects: ReadonlyMap<string, Model> }[];

const NAMESPACES = ["n", "n-2", "m"];
const write = fc.record({
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom(...Array.from({ length: 12 }, (_, i) => `o${i}`)),
  text: fc.constantFrom(...TEXTS),
  number: fc.integer({ min: -3, max: 40 }),
  isDelete: fc.boolean(),
  pause: fc.boolean(),
});
const window = fc.record({
  offset: fc.integer({ min: 0, max: 12 }),
  size: fc.integer({ min: 0, max: 20 }),
  namespace: fc.option(fc.constantFrom(...NAMESPACES), { nil: undefined }),
  name: fc.option(fc.constantFrom("1", "O1", "zz"), { nil: undefined }),
  text: fc.option(fc.constantFrom("5/", "GI", "o3"), { nil: undefined }),
  label: fc.option(fc.constantFrom("odd=true", "odd!=true"), { nil: undefined }),
  sort: fc.option(
    fc.record({ column: fc.constantFrom("Name", "Namespace", "Text", "Number", "Age"), descending: fc.boolean() }),
    { nil: undefined },
  ),
});
type Wanted = typeof window extends fc.Arbitrary<infer W> ? W : never;

const listOf = ({ namespace, name, text: contained, label, sort }: Wanted): WindowList => ({
  group: "example.com",
  version: "v1",
  resource: "things",
  ...(namespace === undefined ? {} : { namespace }),
  ...(name === undefined ? {} : { name }),
  ...(contained === undefined ? {} : { text: contained }),
  ...(label === undefined ? {} : { labelSelector: label }),
  ...(sort === undefined ? {} : { sort }),
});

const keyOf = ({ namespace, name }: Pick<Model, "namespace" | "name">): string => `${namespace}/${name}`;
const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The window of a state, made in the plainest way. */
function expected({ objects }: History[number], wanted: Wanted) {
  const inside = [...objects.values()].filter(({ namespace }) => (wanted.namespace ?? namespace) === namespace);
  const matching = inside.filter((one) => {
    const cells = [one.name, one.text, String(one.number), one.created];
    if (wanted.name !== undefined && !one.name.toLowerCase().includes(wanted.name.toLowerCase())) return false;
    if (wanted.label !== undefined && (one.number % 2 !== 0) !== (wanted.label === "odd=true")) return false;
    return wanted.text === undefined || cells.some((cell) => cell.toLowerCase().includes(wanted.text!.toLowerCase()));
  });
  const sign = wanted.sort?.descending ? -1 : 1;
  const values: Record<string, (a: Model, b: Model) => number> = {
    Name: (a, b) => byText(a.name, b.name),
    // As in lists, whose keys are sorted whole.
    Namespace: (a, b) =>
      a.namespace === b.namespace ? 0 : sign > 0 ? byText(keyOf(a), keyOf(b)) : byText(a.namespace, b.namespace),
    Text: (a, b) => TEXTS.indexOf(a.text) - TEXTS.indexOf(b.text),
    Number: (a, b) => a.number - b.number,
    Age: (a, b) => byText(a.created, b.created),
  };
  const compare = values[wanted.sort?.column ?? "Namespace"]!;
  const sorted = matching.toSorted((a, b) => sign * compare(a, b) || byText(keyOf(a), keyOf(b)));
  return {
    total: inside.length,
    matching: matching.length,
    rows: sorted
      .slice(wanted.offset, wanted.offset + wanted.size)
      .map((one) => [keyOf(one), String(one.revision), one.text, one.number]),
  };
}

test(
  "a window shows the rows of the list at its resourceVersion, whatever is written meanwhile",
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 60 }),
        fc.array(window, { minLength: 1, maxLength: 6 }),
        async (writes, windows) => {
          const { resource, connect, server } = await startWindows(listening, { kinds: [...KINDS, thing] });
          const things = resource("things");
          const history: History = [{ revision: 0, objects: new Map() }];
          const client = await connect();
          const wrong: unknown[] = [];
          const check = (id: number, shown: Shown): void => {
            const state = history.findLast(({ revision }) => revision <= shown.resourceVersion)!;
            const { total, matching } = shown;
            const rows = shown.rows.map(({ namespace, name, resourceVersion, cells }) => [
              `${namespace}/${name}`,
              resourceVersion,
              cells[1],
              cells[2],
            ]);
            const right = expected(state, windows[id - 1]!);
            if (JSON.stringify({ total, matching, rows }) !== JSON.stringify(right))
              wrong.push({
                id,
                shown: { total, matching, rows },
                right,
                wanted: windows[id - 1],
                at: shown.resourceVersion,
              });
          };
          // A message may come before the write that it shows has returned here: all are checked at the end.
          const messages: (readonly [id: number, shown: Shown])[] = [];
          client.onState = (id, shown) => void messages.push([id, shown]);
          for (const [i, wanted] of windows.entries()) client.open(i + 1, listOf(wanted), wanted.offset, wanted.size);
          for (const { namespace, name, text: value, number, isDelete, pause } of writes) {
            const target = { namespace, name, subresource: "" };
            const before = history.at(-1)!.objects.get(`${namespace}/${name}`);
            const objects = new Map(history.at(-1)!.objects);
            if (isDelete) {
              if (!before) continue;
              await things.delete(target, { dryRun: false, preconditions: {} }, CALLER);
              objects.delete(`${namespace}/${name}`);
              history.push({ revision: Number(things.present("").revision), objects });
            } else {
              const labels = number % 2 === 0 ? {} : { odd: "true" };
              const object = {
                apiVersion: "example.com/v1",
                kind: "Thing",
                metadata: { name, namespace, labels },
                data: { text: value, number: String(number) },
              };
              const result = before
                ? await things.update(target, bodyOf(object), WRITE, CALLER)
                : await things.create({ ...target, name: "" }, bodyOf(object), WRITE, CALLER);
              const { resourceVersion = "", creationTimestamp } = result.object.metadata;
              const revision = Number(resourceVersion);
              objects.set(`${namespace}/${name}`, {
                namespace,
                name,
                text: value,
                number,
                revision,
                created: String(creationTimestamp),
              });
              history.push({ revision, objects });
            }
            if (pause) {
              await new Promise((resolve) => setTimeout(resolve, 15));
            }
          }
          const last = history.at(-1)!;
          for (const [i, wanted] of windows.entries()) {
            const right = expected(last, wanted);
            await client.window(
              i + 1,
              ({ matching, total, rows }) =>
                matching === right.matching &&
                total === right.total &&
                rows.length === right.rows.length &&
                rows.every((row, at) => row.resourceVersion === right.rows[at]![1]),
            );
          }
          for (const message of messages) check(...message);
          expect(wrong).toEqual([]);
          expect(client.errors).toEqual([]);
          client.close();
          await server.close(0);
        },
      ),
      { numRuns: amount("WINDOW_RUNS", 25, 1000) },
    );
  },
);
