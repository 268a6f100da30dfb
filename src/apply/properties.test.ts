import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applyIntent,
  compare,
  difference,
  EMPTY,
  ensureFields,
  isEmpty,
  merge,
  NEVER_OWNED,
  recordUpdate,
  removeItems,
  sameSet,
  sameValue,
  singleVersion,
  storedEntries,
  toFieldSet,
  typeOf,
  validate,
  withEntries,
} from "./index.ts";
import type { ApplyOutcome, Type } from "./index.ts";
import { ownersOf, thingSchema, timeAt } from "./testing/story.ts";
import { equal } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";

const type: Type = typeOf(thingSchema);
const context = { converter: singleVersion("v1", type), apiVersion: "v1", zero: { metadata: {} }, time: timeAt(0) };

const word = fc.constantFrom("a", "b", "c", "constructor");
const optional = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<object>;
const keyed = <T>(item: fc.Arbitrary<T>, key: (item: T) => string) =>
  fc.uniqueArray(item, { selector: key, maxLength: 3 });
const texts = fc.dictionary(word, word, { maxKeys: 3 });

const spec = optional({
  color: word,
  count: fc.nat(3),
  args: fc.array(word, { maxLength: 3 }),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  drivers: keyed(
    fc.record({ name: word, nodeID: word, keys: fc.array(word, { maxLength: 2 }) }, { requiredKeys: ["name"] }),
    ({ name }) => name,
  ),
  ports: keyed(
    fc.record({ port: fc.nat(2), protocol: fc.constantFrom("TCP", "UDP"), label: word }, { requiredKeys: ["port"] }),
    ({ port, protocol }) => `${port} ${protocol ?? "TCP"}`,
  ),
  settings: texts,
  selector: texts,
  ref: optional({ kind: word, name: word }),
  nested: optional({ a: word, b: optional({ c: word }) }),
  free: fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
});

const body = optional({ metadata: optional({ labels: texts }), spec, data: texts }) as fc.Arbitrary<ValueObject>;

const intentOf = (from: ValueObject): Value => ({ apiVersion: "v1", kind: "Thing", ...from });

/** Applies, and stores the result. */
function apply(
  live: Value | undefined,
  manager: string,
  from: ValueObject,
  force = false,
): ApplyOutcome & { live: Value } {
  const outcome = applyIntent({
    ...context,
    manager,
    live,
    intent: intentOf(from),
    force,
    rules: { emptied: "absent" },
  });
  if (outcome.kind !== "applied") return { ...outcome, live: live! };
  return { ...outcome, live: stored(withEntries(outcome.object, outcome.managedFields)) };
}

function stored(object: Value): Value {
  const { metadata } = object as ValueObject;
  return { ...(object as ValueObject), metadata: { ...(metadata as ValueObject), uid: "u" } };
}

const bare = (live: Value): Value => {
  const { metadata: _, ...rest } = live as ValueObject;
  return rest;
};

test("values that are made to fit, fit", () => {
  fc.assert(
    fc.property(body, (one) => {
      expect(validate(type, intentOf(one))).toEqual([]);
    }),
  );
});

test("comparing a value with itself finds nothing, and comparing the other way round swaps added and removed", () => {
  fc.assert(
    fc.property(body, body, (a, b) => {
      const same = compare(type, a, structuredClone(a));
      expect([same.added, same.modified, same.removed].every(isEmpty)).toBe(true);
      const there = compare(type, a, b);
      const back = compare(type, b, a);
      expect(sameSet(there.added, back.removed)).toBe(true);
      expect(sameSet(there.removed, back.added)).toBe(true);
      expect(sameSet(there.modified, back.modified)).toBe(true);
      expect([there.added, there.modified, there.removed].every(isEmpty)).toBe(sameButForOrder(a, b));
    }),
  );
});

/** Whether two values differ in the order of merged lists only: an order has no owner. */
const sameButForOrder = (a: Value, b: Value): boolean => equal(unordered(a), unordered(b));

test("merging a value with itself or with nothing returns the value itself", () => {
  fc.assert(
    fc.property(body, (a) => {
      expect(merge(type, a, structuredClone(a))).toBe(a);
      expect(merge(type, a, {})).toBe(a);
    }),
  );
});

test("merging twice is merging once, and changes neither side", () => {
  fc.assert(
    fc.property(body, body, (a, b) => {
      const before = JSON.stringify([a, b]);
      const once = merge(type, a, b);
      expect(merge(type, once, b)).toBe(once);
      expect(JSON.stringify([a, b])).toBe(before);
    }),
  );
});

