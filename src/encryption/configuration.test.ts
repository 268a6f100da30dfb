import { expect, test } from "vitest";
import type { Value } from "../value/value.ts";
import { ConfigurationError, type EncryptionConfiguration, encryptionConfigurationOf } from "./configuration.ts";
import { covers, patternOf, resourceAt } from "./patterns.ts";

const keys = { keys: [{ name: "key1", secret: Buffer.alloc(32).toString("base64") }] };
const entry = (resources: readonly string[], ...providers: object[]): object => ({
  resources,
  providers: providers.length === 0 ? [{ aesgcm: keys }] : providers,
});
const HEAD = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
const read = (...resources: object[]): EncryptionConfiguration =>
  encryptionConfigurationOf({ ...HEAD, resources } as unknown as Value);

function mistakesOf(content: object): readonly string[] {
  try {
    encryptionConfigurationOf(content as Value);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes;
    throw error;
  }
}
const mistakes = (...resources: object[]): readonly string[] => mistakesOf({ ...HEAD, resources });
const kms = (members: object): object => ({ kms: { apiVersion: "v2", name: "a", endpoint: "unix:///a", ...members } });

test("CRYPT-1: an entry is read with its providers in order", () => {
  const providers = [{ secretbox: keys }, kms({ timeout: "1s" }), { identity: {} }];
  expect(read(entry(["secrets", "*.apps"], ...providers)).entries).toEqual([
    {
      resources: [
        { resource: "secrets", group: "" },
        { resource: "*", group: "apps" },
      ],
      providers: [
        { type: "secretbox", keys: [{ name: "key1", secret: Buffer.alloc(32) }] },
        { type: "kms", name: "a", socket: "/a", timeoutMillis: 1000 },
        { type: "identity" },
      ],
    },
  ]);
});

test.each([
  ["unix:///run/a.sock", "/run/a.sock"],
  ["unix:/run/a.sock", "/run/a.sock"],
  ["unix:///@abstract", "\0abstract"],
])("CRYPT-11: the endpoint %s is the socket %j", (endpoint, socket) => {
  expect(read(entry(["secrets"], kms({ endpoint }))).entries[0]!.providers[0]).toMatchObject({ socket });
});

test.each([
  ["capitals", ["Secrets"], "resources[0].resources[0]: expected no capitals, got Secrets"],
  ["a star", ["*"], "resources[0].resources[0]: expected *. for all of the core group or *.* for everything, got *"],
  [
    "events by another name",
    ["events.events.k8s.io"],
    "resources[0].resources[0]: expected events, as which they are stored",
  ],
  [
    "what is not stored",
    ["apiserveripinfo"],
    "resources[0].resources[0]: expected a resource whose objects are stored",
  ],
  ["a resource of all groups", ["secrets.*"], "resources[0].resources[0]: expected one group for secrets, got all"],
  ["a group that has gone", ["ingresses.extensions"], "resources[0].resources[0]: expected an existing group"],
  ["the same twice", ["secrets", "secrets"], "resources[0].resources: expected each resource once"],
  ["overlaps", ["secrets", "*."], "resources[0].resources: expected no resource that another one of the list covers"],
  [
    "overlaps of all",
    ["jobs.batch", "*.*"],
    "resources[0].resources: expected no resource that another one of the list",
  ],
])("CRYPT-2: %s are refused", (_, resources, message) => {
  expect(mistakes(entry(resources)).join("\n")).toContain(message);
});

test("CRYPT-2: what an earlier entry stands for is refused, and what it names is not", () => {
  expect(mistakes(entry(["*."]), entry(["secrets"]))).toEqual([
    "resources[1].resources[0]: secrets is covered by an earlier entry already",
  ]);
  expect(mistakes(entry(["secrets"]), entry(["*."]), entry(["*.*"]))).toEqual([]);
});

test.each([
  [{ apiVersion: "v1" }, "kms.apiVersion: expected v2"],
  [{ name: "a:b" }, "kms.name: expected a name without a colon"],
  [{ endpoint: "http://a" }, "kms.endpoint: expected a socket such as unix:///run/kms.sock"],
  [{ timeout: "0s" }, "kms.timeout: expected a duration such as 3s"],
  [{ cachesize: 5 }, "kms.cachesize: expected left out with v2"],
])("CRYPT-11: a plugin with %j is refused", (members, message) => {
  expect(mistakes(entry(["secrets"], kms(members))).join()).toContain(message);
});

test("CRYPT-1: all mistakes are reported together, without any secret", () => {
  const found = mistakesOf({
    apiVersion: "v1",
    kind: "X",
    more: 1,
    resources: [entry(["secrets"], { aesgcm: "SECRET" })],
  });
  expect(found).toEqual([
    "more: unknown field",
    "apiVersion: expected apiserver.config.k8s.io/v1, got v1",
    "kind: expected EncryptionConfiguration, got X",
    "resources[0].providers[0].aesgcm: expected an object, got a text",
    "resources[0].providers[0].aesgcm.keys: expected a list of at least one, got none",
  ]);
  const keyed = { aescbc: { keys: [{ name: "", secret: "no base 64 !" }, { name: "b", secret: "AAAA" }, "SECRET"] } };
  expect(mistakes(entry(["secrets"], keyed, kms({}), kms({})))).toEqual([
    "resources[0].providers[0].aescbc.keys[0].name: expected a text that is not empty, got none",
    "resources[0].providers[0].aescbc.keys[0].secret: expected base64 of 16, 24 or 32 bytes, got no base64",
    "resources[0].providers[0].aescbc.keys[1].secret: expected base64 of 16, 24 or 32 bytes, got 3",
    "resources[0].providers[0].aescbc.keys[2]: expected an object, got a text",
    "resources[0].providers[0].aescbc.keys[2].name: expected a text that is not empty, got none",
    "resources[0].providers[0].aescbc.keys[2].secret: expected base64 of 16, 24 or 32 bytes, got none",
    "resources[0].providers[2].kms.name: expected a name that no other plugin has, got a",
  ]);
});

test("CRYPT-2: a key of the store tells its resource, and Events are those of the core group", () => {
  const at = (prefix: string) => resourceAt(prefix, "events.k8s.io");
  expect(at("/core/secrets/")).toEqual({ resource: "secrets", group: "" });
  expect(at("/example.com/widgets/")).toEqual({ resource: "widgets", group: "example.com" });
  expect(at("/events.k8s.io/events/")).toEqual({ resource: "events", group: "" });
  expect(at("/stocks/nodeports/")).toBeUndefined();
  expect(covers(patternOf("*."), at("/core/secrets/")!)).toBe(true);
  expect(covers(patternOf("*."), at("/example.com/widgets/")!)).toBe(false);
  expect(covers(patternOf("*.example.com"), at("/example.com/widgets/")!)).toBe(true);
  expect(covers(patternOf("*.*"), at("/apps/deployments/")!)).toBe(true);
});
