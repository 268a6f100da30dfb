/**
 * Texts that nobody writes but to hold a server, wherever an object or a request may have one that is read by its form. Each
 * request is metered. The usual run sends half of the texts to each place, and a quarter to each format and each rule.
 */
import { describe, expect, test } from "vitest";
import { sampled } from "../../src/util/testing/amount.ts";
import type { Answer } from "../rules/answer.ts";
import { fresh, serve } from "../rules/api.ts";
import { DEFINITIONS, definitionOf } from "./things.ts";

const api = serve();
const PODS = "/api/v1/namespaces/default/pods";

/** Texts of a length, more or less; each was read by an expression once that tried it again and again. */
const TEXTS: readonly (readonly [name: string, textOf: (size: number) => string])[] = [
  ["numbers with a unit", (size) => `${"0000s".repeat(size / 5)}x`],
  ["zeros", (size) => `${"0".repeat(size)}x`],
  ["nines", (size) => "9".repeat(size)],
  ["digits in base 16", (size) => `0x${"a".repeat(size)}`],
  ["points", (size) => `1${".1".repeat(size / 2)}s`],
  ["tabs", (size) => `x${"\t".repeat(size)}x`],
  ["blanks", (size) => " ".repeat(size)],
  ["slashes", (size) => `${"/".repeat(size)}x`],
  ["subscripts", (size) => `'${"['".repeat(size / 2)}`],
  ["references", (size) => `)${"$(".repeat(size / 2)}`],
  ["places", (size) => "${".repeat(size / 2)],
  ["labels", (size) => `${"a.".repeat(size / 2)}!`],
  ["hyphens", (size) => `a${"-".repeat(size)}!`],
  ["colons", (size) => ":".repeat(size)],
  ["ats", (size) => "a@".repeat(size / 2)],
  ["quotes", (size) => `"${'\\"'.repeat(size / 2)}`],
];
const SIZE = 200_000;

/** Serves things with such a spec; what is sent as one is answered. */
async function served(spec: object): Promise<(spec: object) => Promise<Answer>> {
  const group = `${fresh("hostile")}.example.com`;
  expect((await api.post(DEFINITIONS, definitionOf(group, spec))).status).toBe(201);
  await api.settled();
  return (sent) =>
    api.post(`/apis/${group}/v1/things`, {
      apiVersion: `${group}/v1`,
      kind: "Thing",
      metadata: { name: fresh("thing") },
      spec: sent,
    });
}

describe.each(sampled(TEXTS, 2))("%s", (_, textOf) => {
  const text = textOf(SIZE);

  test("in the parameter timeout", async () => {
    for (const timeout of [textOf(60), textOf(2000)]) {
      const { status } = await api.get("/api/v1/namespaces", { timeout });
      expect([200, 400]).toContain(status);
    }
  });

  test("in a field of a Pod that is named, a file of a volume and a variable", async () => {
    const env = [
      { name: "A", value: text },
      { name: "B", valueFrom: { fieldRef: { fieldPath: text } } },
    ];
    const files = { name: "files", configMap: { name: "a", items: [{ key: "a", path: text }] } };
    const fields = { name: "fields", downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: text } }] } };
    const answer = await api.post(PODS, {
      metadata: { name: fresh("pod") },
      spec: {
        containers: [
          { name: "a", image: text, env, volumeMounts: [{ name: "files", mountPath: text, subPathExpr: text }] },
        ],
        volumes: [files, fields],
      },
    });
    expect(answer.status).toBe(422);
  });

  test("in a quantity, a port and a selector", async () => {
    const resources = { requests: { cpu: text }, limits: { memory: text } };
    const container = { name: "a", image: "b", resources, ports: [{ name: text, containerPort: 1 }] };
    const pod = { metadata: { name: fresh("pod") }, spec: { containers: [container] } };
    expect([400, 422]).toContain((await api.post(PODS, pod)).status);
    const { status } = await api.get(PODS, { labelSelector: textOf(5000), fieldSelector: textOf(5000) });
    expect([200, 400]).toContain(status);
  });

  test("in a column of a definition, and in the table that has it", async () => {
    const group = `${fresh("column")}.example.com`;
    const column = (name: string, jsonPath: string): object => ({ name, type: "string", jsonPath });
    const columns = [
      column("Text", `.spec[?(@.a=="${text}")]`),
      column("Number", `.spec[?(@.a==${text})]`),
      column("Path", `.spec${text}`),
    ];
    const made = await api.post(
      DEFINITIONS,
      definitionOf(group, { type: "object" }, { additionalPrinterColumns: columns }),
    );
    expect([201, 422]).toContain(made.status);
    await api.settled();
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { status } = await api.get(`/apis/${group}/v1/things`, {}, { accept: table });
    expect(status).toBe(made.status === 201 ? 200 : 404);
  });
});