test("a merged value has everything that is in the intent (APPLY-13)", () => {
  fc.assert(
    fc.property(body, body, (live, intent) => {
      const { modified, removed } = compare(type, intent, merge(type, live, intent));
      expect([isEmpty(modified), isEmpty(removed)]).toEqual([true, true]);
    }),
  );
});

test("removing all paths of a value leaves no path", () => {
  fc.assert(
    fc.property(body, (a) => {
      const left = removeItems(type, a, ensureFields(type, toFieldSet(type, a)));
      expect(isEmpty(toFieldSet(type, left ?? {}))).toBe(true);
    }),
  );
});

test("applying the same again changes nothing (DEC-31)", () => {
  fc.assert(
    fc.property(body, body, (first, second) => {
      const begun = apply(undefined, "other", first);
      const once = apply(begun.live, "a", second, true);
      const twice = apply(once.live, "a", second);
      expect(twice).toMatchObject({ kind: "applied", changed: false });
      expect(storedEntries(twice.live)).toBe(storedEntries(once.live));
    }),
  );
});

test("an applier that releases everything leaves the object as it was before its first apply", () => {
  fc.assert(
    fc.property(body, body, (first, second) => {
      const begun = apply(undefined, "other", first);
      const more = apply(begun.live, "a", second);
      fc.pre(more.kind === "applied");
      const left = apply(more.live, "a", {});
      expect(ownersOf(left.live)).toEqual(ownersOf(begun.live));
      expect(filled(unordered(bare(left.live)))).toEqual(filled(unordered(bare(begun.live))));
    }),
  );
});

/** The object with its sets and keyed lists sorted: their order has no owner, that of the last applier stays. */
function unordered(object: Value): Value {
  const { spec: sent, ...rest } = object as ValueObject;
  if (sent === undefined) return object;
  const sorted: ValueObject = { ...(sent as ValueObject) };
  for (const list of ["tags", "drivers", "ports"]) {
    const items = sorted[list] as Value[] | undefined;
    if (items) sorted[list] = items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return { ...rest, spec: sorted };
}

/** The value without containers in which there is nothing: they do not outlive what was put in. */
function filled(value: Value): Value | undefined {
  if (typeof value !== "object" || value === null) return value ?? undefined;
  if (Array.isArray(value)) return value.length > 0 ? value : undefined;
  const members = Object.entries(value).map(([key, item]) => [key, filled(item)] as const);
  const left = members.filter(([, item]) => item !== undefined);
  return left.length > 0 ? (Object.fromEntries(left) as Value) : undefined;
}

test("appliers of different fields do not mind the order (OWN-1)", () => {
  const named = (prefix: string) =>
    fc.record({
      data: fc.dictionary(fc.constantFrom(`${prefix}1`, `${prefix}2`), word, { minKeys: 1 }),
      spec: fc.record({
        drivers: keyed(fc.record({ name: word.map((name) => prefix + name), nodeID: word }), (d) => d.name),
      }),
    });
  fc.assert(
    fc.property(named("x"), named("y"), (x, y) => {
      const xy = apply(apply(undefined, "a", x as ValueObject).live, "b", y as ValueObject);
      const yx = apply(apply(undefined, "b", y as ValueObject).live, "a", x as ValueObject);
      expect([xy.kind, yx.kind]).toEqual(["applied", "applied"]);
      expect(ownersOf(xy.live)).toEqual(ownersOf(yx.live));
      expect(sameSet(toFieldSet(type, bare(xy.live)), toFieldSet(type, bare(yx.live)))).toBe(true);
      expect(sameValue((xy.live as ValueObject)["data"]!, (yx.live as ValueObject)["data"]!)).toBe(true);
    }),
  );
});

test("an Apply entry lists every field of the last applied body, changed or not (DEC-14)", () => {
  fc.assert(
    fc.property(body, body, (first, second) => {
      const updated = intentOf(first);
      const created = recordUpdate({ ...context, manager: "u", live: undefined, updated });
      const done = apply(stored(withEntries(updated, created)), "a", second, true);
      const entry = storedEntries(done.live).find(({ manager }) => manager === "a");
      const expected = difference(toFieldSet(type, intentOf(second)), NEVER_OWNED);
      expect(sameSet(entry?.fieldsV1 ?? EMPTY, expected)).toBe(true);
    }),
  );
});

/** One write to a flat map, in the model and in the library. */
interface Write {
  readonly kind: "apply" | "force" | "update";
  readonly manager: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The rules of a flat map in their simplest form: who owns which key. */
class Model {
  values = new Map<string, string>();
  owners = new Map<string, Set<string>>();

  write({ kind, manager, data }: Write): boolean {
    return kind === "update" ? this.#update(`u:${manager}`, data) : this.#apply(`a:${manager}`, data, kind === "force");
  }

  #of(manager: string): Set<string> {
    const owned = this.owners.get(manager) ?? new Set();
    this.owners.set(manager, owned);
    return owned;
  }

  #own(key: string, manager: string): void {
    for (const [name, owned] of this.owners) if (name !== manager) owned.delete(key);
  }

  #update(manager: string, data: Write["data"]): boolean {
    for (const key of new Set([...this.values.keys(), ...Object.keys(data)])) {
      if (this.values.get(key) === data[key]) continue;
      this.#own(key, manager);
      if (data[key] === undefined) this.#of(manager).delete(key);
      else this.#of(manager).add(key);
    }
    this.values = new Map(Object.entries(data));
    return true;
  }

  #apply(manager: string, data: Write["data"], force: boolean): boolean {
    const changed = Object.keys(data).filter((key) => this.values.get(key) !== data[key]);
    const others = [...this.owners].filter(([name]) => name !== manager).map(([, owned]) => owned);
    if (!force && changed.some((key) => others.some((owned) => owned.has(key)))) return false;
    for (const key of changed) this.#own(key, manager);
    const before = this.#of(manager);
    this.owners.set(manager, new Set(Object.keys(data)));
    for (const key of before) {
      if (data[key] === undefined && !others.some((owned) => owned.has(key))) this.values.delete(key);
    }
    for (const [key, value] of Object.entries(data)) this.values.set(key, value);
    return true;
  }
}

