/** Clients with a credential and no measure: what they cost, and that others go on. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import type { Http2Client } from "../serve/keelson.ts";
import { CONFIG_MAPS, configMap, readAnswer } from "../serve/keelson.ts";
import { type Attack, LONG, type Row, SHORT, attacks, someOf } from "./rows.ts";

const FACTOR = LONG ? 10 : 1;
const BOMBS = SHORT ? 8 : 20;
/** Rounds of 200 creates. */
const CREATES = SHORT ? 5 : 10;
const JSON_TYPE = "application/json";
const MIB = 1 << 20;

/** Sends bytes; the code of the answer. */
async function send(client: Http2Client, method: string, path: string, body: string | Buffer, type: string, more = {}) {
  const stream = client.open(method, path, { "content-type": type, ...more });
  stream.end(body);
  return (await readAnswer(stream)).status;
}

/** A body that is sent a few times; its answer is one of `codes`. */
const posts =
  (codes: readonly number[], body: string | Buffer, type = JSON_TYPE, more = {}) =>
  async ({ client }: Attack): Promise<void> => {
    for (let i = 0; i < (SHORT ? 1 : 2 * FACTOR); i++)
      expect(codes).toContain(await send(client, "POST", CONFIG_MAPS, body, type, more));
  };

const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const members = (count: number, value: (i: number) => string): string =>
  list(count, (i) => `"k${i}":${value(i)}`).join(",");
const withData = (data: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"},"data":{${data}}}`;
const withMeta = (metadata: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-",${metadata}}}`;
const manager = (i: number, field: string): string =>
  `{"manager":"m${i}","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:${field}":{}}}}`;

/** Patches an object of its own. */
const patches =
  (codes: readonly number[], type: string, body: string) =>
  async ({ client }: Attack): Promise<void> => {
    await client.send("POST", CONFIG_MAPS, configMap("patched", { a: "b" }));
    const path = `${CONFIG_MAPS}/patched?fieldManager=m`;
    expect(codes).toContain(await send(client, "PATCH", path, body, `application/${type}`));
    await client.send("DELETE", `${CONFIG_MAPS}/patched`);
  };

const LISTED = "/api/v1/namespaces/listed/configmaps";

/** Makes a thousand objects of a KiB, where they are not there yet. */
async function fill(client: Http2Client): Promise<void> {
  const { status } = await client.send("POST", "/api/v1/namespaces", { metadata: { name: "listed" } });
  if (status === 409) return;
  const text = "x".repeat(1000);
  await Promise.all(list(1000 * FACTOR, (i) => client.send("POST", LISTED, configMap(`listed-${i}`, { text }))));
}

/** Asks for lists of a thousand objects of a KiB, ten times at once. */
const lists =
  (codes: readonly number[], query: string, headers = {}) =>
  async ({ client }: Attack): Promise<void> => {
    await fill(client);
    const answers = list(10, () => readAnswer(client.open("GET", `${LISTED}?${query}`, headers)));
    for (const { status } of await Promise.all(answers)) expect(codes).toContain(status);
  };

const BODIES: readonly Row[] = [
  { name: "3 MB of [", play: posts([400], "[".repeat(3e6)) },
  { name: "1,020 deep, 1,400 times", play: posts([400, 413, 422], withData(members(1400, () => `${"[".repeat(1020)}${"]".repeat(1020)}`))) },
  { name: "250,000 members", play: posts([400, 413, 422], withData(members(250_000, () => "1"))) },
  { name: "the same member 300,000 times", play: posts([201, 400, 413, 422], withData(list(300_000, () => '"a":"b"').join(","))) },
  { name: "1.4 million numbers", play: posts([400, 413, 422], `{"a":[${"1,".repeat(1.4e6)}1]}`) },
  { name: "a number of 2.9 million digits", play: posts([400, 422], `{"a":${"9".repeat(2.9e6)}}`) },
  { name: "2.8 MB of backslashes", play: posts([400], `{"a":"${"\\\\".repeat(1.4e6)}\\x"}`) },
  { name: "500,000 escapes", play: posts([201, 413, 422], withData(`"a":"${"\\u0041".repeat(500_000)}"`)) },
  { name: "data of 100,000 keys", play: posts([413, 422], withData(members(100_000, () => '"x"'))) },
  { name: "120,000 bad labels", play: posts([413, 422], withMeta(`"labels":{${list(120_000, (i) => `"-${i}":"?"`).join(",")}}`)) },
  { name: "100,000 finalizers", play: posts([413, 422], withMeta(`"finalizers":[${list(100_000, (i) => `"a.b/f${i}"`).join(",")}]`)) },
  { name: "15,000 owners", play: posts([201, 413, 422], withMeta(`"ownerReferences":[${list(15_000, (i) => `{"apiVersion":"v1","kind":"Pod","name":"p${i}","uid":"u${i}"}`).join(",")}]`)), bounds: { keptMiB: LONG ? 150 : 60, peakMiB: 400 } },
  { name: "managedFields of 14,000 managers of a field each", play: posts([201, 413, 422], withMeta(`"managedFields":[${list(14_000, (i) => manager(i, `k${i}`)).join(",")}]`)) },
  { name: "managedFields of 14,000 managers of one field", play: posts([201, 413, 422], withMeta(`"managedFields":[${list(14_000, (i) => manager(i, "k")).join(",")}]`)) },
  { name: `400 kB of gzip that become 400 MB, ${BOMBS} at once`, play: async ({ client }) => {
    const bomb = gzipSync(Buffer.alloc(400 * MIB));
    const codes = await Promise.all(list(BOMBS * FACTOR, () => send(client, "POST", CONFIG_MAPS, bomb, JSON_TYPE, { "content-encoding": "gzip" })));
    expect(new Set(codes)).toEqual(new Set([413]));
  } },
  { name: "YAML of nine times nine times nine aliases", play: posts([400, 413, 422], `a: &a [x]\n${list(9, (i) => `${"bcdefghij"[i]}: &${"bcdefghij"[i]} [${list(9, () => `*${"abcdefghi"[i]}`).join(",")}]`).join("\n")}\n`, "application/yaml") },
  { name: "YAML, 250,000 members", play: posts([400, 413, 422], list(250_000, (i) => `k${i}: 1`).join("\n"), "application/yaml"), bounds: { peakMiB: 400 } },
  { name: "garbage as protobuf", play: posts([400], Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(2 * MIB, 0x0b)]), "application/vnd.kubernetes.protobuf") },
]; // prettier-ignore

