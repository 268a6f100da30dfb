/** Fields of a Pod as text (PROJ-41, PROJ-42). */
import type { Pod } from "../client/kinds/index.ts";
import { qualifiedName } from "../meta/names.ts";
import { type SubscriptedPath, splitSubscript } from "../meta/subscripted-path.ts";
import { goQuoted } from "../util/go-quote.ts";

type Texts = Readonly<Record<string, string>>;

const FIELDS: Readonly<Record<string, (pod: Pod) => string>> = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
  "metadata.uid": ({ metadata }) => metadata.uid,
  "metadata.labels": ({ metadata }) => linesOf(metadata.labels),
  "metadata.annotations": ({ metadata }) => linesOf(metadata.annotations),
};

/**
 * Returns a field such as `metadata.labels['app']` as text. @throws for a field that volumes do not support (PROJ-45)
 */
export function podField(pod: Pod, path: string): string {
  const entry = splitSubscript(path);
  if (entry) return entryOf(pod, path, entry);
  const field = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined;
  if (field) return field(pod);
  throw new Error(
    `expected one of the fields ${Object.keys(FIELDS).join(", ")}, or one label or annotation, got ${JSON.stringify(path)}`,
  );
}

function entryOf({ metadata }: Pod, path: string, { member, key }: SubscriptedPath): string {
  const texts = member === "metadata.labels" ? metadata.labels : metadata.annotations;
  if (member !== "metadata.labels" && member !== "metadata.annotations") {
    throw new Error(
      `expected a key in brackets after metadata.labels or metadata.annotations only, got ${JSON.stringify(path)}`,
    );
  }
  // Annotation keys are validated without regard to case, but looked up as written.
  const wrong = qualifiedName(member === "metadata.annotations" ? key.toLowerCase() : key);
  if (wrong !== undefined)
    throw new Error(`expected the key of a label or annotation in ${JSON.stringify(path)}: ${wrong}`);
  return texts && Object.hasOwn(texts, key) ? texts[key]! : "";
}

const linesOf = (texts: Texts | null | undefined): string =>
  Object.entries(texts ?? {})
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, value]) => `${key}=${goQuoted(value)}`)
    .join("\n");
