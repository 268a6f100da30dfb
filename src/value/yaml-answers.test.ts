import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DecodeError, type Decoded } from "./decode-error.ts";
import { decodeJson } from "./json.ts";
import { equal } from "./value.ts";
import { decodeYaml } from "./yaml.ts";

/** A text, its JSON by `sigs.k8s.io/yaml` 1.6.0, and the message of its strict form; no JSON where the text is refused. */
type Answer = readonly [text: string, json?: string, strict?: string];

const file = new URL("./testing/yaml-answers.json", import.meta.url);
const answers = JSON.parse(readFileSync(file, "utf8")) as readonly Answer[];

function read(text: string): Decoded | undefined {
  try {
    return decodeYaml(text);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

describe("generated texts are decoded as by the decoder in Go", () => {
  test("the same texts are refused, the others have the same values and duplicate keys", () => {
    const unlike = answers.filter(([text, json, strict]) => {
      const found = read(text);
      if (json === undefined || !found) return json !== undefined || found !== undefined;
      const value = decodeJson(Buffer.from(JSON.stringify(found.value))).value;
      const faults = found.unmarshalErrors
        ?.split("\n")
        .slice(1)
        .map((line) => line.trim());
      return !equal(value, decodeJson(Buffer.from(json)).value) || faults?.join("\n") !== strict;
    });
    expect(unlike).toEqual([]);
    expect(answers.filter(([, json]) => json !== undefined).length).toBeGreaterThan(1500);
  });
});
