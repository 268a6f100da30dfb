import { X509Certificate } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CertificateSigningRequest, ClusterTrustBundle, PodCertificateRequest } from "../../src/client/kinds/index.ts";
import { certificateApproving } from "../../src/controllers/certificates/approving.ts";
import { certificateCleaner, podCertificateCleaner } from "../../src/controllers/certificates/cleaner.ts";
import { certificateSigning } from "../../src/controllers/certificates/signing.ts";
import { trustBundlePublisher } from "../../src/controllers/certificates/trust-bundle.ts";
import { authority } from "../../src/pki/certificate.ts";
import { type Asked, newKey, requestBase64 } from "../../src/pki/testing/requests.ts";
import { podKeyOf } from "../../src/pki/testing/pod-keys.ts";
import { World } from "../runtime/world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const CLIENT = "kubernetes.io/kube-apiserver-client";
const NODE_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
const NODE_SERVING = "kubernetes.io/kubelet-serving";
const node: Asked = { commonName: "system:node:n", organizations: ["system:nodes"] };
const SIGNED_CLIENT = ["digital signature", "client auth"];

let world: World;
let ca: ReturnType<typeof authority>;
beforeEach(async () => {
  world = await World.create("kubernetes", { ClusterTrustBundle: true, PodCertificateRequest: true });
  ca = authority({ now: world.clock.now(), days: 3650 });
});
afterEach(() => world[Symbol.asyncDispose]());

interface More {
  readonly name?: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
  /** The user of the request; the admin by default. */
  readonly by?: { readonly user: string; readonly groups: readonly string[] };
}

/** Asks for a certificate. */
async function ask(signerName: string, asked: Asked, more: More = {}): Promise<void> {
  const { name = "r", usages = ["client auth"], by, ...spec } = more;
  const client = by ? world.cluster.client("test", by) : world.client;
  const body = { metadata: { name }, spec: { request: requestBase64(asked), signerName, usages, ...spec } };
  await client.resource(CertificateSigningRequest).create(body);
}

/** Decides on a request. */
async function decide(type: "Approved" | "Denied", name = "r"): Promise<void> {
  const conditions = [{ type, status: "True", reason: "R" }];
  const way = world.resource(CertificateSigningRequest).subresource("approval");
  await way.patch({ name }, { status: { conditions } } as object);
  await world.settled();
}

/** What became of a request: conditions that are true, and its certificate. */
async function outcome(
  name = "r",
): Promise<{ types: string[]; certificate: X509Certificate | undefined; why: string }> {
  await world.settled();
  const { status } = await world.resource(CertificateSigningRequest).get({ name });
  const pem = Buffer.from(status?.certificate ?? "", "base64");
  return {
    types: (status?.conditions ?? []).map(({ type }) => type),
    certificate: pem.length > 0 ? new X509Certificate(pem) : undefined,
    why: status?.conditions?.at(-1)?.message ?? "",
  };
}

const names = async (): Promise<string[]> =>
  (await world.resource(CertificateSigningRequest).list()).items.map(({ metadata }) => metadata.name);

