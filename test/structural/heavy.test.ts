/**
 * Schemas and rules whose check takes long, whatever is done: it is done beside the event loop, with the answer that it
 * would have here. Each request is metered.
 */
import { describe, expect, test } from "vitest";
import { LONG } from "../../src/util/testing/amount.ts";
import type { Answer } from "../rules/answer.ts";
import { fresh, serve } from "../rules/api.ts";
import { DEFINITIONS, definitionOf } from "./things.ts";

const api = serve();

/** Things that can be scaled. */
const SCALED = {
  subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
};

/** Serves things with such a spec; what is sent as one is answered. */
async function served(spec: object): Promise<(name: string, spec: object) => Promise<Answer>> {
  const group = `${fresh("heavy")}.example.com`;
  const made = await api.post(DEFINITIONS, definitionOf(group, spec, SCALED));
  expect(made.status).toBe(201);
  await api.settled();
  return (name, sent) =>
    api.post(`/apis/${group}/v1/things`, { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name }, spec: sent });
}

const fieldsOf = (answer: Answer): unknown =>
  ((answer.body as { details?: { causes?: { field: string }[] } }).details?.causes ?? []).map(({ field }) => field);

/** `JSON.rawJSON` of Node 22 and newer, which the type library does not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

/** It has to keep apart as many beginnings as it has states. */
const DEAR = "[ab]*a[ab]{100}$";
const MIB = "ab".repeat(1 << 19);

describe("a pattern that takes a second for a text", () => {
  const things = served.bind(undefined, {
    type: "object",
    properties: { text: { type: "string", pattern: DEAR }, replicas: { type: "integer" } },
  });

  test("CRD-44: is judged, with all else that is wrong", async () => {
    const post = await things();
    expect((await post("fits", { text: `${MIB}a`, replicas: 1 })).status).toBe(201);
    const refused = await post("not", { text: MIB, replicas: -1 });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ["spec.text", ".spec.replicas"]]);
  });

  test("short texts, as many of them as there may be", async () => {
    const post = await served({
      type: "object",
      properties: { texts: { type: "array", items: { type: "string", pattern: DEAR } } },
    });
    const texts = Array.from({ length: LONG ? 2000 : 1000 }, () => "ab".repeat(300));
    const refused = await post("many", { texts });
    expect(refused.status).toBe(422);
    expect((fieldsOf(refused) as string[]).length).toBeGreaterThan(900);
  });
});

describe("rules", () => {
  const TEXTS = { type: "array", items: { type: "string", maxLength: 5000 }, maxItems: 300 };
  const ruled = (rule: string): object => ({
    type: "object",
    properties: { l: TEXTS, s: { type: "string", maxLength: 5000 } },
    "x-kubernetes-validations": [{ rule, message: "not so" }],
  });

  test.each([
    ["matches of a text that the rule has made", `!self.l.join("").matches("${DEAR}")`],
    ["all places of nothing in it", 'self.l.join(self.s).findAll("a*").size() > 0'],
    ["a pattern that the rule has made", '"".matches(self.l.join("|"))'],
  ])("CEL-56: %s", async (_, rule) => {
    const post = await served(ruled(rule));
    const answer = await post("one", { l: Array.from({ length: 300 }, () => "ab".repeat(2500)), s: "b" });
    // What a rule may cost may be too little for it; what it takes is then no concern either.
    expect([201, 422]).toContain(answer.status);
    expect((await post("two", { l: ["a"], s: "b" })).status).not.toBe(500);
  });

  test("the answer is that of an object that is small, with numbers that no double holds", async () => {
    const post = await served({
      type: "object",
      properties: { text: { type: "string", maxLength: 1 << 21 }, number: { type: "integer", format: "int64" } },
      "x-kubernetes-validations": [
        { rule: `self.text.matches("^(ab){2,}$") && self.number == 9007199254740993`, message: "not so" },
      ],
    });
    const numbered = (text: string, number: string): object => ({ text, number: rawJSON(number) });
    for (const text of ["abab", MIB]) {
      expect((await post(fresh("n"), numbered(text, "9007199254740993"))).status).toBe(201);
      expect((await post(fresh("n"), numbered(text, "9007199254740992"))).status).toBe(422);
    }
  });
});

describe("definitions", () => {
  /** Enough for a turn that is long. */
  const WORDS = LONG ? 60_000 : 20_000;
  const long = `^(${Array.from({ length: WORDS }, (_, i) => `w${i}`).join("|")})$`;

  test("CRD-40: a pattern that takes long to compile is served, and refused where it is none", async () => {
    const post = await served({ type: "object", properties: { text: { type: "string", pattern: long } } });
    expect((await post("fits", { text: `w${WORDS - 1}` })).status).toBe(201);
    expect((await post("not", { text: "x" })).status).toBe(422);
    const group = `${fresh("heavy")}.example.com`;
    const broken = definitionOf(group, {
      type: "object",
      properties: { text: { type: "string", pattern: `${long}(` } },
    });
    const refused = await api.post(DEFINITIONS, broken);
    expect([refused.status, fieldsOf(refused)]).toEqual([
      422,
      ["spec.validation.openAPIV3Schema.properties[spec].properties[text].pattern"],
    ]);
  });
});
