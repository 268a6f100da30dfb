/**
 * Verbs and paths beside those of plain objects, at their limits: tokens, evictions, scales, deletions, lists, watches.
 *
 * @module
 */
import {
  BODY_BYTES,
  COLLECTION,
  JSON_TYPE,
  PROTOBUF_TYPE,
  STORED_BYTES,
  TABLE_TYPE,
  YAML_TYPE,
  typed,
} from "./bodies.ts";
import { METADATA } from "./metadata.ts";
import { HEADER_BYTES } from "./strangers.ts";
import { type LimitRequest, type LimitRow, filled, list, packed } from "./request.ts";

const room = HEADER_BYTES - 4000;
const tenant = (method: string, path: string, body?: string, type = JSON_TYPE): LimitRequest => ({
  who: "tenant",
  over: "h1",
  method,
  path,
  ...(body === undefined ? {} : { headers: typed(type), body }),
});

/** Bodies of DELETE. */
const DELETIONS: Readonly<Record<string, () => string>> = {
  "dryRun many times": () => `{"kind":"DeleteOptions","dryRun":[${packed(BODY_BYTES - 100, () => `"All"`)}]}`,
  "dryRun of other words": () => `{"kind":"DeleteOptions","dryRun":[${packed(BODY_BYTES - 100, (i) => `"x${i}"`)}]}`,
  "a long uid": () => `{"kind":"DeleteOptions","preconditions":{"uid":"${"a".repeat(BODY_BYTES - 200)}"}}`,
  "a long resourceVersion": () => `{"kind":"DeleteOptions","preconditions":{"resourceVersion":"${"9".repeat(BODY_BYTES - 200)}"}}`,
  "a long propagationPolicy": () => `{"kind":"DeleteOptions","propagationPolicy":"${"a".repeat(BODY_BYTES - 200)}"}`,
  "a long gracePeriodSeconds": () => `{"kind":"DeleteOptions","gracePeriodSeconds":${"9".repeat(BODY_BYTES - 200)}}`,
  "unknown members": () => `{"kind":"DeleteOptions",${packed(BODY_BYTES - 200, (i) => `"u${i}":1`)}}`,
  "a long kind": () => `{"kind":"${"a".repeat(BODY_BYTES - 200)}"}`,
  "a long apiVersion": () => `{"kind":"DeleteOptions","apiVersion":"${"a/".repeat(BODY_BYTES / 2 - 200)}"}`,
}; // prettier-ignore

/** Bodies of paths below objects, with the kind and the path. */
const BELOW: readonly (readonly [name: string, path: string, body: () => string])[] = [
  ["a token of many audiences", "serviceaccounts/default/token", () => `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"audiences":[${packed(BODY_BYTES - 200, (i) => `"a${i}"`)}]}}`],
  ["a token of one audience", "serviceaccounts/default/token", () => `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"audiences":["${"a".repeat(BODY_BYTES - 200)}"]}}`],
  ["a token for a long time", "serviceaccounts/default/token", () => `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"expirationSeconds":${"9".repeat(BODY_BYTES - 200)}}}`],
  ["a token bound to a long name", "serviceaccounts/default/token", () => `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"${"a".repeat(BODY_BYTES - 300)}"}}}`],
  ["an eviction with many labels", "pods/p/eviction", () => `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p",${METADATA["labels"]!(BODY_BYTES - 300)}}}`],
  ["an eviction with a long uid", "pods/p/eviction", () => `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"},"deleteOptions":{"preconditions":{"uid":"${"a".repeat(BODY_BYTES - 300)}"}}}`],
  ["a binding with many annotations", "pods/p/binding", () => `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"p",${METADATA["annotations"]!(BODY_BYTES - 300)}},"target":{"kind":"Node","name":"n"}}`],
  ["many bindings", "bindings", () => `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"p",${METADATA["owners"]!(BODY_BYTES - 300)}},"target":{"kind":"Node","name":"n"}}`],
]; // prettier-ignore

/** As many requirements as a selector may have, and as many values. */
const REQUIREMENTS = 9900;
const VALUES = 65_000;

const terms = (make: (n: number) => string, most = REQUIREMENTS): string =>
  filled(room, (n) => (n < most ? make(n) : "x".repeat(room)));

/** Selectors as long as they may be; `i` makes them differ. */
const SELECTORS: Readonly<Record<string, (i: number) => string>> = {
  "keys that are not there": (i) => `labelSelector=${terms((n) => `!k${i}x${n}`)}`,
  "values that are others": (i) => `labelSelector=${terms((n) => `k${i}x${n}!=v`)}`,
  "a set": (i) => `labelSelector=${encodeURIComponent("k notin (")}${terms((n) => `v${i}x${n}`, VALUES)})`,
  "many sets": (i) => `labelSelector=${terms((n) => `k${n}${encodeURIComponent(" notin (")}a,b${i})`)}`,
  "one key with other values": (i) => `labelSelector=${terms((n) => `k!=v${i}x${n}`)}`,
  "numbers": (i) => `labelSelector=${terms((n) => `k${i}x${n}${encodeURIComponent(">")}${"9".repeat(15)}`)}`,
  "names that are others": (i) => `fieldSelector=${terms((n) => `metadata.name!=n${i}x${n}`)}`,
  "names with escapes": (i) => `fieldSelector=${terms((n) => `metadata.name!=n${i}${"\\\\".repeat(20)}${n}`)}`,
}; // prettier-ignore

