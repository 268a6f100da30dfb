import { expect, test } from "vitest";
import {
  applies,
  check,
  entries,
  isNow,
  owners,
  patches,
  replaces,
  runStory,
  timeAt,
  updates,
  waits,
} from "./testing/story.ts";
import type { Step } from "./testing/story.ts";
import { storedEntries } from "./index.ts";
import type { ManagedFieldsEntry, OwnershipRules } from "./index.ts";
import type { Value } from "../value/value.ts";

const data = (keys: Record<string, unknown>) => ({ data: keys });

/** The rules of the documents. */
const neutral: Partial<OwnershipRules> = {
  emptyListClears: false,
  recordAfterClear: true,
  timelessOwnership: false,
  readOldShape: true,
};

interface Draft {
  metadata: { managedFields: Value; labels?: Record<string, string> };
  data: Record<string, string>;
}

const sends =
  (managedFields: Value) =>
  (it: Draft): void => {
    it.metadata.managedFields = managedFields;
  };

const entry = (fields: object, more: object = {}): Value => ({
  manager: "x",
  operation: "Update",
  apiVersion: "v1",
  time: timeAt(0),
  fieldsType: "FieldsV1",
  fieldsV1: fields as Value,
  ...more,
});

const begun: Step[] = [updates("u", { data: { k: "1", l: "1" } }), applies("a", data({ k: "1" }))];
const unchanged = owners({ a: [".data.k"], "u updating v1": [".data", ".data.k", ".data.l"] });

test("CLR-1, CLR-2, CLR-3, AMB-35: one empty entry forgets all owners", () => {
  runStory([...begun, patches("p", sends([{}])), owners({}), isNow({ data: { k: "1", l: "1" } })]);
  runStory([...begun, patches("p", sends([{}])), owners({})], { rules: neutral });
  runStory([...begun, patches("p", sends([{}]), { editing: "clear" }), owners({})], { rules: neutral });
  runStory([...begun, patches("p", sends([{ manager: "", fieldsV1: null } as Value])), owners({})]);
});

test("CLR-5, AMB-45: an empty list clears in one dialect only", () => {
  runStory([...begun, patches("p", sends([])), unchanged], { rules: neutral });
  runStory([...begun, patches("p", sends([])), owners({})]);
});

test("null and an absent member clear nothing", () => {
  runStory([...begun, patches("p", sends(null)), unchanged]);
  runStory([
    ...begun,
    patches("p", (it: { metadata: { managedFields?: Value } }) => delete it.metadata.managedFields),
    unchanged,
  ]);
});

test("CLR-6, AMB-37: the writer that clears owns the fields of its request, changed or not", () => {
  const change = (it: Draft): void => {
    sends([{}])(it);
    it.data["k"] = "2";
  };
  const request = { data: { k: "2", l: "1" } };
  runStory([...begun, patches("p", change, { request }), owners({ "p updating v1": [".data.k", ".data.l"] })], {
    rules: neutral,
  });
  runStory([...begun, patches("p", change), owners({ "p updating v1": [".data.k"] })], { rules: neutral });
});

test("CLR-6: a replace that clears and changes something owns the whole object, one that only clears nothing", () => {
  const change = (it: Draft): void => {
    sends([{}])(it);
    it.data["k"] = "2";
  };
  const whole = owners({ "p updating v1": [".data", ".data.k", ".data.l"] });
  runStory([...begun, replaces("p", change), whole], { rules: neutral });
  runStory([...begun, replaces("p", sends([{}])), owners({})], { rules: neutral });
});

test("AMB-37, DEC-14: after a reset nothing is recorded until the next apply, or from the next write on", () => {
  const after: Step[] = [...begun, patches("p", sends([{}])), patches("q", (it: Draft) => (it.data["k"] = "2"))];
  runStory([
    ...after,
    owners({}),
    applies("a", data({ m: "1" })),
    owners({ a: [".data.m"], "before-first-apply updating v1": [".data", ".data.k", ".data.l"] }),
  ]);
  runStory([...after, owners({ "q updating v1": [".data.k"] })], { rules: neutral });
});

