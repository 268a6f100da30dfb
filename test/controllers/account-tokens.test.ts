import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import { Secret, ServiceAccount } from "../../src/client/kinds/index.ts";
import { accountTokens } from "../../src/controllers/access/account-tokens.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { World } from "../runtime/world.ts";

const CA = "-----BEGIN CERTIFICATE-----\n";
const TYPE = "kubernetes.io/service-account-token";

let world: World;
beforeEach(async () => {
  world = await World.create("kubernetes");
  await world.run(accountTokens(kubernetes, CA));
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = (name: string) => ({ name, namespace: "default" });
const accounts = () => world.resource(ServiceAccount);
const secrets = () => world.resource(Secret);
const makeAccount = (name = "x") => accounts().create({ metadata: at(name) });
const makeSecret = (name = "t", type = TYPE, more: object = {}) =>
  secrets().create({
    metadata: { ...at(name), annotations: { "kubernetes.io/service-account.name": "x", ...more } },
    type,
  } as NewObject<Secret>);
const texts = ({ data = {} }: Secret) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));

test("CTL-SA-3, CTL-SA-4: the Secret gets a token that is bound to it, the namespace, the CA and the uid; the account does not list it", async () => {
  const account = await makeAccount();
  const { metadata } = await makeSecret();
  await world.settled();
  const secret = await secrets().get(at("t"));
  const { token, ...rest } = texts(secret);
  expect(rest).toEqual({ namespace: "default", "ca.crt": CA });
  expect(JSON.parse(token!)).toMatchObject({
    namespace: "default",
    serviceAccount: { name: "x", uid: account.metadata.uid },
    secret: { name: "t", uid: metadata.uid },
    seconds: 2 ** 32,
  });
  expect(secret.metadata.annotations?.["kubernetes.io/service-account.uid"]).toBe(account.metadata.uid);
  expect((await accounts().get(at("x"))).secrets).toBeUndefined();
});

test("CTL-SA-3: what is taken off is filled again, what is of the user stays, what is right is not written", async () => {
  await makeAccount();
  await makeSecret();
  await world.settled();
  const patch = { data: { token: null, namespace: null, "ca.crt": "YQ==", mine: "bWluZQ==" } };
  await secrets().patch(at("t"), patch);
  await world.settled();
  const secret = await secrets().get(at("t"));
  expect(texts(secret)).toEqual({ namespace: "default", "ca.crt": CA, mine: "mine", token: expect.any(String) });
  await world.run(accountTokens(kubernetes, CA));
  await world.advance("1h");
  expect(await secrets().get(at("t"))).toEqual(secret);
});

test("CTL-SA-5: a Secret of an account that is not there, or was another one, is removed", async () => {
  await makeSecret();
  await world.settled();
  expect(await secrets().find(at("t"))).toBeUndefined();
  await makeAccount();
  await makeSecret("u", TYPE, { "kubernetes.io/service-account.uid": "other" });
  await world.settled();
  expect(await secrets().find(at("u"))).toBeUndefined();
});

test("CTL-SA-5: the Secrets of an account go with it, also if it is made again; those of other types stay", async () => {
  await makeAccount();
  await makeSecret();
  await makeSecret("u", "Opaque");
  await world.settled();
  await accounts().delete(at("x"));
  await makeAccount();
  await world.settled();
  expect(await secrets().find(at("t"))).toBeUndefined();
  expect(await secrets().find(at("u"))).toBeDefined();
});

test("CTL-SA-6: an account forgets a Secret that was deleted, and nothing else", async () => {
  await makeAccount();
  await makeSecret();
  await accounts().patch(at("x"), { secrets: [{ name: "t" }, { name: "other" }] });
  await world.settled();
  await secrets().delete(at("t"));
  await world.settled();
  expect((await accounts().get(at("x"))).secrets).toEqual([{ name: "other" }]);
});
