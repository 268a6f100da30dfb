/**
 * What clients ask for, and which answers are right.
 *
 * @module
 */
import { gzipSync } from "node:zlib";
import type { Draw } from "../../src/util/testing/draw.ts";
import { TOKEN } from "../attacks/target.ts";

/** Where it happens. */
export const NAMESPACE = "wire";
/** Where they are. */
export const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** A request, and the codes of its right answers. */
export interface Asked {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly codes: readonly number[];
  /** Whether it shows a good credential. */
  readonly hasToken: boolean;
  /** Whether its answer has no end but that of the client. */
  readonly isEndless: boolean;
}

/** What scripts have created. */
export const CREATED = `${MAPS}?labelSelector=of%3Dscripts`;
/** A watch of one object that does not change. */
const WATCH = `${MAPS}?watch=1&fieldSelector=metadata.name%3Dlarge`;
const JSON_TYPE = ["content-type", "application/json"] as const;
const MAP = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { generateName: "w-", labels: { of: "scripts" } },
  data: { a: "x".repeat(100) },
};
/** What only those may read who have a credential. */
export const SECRET = "only for those who may";
/** An object that takes many frames. */
export const LARGE_MAP: object = { ...MAP, metadata: { name: "large" }, data: { a: SECRET.repeat(9000) } };
const NEW_LARGE_MAP = { ...MAP, data: { a: "x".repeat(200_000) } };
const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const NOTHING = Buffer.alloc(0);

type Way = Partial<Omit<Asked, "name" | "hasToken">> & Pick<Asked, "path" | "codes"> & { readonly token?: string };

const WAYS = {
  livez: { path: "/livez", codes: [200], token: "" },
  readyz: { path: "/readyz", codes: [200] },
  "health that is asked for in detail": { path: "/livez?verbose", codes: [200, 401, 403], token: "" },
  version: { path: "/version", codes: [200], token: "" },
  "the head of livez": { method: "HEAD", path: "/livez", codes: [200, 403], token: "" },
  "the head of readyz": { method: "HEAD", path: "/readyz", codes: [200] },
  "the head of a list": { method: "HEAD", path: MAPS, codes: [405, 200] },
  list: { path: `${MAPS}?limit=2`, codes: [200] },
  "what nobody may see": { path: MAPS, codes: [401, 403], token: "" },
  "a wrong token": { path: MAPS, codes: [401], token: "wrong" },
  "what is not there": { path: `${MAPS}/none`, codes: [404] },
  "a path that is not there": { path: "/nowhere/at/all", codes: [404] },
  "a large object": { path: `${MAPS}/large`, codes: [200] },
  "a large object in YAML": { path: `${MAPS}/large`, codes: [200], headers: [["accept", "application/yaml"]] },
  create: { method: "POST", path: `${MAPS}?dryRun=All`, headers: [JSON_TYPE], body: text(MAP), codes: [201] },
  "create for good": { method: "POST", path: MAPS, headers: [JSON_TYPE], body: text(MAP), codes: [201] },
  "create something large": {
    method: "POST",
    path: `${MAPS}?dryRun=All`,
    headers: [JSON_TYPE],
    body: text(NEW_LARGE_MAP),
    codes: [201],
  },
  "create in YAML": {
    method: "POST",
    path: `${MAPS}?dryRun=All`,
    headers: [["content-type", "application/yaml"]],
    body: Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: y-}\n"),
    codes: [201],
  },
  "create in gzip": {
    method: "POST",
    path: `${MAPS}?dryRun=All`,
    headers: [JSON_TYPE, ["content-encoding", "gzip"]],
    body: gzipSync(text(MAP)),
    codes: [201],
  },
  "create without a right": {
    method: "POST",
    path: MAPS,
    headers: [JSON_TYPE],
    body: text(MAP),
    codes: [401, 403],
    token: "",
  },
  "half an object": { method: "POST", path: MAPS, headers: [JSON_TYPE], body: Buffer.from('{"kind":'), codes: [400] },
  "no object": { method: "POST", path: MAPS, headers: [JSON_TYPE], codes: [400, 422] },
  "an object of no form": {
    method: "POST",
    path: MAPS,
    headers: [["content-type", "text/plain"]],
    body: text(MAP),
    codes: [415],
  },
  "delete what is not there": { method: "DELETE", path: `${MAPS}/none`, codes: [404] },
  "patch what is not there": {
    method: "PATCH",
    path: `${MAPS}/none`,
    headers: [["content-type", "application/merge-patch+json"]],
    body: Buffer.from("{}"),
    codes: [404],
  },
  "a method that is not there": { method: "BREW", path: `${MAPS}/none`, codes: [405, 404] },
  "a watch": { path: `${WATCH}&timeoutSeconds=1`, codes: [200] },
  "a watch without an end": { path: WATCH, codes: [200], isEndless: true },
  "a watch of nobody": { path: WATCH, codes: [401, 403], token: "" },
} satisfies Readonly<Record<string, Way>>;

/** The name of a request. */
export type AskedName = keyof typeof WAYS;

/** All names. */
export const NAMES = Object.keys(WAYS) as AskedName[];

/** Names of requests that get a response at once and keep a connection open, for every user. */
export const QUICK: readonly AskedName[] = ["livez", "version"];

/** A request by its name. */
export function asked(name: AskedName): Asked {
  const { token = TOKEN, headers = [], ...way }: Way = WAYS[name];
  const credential = token === "" ? [] : [["authorization", `Bearer ${token}`] as const];
  return {
    name,
    method: "GET",
    body: NOTHING,
    isEndless: false,
    ...way,
    headers: [...credential, ...headers],
    hasToken: token === TOKEN,
  };
}

/** One of them by chance: with a credential, or without one. */
export function drawAsked(draw: Draw, isTrusted: boolean): AskedName {
  for (;;) {
    const name = draw.pick(NAMES);
    if (asked(name).hasToken === isTrusted || (isTrusted && QUICK.includes(name))) return name;
  }
}
