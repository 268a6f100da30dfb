/**
 * Metadata at its limits, in every way in which it can be written.
 *
 * @module
 */
import { BODY_BYTES, COLLECTION, JSON_TYPE, STORED_BYTES, TABLE_TYPE, YAML_TYPE, typed } from "./bodies.ts";
import { type LimitRequest, type LimitRow, packed } from "./request.ts";

const field = (i: number, fields: string): string =>
  `{"manager":"m${i}","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":${fields}}`;

/** Members of the metadata of an object, `room` bytes long. */
export const METADATA: Readonly<Record<string, (room: number) => string>> = {
  labels: (room) => `"labels":{${packed(room, (i) => `"k${i}":"v"`)}}`,
  "bad labels": (room) => `"labels":{${packed(room, (i) => `"-${i}":"?"`)}}`,
  "labels with prefixes": (room) => `"labels":{${packed(room, (i) => `"a.example.com/k${i}":"v"`)}}`,
  "a long label": (room) => `"labels":{"${"a.".repeat(room / 4)}/a":"${"v".repeat(room / 2)}"}`,
  annotations: (room) => `"annotations":{${packed(room, (i) => `"k${i}":"v"`)}}`,
  "bad annotations": (room) => `"annotations":{${packed(room, (i) => `"-${i}":"?"`)}}`,
  "a long annotation": (room) => `"annotations":{"a":"${"v".repeat(room)}"}`,
  "annotations up to their limit": () => `"annotations":{${packed(262_000, (i) => `"k${i}":"v"`)}}`,
  finalizers: (room) => `"finalizers":[${packed(room, (i) => `"a.b/f${i}"`)}]`,
  "the same finalizer": (room) => `"finalizers":[${packed(room, () => `"a.b/f"`)}]`,
  "bad finalizers": (room) => `"finalizers":[${packed(room, (i) => `"${i}"`)}]`,
  owners: (room) => `"ownerReferences":[${packed(room, (i) => `{"apiVersion":"v1","kind":"Pod","name":"p${i}","uid":"u${i}"}`)}]`,
  "the same owner": (room) => `"ownerReferences":[${packed(room, () => `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}`)}]`,
  "owners that are controllers": (room) => `"ownerReferences":[${packed(room, (i) => `{"apiVersion":"v1","kind":"Pod","name":"p${i}","uid":"u${i}","controller":true}`)}]`,
  "owners that block": (room) => `"ownerReferences":[${packed(room, (i) => `{"apiVersion":"v1","kind":"Pod","name":"p${i}","uid":"u${i}","blockOwnerDeletion":true}`)}]`,
  "owners of different kinds that block": (room) => `"ownerReferences":[${packed(room, (i) => `{"apiVersion":"g${i}.example/v1","kind":"K${i}","name":"p","uid":"u${i}","blockOwnerDeletion":true}`)}]`,
  "bad owners": (room) => `"ownerReferences":[${packed(room, () => `{}`)}]`,
  "managers of a field each": (room) => `"managedFields":[${packed(room, (i) => field(i, `{"f:data":{"f:k${i}":{}}}`))}]`,
  "managers of one field": (room) => `"managedFields":[${packed(room, (i) => field(i, `{"f:data":{"f:k":{}}}`))}]`,
  "managers that are one": (room) => `"managedFields":[${packed(room, () => field(0, `{"f:data":{"f:k":{}}}`))}]`,
  "one manager of many fields": (room) => `"managedFields":[${field(0, `{"f:data":{${packed(room, (i) => `"f:k${i}":{}`)}}}`)}]`,
  "two managers of the same fields": (room) => `"managedFields":[${[0, 1].map((n) => field(n, `{"f:data":{${packed(room / 2, (i) => `"f:k${i}":{}`)}}}`)).join(",")}]`,
  "managers of many list items": (room) => `"managedFields":[${field(0, `{"f:metadata":{"f:finalizers":{${packed(room, (i) => `"v:\\"a.b/f${i}\\"":{}`)}}}}`)}]`,
  "managers of many keyed items": (room) => `"managedFields":[${field(0, `{"f:metadata":{"f:ownerReferences":{${packed(room, (i) => `"k:{\\"uid\\":\\"u${i}\\"}":{".":{},"f:name":{}}`)}}}}`)}]`,
  "managers of many indexes": (room) => `"managedFields":[${field(0, `{"f:data":{${packed(room, (i) => `"i:${i}":{}`)}}}`)}]`,
  "managers of deep fields": (room) => `"managedFields":[${packed(room, (i) => field(i, `${'{"f:a":'.repeat(900)}{}${"}".repeat(900)}`))}]`,
  "managers of broken fields": (room) => `"managedFields":[${packed(room, (i) => field(i, `{"x":1}`))}]`,
  "bad managers": (room) => `"managedFields":[${packed(room, () => `{}`)}]`,
  "a long name": (room) => `"name":"${"a".repeat(room)}"`,
  "a long name of dots": (room) => `"name":"${"a.".repeat(room / 2)}"`,
  "a long generateName": (room) => `"generateName":"${"a".repeat(room)}"`,
  "a long namespace": (room) => `"namespace":"${"a".repeat(room)}"`,
  "a long uid": (room) => `"uid":"${"a".repeat(room)}"`,
  "a long resourceVersion": (room) => `"resourceVersion":"${"9".repeat(room)}"`,
  "a long time": (room) => `"creationTimestamp":"${"2".repeat(room)}"`,
  "a long fraction of a time": (room) => `"creationTimestamp":"2026-01-01T00:00:00.${"0".repeat(room)}Z"`,
  "a long generation": (room) => `"generation":${"9".repeat(room)}`,
  "unknown members": (room) => packed(room, (i) => `"u${i}":1`),
  "members in other letters": (room) => packed(room, () => `"Name":"a"`),
  "labels twice": (room) => `"labels":{${packed(room / 2, (i) => `"k${i}":"v"`)}},"labels":{${packed(room / 2, (i) => `"k${i}":"w"`)}}`,
  "labels of other types": (room) => `"labels":{${packed(room, (i) => `"k${i}":1`)}}`,
}; // prettier-ignore

