/**
 * What can be sent without a credential: headers, paths and queries, as long as they may be.
 *
 * @module
 */
import { type HeaderList, type LimitRequest, type LimitRow, filled, list } from "./request.ts";

/** As many headers as a request may have over HTTP/1.1, with some left for those of the client. */
export const MOST_HEADERS = 32_700;
/** As many bytes as headers and path may have together, likewise. */
export const HEADER_BYTES = 1_040_000;
/** As many as one of them may have: HTTP/2 takes no more for a header, nor for the path. */
const LONGEST = { h1: HEADER_BYTES, h2: 65_000 } as const;

const padded = (i: number): string => String(i).padStart(5, "0");

/** As many headers as may be, of the shortest values. */
const headers = (name: (i: number) => string, value: (i: number) => string = () => "v"): HeaderList => {
  const all: [string, string][] = [];
  let bytes = 0;
  for (let i = 0; i < MOST_HEADERS; i++) {
    const pair: [string, string] = [name(i), value(i)];
    bytes += pair[0].length + pair[1].length + 4;
    if (bytes > HEADER_BYTES) break;
    all.push(pair);
  }
  return all;
};

/** HTTP/2 counts 32 bytes for each header beside its text (RFC 9113 6.5.2). */
function fitting(all: HeaderList, over: "h1" | "h2"): HeaderList {
  if (over === "h1") return all;
  let bytes = 0;
  return all.filter(([name, value]) => (bytes += name.length + value.length + 32) < HEADER_BYTES);
}

/** One header of so many bytes. */
const long = (room: number, name: string, piece: string, begin = "", end = ""): HeaderList => [
  [name, begin + piece.repeat(Math.floor((room - 1000) / piece.length)) + end],
];

const token = (payload: string): string =>
  `Bearer ${[`{"alg":"RS256","kid":"a"}`, payload, "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".")}`;
/** So many bytes of claims become so long a header. */
const claims = (room: number): number => Math.floor((room - 1000) * 0.74);

