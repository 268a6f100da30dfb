/**
 * Patches at their limits, on objects that are as large as they may be.
 *
 * @module
 */
import { BODY_BYTES, COLLECTION, JSON_TYPE, STORED_BYTES, typed } from "./bodies.ts";
import { configMap, cleared, METADATA } from "./metadata.ts";
import { type LimitRequest, type LimitRow, packed, list } from "./request.ts";

const ITEM = `${COLLECTION}/configmaps/patched`;
const NAMED = `"name":"patched"`;

/** As many operations as a JSON patch may have. */
const MOST_OPERATIONS = 10_000;

/** Objects that are patched. */
const OBJECTS: Readonly<Record<string, () => string>> = {
  "a small object": () => configMap(NAMED, "", `"data":{"a":"b"}`),
  "an object of many finalizers": () => configMap(NAMED, METADATA["finalizers"]!(900_000), `"data":{"a":"b"}`),
  "an object of many owners": () => configMap(NAMED, METADATA["owners"]!(900_000), `"data":{"a":"b"}`),
  "an object of many keys": () => configMap(NAMED, "", `"data":{${packed(900_000, (i) => `"k${i}":"v"`)}}`),
  "an object of many labels": () => configMap(NAMED, METADATA["labels"]!(900_000), `"data":{"a":"b"}`),
  "an object of one long text": () => configMap(NAMED, "", `"data":{"a":"${"x".repeat(900_000)}"}`),
}; // prettier-ignore

const operations = (make: (i: number) => string, most = MOST_OPERATIONS): string =>
  `[${packed(BODY_BYTES - 1000, (i) => (i < most ? make(i) : "x".repeat(BODY_BYTES)))}]`;

/** JSON patches. */
const JSON_PATCHES: Readonly<Record<string, () => string>> = {
  "adds of keys": () => operations((i) => `{"op":"add","path":"/data/k${i}","value":"v"}`),
  "adds of one key": () => operations(() => `{"op":"add","path":"/data/k","value":"v"}`),
  "adds at the front": () => operations((i) => `{"op":"add","path":"/metadata/finalizers/0","value":"a.b/x${i}"}`),
  "adds at the front of a list of its own": () => operations((i) => (i === 0 ? `{"op":"add","path":"/x","value":[${packed(1_000_000, () => "1")}]}` : `{"op":"add","path":"/x/0","value":1}`)),
  "adds at the end": () => operations((i) => `{"op":"add","path":"/metadata/finalizers/-","value":"a.b/x${i}"}`),
  "removals at the front": () => operations(() => `{"op":"remove","path":"/metadata/finalizers/0"}`),
  "removals at the front of a list of its own": () => operations((i) => (i === 0 ? `{"op":"add","path":"/x","value":[${packed(1_000_000, () => "1")}]}` : `{"op":"remove","path":"/x/0"}`)),
  "removals of keys": () => operations((i) => `{"op":"remove","path":"/data/k${i}"}`),
  "replacements of data": () => operations((i) => `{"op":"replace","path":"/data","value":{"k":"v${i}"}}`),
  "replacements of the whole": () => operations((i) => `{"op":"replace","path":"","value":{"apiVersion":"v1","kind":"ConfigMap","metadata":{${NAMED}},"data":{"k":"v${i}"}}}`),
  "tests of data": () => operations(() => `{"op":"test","path":"/data","value":{}}`),
  "tests of the whole that hold": () => operations(() => `{"op":"test","path":"/kind","value":"ConfigMap"}`),
  "copies of data, and tests that they are equal": () => operations((i) => (i === 0 ? `{"op":"copy","from":"/data","path":"/x"}` : `{"op":"test","path":"/x","value":{}}`)),
  "tests of a value of 100 kB": () => operations((i) => (i === 0 ? `{"op":"add","path":"/x","value":[${packed(100_000, () => "1")}]}` : `{"op":"test","path":"/x","value":[${packed(100_000, () => "1")}]}`), 30),
  "tests of 100 kB that fail in the end": () => operations((i) => (i === 0 ? `{"op":"add","path":"/x","value":[${packed(100_000, () => "1")}]}` : `{"op":"test","path":"/x","value":[${packed(100_000, () => "1")},2]}`), 30),
  "copies that double": () => operations((i) => `{"op":"copy","from":"/data","path":"/data/c${i}"}`, 60),
  "copies of lists that double": () => operations((i) => (i === 0 ? `{"op":"add","path":"/x","value":[1]}` : `{"op":"copy","from":"/x","path":"/x/-"}`), 60),
  "copies of finalizers": () => operations((i) => `{"op":"copy","from":"/metadata/finalizers","path":"/x${i}"}`),
  "copies of data to many places": () => operations((i) => `{"op":"copy","from":"/data","path":"/x${i}"}`),
  "copies of the front to the front": () => operations(() => `{"op":"copy","from":"/metadata/finalizers/0","path":"/metadata/finalizers/0"}`),
  "moves from the end to the front": () => operations(() => `{"op":"move","from":"/metadata/finalizers/5000","path":"/metadata/finalizers/0"}`),
  "moves there and back": () => operations((i) => (i % 2 === 0 ? `{"op":"move","from":"/data","path":"/x"}` : `{"op":"move","from":"/x","path":"/data"}`)),
  "moves between keys": () => operations((i) => `{"op":"move","from":"/data/k${i}","path":"/data/l${i}"}`),
  "too many operations": () => operations((i) => `{"op":"add","path":"/data/k${i}","value":"v"}`, 1e6),
  "long paths": () => operations(() => `{"op":"add","path":"${"/a".repeat(1000)}","value":1}`),
  "one long path": () => operations(() => `{"op":"add","path":"${"/a".repeat(1_500_000)}","value":1}`, 1),
  "long paths of escapes": () => operations(() => `{"op":"test","path":"/data/${"~1~0".repeat(100)}","value":1}`),
  "a path of escapes": () => operations(() => `{"op":"add","path":"/data/${"~1~0".repeat(700_000)}","value":"1"}`, 1),
  "an index of all digits": () => operations(() => `{"op":"add","path":"/metadata/finalizers/${"9".repeat(2_900_000)}","value":"1"}`, 1),
  "nesting that grows": () => operations((i) => `{"op":"add","path":"/x${"/a".repeat(i)}","value":{}}`, 1000),
  "operations with other members": () => operations((i) => `{"op":"add","path":"/data/k${i}","value":"v",${list(10, (n) => `"x${n}":1`).join(",")}}`),
  "unknown operations": () => operations(() => `{"op":"x","path":"/data"}`),
  "operations without a path": () => operations(() => `{"op":"add"}`),
  "no operations": () => `[${packed(BODY_BYTES, () => "1")}]`,
}; // prettier-ignore