describe("signing", () => {
  beforeEach(() => world.run(certificateSigning(() => ca)));

  test("CERT-10: an approved request gets a certificate of the CA, with its subject, for a year", async () => {
    await ask(CLIENT, { commonName: "jane", organizations: ["team"] });
    expect((await outcome()).certificate).toBeUndefined();
    await decide("Approved");
    const { certificate } = await outcome();
    expect(certificate!.subject).toBe("O=team\nCN=jane");
    expect(certificate!.verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
    const now = world.clock.now();
    expect(certificate!.validFromDate.getTime()).toBe(now - 5 * MINUTE);
    expect(certificate!.validToDate.getTime()).toBe(now + 365 * DAY - 5 * MINUTE);
  });

  test("CERT-10: it lasts as long as was asked for, and no longer than the CA", async () => {
    await ask(CLIENT, { commonName: "jane" }, { expirationSeconds: 600 });
    await decide("Approved");
    expect((await outcome()).certificate!.validToDate.getTime()).toBe(world.clock.now() + 10 * MINUTE);
    ca = authority({ now: world.clock.now(), days: 1 });
    await ask(CLIENT, { commonName: "joe" }, { name: "s" });
    await decide("Approved", "s");
    expect((await outcome("s")).certificate!.validToDate.getTime()).toBe(world.clock.now() + DAY);
  });

  test("CERT-10: what is denied, or for another signer, gets none", async () => {
    await ask(CLIENT, { commonName: "jane" });
    await decide("Denied");
    await ask("example.com/signer", { commonName: "jane" }, { name: "s" });
    await decide("Approved", "s");
    expect([await outcome(), await outcome("s")].map(({ certificate }) => certificate)).toEqual([undefined, undefined]);
  });

  test.each([
    ["a serving certificate of a client signer", CLIENT, { commonName: "jane" }, ["server auth"]],
    ["a node of another organisation", NODE_CLIENT, { ...node, organizations: ["o"] }, SIGNED_CLIENT],
    ["a node of another name", NODE_CLIENT, { ...node, commonName: "n" }, SIGNED_CLIENT],
    ["a client with a name", NODE_CLIENT, { ...node, dns: ["n"] }, SIGNED_CLIENT],
    ["a server without a name", NODE_SERVING, node, ["digital signature", "server auth"]],
    ["a server with a URI", NODE_SERVING, { ...node, dns: ["n"], uris: ["x:y"] }, ["digital signature", "server auth"]],
    ["a node that does not sign", NODE_CLIENT, node, ["client auth"]],
  ])("CERT-10: %s fails, with the reason", async (_, signer, asked, usages) => {
    await ask(signer, asked, { usages });
    await decide("Approved");
    const { types, certificate, why } = await outcome();
    expect(types).toEqual(["Approved", "Failed"]);
    expect(certificate).toBeUndefined();
    expect(why).toMatch(/^expected /);
  });

  test("CERT-10: nodes get client and serving certificates", async () => {
    await ask(NODE_CLIENT, node, { usages: SIGNED_CLIENT });
    await ask(NODE_SERVING, { ...node, dns: ["n"] }, { name: "s", usages: ["digital signature", "server auth"] });
    await decide("Approved");
    await decide("Approved", "s");
    expect((await outcome()).certificate!.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect((await outcome("s")).certificate!.subjectAltName).toBe("DNS:n");
  });
});

describe("approving", () => {
  beforeEach(() => world.run(certificateApproving));
  const masters = { user: "boot", groups: ["system:masters"] };

  test("CERT-10: a request of a node is approved where who asks may have it", async () => {
    await ask(NODE_CLIENT, node, { usages: SIGNED_CLIENT, by: masters });
    expect(await outcome()).toMatchObject({
      types: ["Approved"],
      why: "Who asks may have client certificates of nodes.",
    });
    await ask(NODE_CLIENT, node, { name: "s", usages: SIGNED_CLIENT, by: { ...masters, user: "system:node:n" } });
    expect((await outcome("s")).why).toBe("A node requests its own client certificate, and is allowed to.");
  });

  test("CERT-10: other requests wait for an approver", async () => {
    await ask(CLIENT, node, { usages: SIGNED_CLIENT });
    await ask(NODE_CLIENT, { ...node, dns: ["n"] }, { name: "s", usages: SIGNED_CLIENT });
    expect([(await outcome()).types, (await outcome("s")).types]).toEqual([[], []]);
  });
});

describe("cleaning", () => {
  beforeEach(() => world.run(certificateCleaner, podCertificateCleaner));

  test("CERT-10: what is decided goes after an hour, what waits after a day", async () => {
    await ask(CLIENT, { commonName: "a" }, { name: "denied" });
    await ask(CLIENT, { commonName: "a" }, { name: "approved" });
    await ask(CLIENT, { commonName: "a" }, { name: "pending" });
    await decide("Denied", "denied");
    await decide("Approved", "approved");
    await world.advance(HOUR - 1000);
    expect(await names()).toEqual(["approved", "denied", "pending"]);
    await world.advance(2000);
    expect(await names()).toEqual(["approved", "pending"]);
    await world.advance(DAY);
    expect(await names()).toEqual([]);
  });

  test("CERT-10: what is issued goes after an hour", async () => {
    await world.run(certificateSigning(() => ca));
    await ask(CLIENT, { commonName: "a" });
    await decide("Approved");
    await world.advance(HOUR - 1000);
    expect(await names()).toEqual(["r"]);
    await world.advance(2000);
    expect(await names()).toEqual([]);
  });

  test("requests of Pods go after a quarter of an hour", async () => {
    const podUID = "u";
    const spec = {
      signerName: "example.com/x",
      podName: "p",
      podUID,
      serviceAccountName: "a",
      serviceAccountUID: "s",
      nodeName: "n",
      nodeUID: "m",
      ...podKeyOf(newKey(), podUID),
    };
    const requests = world.resource(PodCertificateRequest);
    await requests.create({ metadata: { name: "r", namespace: "default" }, spec });
    await world.advance(15 * MINUTE - 1000);
    expect((await requests.list()).items).toHaveLength(1);
    await world.advance(2000);
    expect((await requests.list()).items).toHaveLength(0);
  });
});

test("the certificate of the server is in a bundle of its own, which is put right, and replaced by that of the next", async () => {
  const bundles = async (): Promise<string[]> => {
    await world.settled();
    return (await world.resource(ClusterTrustBundle).list()).items.map(({ spec }) => spec.trustBundle);
  };
  const manager = await world.run(trustBundlePublisher(ca.cert));
  expect(await bundles()).toEqual([ca.cert]);
  const [{ metadata } = { metadata: { name: "" } }] = (await world.resource(ClusterTrustBundle).list()).items;
  expect(metadata.name).toMatch(/^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{32}$/);
  await world.resource(ClusterTrustBundle).delete({ name: metadata.name });
  expect(await bundles()).toEqual([ca.cert]);
  await manager.stop({ grace: 0 });
  const next = authority({ now: world.clock.now(), days: 1 });
  await world.run(trustBundlePublisher(next.cert));
  expect(await bundles()).toEqual([next.cert]);
});