/** Kinds of headers by what they are about. */
export const HEADERS: Readonly<Record<string, (room: number) => HeaderList>> = {
  "headers of different names": () => headers((i) => `x-${padded(i)}`),
  "headers of one name": () => headers(() => "x"),
  "headers of names of one length": () => headers((i) => `a-long-name-with-many-letters-${padded(i)}`.slice(0, 25) + padded(i)),
  "Impersonate-Extra of different keys": () => [["impersonate-user", "x"], ...headers((i) => `impersonate-extra-${padded(i)}`)],
  "Impersonate-Extra of 900 keys among others of their length": () => [
    ["impersonate-user", "x"],
    ...headers((i) => `${i < 900 ? "impersonate-extra-" : "another-of-length-"}${padded(i)}`, () => "a, b"),
  ],
  "Impersonate-Extra of one key": () => [["impersonate-user", "x"], ...headers(() => "impersonate-extra-a")],
  "Impersonate-Extra of keys that are one": () => [
    ["impersonate-user", "x"],
    ...headers((i) => `impersonate-extra-${i.toString(2).padStart(16, "0").replaceAll("0", "a").replaceAll("1", "%61")}`),
  ],
  "Impersonate-Extra of keys with escapes": () => [["impersonate-user", "x"], ...headers((i) => `impersonate-extra-%${padded(i)}%zz`)],
  "Impersonate-Extra of a long key": (room) => [["impersonate-user", "x"], [`impersonate-extra-${"%61".repeat(room / 3 - 100)}`, "v"]],
  "Impersonate-Group": () => [["impersonate-user", "x"], ...headers(() => "impersonate-group", (i) => padded(i))],
  "Impersonate-Uid": () => [["impersonate-user", "x"], ...headers(() => "impersonate-uid")],
  "Impersonate-User": () => headers(() => "impersonate-user"),
  "Impersonate-User of a long name": (room) => long(room, "impersonate-user", ":", "system:serviceaccount:"),
  "Impersonate-Group without a user": () => headers(() => "impersonate-group"),
  "X-Remote-Extra of different keys": () => [["x-remote-user", "x"], ...headers((i) => `x-remote-extra-${padded(i)}`)],
  "X-Remote-Group": () => [["x-remote-user", "x"], ...headers(() => "x-remote-group")],
  "Accept of many types": (room) => long(room, "accept", "a/b,"),
  "Accept of JSON with parameters": (room) => long(room, "accept", "application/json;q=0.1;as=a;v=1;g=b,"),
  "Accept of one type with many parameters": (room) => long(room, "accept", ";a=b", "application/json"),
  "Accept of blanks": (room) => long(room, "accept", " ", "application/json;", ";q=x"),
  "Accept in many lines": () => headers(() => "accept", () => "application/json;as=Table;g=meta.k8s.io;v=v1"),
  "Accept-Encoding": (room) => long(room, "accept-encoding", "gzip;q=0,"),
  "Accept-Language": (room) => long(room, "accept-language", "en,"),
  "Content-Type of parameters": (room) => long(room, "content-type", ";a=b", "application/json"),
  "Content-Type of blanks": (room) => long(room, "content-type", " ", "application/json;", "x"),
  "Content-Type of semicolons": (room) => long(room, "content-type", ";", "application/json"),
  "Content-Encoding": (room) => long(room, "content-encoding", "gzip,"),
  "User-Agent": (room) => long(room, "user-agent", "a/"),
  "User-Agent of Mozilla": (room) => long(room, "user-agent", "(;) ", "Mozilla/5.0"),
  Cookie: (room) => long(room, "cookie", "a=b; "),
  "Cookie in many lines": () => headers(() => "cookie", () => "a=b"),
  "If-None-Match": (room) => long(room, "if-none-match", `W/"a",`),
  "If-None-Match of blanks": (room) => long(room, "if-none-match", " ,"),
  "If-Match": (room) => long(room, "if-match", `"a",`),
  "Audit-Id": (room) => long(room, "audit-id", "a"),
  Traceparent: (room) => long(room, "traceparent", "00-"),
  "X-Forwarded-For": (room) => long(room, "x-forwarded-for", "10.0.0.1,"),
  Forwarded: (room) => long(room, "forwarded", "for=10.0.0.1;"),
  "Warning": (room) => long(room, "warning", `299 - "a",`),
  Expect: (room) => long(room, "expect", "100-continue,"),
  Range: (room) => long(room, "range", "0-1,", "bytes="),
  "Authorization of blanks": (room) => long(room, "authorization", " ", "Bearer", "a"),
  "Authorization of letters": (room) => long(room, "authorization", "a", "Bearer "),
  "Authorization of dots": (room) => long(room, "authorization", ".", "Bearer "),
  "Authorization Basic": (room) => long(room, "authorization", "YTpi", "Basic "),
  "Authorization in many lines": () => headers(() => "authorization", () => "Bearer a"),
  "a token of many claims": (room) => [["authorization", token(`{${filled(claims(room), (i) => `"k${i}":1`)}}`)]],
  "a token of many audiences": (room) => [["authorization", token(`{"iss":"https://kubernetes.default.svc","aud":[${filled(claims(room), (i) => `"a${i}"`)}]}`)]],
  "a token of the own issuer of many claims": (room) => [["authorization", token(`{"iss":"https://kubernetes.default.svc.cluster.local",${filled(claims(room), (i) => `"k${i}":1`)}}`)]],
  "a token of deep claims": (room) => [["authorization", token(`${"[".repeat(claims(room) / 2)}${"]".repeat(claims(room) / 2)}`)]],
  "a token of a long number": (room) => [["authorization", token(`{"exp":${"9".repeat(claims(room))}}`)]],
  "a token with a long head": (room) => [["authorization", `Bearer ${Buffer.from(`{"alg":"RS256","x":[${"1,".repeat(claims(room) / 2)}1]}`).toString("base64url")}.e30.a`]],
  "a token of a node": (room) => [["authorization", `Bearer ${"abcdef."}${"0".repeat(room - 1000)}`]],
}; // prettier-ignore

/** Upgrades; only HTTP/1.1 has them. */
const UPGRADES: Readonly<Record<string, (room: number) => HeaderList>> = {
  "protocols of a WebSocket": (room) => [...UPGRADE, ...long(room, "sec-websocket-protocol", "a,", "base64url.bearer.authorization.k8s.io.YQ,")],
  "protocols of a WebSocket with many tokens": (room) => [...UPGRADE, ...long(room, "sec-websocket-protocol", "base64url.bearer.authorization.k8s.io.YQ,")],
  "protocols of a WebSocket in many lines": () => [...UPGRADE, ...headers(() => "sec-websocket-protocol", (i) => `a${i}`)],
  "extensions of a WebSocket": (room) => [...UPGRADE, ...long(room, "sec-websocket-extensions", "permessage-deflate;a=b,")],
  "an upgrade to many protocols": (room) => [["connection", "upgrade"], ...long(room, "upgrade", "a,")],
}; // prettier-ignore