/** Merge patches. */
const MERGES: Readonly<Record<string, () => string>> = {
  "keys": () => `{"data":{${packed(BODY_BYTES - 100, (i) => `"k${i}":"w"`)}}}`,
  "keys that go": () => `{"data":{${packed(BODY_BYTES - 100, (i) => `"k${i}":null`)}}}`,
  "finalizers": () => `{"metadata":{${METADATA["finalizers"]!(STORED_BYTES)}}}`,
  "nesting": () => `{"data":${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}`,
  "wide and deep": () => `{"data":{${packed(BODY_BYTES - 100, (i) => `"k${i}":${'{"a":'.repeat(100)}null${"}".repeat(100)}`)}}}`,
  "unknown members": () => `{${packed(BODY_BYTES - 100, (i) => `"u${i}":{}`)}}`,
}; // prettier-ignore

const quoted = (room: number): string => packed(room, (i) => `"a.b/f${i}"`);
const owners = (room: number, more = ""): string =>
  packed(room, (i) => `{"apiVersion":"v1","kind":"Pod","name":"q${i}","uid":"u${i}"${more}}`);
const uids = (room: number): string => packed(room, (i) => `{"uid":"u${i}"}`);
const backwards = (text: string): string => text.split(",").toReversed().join(",");

/** Strategic merge patches. */
const STRATEGIC: Readonly<Record<string, () => string>> = {
  "finalizers in order": () => `{"metadata":{"finalizers":[${quoted(1_400_000)}],"$setElementOrder/finalizers":[${quoted(1_400_000)}]}}`,
  "finalizers in the opposite order": () => `{"metadata":{"finalizers":[${quoted(1_400_000)}],"$setElementOrder/finalizers":[${backwards(quoted(1_400_000))}]}}`,
  "an order of finalizers alone": () => `{"metadata":{"$setElementOrder/finalizers":[${backwards(quoted(2_900_000))}]}}`,
  "finalizers that go": () => `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${quoted(2_900_000)}]}}`,
  "finalizers": () => `{"metadata":{"finalizers":[${quoted(2_900_000)}]}}`,
  "owners": () => `{"metadata":{"ownerReferences":[${owners(2_900_000)}]}}`,
  "owners in order": () => `{"metadata":{"ownerReferences":[${owners(1_400_000)}],"$setElementOrder/ownerReferences":[${backwards(uids(400_000))}]}}`,
  "an order of owners alone": () => `{"metadata":{"$setElementOrder/ownerReferences":[${backwards(uids(2_900_000))}]}}`,
  "owners that go": () => `{"metadata":{"ownerReferences":[${packed(2_900_000, (i) => `{"$patch":"delete","uid":"u${i}"}`)}]}}`,
  "owners that are replaced": () => `{"metadata":{"ownerReferences":[{"$patch":"replace"},${owners(2_900_000)}]}}`,
  "the same owner many times": () => `{"metadata":{"ownerReferences":[${packed(2_900_000, () => `{"uid":"u1","name":"x"}`)}]}}`,
  "the same owner with one member more each time": () => `{"metadata":{"ownerReferences":[${packed(2_900_000, (i) => `{"uid":"u1","x${i}":1}`)}]}}`,
  "the same unknown list again and again": () => `{${packed(2_900_000, (i) => `"u":[${i}]`)}}`,
  "owners without a key": () => `{"metadata":{"ownerReferences":[${packed(2_900_000, () => `{"name":"x"}`)}]}}`,
  "keys that go": () => `{"data":{${packed(2_900_000, (i) => `"k${i}":null`)}}}`,
  "keys that are kept": () => `{"data":{"$retainKeys":[${packed(1_400_000, (i) => `"k${i}"`)}],${packed(1_400_000, (i) => `"k${i}":"w"`)}}}`,
  "directives": () => `{"metadata":{${packed(2_900_000, (i) => `"$setElementOrder/x${i}":[]`)}}}`,
  "unknown lists": () => `{${packed(2_900_000, (i) => `"u${i}":[{"a":1}]`)}}`,
  "nesting": () => `{"data":${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}`,
}; // prettier-ignore

