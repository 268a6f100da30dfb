/** Numbers of custom objects that JavaScript, or 64 bits, cannot hold: CRD-40. */
import { beforeAll, expect, test, vi } from "vitest";
import { fresh, serve } from "../rules/api.ts";

const api = serve({ dialect: "kubernetes" });
const PATH = "/apis/numbers.example.com/v1/namespaces/default/figures";

beforeAll(async () => {
  const integer = { type: "integer" };
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          integer,
          either: { "x-kubernetes-int-or-string": true },
          number: { type: "number" },
          any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    },
  };
  const { status } = await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "figures.numbers.example.com" },
    spec: {
      group: "numbers.example.com",
      scope: "Namespaced",
      names: { plural: "figures", kind: "Figure" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  if (status !== 201) throw new Error(`the definition was answered with ${status}, expected 201`);
  await vi.waitFor(async () => {
    if ((await api.get(PATH)).status !== 200) throw new Error("the kind is not served yet");
  });
});

/** Posts a spec as a text, and reads it again as one. */
async function stored(spec: string) {
  const name = fresh("figure");
  const body = `{"apiVersion":"numbers.example.com/v1","kind":"Figure","metadata":{"name":"${name}"},"spec":${spec}}`;
  const answer = await api.post(PATH, body);
  if (answer.status !== 201) return { status: answer.status, causes: answer.body["details"] };
  const { text } = await api.get(`${PATH}/${name}`);
  return { status: 201, spec: text.slice(text.indexOf('"spec":')), warning: answer.headers.get("warning") };
}

test.each(["9223372036854775807", "-9223372036854775808", "9007199254740993"])(
  "CRD-40: the integer %s is kept digit by digit",
  async (digits) => {
    const spec = `{"integer":${digits},"either":${digits},"number":${digits},"any":{"a":${digits}}}`;
    const found = await stored(spec);
    expect(found).toEqual({ status: 201, spec: expect.any(String) as string, warning: null });
    expect([...found.spec!.matchAll(/:(-?\d+)[,}]/g)].map(([, number]) => number)).toEqual(Array(4).fill(digits));
  },
);

test.each(["9223372036854775808", "-9223372036854775809", "12345678901234567890", "1e17"])(
  "CRD-40: %s is no integer of 64 bits, and refused as one",
  async (digits) => {
    for (const member of ["integer", "either"]) {
      expect([member, await stored(`{"${member}":${digits}}`)]).toMatchObject([
        member,
        { status: 422, causes: { causes: [{ field: `spec.${member}`, reason: "FieldValueTypeInvalid" }] } },
      ]);
    }
  },
);

test("CRD-40: where any number is allowed, an integer beyond 64 bits is a double, with a warning", async () => {
  const found = await stored(`{"number":12345678901234567890,"any":{"a":[18446744073709551616]}}`);
  expect(found.spec).toContain(`"number":12345678901234567000`);
  expect(found.warning).toContain(
    "spec.number: the integer 12345678901234567890 does not fit into 64 bits and is stored as the number 12345678901234567000",
  );
  expect(found.warning).toContain("spec.any.a[0]: the integer 18446744073709551616");
});