const UPGRADE: HeaderList = [
  ["connection", "upgrade"],
  ["upgrade", "websocket"],
  ["sec-websocket-version", "13"],
  ["sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="],
];

/** Queries, behind the question mark. */
export const QUERIES: Readonly<Record<string, (room: number) => string>> = {
  "1,000 parameters": (room) => filled(room, (i) => (i < 1000 ? `p${i}=${"v".repeat(room / 1200)}` : "a".repeat(2e6)), "&"),
  "500,000 parameters": (room) => filled(room, () => "a", "&"),
  "a long parameter of escapes": (room) => `a=${"%61".repeat(room / 3)}`,
  "a long parameter of broken escapes": (room) => `a=${"%zz".repeat(room / 3)}`,
  "1,000 parameters of escapes": (room) => list(1000, () => `fieldManager=${"%41".repeat(room / 3200 - 5)}`).join("&"),
  "a long parameter of plus signs": (room) => `a=${"+".repeat(room)}`,
  "a timeout": (room) => `timeout=${"1h".repeat(room / 2)}`,
  "timeoutSeconds": (room) => `watch=1&timeoutSeconds=${"1".repeat(room)}`,
  "a limit": (room) => `limit=${"9".repeat(room)}`,
  "a resourceVersion": (room) => `resourceVersion=${"9".repeat(room)}`,
  "a resourceVersion to watch from": (room) => `watch=1&timeoutSeconds=1&resourceVersion=${"9".repeat(room)}`,
  "a continue token": (room) => `limit=1&continue=${"A".repeat(room)}`,
  "a continue token of members": (room) => `limit=1&continue=${Buffer.from(`{"v":"meta.k8s.io/v1","rv":1,"start":"a",${filled(room * 0.7, (i) => `"k${i}":1`)}}`).toString("base64url")}`,
  "a continue token of nesting": (room) => `limit=1&continue=${Buffer.from("[".repeat(room * 0.7)).toString("base64url")}`,
  "a continue token with a long start": (room) => `limit=1&continue=${Buffer.from(`{"v":"meta.k8s.io/v1","rv":1,"start":"${"a/".repeat(room * 0.35)}"}`).toString("base64url")}`,
  "a label selector of !k": (room) => `labelSelector=${filled(room, (i) => `!k${i}`)}`,
  "a label selector of 1,000 terms": () => `labelSelector=${list(1000, (i) => `k${i}!=${"v".repeat(50)}`).join(",")}`,
  "a label selector of one key": (room) => `labelSelector=${filled(room, () => "k=v")}`,
  "a label selector of one set": (room) => `labelSelector=k in (${filled(room - 100, (i) => `v${i}`)})`.replaceAll(" ", "+"),
  "a label selector of one set of blanks": (room) => `labelSelector=k in (${" ".repeat(room - 100)})`.replaceAll(" ", "+"),
  "a label selector of commas": (room) => `labelSelector=${",".repeat(room)}`,
  "a label selector of brackets": (room) => `labelSelector=k in ${"(".repeat(room - 100)}`.replaceAll(" ", "+"),
  "a label selector of one long key": (room) => `labelSelector=${"a".repeat(room)}`,
  "a label selector of numbers": (room) => `labelSelector=${filled(room, (i) => `k${i}>${i}`)}`,
  "a label selector of one long number": (room) => `labelSelector=k>${"9".repeat(room - 100)}`,
  "a field selector of !=": (room) => `fieldSelector=${filled(room, (i) => `metadata.name!=n${i}`)}`,
  "a field selector of 1,000 terms": () => `fieldSelector=${list(1000, (i) => `metadata.name!=n${i}`).join(",")}`,
  "a field selector of one name": (room) => `fieldSelector=${filled(room, () => `metadata.name=a`)}`,
  "a field selector of unknown fields": (room) => `fieldSelector=${filled(room, (i) => `a${i}=b`)}`,
  "a field selector of backslashes": (room) => `fieldSelector=metadata.name=${"\\\\".repeat(room / 2)}`,
  "a field selector of commas": (room) => `fieldSelector=${",".repeat(room)}`,
  "a field selector of one long field": (room) => `fieldSelector=${"metadata.".repeat(room / 9)}=a`,
  "dryRun 1,000 times": () => list(1000, () => "dryRun=All").join("&"),
  "dryRun": (room) => `dryRun=${"All,".repeat(room / 4)}`,
  "a fieldManager": (room) => `fieldManager=${"m".repeat(room)}`,
  "a fieldValidation": (room) => `fieldValidation=${"m".repeat(room)}`,
  "a propagationPolicy": (room) => `propagationPolicy=${"m".repeat(room)}`,
  "a gracePeriodSeconds": (room) => `gracePeriodSeconds=${"9".repeat(room)}`,
  "pretty": (room) => `pretty=${"1".repeat(room)}`,
  "includeObject": (room) => `includeObject=${"1".repeat(room)}`,
}; // prettier-ignore

