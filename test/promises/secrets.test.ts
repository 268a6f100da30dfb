/** The promise that a Secret stays secret: no refusal, warning or log says a value that was sent or is stored. */
import { beforeAll, describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../src/meta/dialect.ts";
import { APPLY, type Body, JSON_PATCH, JSON_TYPE, MERGE, STRATEGIC, fresh, serve } from "../rules/api.ts";

/** A value that must not be seen again, its base64, and one that is no base64. */
const MARK = "hunter2marked";
const CODED = Buffer.from(`${MARK}!`).toString("base64");
const STORED = Buffer.from(`stored-${MARK}`).toString("base64");
const BAD = `${MARK}?`;
const FORBIDDEN = [MARK, CODED, STORED, CODED.slice(0, 12), STORED.slice(0, 12)];

const SECRETS = "/api/v1/namespaces/default/secrets";
const YAML = "application/yaml";
const secret = (name: string, more: object): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  ...more,
});

/** A request that fails, or is warned about, with a marked value in it or in what it is about. */
type Attempt = (name: string) => { method: string; path?: string; body: Body; type?: string };

const creates: Record<string, (name: string, domain: string) => object | string> = {
  "bytes that are no base64": (name) => secret(name, { data: { k: BAD } }),
  "a text where bytes are a list": (name) => secret(name, { data: { k: [MARK] } }),
  "an object as bytes": (name) => secret(name, { data: { k: { [MARK]: MARK } } }),
  "data that is a text": (name) => secret(name, { data: MARK }),
  "data that is a list": (name) => secret(name, { data: [MARK] }),
  "stringData that is a text": (name) => secret(name, { stringData: MARK }),
  "stringData with a list": (name) => secret(name, { stringData: { k: [MARK] } }),
  "a key that is none": (name) => secret(name, { data: { "a b": CODED } }),
  "a type that lacks its keys": (name, domain) => secret(name, { type: `${domain}/tls`, data: { other: CODED } }),
  "a docker file that is no JSON": (name, domain) =>
    secret(name, { type: `${domain}/dockerconfigjson`, data: { ".dockerconfigjson": CODED } }),
  "an old docker file that is no JSON": (name, domain) =>
    secret(name, { type: `${domain}/dockercfg`, data: { ".dockercfg": CODED } }),
  "a key that is no SSH key": (name, domain) => secret(name, { type: `${domain}/ssh-auth`, data: { key: CODED } }),
  "a certificate that is none": (name, domain) =>
    secret(name, { type: `${domain}/tls`, data: { "tls.crt": CODED, "tls.key": CODED } }),
  "too much": (name) => secret(name, { data: { k: Buffer.from(MARK.repeat(100_000)).toString("base64") } }),
  "a body that ends too soon": (name) => JSON.stringify(secret(name, { data: { k: CODED } })).slice(0, -4),
  "a bad escape": (name) =>
    `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"${name}"},"stringData":{"k":"${MARK}\\x"}}`,
  "a control character": (name) =>
    `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"${name}"},"stringData":{"k":"${MARK}\n"}}`,
  "a value without quotes": (name) =>
    `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"${name}"},"stringData":{"k":${MARK}}}`,
  "a value given twice": (name) =>
    `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"${name}"},"stringData":{"k":"${MARK}","k":"${MARK}"},"extra":"${MARK}"}`,
  "a text alone": () => JSON.stringify(MARK),
};

const yamls: Record<string, (name: string) => string> = {
  "a scalar with a wrong tag": (name) =>
    `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData: {k: !!int ${MARK}}\n`,
  "an unknown alias": (name) => `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData: {k: *${MARK}}\n`,
  "bytes with a wrong tag": (name) =>
    `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData: {k: !!binary "${BAD}"}\n`,
  "a key that is a map": (name) =>
    `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData: {? {k: ${MARK}} : b}\n`,
  "a bad escape": (name) => `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData: {k: "${MARK}\\y"}\n`,
  "a line that is not indented": (name) =>
    `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData:\n  k: |\n ${MARK}\n`,
  "a colon too many": (name) =>
    `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData:\n  k: ${MARK}: ${MARK}\n`,
  "a quote that does not end": (name) =>
    `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData:\n  k: "${MARK}\n`,
  "a tab": (name) => `kind: Secret\napiVersion: v1\nmetadata: {name: ${name}}\nstringData:\n\tk: ${MARK}\n`,
};

