import { expect, test } from "vitest";
import { alwaysAllow } from "../../auth/admin.ts";
import type { ClientCertificate, Identity } from "../../auth/contract.ts";
import { InjectExchange } from "../http/inject.ts";
import { CM, testServer } from "../testing/test-server.ts";

const certificate: ClientCertificate = {
  commonName: "front",
  organizations: ["proxies"],
  fingerprint: "",
  signedBy: ["proxy"],
  notAfter: Infinity,
};

/** For whom the connection of a request is counted. */
async function ownerOf(headers: Record<string, string>, shown?: ClientCertificate): Promise<unknown> {
  const { server } = await testServer({ authorizer: alwaysAllow });
  const connection = { certificate: shown, address: "10.0.0.1", encrypted: true };
  const exchange = new InjectExchange({ url: CM, headers: { authorization: "Bearer reader", ...headers }, connection });
  const owners: unknown[] = [];
  Object.assign(exchange, { trust: (owner: Identity) => void owners.push(owner.user) });
  server.handle(exchange);
  expect((await exchange.response).code).toBe(200);
  return owners;
}

test("a connection belongs to the user who has authenticated on it, even where the user impersonates others", async () => {
  expect(await ownerOf({})).toEqual(["reader"]);
  expect(await ownerOf({ "impersonate-user": "other" })).toEqual(["reader"]);
});

test("a connection of a front proxy belongs to the proxy, for all of its users", async () => {
  expect(await ownerOf({}, certificate)).toEqual(["front"]);
});
