import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { secret } from "./secret.ts";
import { cpuMillis } from "../../../util/testing/cpu-time.ts";
import { expectNotLong } from "../../../util/testing/slices.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const zeros = (bytes: number): string => Buffer.alloc(bytes).toString("base64");

describe.each([neutral, kubernetes])("a Secret in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(secret, contextOf(dialect));
  const domain = dialect.labelDomain;

  test("SEC-4, SEC-5, SEC-6: stringData goes into data over what is there, and is gone", () => {
    const { object } = kind.create({ data: { k: "dg==", l: "dg==" }, stringData: { k: "w", m: "ä", n: "" } });
    expect(object["data"]).toEqual({ k: "dw==", l: "dg==", m: "w6Q=", n: "" });
    expect(object).not.toHaveProperty("stringData");
    expect(kind.create({ stringData: {} }).object).not.toHaveProperty("data");
  });

  test("SEC-5: keys of stringData may be called like what every object has", () => {
    const body = JSON.parse('{"stringData": {"__proto__": "x"}}') as object;
    expect(JSON.stringify(kind.create(body).object["data"])).toBe('{"__proto__":"eA=="}');
  });

  test("SEC-10, DEC-13: the type is any text, Opaque when there is none", () => {
    for (const type of [undefined, "", null]) {
      expect(kind.create(type === undefined ? {} : { type }).object["type"]).toBe("Opaque");
    }
    expect(kind.create({ type: "Any Text ä" }).object["type"]).toBe("Any Text ä");
  });

  test("DEC-39: the type does not change, also when an update says none", () => {
    const { object } = kind.create({ type: "example.com/x" });
    expect(kind.update(object, { type: "example.com/y" }).causes).toEqual(["FieldValueInvalid type"]);
    expect(kind.update(object, {}).causes).toEqual(["FieldValueInvalid type"]);
    expect(kind.update(object, { type: "example.com/x", data: { k: "dg==" } }).causes).toEqual([]);
  });

  test("DEC-13: keys are those of a ConfigMap, values are base64", () => {
    expect(kind.create({ stringData: { "a b": "v" } }).causes).toEqual(["FieldValueInvalid data[a b]"]);
    expect(kind.create({ data: { k: "no base64" } }).mismatch).toBe("data.k");
  });

  test("SEC-7: an immutable one keeps its data, also against stringData", () => {
    const { object } = kind.create({ stringData: { k: "v" }, immutable: true });
    expect(kind.change(object, { stringData: { k: "w" } }).causes).toEqual(["FieldValueForbidden data"]);
    expect(kind.change(object, { stringData: { k: "v" } }).causes).toEqual([]);
    expect(kind.change(object, { data: null }).causes).toEqual(["FieldValueForbidden data"]);
  });

  test("SEC-7: data that is sent empty is as good as none, but for Kubernetes", () => {
    const { object } = kind.create({ immutable: true });
    const isTold = domain === "kubernetes.io";
    expect(kind.change(object, { data: {} }).causes).toEqual(isTold ? ["FieldValueForbidden data"] : []);
  });

  test("SEC-8, SEC-9, AMB-13: only metadata change, and immutable is unset by default", () => {
    expect(kind.create({}).object).not.toHaveProperty("immutable");
    const { object } = kind.create({ immutable: true });
    expect(kind.change(object, { immutable: null }).causes).toEqual(["FieldValueForbidden immutable"]);
    expect(kind.change(object, { metadata: { name: "x", labels: { l: "x" } } }).causes).toEqual([]);
  });

  test("SEC-11: has no status", () => {
    expect(kind.create({ status: {} }).unknown).toEqual(["status"]);
    expect(secret.subresources).toBeUndefined();
  });

  describe("DEC-13: of a type that programs know", () => {
    const faults = (type: string, texts: Record<string, string>): readonly string[] =>
      kind.create({ type: `${domain}/${type}`, stringData: texts }).causes;

    test("tls has both keys, and unusable ones are reported", () => {
      expect(faults("tls", {})).toEqual(["FieldValueRequired data[tls.crt]", "FieldValueRequired data[tls.key]"]);
      const { causes, warnings } = kind.create({ type: `${domain}/tls`, data: { "tls.crt": "", "tls.key": "" } });
      expect(causes).toEqual([]);
      expect(warnings).toHaveLength(1);
      const pem = (label: string): string => base64(`-----BEGIN ${label}-----\nAA==\n-----END ${label}-----\n`);
      const usable = { "tls.crt": pem("CERTIFICATE"), "tls.key": pem("EC PRIVATE KEY") };
      expect(kind.create({ type: `${domain}/tls`, data: usable }).warnings).toEqual([]);
    });

    test("basic-auth has a name or a password", () => {
      expect(faults("basic-auth", {})).toEqual([
        "FieldValueRequired data[password]",
        "FieldValueRequired data[username]",
      ]);
      expect(faults("basic-auth", { username: "" })).toEqual([]);
      expect(faults("basic-auth", { password: "" })).toEqual([]);
    });

    test("ssh-auth has a key that is not empty", () => {
      expect(faults("ssh-auth", { "ssh-privatekey": "" })).toEqual(["FieldValueRequired data[ssh-privatekey]"]);
      expect(faults("ssh-auth", { "ssh-privatekey": "k" })).toEqual([]);
    });

    test.each([
      ["dockercfg", ".dockercfg"],
      ["dockerconfigjson", ".dockerconfigjson"],
    ])("%s is an object in JSON", (type, key) => {
      expect(faults(type, {})).toEqual([`FieldValueRequired data[${key}]`]);
      for (const text of ["", "no JSON", "[]", "{} x", '"text"', "{"]) {
        expect(faults(type, { [key]: text })).toEqual([`FieldValueInvalid data[${key}]`]);
      }
      for (const text of ["{}", "null", '{"auths":{}}']) expect(faults(type, { [key]: text })).toEqual([]);
    });

    test("a service account token names the account", () => {
      const name = `${domain}/service-account.name`;
      const create = (annotations: Record<string, string>): readonly string[] =>
        kind.create({ metadata: { name: "x", annotations }, type: `${domain}/service-account-token` }).causes;
      expect(create({})).toEqual([`FieldValueRequired metadata.annotations[${name}]`]);
      expect(create({ [name]: "" })).toEqual([`FieldValueRequired metadata.annotations[${name}]`]);
      expect(create({ [name]: "a" })).toEqual([]);
    });

    test("data never gets into a message", () => {
      expect(faults("dockercfg", { ".dockercfg": "hunter2" }).join()).not.toContain("hunter2");
    });
  });

  test("the bytes of values count, those of keys do not", () => {
    expect(kind.create({ data: { ["l".repeat(250)]: "", k: zeros(1048575) } }).causes).toEqual([]);
    expect(kind.create({ data: { k: zeros(1048575), l: zeros(2) } }).causes).toEqual(["FieldValueTooLong data"]);
  });

  test("is shown with its type and the number of its keys", () => {
    const { object } = kind.create({ stringData: { a: "", b: "" } });
    expect(kind.cells(object)).toEqual(["Opaque", 2, "0s"]);
    expect(secret.selectableFields!["type"]!(object)).toBe("Opaque");
  });
});

test("SEC-3, LIM-3, AMB-14: the documents want less than 1048576 bytes, a real server takes them", () => {
  const full = { data: { k: zeros(1048576) } };
  expect(new KindUnderTest(secret, contextOf(neutral)).create(full).causes).toEqual(["FieldValueTooLong data"]);
  expect(new KindUnderTest(secret, contextOf(kubernetes)).create(full).causes).toEqual([]);
});

test("a value made of nothing but beginnings of PEM blocks takes no time", () => {
  const kind = new KindUnderTest(secret, contextOf(neutral));
  const begins = base64("-----BEGIN CERTIFICATE-----".repeat(30_000));
  const start = cpuMillis();
  expect(kind.create({ type: "svc.io/tls", data: { "tls.crt": begins, "tls.key": "" } }).warnings).toHaveLength(1);
  expectNotLong(cpuMillis() - start, 500);
});
