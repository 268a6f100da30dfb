import { type TLSSocket, connect, createServer } from "node:tls";
import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import type { ClientCertificate } from "../../auth/contract.ts";
import type { KeyPair } from "../../pki/index.ts";
import { type TestAuthority, testAuthority } from "../testing/certificates.ts";
import { certificateOf, clientAuthorities } from "./client-certificate.ts";

const clients = testAuthority();
const proxies = testAuthority();

/** What a server with authorities of clients and of proxies finds of a certificate. */
async function seen(
  shown: KeyPair | undefined,
  clientCa: TestAuthority = clients,
): Promise<ClientCertificate | undefined> {
  const authorities = clientAuthorities({ clientCa: clientCa.cert, proxyCa: proxies.cert });
  const { promise, resolve } = Promise.withResolvers<ClientCertificate | undefined>();
  const server = createServer(
    { ...clients.server(), ca: [clientCa.cert, proxies.cert], requestCert: true, rejectUnauthorized: false },
    (socket: TLSSocket) => resolve(certificateOf(socket, authorities)),
  );
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const { port } = server.address() as { port: number };
  const socket = connect({ port, host: "127.0.0.1", ca: clients.cert, ...shown });
  socket.on("error", () => {});
  try {
    return await promise;
  } finally {
    socket.destroy();
    server.close();
  }
}

test("AUTHN-16: a certificate tells its subject and its fingerprint", async () => {
  const pair = clients.client("kim", "team", "ops");
  const { fingerprint256 } = new X509Certificate(pair.cert);
  expect(await seen(pair)).toMatchObject({
    commonName: "kim",
    organizations: ["team", "ops"],
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
    signedBy: ["client"],
  });
});

test("AUTHN-17, AUTHN-18: the authorities that signed a certificate are identified; an unknown one is not", async () => {
  expect((await seen(proxies.client("front")))?.signedBy).toEqual(["proxy"]);
  expect((await seen(proxies.client("front"), proxies))?.signedBy).toEqual(["client", "proxy"]);
  expect((await seen(testAuthority().client("kim")))?.signedBy).toEqual([]);
  expect(await seen(undefined)).toBeUndefined();
});

test("AUTHN-17: a certificate for servers is none of a client", async () => {
  expect((await seen(clients.server()))?.signedBy).toEqual([]);
});