const PATCHES: readonly Row[] = [
  { name: "a JSON patch of 9,000 adds", play: patches([200, 413, 422], "json-patch+json", `[${list(9000, (i) => `{"op":"add","path":"/data/k${i}","value":"v"}`).join(",")}]`) },
  { name: "a JSON patch that doubles by copies", play: patches([400, 413, 422], "json-patch+json", `[{"op":"add","path":"/data","value":{"a":"b"}},${list(60, (i) => `{"op":"copy","from":"/data","path":"/data/c${i}"}`).join(",")}]`) },
  { name: "a merge patch, 1,000 deep", play: patches([200, 400, 422], "merge-patch+json", `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`) },
  { name: "a strategic patch of 60,000 finalizers in order", play: patches([200, 413, 422], "strategic-merge-patch+json", `{"metadata":{"finalizers":[${list(60_000, (i) => `"a.b/${i}"`).join(",")}],"$setElementOrder/finalizers":[${list(60_000, (i) => `"a.b/${i}"`).join(",")}]}}`) },
  { name: "an apply of 40,000 fields", play: patches([200, 201, 413, 422], "apply-patch+yaml", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"patched"},"data":{${members(40_000, () => '"v"')}}}`) },
]; // prettier-ignore

const PARTIAL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const LISTS: readonly Row[] = [
  { name: "a selector of 1,000 terms over all objects", play: lists([200, 400, 413], `labelSelector=${list(1000, (i) => `!x${i}`).join(",")}`) },
  { name: "a field selector of 1,000 terms", play: lists([200, 400, 413], `fieldSelector=${list(1000, (i) => `metadata.name!=n${i}`).join(",")}`) },
  { name: "ten lists of all at once", play: lists([200], "") },
  { name: "ten lists as protobuf at once", play: lists([200], "", { accept: "application/vnd.kubernetes.protobuf" }) },
  { name: "ten lists as tables at once", play: lists([200], "", { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }) },
  { name: "ten lists of metadata at once", play: lists([200], "", { accept: PARTIAL }) },
  { name: "ten lists in gzip at once", play: lists([200], "", { "accept-encoding": "gzip" }) },
  { name: "pages of one object", play: lists([200], "limit=1") },
  { name: "a version and a token that the server did not issue", play: lists([400, 410, 504], "limit=1&continue=AAAA") },
  { name: "watches from the first version that memory has, as protobuf", play: async ({ client }) => {
    const text = "x".repeat(100_000);
    const { json } = await client.send("POST", CONFIG_MAPS, configMap("watched", { text }));
    const { resourceVersion } = (json as { metadata: { resourceVersion: string } }).metadata;
    for (let i = 0; i < 100; i++) await client.send("PUT", `${CONFIG_MAPS}/watched`, configMap("watched", { text, i: String(i) }));
    const path = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
    const streams = list(10, () => readAnswer(client.open("GET", path, { accept: "application/vnd.kubernetes.protobuf" })));
    for (const { status } of await Promise.all(streams)) expect(status).toBe(200);
    await client.send("DELETE", `${CONFIG_MAPS}/watched`);
  }, bounds: { keptMiB: LONG ? 150 : 60, peakMiB: 400 } },
  { name: `${(200 * CREATES).toLocaleString("en")} creates with generated names, 200 at once`, play: async ({ client }) => {
    for (let i = 0; i < CREATES; i++) {
      await Promise.all(list(200, () => client.send("POST", CONFIG_MAPS, { metadata: { generateName: "g-" } })));
    }
    await client.send("DELETE", CONFIG_MAPS);
  }, bounds: { keptMiB: 60 } },
]; // prettier-ignore

attacks("With a credential", "test/attacks/clients.test.ts", someOf([...BODIES, ...PATCHES, ...LISTS], 2), {
  args: ["--dialect", "kubernetes", "--history", "10s"],
});
