/**
 * The objects of a run: where they lie, what a write sends, and what an answer shows of them.
 *
 * @module
 */
import type { Random } from "../../src/util/clock.ts";
import type { Seen } from "./history.ts";

/** Objects as they are on the wire. */
export interface WireObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly colour?: string };
  };
  readonly data?: { readonly id?: string; readonly pad?: string };
}

/** The resources that a run writes to. */
export const RESOURCES: readonly string[] = ["configmaps/", "secrets/"];
/** What lists and watches are of. */
export const SCOPES: readonly string[] = [
  "configmaps/",
  "configmaps/default/",
  "configmaps/other/",
  "secrets/default/",
];
export const COLOURS: readonly string[] = ["red", "green", "blue"];
/** Few, so that many meet at each. */
export const KEYS: readonly string[] = ["configmaps/default/", "configmaps/other/", "secrets/default/"].flatMap(
  (scope) => Array.from({ length: 6 }, (_, i) => `${scope}n${i}`),
);

/** The path of a scope or of an object. */
export function pathOf(key: string): string {
  const [resource, namespace, name] = key.split("/");
  const at = namespace ? `/namespaces/${namespace}` : "";
  return `/api/v1${at}/${resource}${name ? `/${name}` : ""}`;
}

/** The scope that an object lies in: `configmaps/default/`. */
export const scopeOf = (key: string): string => key.slice(0, key.lastIndexOf("/") + 1);

const isSecret = (key: string): boolean => key.startsWith("secrets/");

/** The value of a write: its id, and padding that shows whether the value is whole. */
export function valueOf(key: string, id: string, colour: string, random: Random, expected?: number): object {
  const data = { id, pad: `${id} `.repeat(Math.floor(random.next() ** 4 * 300)) };
  const name = key.slice(key.lastIndexOf("/") + 1);
  return {
    apiVersion: "v1",
    kind: isSecret(key) ? "Secret" : "ConfigMap",
    metadata: { name, labels: { colour }, ...(expected === undefined ? {} : { resourceVersion: String(expected) }) },
    data: isSecret(key) ? { id: base64(data.id), pad: base64(data.pad) } : data,
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const fromBase64 = (text: string): string => Buffer.from(text, "base64").toString();

/** What is seen of an object of a resource (`configmaps/`). A value that is not whole has an id that nobody wrote. */
export function seenOf(resource: string, { metadata, data = {} }: WireObject, revision?: number): Seen {
  const read = (text = ""): string => (isSecret(resource) ? fromBase64(text) : text);
  const id = read(data.id);
  const pad = read(data.pad);
  const whole = pad === `${id} `.repeat(pad.length / (id.length + 1));
  return {
    key: `${resource}${metadata.namespace}/${metadata.name}`,
    revision: revision ?? Number(metadata.resourceVersion),
    uid: metadata.uid,
    id: whole ? id : `a part of ${id}`,
    colour: metadata.labels?.colour ?? "",
  };
}
