import { expect, test } from "vitest";
import type { Value } from "../../value/value.ts";
import { EMPTY, setOf, type FieldSet } from "../fieldpath/index.ts";
import { typeOf, type Type } from "../schema/schema.ts";
import type { Owned } from "./managers.ts";
import { prune } from "./prune.ts";

/** What is left when an applier that owned a set applies nothing, and another manager owns that set as well. */
function left(type: Type, merged: Value, shared: FieldSet, idle: string): Value {
  const owned = (set: FieldSet, apiVersion: string): Owned => ({ set, apiVersion, applied: true });
  return prune({
    converter: { typeAt: () => type, convert: (value) => value },
    merged,
    apiVersion: "v1",
    last: owned(shared, "v1"),
    next: EMPTY,
    managers: new Map([
      ["applier", owned(EMPTY, "v1")],
      ["other", owned(shared, "v1")],
      ["idle", owned(EMPTY, idle)],
    ]),
  });
}

// With a manager of another version, the sets of whole objects decide; without one, the paths that were released.
test.each(["v1", "v2"])(
  "OWN-8: a field that another manager owns stays below a container that no manager owns, with an idle manager at %s",
  (idle) => {
    const object = { metadata: { labels: { a: "1" } } };
    const shared = setOf(["f:metadata", "f:labels"], ["f:metadata", "f:labels", "f:a"]);
    expect(left(typeOf({}), object, shared, idle)).toEqual(object);
  },
);

test.each(["v1", "v2"])(
  "a field below a map entry that no manager owns is removed, although another manager owns it, with an idle manager at %s",
  (idle) => {
    const map = (additionalProperties: object) => ({ type: "object", additionalProperties });
    const type = typeOf({ type: "object", properties: { groups: map(map({ type: "string" })) } });
    // While it was a struct, only its fields had owners.
    const shared = setOf(["f:groups", "f:was", "f:field"]);
    const object = { groups: { was: { field: "1" }, other: { field: "2" } } };
    expect(left(type, object, shared, idle)).toEqual({ groups: { was: null, other: { field: "2" } } });
  },
);