const FORMATS = [
  "bsonobjectid",
  "byte",
  "cidr",
  "creditcard",
  "date",
  "datetime",
  "duration",
  "email",
  "hexcolor",
  "hostname",
  "ipv4",
  "ipv6",
  "isbn",
  "k8s-long-name",
  "k8s-short-name",
  "mac",
  "rgbcolor",
  "ssn",
  "uri",
  "uuid",
];

test.each(FORMATS.map((format, row) => [format, sampled(TEXTS, 4, row)] as const))(
  "a text of the format %s",
  async (format, texts) => {
    const post = await served({ type: "object", properties: { text: { type: "string", format } } });
    for (const [, textOf] of texts) expect([201, 422]).toContain((await post({ text: textOf(SIZE) })).status);
  },
);

const RULES = [
  "duration(self.text) > duration('0s')",
  "double(self.text) > 0.0",
  "int(self.text) > 0",
  "uint(self.text) > 0u",
  "timestamp(self.text) > timestamp('2024-01-01T00:00:00Z')",
  "self.text.trim() == ''",
  "isQuantity(self.text) && quantity(self.text).isInteger()",
  "isSemver(self.text) && semver(self.text).major() > 0",
  "isURL(self.text) && url(self.text).getHost() == ''",
  "isIP(self.text) || isCIDR(self.text)",
  "self.text.split(self.text.substring(50000, 150000)).size() == 1",
  "self.text.indexOf(self.text.substring(50000, 100000) + '!' + self.text.substring(0, 50000)) > 0",
  "self.text.lastIndexOf(self.text.substring(50000) + '!') > 0",
  "self.text.replace(self.text.substring(50000) + '!', '').size() > 0",
  "self.text.lowerAscii().upperAscii().charAt(100) != ''",
];

test.each(RULES.map((rule, row) => [rule, sampled(TEXTS, 4, row)] as const))(
  "CEL-56: a rule %s",
  async (rule, texts) => {
    const post = await served({
      type: "object",
      properties: { text: { type: "string", maxLength: 300_000 } },
      "x-kubernetes-validations": [{ rule }],
    });
    for (const [, textOf] of texts) expect([201, 422]).toContain((await post({ text: textOf(SIZE) })).status);
  },
);

test("CEL-32: sets of many elements are compared in their rules", async () => {
  const post = await served({
    type: "object",
    properties: {
      one: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 60_000 },
      other: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 60_000 },
    },
    "x-kubernetes-validations": [{ rule: "self.one == self.other" }],
  });
  const one = Array.from({ length: 9000 }, (_, i) => `e${i}`);
  expect((await post({ one, other: one.toReversed() })).status).toBe(201);
  expect((await post({ one, other: [...one.slice(1), "f"] })).status).toBe(422);
});

test("CRD-40: a value is looked for among many that are allowed", async () => {
  const post = await served({
    type: "object",
    properties: {
      list: { type: "array", items: { type: "string", enum: Array.from({ length: 9000 }, (_, i) => `v${i}`) } },
    },
  });
  const list = Array.from({ length: 9000 }, (_, i) => `v${8999 - i}`);
  expect((await post({ list })).status).toBe(201);
  expect((await post({ list: list.map((value) => `${value}x`) })).status).toBe(422);
});

test("many faults below a long name are reported in a response of some megabytes at most", async () => {
  const post = await served({
    type: "object",
    additionalProperties: { type: "array", items: { type: "object", properties: { a: { type: "integer" } } } },
  });
  const answer = await post({ ["l".repeat(500_000)]: Array.from({ length: 9000 }, () => ({ a: "x" })) });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body).length).toBeLessThan(4_000_000);
});