/** Members of a ConfigMap beside its metadata. */
export const DATA: Readonly<Record<string, (room: number) => string>> = {
  nothing: () => `"data":{}`,
  "one long text": (room) => `"data":{"a":"${"x".repeat(room)}"}`,
  "keys": (room) => `"data":{${packed(room, (i) => `"k${i}":"v"`)}}`,
  "keys backwards": (room) => `"data":{${packed(room, (i) => `"k${9_999_999 - i}":"v"`)}}`,
  "bad keys": (room) => `"data":{${packed(room, (i) => `"?${i}":"v"`)}}`,
  "long keys": (room) => `"data":{${packed(room, (i) => `"${String(i).padStart(253, "a")}":"v"`)}}`,
  "numbers": (room) => `"data":{${packed(room, (i) => `"k${i}":1`)}}`,
  "nulls": (room) => `"data":{${packed(room, (i) => `"k${i}":null`)}}`,
  "binary": (room) => `"binaryData":{"a":"${"QUFB".repeat(Math.floor(room / 4))}"}`,
  "binary of many keys": (room) => `"binaryData":{${packed(room, (i) => `"k${i}":"AAAA"`)}}`,
  "broken binary": (room) => `"binaryData":{"a":"${"QUFB".repeat(Math.floor(room / 4))}?"}`,
  "binary of lines": (room) => `"binaryData":{"a":"${"QUFB\\n".repeat(Math.floor(room / 6))}"}`,
  "both with the same keys": (room) => `"data":{${packed(room / 2, (i) => `"k${i}":"v"`)}},"binaryData":{${packed(room / 2, (i) => `"k${i}":"AAAA"`)}}`,
}; // prettier-ignore