const FORMS = [
  JSON_TYPE,
  YAML_TYPE,
  PROTOBUF_TYPE,
  TABLE_TYPE,
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
];
const SEEN = `${COLLECTION}/configmaps`;

const labelled = (i: number): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"seen-${i}","labels":{${list(50, (n) => `"k${n}":"v"`).join(",")}}},"data":{"a":"${"x".repeat(1000)}"}}`;

/** Deletions, paths below objects, lists and watches. */
export function verbRows(): LimitRow[] {
  const rows: LimitRow[] = [];
  const made = (): LimitRequest[] => list(200, (i) => tenant("POST", SEEN, labelled(i)));
  for (const [name, body] of Object.entries(DELETIONS)) {
    rows.push({
      name: `tenant: a deletion with ${name}`,
      requests: () => [
        tenant("POST", SEEN, labelled(0)),
        tenant("DELETE", `${SEEN}/seen-0`, body()),
        tenant("DELETE", SEEN, body()),
      ],
    });
  }
  for (const [name, path, body] of BELOW) {
    rows.push({
      name: `tenant: ${name}`,
      requests: () => [
        tenant("POST", `${COLLECTION}/${path}`, body()),
        { ...tenant("POST", `${COLLECTION}/${path}`, body()), who: "admin" },
      ],
    });
  }
  for (const [name, query] of Object.entries(SELECTORS)) {
    const asked = query(0);
    rows.push({
      name: `tenant: lists by ${name}`,
      requests: () => [
        ...made(),
        ...FORMS.map((accept) => ({ ...tenant("GET", `${SEEN}?${asked}`), headers: [["accept", accept]] as const })),
        tenant("GET", `${SEEN}?limit=1&${asked}`),
        tenant("DELETE", `${SEEN}?dryRun=All&${asked}`),
        tenant("DELETE", SEEN),
      ],
    });
    rows.push({
      name: `tenant: 30 watches by ${name}, and writes`,
      beside: () => list(30, (i) => tenant("GET", `${SEEN}?watch=1&timeoutSeconds=60&${query(i)}`)),
      requests: () => [
        ...list(5, (i) => tenant("POST", SEEN, labelled(i))),
        ...list(5, (i) => tenant("DELETE", `${SEEN}/seen-${i}`)),
      ],
    });
  }
  rows.push({
    name: "tenant: lists of 200 objects of 100 kB in every form",
    requests: () => [
      ...list(100, (i) =>
        tenant(
          "POST",
          SEEN,
          `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large-${i}"},"data":{${list(1000, (n) => `"k${n}":"${"<".repeat(80)}"`).join(",")}}}`,
        ),
      ),
      ...FORMS.map((accept) => ({ ...tenant("GET", SEEN), headers: [["accept", accept]] as const })),
      ...FORMS.map((accept) => ({
        ...tenant("GET", `${SEEN}?pretty=1&includeObject=Object&limit=50`),
        headers: [["accept", accept]] as const,
      })),
      ...FORMS.map((accept) => ({
        ...tenant("GET", SEEN),
        headers: [
          ["accept", accept],
          ["accept-encoding", "gzip"],
        ] as const,
      })),
      tenant(
        "GET",
        `${SEEN}?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      ),
      {
        ...tenant("GET", `${SEEN}?watch=1&timeoutSeconds=1&resourceVersion=0`),
        headers: [["accept", TABLE_TYPE]],
      },
      { ...tenant("GET", `${SEEN}?watch=1&timeoutSeconds=1&resourceVersion=0`), headers: [["accept", PROTOBUF_TYPE]] },
      tenant("DELETE", SEEN),
    ],
  });
  const scaled = `/apis/apps/v1/namespaces/tenant/deployments`;
  const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`;
  const scale = (metadata: string): string =>
    `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d","namespace":"tenant",${metadata}},"spec":{"replicas":3}}`;
  for (const name of ["labels", "owners", "managers of a field each", "unknown members", "annotations"]) {
    rows.push({
      name: `tenant: a scale with ${name}`,
      requests: () => [
        tenant("POST", scaled, deployment),
        tenant("PUT", `${scaled}/d/scale`, scale(METADATA[name]!(STORED_BYTES))),
        tenant(
          "PATCH",
          `${scaled}/d/scale?fieldManager=m`,
          scale(METADATA[name]!(STORED_BYTES)),
          "application/merge-patch+json",
        ),
        tenant(
          "PATCH",
          `${scaled}/d/scale?fieldManager=m&force=true`,
          scale(METADATA[name]!(STORED_BYTES)),
          "application/apply-patch+yaml",
        ),
        tenant("DELETE", `${scaled}/d`),
      ],
    });
  }
  return rows;
}