test("CLR-1: entries cannot be cleared or edited through a subresource", () => {
  runStory([...begun, patches("p/status", sends([{}])), unchanged]);
  runStory([...begun, patches("p/status", sends([entry({ "f:data": { "f:k": {} } })])), unchanged]);
});

test("MF-11: edits are honoured where they may be made, and ignored elsewhere", () => {
  const edit = sends([entry({ "f:data": { "f:l": {} } })]);
  runStory([...begun, patches("p", edit), owners({ "x updating v1": [".data.l"] })]);
  runStory([...begun, patches("p", edit, { editing: "clear" }), unchanged]);
  runStory([...begun, patches("p", edit, { editing: "none" }), unchanged]);
});

test("an edit that also changes fields records the change on top of the edited entries", () => {
  const edit = (it: Draft): void => {
    sends([entry({ "f:data": { "f:k": {}, "f:l": {} } })])(it);
    it.data["k"] = "2";
  };
  runStory([...begun, patches("p", edit), owners({ "x updating v1": [".data.l"], "p updating v1": [".data.k"] })]);
});

test("DEC-14: a list with an entry that cannot be decoded is ignored as a whole", () => {
  const fine = entry({ "f:data": { "f:l": {} } });
  const broken: Value[] = [
    entry({}, { operation: "Apply it" }),
    entry({}, { operation: "" }),
    entry({}, { fieldsType: "FieldsV2" }),
    entry({}, { fieldsType: "" }),
    entry({}, { apiVersion: "" }),
    entry({ data: {} }),
    entry({ "k:{": {} }),
    entry({ "i:x": {} }),
    entry({ "f:data": 1 }),
    "entry",
    null,
  ];
  for (const one of broken) runStory([...begun, patches("p", sends([fine, one])), unchanged]);
});

test("entries with members of an unknown kind keep the rest, and are written in canonical form", () => {
  const odd = { "f:data": { "f:l": {}, "x:y": {} }, 'k:{ "b": 1, "a": 2 }': { ".": {}, "v:1.0": {} } };
  runStory([
    ...begun,
    patches("p", sends([entry(odd)])),
    entries([entry({ "f:data": { "f:l": {} }, 'k:{"a":2,"b":1}': { ".": {}, "v:1": {} } }) as object]),
  ]);
});

test("DEC-14: an entry of a version that the kind does not have is dropped", () => {
  const list = [entry({ "f:data": { "f:l": {} } }), entry({ "f:data": { "f:k": {} } }, { apiVersion: "v9" })];
  runStory([...begun, patches("p", sends(list)), owners({ "x updating v1": [".data.l"] })]);
});

test("MF-10, AMB-38: the old shape is read where it is understood, and never written", () => {
  const { fieldsV1, fieldsType: _, ...old } = entry({ "f:data": { "f:l": {} } }) as unknown as ManagedFieldsEntry;
  const shape = { ...old, fields: fieldsV1 } as unknown as Value;
  runStory([...begun, patches("p", sends([shape])), entries([entry({ "f:data": { "f:l": {} } }) as object])], {
    rules: neutral,
  });
  // Where it is not, the entry has no fields, and still replaces the stored ones.
  const typed = { ...(shape as object), fieldsType: "FieldsV1" } as Value;
  runStory([...begun, patches("p", sends([typed])), owners({})]);
});

test("DEC-14: entries in the body of a create are ignored", () => {
  const body = { metadata: { managedFields: [entry({ "f:data": { "f:l": {} } })] }, data: { k: "1" } };
  runStory([updates("u", {}), owners({})]);
  runStory([
    (world) => {
      world.live = undefined;
    },
    (world) => {
      const sent = { apiVersion: "v1", kind: "Thing", ...body } as unknown as Value;
      world.live = sent;
    },
    (world) => {
      const sent = world.live!;
      world.live = undefined;
      updates("u", sent as object, { editing: "none" })(world);
    },
    owners({ "u updating v1": [".data", ".data.k"] }),
  ]);
});

test("clearing sets new times", () => {
  runStory([
    ...begun,
    patches("p", sends([{}])),
    waits(9),
    applies("a", data({ k: "1" })),
    check(({ live }) => expect(storedEntries(live!).map(({ time }) => time)).toEqual([undefined, timeAt(9)])),
  ]);
});