export const configMap = (name: string, metadata: string, rest: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{${name}${metadata === "" ? "" : `,${metadata}`}},${rest}}`;

const NAMED = `"name":"limit"`;
const ITEM = `${COLLECTION}/configmaps/limit`;

/** Whatever is there is taken away first. */
export function cleared(who: LimitRequest["who"] = "tenant", path: string = ITEM): LimitRequest[] {
  const finalizers: LimitRequest = {
    who,
    method: "PATCH",
    path,
    headers: typed("application/merge-patch+json"),
    body: `{"metadata":{"finalizers":null}}`,
  };
  return [{ who, method: "DELETE", path }, finalizers];
}

/** Creates, replaces, patches and applies an object in turns. */
export function writes(
  who: LimitRequest["who"],
  body: (metadata: string) => string,
  small: string,
  item: string = ITEM,
): LimitRequest[] {
  const collection = item.slice(0, item.lastIndexOf("/"));
  const whole = body("");
  const sent = (method: string, path: string, type: string, text: string): LimitRequest => ({
    who,
    method,
    path,
    headers: typed(type),
    body: text,
  });
  return [
    sent("POST", `${collection}?fieldManager=a`, JSON_TYPE, small),
    sent("PUT", `${item}?fieldManager=b`, JSON_TYPE, whole),
    sent("PUT", `${item}?fieldManager=c`, JSON_TYPE, small),
    sent("PATCH", `${item}?fieldManager=d`, "application/merge-patch+json", whole),
    sent("PATCH", `${item}?fieldManager=e&dryRun=All`, "application/strategic-merge-patch+json", whole),
    sent("PATCH", `${item}?fieldManager=f&force=true`, "application/apply-patch+yaml", whole),
    sent("PATCH", `${item}?fieldManager=g`, "application/apply-patch+yaml", whole),
    sent("PATCH", `${item}?fieldManager=f&force=true`, "application/apply-patch+yaml", small),
    { who, method: "GET", path: item, headers: [["accept", YAML_TYPE]] },
    { who, method: "GET", path: `${item}?pretty=1` },
    { who, method: "GET", path: item, headers: [["accept", "application/vnd.kubernetes.protobuf"]] },
    { who, method: "GET", path: collection, headers: [["accept", TABLE_TYPE]] },
    {
      who,
      method: "GET",
      path: collection,
      headers: [["accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"]],
    },
    { who, method: "GET", path: collection, headers: [["accept", YAML_TYPE]] },
    { who, method: "GET", path: `${collection}?pretty=1` },
    {
      who,
      method: "GET",
      path: `${collection}?watch=1&timeoutSeconds=1&resourceVersion=0`,
      headers: [["accept", "application/vnd.kubernetes.protobuf"]],
    },
    ...cleared(who, item),
    sent("POST", `${collection}?fieldManager=a`, JSON_TYPE, whole),
    sent("PUT", `${item}?fieldManager=b&fieldValidation=Strict`, YAML_TYPE, whole),
    sent("PATCH", `${item}?fieldManager=h&force=true`, "application/apply-patch+yaml", whole),
    ...cleared(who, item),
    sent("PATCH", `${item}?fieldManager=f&force=true`, "application/apply-patch+yaml", whole),
    sent("PATCH", `${item}?fieldManager=g`, "application/apply-patch+yaml", whole),
    ...cleared(who, item),
  ];
}

const SMALL = configMap(NAMED, "", `"data":{"a":"b"}`);

/** All metadata in all ways, and all data. */
export function metadataRows(): LimitRow[] {
  const rows: LimitRow[] = [];
  for (const [size, bytes] of [
    ["1.4 MB", STORED_BYTES],
    ["3 MB", BODY_BYTES - 2000],
  ] as const) {
    for (const [name, make] of Object.entries(METADATA)) {
      rows.push({
        name: `tenant: metadata of ${size}, ${name}`,
        requests: () => {
          const text = make(bytes);
          return writes("tenant", () => configMap(NAMED, text, `"data":{"a":"c"}`), SMALL);
        },
      });
    }
    for (const [name, make] of Object.entries(DATA)) {
      rows.push({
        name: `tenant: data of ${size}, ${name}`,
        requests: () => {
          const text = make(bytes);
          return writes("tenant", () => configMap(NAMED, "", text), SMALL);
        },
      });
    }
  }
  return rows;
}
