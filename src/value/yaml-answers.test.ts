import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DecodeError, type Decoded } from "./decode-error.ts";
import { decodeJson } from "./json.ts";
import { equal } from "./value.ts";
import { decodeYaml } from "./yaml.ts";

/** A text, the JSON that `sigs.k8s.io/yaml` 1.6.0 makes of it, and what its strict form says; no JSON where it refuses the text. */
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

describe("generated texts are read as the reader in Go reads them", () => {
  test("what it refuses is refused, the rest has the same value and the same repeated keys", () => {
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
