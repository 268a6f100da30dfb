import { htmlSafe } from "../value/html-safe.ts";
import { isObject, setMember, isContainer } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";
import { compareText, difference } from "./fieldpath/index.ts";
import type { FieldSet } from "./fieldpath/index.ts";
import { compare, toFieldSet, validate } from "./typed/index.ts";
import type { Type } from "./schema/schema.ts";

/** The annotation of client-side apply, with the configuration that kubectl applied last. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The manager name of kubectl in server-side apply, which migrates from the annotation to ownership. */
export const KUBECTL = "kubectl";

/** The size limit of all annotations of an object together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

function annotationsOf(object: Value): ValueObject | undefined {
  const metadata = isObject(object) ? object["metadata"] : undefined;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  return isObject(annotations) ? annotations : undefined;
}

/** The annotation of an object; undefined when there is none, or an empty one. */
export function lastApplied(object: Value): string | undefined {
  const text = annotationsOf(object)?.[LAST_APPLIED];
  return typeof text === "string" && text !== "" ? text : undefined;
}

/**
 * The fields that kubectl applied according to the annotation of a live object, and that still have the applied values.
 *
 * Kubectl may become their owner without a conflict. Undefined when the annotation is missing, malformed, of another
 * version or does not fit the type.
 */
export function lastAppliedFields(type: Type, live: Value, apiVersion: string): FieldSet | undefined {
  const text = lastApplied(live);
  const applied = text === undefined ? undefined : parse(text);
  if (!isObject(applied) || !isObject(live) || applied["apiVersion"] !== apiVersion) return undefined;
  if (applied["kind"] !== live["kind"]) return undefined;
  if (validate(type, applied).length > 0 || validate(type, live).length > 0) return undefined;
  const { added, modified, removed } = compare(type, applied, live);
  return [modified, added, removed].reduce(difference, toFieldSet(type, applied));
}

function parse(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}

/** The object with its annotation updated to an intent of kubectl; unchanged when it has no annotation. */
export function refreshLastApplied(object: Value, intent: Value): Value {
  if (lastApplied(object) === undefined || !isObject(object) || !isObject(object["metadata"])) return object;
  const text = goJson(withoutAnnotation(intent)) + "\n";
  if (lastApplied(object) === text) return object;
  const annotations: ValueObject = { ...annotationsOf(object), [LAST_APPLIED]: text };
  if (byteSize(annotations) > MAX_ANNOTATION_BYTES) delete annotations[LAST_APPLIED];
  return { ...object, metadata: { ...object["metadata"], annotations } };
}

function withoutAnnotation(intent: Value): Value {
  const metadata = isObject(intent) ? intent["metadata"] : undefined;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  if (!isObject(intent) || !isObject(metadata) || !isObject(annotations)) return intent;
  const { [LAST_APPLIED]: _, ...rest } = annotations;
  return { ...intent, metadata: { ...metadata, annotations: rest } };
}

function byteSize(annotations: ValueObject): number {
  let bytes = 0;
  for (const key in annotations) {
    const text = annotations[key];
    bytes += Buffer.byteLength(key) + (typeof text === "string" ? Buffer.byteLength(text) : 0);
  }
  return bytes;
}

/** JSON with sorted members and escaped characters of HTML, as kubectl writes the annotation. */
const goJson = (value: Value): string => htmlSafe(JSON.stringify(sortMembers(value)));

function sortMembers(value: Value): Value {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  const sorted: ValueObject = {};
  for (const key of Object.keys(value).sort(compareText)) setMember(sorted, key, sortMembers(value[key]!));
  return sorted;
}