const patches: Record<string, readonly [type: string, body: (name: string) => object | string]> = {
  "JSON: a test that fails": [JSON_PATCH, () => [{ op: "test", path: "/data/k", value: CODED }]],
  "JSON: a test of all": [JSON_PATCH, () => [{ op: "test", path: "", value: { data: { k: CODED } } }]],
  "JSON: bytes that are none": [JSON_PATCH, () => [{ op: "add", path: "/data/k", value: BAD }]],
  "JSON: a list": [JSON_PATCH, () => [{ op: "add", path: "/data/k", value: [MARK] }]],
  "JSON: below a text": [JSON_PATCH, () => [{ op: "add", path: "/data/k/x", value: MARK }]],
  "JSON: an unknown operation": [JSON_PATCH, () => [{ op: "grow", path: "/data/k", value: MARK }]],
  "JSON: a path that is a value": [JSON_PATCH, () => [{ op: "add", path: { is: MARK }, value: MARK }]],
  "JSON: a copy into the metadata": [JSON_PATCH, () => [{ op: "copy", from: "/data/k", path: "/metadata/labels" }]],
  "JSON: a copy into the type": [JSON_PATCH, () => [{ op: "copy", from: "/data/k", path: "/type" }]],
  "JSON: a copy into the kind": [JSON_PATCH, () => [{ op: "copy", from: "/data/k", path: "/kind" }]],
  "JSON: a copy into the finalizers": [
    JSON_PATCH,
    () => [
      { op: "add", path: "/metadata/finalizers", value: [] },
      { op: "copy", from: "/data/k", path: "/metadata/finalizers/0" },
    ],
  ],
  "JSON: a copy into a label": [
    JSON_PATCH,
    () => [
      { op: "add", path: "/metadata/labels", value: {} },
      { op: "copy", from: "/data/k", path: "/metadata/labels/-" },
    ],
  ],
  "merge: bytes that are none": [MERGE, () => ({ data: { k: BAD } })],
  "merge: data that is a text": [MERGE, () => ({ data: MARK })],
  "merge: a text alone": [MERGE, () => JSON.stringify(MARK)],
  "strategic: bytes that are none": [STRATEGIC, () => ({ data: { k: BAD } })],
  "strategic: a directive that is none": [STRATEGIC, () => ({ data: { $patch: "grow", k: MARK } })],
  "strategic: an order of a map": [STRATEGIC, () => ({ "$setElementOrder/data": [MARK], data: { k: MARK } })],
  "strategic: keys that are kept": [STRATEGIC, () => ({ data: { $retainKeys: MARK, k: MARK } })],
  "apply: bytes that are none": [APPLY, (name) => secret(name, { data: { k: BAD } })],
  "apply: a list": [APPLY, (name) => secret(name, { data: { k: [MARK] } })],
  "apply: data that is a text": [APPLY, (name) => secret(name, { data: MARK })],
  "apply: a conflict": [APPLY, (name) => secret(name, { data: { k: CODED } })],
  "apply: an unknown member": [APPLY, (name) => secret(name, { [MARK.slice(0, 3)]: MARK })],
};

describe.each([neutral, kubernetes])("a Secret, $name dialect", ({ name: dialect, labelDomain: domain }) => {
  const logged: string[] = [];
  const tell = (...said: unknown[]): void => void logged.push(JSON.stringify(said));
  const log = { debug: tell, info: tell, warn: tell, error: tell };
  const api = serve({ dialect, controllers: "none" }, { log });
  beforeAll(() => logged.splice(0));

  /** Sends it in all ways of validation: what was seen of values, whether anything was said at all, and whether we failed. */
  async function outcome(attempt: Attempt): Promise<{ seen: string[]; said: boolean; failed: boolean }> {
    const texts: string[] = [];
    let failed = false;
    for (const fieldValidation of ["Strict", "Warn", "Ignore"]) {
      const name = fresh("s");
      const { method, path, body, type = JSON_TYPE } = attempt(name);
      const stored = secret(name, { data: { k: STORED, other: STORED }, immutable: false });
      if (path) await api.post(SECRETS, stored, { fieldManager: "owner" });
      const query = { fieldValidation, fieldManager: "other" };
      const answer = await api.send(method, path ?? SECRETS, body, { query, headers: { "content-type": type } });
      failed ||= answer.status >= 500;
      texts.push(...(answer.status >= 400 ? [answer.text] : []), ...answer.warnings);
    }
    const said = texts.length > 0;
    return { seen: [...texts, ...logged].filter((text) => FORBIDDEN.some((one) => text.includes(one))), said, failed };
  }

  const FINE = { seen: [], said: true, failed: false };

  test.each(Object.entries(creates))("create: %s", async (_, body) => {
    expect(await outcome((name) => ({ method: "POST", body: body(name, domain) }))).toEqual(FINE);
  });

  test.each(Object.entries(creates))("update: %s", async (_, body) => {
    const path = (name: string): string => `${SECRETS}/${name}`;
    expect(await outcome((name) => ({ method: "PUT", path: path(name), body: body(name, domain) }))).toEqual(FINE);
  });

  test.each(Object.entries(yamls))("YAML: %s", async (_, body) => {
    expect(await outcome((name) => ({ method: "POST", body: body(name), type: YAML }))).toEqual(FINE);
  });

  test.each(Object.entries(yamls))("apply, YAML: %s", async (_, body) => {
    const path = (name: string): string => `${SECRETS}/${name}`;
    expect(await outcome((name) => ({ method: "PATCH", path: path(name), body: body(name), type: APPLY }))).toEqual(
      FINE,
    );
  });

  test.each(Object.entries(patches))("patch, %s", async (_, [type, body]) => {
    const path = (name: string): string => `${SECRETS}/${name}`;
    expect(await outcome((name) => ({ method: "PATCH", path: path(name), body: body(name), type }))).toEqual(FINE);
  });
});