/** Paths. */
export const PATHS: Readonly<Record<string, (room: number) => string>> = {
  "a path of 500,000 slashes": (room) => "/".repeat(room),
  "a path of 500,000 parts": (room) => "/a".repeat(room / 2),
  "a path of dots": (room) => "/..".repeat(room / 3),
  "a path of escapes": (room) => `/${"%61".repeat(room / 3)}`,
  "a path of broken escapes": (room) => `/api/v1/${"%zz".repeat(room / 3)}`,
  "a path of escaped slashes": (room) => `/api/v1/namespaces/${"%2f".repeat(room / 3)}`,
  "a path of letters": (room) => `/${"a".repeat(room)}`,
  "a path of other letters": (room) => `/${"%c3%a9".repeat(room / 6)}`,
  "a group": (room) => `/apis/${"a.".repeat(room / 2)}`,
  "a version": (room) => `/apis/apps/${"v1".repeat(room / 2)}/deployments`,
  "a namespace": (room) => `/api/v1/namespaces/${"a".repeat(room)}/configmaps`,
  "a name": (room) => `/api/v1/namespaces/tenant/configmaps/${"a".repeat(room)}`,
  "a subresource": (room) => `/api/v1/namespaces/tenant/configmaps/a/${"b/".repeat(room / 2)}`,
  "a proxy path": (room) => `/api/v1/namespaces/tenant/services/a/proxy/${"b/".repeat(room / 2)}`,
  "a watch path": (room) => `/api/v1/watch/namespaces/tenant/configmaps/${"b/".repeat(room / 2)}`,
  "a document": (room) => `/openapi/v3/apis/${"b/".repeat(room / 2)}`,
  "a health check": (room) => `/livez/${"b/".repeat(room / 2)}`,
  "questions in a query": (room) => `/livez${"?".repeat(room)}`,
}; // prettier-ignore

const OVER = ["h1", "h2"] as const;
const PLACES = ["/api/v1/namespaces/tenant/configmaps"];

/** Every header, path and query, over both protocols, from every sender. */
export function headRows(who: LimitRequest["who"], places: readonly string[] = PLACES): LimitRow[] {
  const rows: LimitRow[] = [];
  for (const over of OVER) {
    for (const [name, make] of Object.entries(HEADERS)) {
      rows.push({
        name: `${who}, ${over}: ${name}`,
        requests: () =>
          places.map((path) => ({ who, over, method: "GET", path, headers: fitting(make(LONGEST[over]), over) })),
      });
    }
    for (const [name, make] of Object.entries(PATHS)) {
      rows.push({
        name: `${who}, ${over}: ${name}`,
        requests: () => [{ who, over, method: "GET", path: make(LONGEST[over]) }],
      });
    }
    for (const [name, make] of Object.entries(QUERIES)) {
      rows.push({
        name: `${who}, ${over}: ${name}`,
        requests: () => places.map((path) => ({ who, over, method: "GET", path: `${path}?${make(LONGEST[over])}` })),
      });
    }
  }
  for (const [name, make] of Object.entries(UPGRADES)) {
    rows.push({
      name: `${who}, h1: ${name}`,
      requests: () => [
        {
          who,
          over: "h1",
          method: "GET",
          path: "/api/v1/namespaces/tenant/configmaps?watch=1",
          headers: make(LONGEST.h1),
        },
      ],
    });
  }
  return rows;
}
