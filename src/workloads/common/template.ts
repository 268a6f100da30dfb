/** Templates of Pods: their hashes, and the Pods that are created from them. */
import type { ApiObject, NewObject } from "../../client/kind.ts";
import type { Pod, ReplicaSet } from "../../client/kinds/index.ts";
import { canonicalJson } from "../../value/canonical.ts";
import type { Value } from "../../value/value.ts";
import { fnv1a } from "../../util/fnv.ts";
import { ownedBy } from "./ownership.ts";

/** The template of Pods in a workload. */
export type PodTemplate = ReplicaSet["spec"]["template"];

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/**
 * Returns the hash of a value for names and labels: FNV-1a (32 bit) over its canonical JSON, then over `collisionCount` as 8 bytes;
 * each character of the decimal number is mapped to an alphabet without vowels (WL-GEN-8).
 */
export function hashOf(value: unknown, collisionCount?: number): string {
  return hashesOf(value)(collisionCount);
}

/**
 * Returns the hashes of a value, one for each count of collisions: the value is encoded once, however many hashes are needed.
 */
export function hashesOf(value: unknown): (collisionCount?: number) => string {
  const begun = fnv1a(Buffer.from(canonicalJson(value as Value)));
  return (collisionCount) =>
    safeText((collisionCount === undefined ? begun : fnv1a(bytesOf(collisionCount), begun)).toString());
}

/** A number of 32 bits as 8 bytes, the lowest first. */
function bytesOf(count: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, count, true);
  return bytes;
}

/** Maps each character of a text to the alphabet of generated names. */
const safeText = (text: string): string =>
  Array.from(text, (character) => ALPHABET[character.charCodeAt(0) % ALPHABET.length]).join("");

/** Returns a template without one label, such as `pod-template-hash`. */
export function withoutLabel(template: PodTemplate, label: string): PodTemplate {
  const { labels = {}, ...metadata } = template.metadata ?? {};
  if (!Object.hasOwn(labels, label)) return template;
  const { [label]: _, ...others } = labels;
  return { ...template, metadata: Object.keys(others).length > 0 ? { ...metadata, labels: others } : metadata };
}

/** Whether two templates are equal apart from one label (WL-DEP-2). */
export const isSameTemplate = (a: PodTemplate, b: PodTemplate, label: string): boolean =>
  textWithout(a, label) === textWithout(b, label);

const texts = new WeakMap<PodTemplate, { readonly label: string; readonly text: string }>();

/** The canonical text of the template of an immutable object; it is computed once for each object. */
function textWithout(template: PodTemplate, label: string): string {
  const known = texts.get(template);
  if (known?.label === label) return known.text;
  const text = canonicalJson(withoutLabel(template, label) as unknown as Value);
  texts.set(template, { label, text });
  return text;
}

/** Creates a Pod of a template with the prefix `<owner>-`; the owner is its controller (WL-RS-1). */
export function podFromTemplate(template: PodTemplate, owner: ApiObject): NewObject<Pod> {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata = {
    generateName: `${owner.metadata.name}-`,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
  };
  return ownedBy({ metadata, spec: template.spec } as NewObject<Pod>, owner);
}