const update = (live: Value, { manager, data }: Write) => {
  const updated = { ...(live as ValueObject), data: { base: "1", ...data } };
  const entries = recordUpdate({ ...context, manager, live, updated });
  return { accepted: true, live: stored(withEntries(updated, entries)) };
};

const applyData = (live: Value, { kind, manager, data }: Write) => {
  const outcome = apply(live, manager, Object.keys(data).length > 0 ? { data } : {}, kind === "force");
  return { accepted: outcome.kind === "applied", live: outcome.live };
};

test("a flat map behaves like the model that one can read in a minute", () => {
  const write: fc.Arbitrary<Write> = fc.record({
    kind: fc.constantFrom("apply", "force", "update"),
    manager: fc.constantFrom("m", "n", "o"),
    data: fc.dictionary(fc.constantFrom("k", "l", "m"), fc.constantFrom("1", "2"), { noNullPrototype: true }),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
      const model = new Model();
      // A key that is never touched keeps the map itself out of the play.
      let live = apply(undefined, "base", { data: { base: "1" } }).live;
      for (const one of writes) {
        const accepted = model.write(one);
        const written = one.kind === "update" ? update(live, one) : applyData(live, one);
        expect(written.accepted).toBe(accepted);
        live = written.live;
        expect((live as ValueObject)["data"]).toEqual({ base: "1", ...Object.fromEntries(model.values) });
        const found = Object.fromEntries(
          Object.entries(ownersOf(live))
            .filter(([name]) => name !== "base")
            .map(([name, fields]) => [name.endsWith("updating v1") ? `u:${name[0]}` : `a:${name}`, fields.sort()]),
        );
        const expected = Object.fromEntries(
          [...model.owners]
            .filter(([, owned]) => owned.size > 0)
            .map(([name, owned]) => [name, [...owned].map((key) => `.data.${key}`).sort()]),
        );
        expect(found).toEqual(expected);
      }
    }),
  );
});

test("no input makes it throw, whatever is stored, sent, or in the entries", () => {
  const anything = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Value>;
  const odd = fc.oneof(
    anything,
    fc.record({ metadata: anything, spec: anything, data: anything }, { requiredKeys: [] }),
    fc.record({ metadata: fc.record({ managedFields: fc.array(anything), uid: fc.string() }), spec: anything }),
  ) as fc.Arbitrary<Value>;
  fc.assert(
    fc.property(odd, odd, fc.boolean(), (live, sent, force) => {
      const outcome = applyIntent({ ...context, manager: "kubectl", live, intent: sent, force });
      expect(["applied", "conflicts", "invalid"]).toContain(outcome.kind);
      expect(Array.isArray(recordUpdate({ ...context, manager: "u", live, updated: sent }))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
