import type { Value } from "../../../src/value/value.ts";
import { isObject, textIn, textOf } from "../../../src/value/value.ts";
import { inPageSlices } from "../ui/sliced.ts";
import { parseValue } from "./exact-json.ts";
import { ownedText, withoutOwners } from "./owners.ts";

/** An object that a server has sent, as text to compare. */
export interface StoredText {
  readonly text: string;
  readonly value: Value;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly resourceVersion: string;
}

/** Reads the JSON of an object and writes it as YAML, without `managedFields`, and without the status if that is hidden. */
export async function storedText(json: string, hideStatus: boolean): Promise<StoredText> {
  const value = parseValue(json);
  const metadata = isObject(value) ? (value["metadata"] ?? null) : null;
  const identity = { apiVersion: "", kind: isObject(value) ? textOf(value["kind"]) : "", name: "" };
  return {
    text: (await inPageSlices(ownedText(withoutOwners(value, identity), { status: hideStatus }))).text,
    value,
    name: textIn(metadata, "name"),
    namespace: textIn(metadata, "namespace") || undefined,
    resourceVersion: textIn(metadata, "resourceVersion"),
  };
}
