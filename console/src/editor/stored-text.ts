import { memberOf, textIn } from "../../../src/value/value.ts";
import { inPageSlices } from "../ui/sliced.ts";
import { parseValue } from "./exact-json.ts";
import { plainText } from "./owners.ts";

/** An object that a server has sent, as text to compare. */
export interface StoredText {
  readonly text: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Reads the JSON of an object and writes it as YAML, without `managedFields`, and without the status if that is hidden. */
export async function storedText(json: string, hideStatus: boolean): Promise<StoredText> {
  const value = parseValue(json);
  const metadata = memberOf(value, "metadata");
  return {
    text: await inPageSlices(plainText(value, { status: hideStatus })),
    name: textIn(metadata, "name"),
    namespace: textIn(metadata, "namespace") || undefined,
  };
}