const applied = (metadata: string, rest: string): string => configMap(NAMED, metadata, rest);

/** What is applied. */
const APPLIED: Readonly<Record<string, () => string>> = {
  "other keys": () => applied("", `"data":{${packed(STORED_BYTES, (i) => `"l${i}":"v"`)}}`),
  "the same keys": () => applied("", `"data":{${packed(STORED_BYTES, (i) => `"k${i}":"w"`)}}`),
  "the same owners": () => applied(METADATA["owners"]!(STORED_BYTES), `"data":{}`),
  "owners twice": () => applied(`"ownerReferences":[${owners(400_000)},${owners(400_000)}]`, `"data":{}`),
  "the same finalizers": () => applied(METADATA["finalizers"]!(STORED_BYTES), `"data":{}`),
  "the same labels": () => applied(`"labels":{${packed(STORED_BYTES, (i) => `"k${i}":"w"`)}}`, `"data":{}`),
  "unknown members": () => applied("", packed(BODY_BYTES - 500, (i) => `"u${i}":1`)),
}; // prettier-ignore

const patch = (type: string, body: string, query = "fieldManager=p"): LimitRequest => ({
  who: "tenant",
  method: "PATCH",
  path: `${ITEM}?${query}`,
  headers: typed(`application/${type}`),
  body,
});

/** Every patch on every object. */
export function patchRows(): LimitRow[] {
  const forms = [
    ["json-patch+json", JSON_PATCHES],
    ["merge-patch+json", MERGES],
    ["strategic-merge-patch+json", STRATEGIC],
  ] as const;
  const rows: LimitRow[] = [];
  for (const [object, make] of Object.entries(OBJECTS)) {
    const prepared = (): LimitRequest[] => [
      ...cleared("tenant", ITEM),
      {
        who: "tenant",
        method: "POST",
        path: `${COLLECTION}/configmaps?fieldManager=o`,
        headers: typed(JSON_TYPE),
        body: make(),
      },
    ];
    for (const [type, patches] of forms) {
      for (const [name, makePatch] of Object.entries(patches)) {
        rows.push({
          name: `tenant: ${type} of ${name} on ${object}`,
          requests: () => [...prepared(), patch(type, makePatch())],
        });
      }
    }
    for (const [name, makePatch] of Object.entries(APPLIED)) {
      const body = makePatch;
      rows.push({
        name: `tenant: apply of ${name} on ${object}`,
        requests: () => [
          ...prepared(),
          patch("apply-patch+yaml", body(), "fieldManager=x"),
          patch("apply-patch+yaml", body(), "fieldManager=x&force=true"),
          patch("apply-patch+yaml", body(), "fieldManager=y"),
          patch(
            "apply-patch+yaml",
            body().replaceAll('"w"', '"x"').replaceAll('"kind":"Pod"', '"kind":"Job"'),
            "fieldManager=z",
          ),
          patch("apply-patch+yaml", configMap(NAMED, "", `"data":{"a":"b"}`), "fieldManager=x&force=true"),
        ],
      });
    }
  }
  return rows;
}
