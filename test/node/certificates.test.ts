/** Certificates of Pods, as the agent of a node asks for them; the signer is played by the test. */
import { X509Certificate, createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { PodCertificateRequest, ServiceAccount } from "../../src/client/kinds/index.ts";
import { issue } from "../../src/pki/certificate.ts";
import { readPublicKey } from "../../src/pki/index.ts";
import { authority } from "../../src/pki/certificate.ts";
import { NO_NAMES } from "../../src/pki/names.ts";
import { WrittenWorld } from "./written-world.ts";

const HOUR = 3_600_000;
const SIGNER = "example.com/signer";
const volume = (more: object = {}) => ({
  name: "v",
  projected: {
    sources: [
      { podCertificate: { signerName: SIGNER, keyType: "ECDSAP256", credentialBundlePath: "bundle.pem", ...more } },
    ],
  },
});

const iso = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");

/** The requests without a result. */
const pending = async (world: WrittenWorld): Promise<PodCertificateRequest[]> =>
  (await world.admin.resource(PodCertificateRequest).list()).items.filter(({ status }) => !status.conditions?.length);

/** Issues what a request asks for: good for `hours`, to be renewed when half of them are over. */
async function sign(world: WrittenWorld, request: PodCertificateRequest, hours = 24): Promise<void> {
  const begins = Math.floor(world.clock.now() / 1000) * 1000;
  const ends = begins + hours * HOUR;
  const ca = authority({ now: begins, days: 100 });
  const asked = { subject: { whole: Buffer.from("3000", "hex") }, names: NO_NAMES, key: readPublicKey(keyOf(request)) };
  const certificateChain = issue(ca, asked as never, { begins, ends, usages: ["client auth"] }) + ca.cert;
  await decide(world, request, "Issued", {
    certificateChain,
    notBefore: iso(begins),
    beginRefreshAt: iso(begins + (hours * HOUR) / 2),
    notAfter: iso(ends),
  });
}

const keyOf = ({ spec }: PodCertificateRequest): Buffer => Buffer.from(spec.pkixPublicKey ?? "", "base64");

async function decide(
  world: WrittenWorld,
  request: PodCertificateRequest,
  type: string,
  status: object = {},
): Promise<void> {
  const lastTransitionTime = iso(world.clock.now());
  const conditions = [{ type, status: "True", reason: "Test", message: "as the test says", lastTransitionTime }];
  const place = { namespace: "default", name: request.metadata.name };
  await world.admin.resource(PodCertificateRequest).status.patch(place, { status: { conditions, ...status } } as never);
  await world.settled();
}

const blocks = (text: string): string[] => [...text.matchAll(/-----BEGIN ([A-Z ]+)-----/g)].map(([, type]) => type!);

test("PROJ-27, PROJ-28, PROJ-21, PROJ-24: the agent makes a key and a request; the Pod waits until a certificate is issued", async () => {
  await using world = await WrittenWorld.create();
  const userAnnotations = { "example.com/for": "web" };
  const pod = await world.pod("p", [volume({ userAnnotations, maxExpirationSeconds: 7200 })]);
  await expect(world.setUp(pod, "v")).rejects.toThrow(`no certificate of ${SIGNER} is issued yet`);
  await world.settled();
  const [request, ...others] = await pending(world);
  expect(others).toEqual([]);
  expect(request!.spec).toMatchObject({
    signerName: SIGNER,
    podName: "p",
    podUID: pod.metadata.uid,
    serviceAccountName: "robot",
    nodeName: "n",
    maxExpirationSeconds: 7200,
    unverifiedUserAnnotations: userAnnotations,
  });
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  expect(await pending(world)).toHaveLength(1);
  await sign(world, request!, 2);
  expect(world.looks).toEqual(["p"]);
  await world.setUp(pod, "v");
  const text = world.read(pod, "v", "bundle.pem");
  expect(blocks(text)).toEqual(["PRIVATE KEY", "CERTIFICATE", "CERTIFICATE"]);
  expect(new X509Certificate(text.slice(text.indexOf("-----BEGIN CERT"))).checkPrivateKey(createPrivateKey(text))).toBe(
    true,
  );
});

test("PROJ-29, PROJ-57, PROJ-22: at the time that the signer gave a new key and certificate are asked for, and swapped in together", async () => {
  await using world = await WrittenWorld.create();
  const paths = { credentialBundlePath: undefined, keyPath: "tls.key", certificateChainPath: "tls.crt" };
  const pod = await world.pod("p", [volume(paths)]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await sign(world, (await pending(world))[0]!);
  const { againAfter } = await world.setUp(pod, "v");
  const first = [world.read(pod, "v", "tls.key"), world.read(pod, "v", "tls.crt")];
  expect(againAfter).toBe(12 * HOUR);
  await world.advance(12 * HOUR - 1);
  await world.setUp(pod, "v");
  expect(await pending(world)).toEqual([]);
  await world.advance(1);
  await world.setUp(pod, "v");
  expect([world.read(pod, "v", "tls.key"), world.read(pod, "v", "tls.crt")]).toEqual(first);
  await sign(world, (await pending(world))[0]!);
  await world.setUp(pod, "v");
  const [key, chain] = [world.read(pod, "v", "tls.key"), world.read(pod, "v", "tls.crt")];
  expect([key === first[0], chain === first[1]]).toEqual([false, false]);
  expect(new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

test("a refusal of the signer is reported, and the request repeated later; valid certificates stay meanwhile", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await decide(world, (await pending(world))[0]!, "Denied");
  expect(world.looks).toEqual(["p"]);
  await expect(world.setUp(pod, "v")).rejects.toThrow(
    `the request to ${SIGNER} has the condition Denied: Test: as the test says`,
  );
  expect(await pending(world)).toEqual([]);
  await world.advance(2 * HOUR);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await sign(world, (await pending(world))[0]!);
  await world.setUp(pod, "v");
  const text = world.read(pod, "v", "bundle.pem");
  await world.advance(13 * HOUR);
  await world.setUp(pod, "v");
  await decide(world, (await pending(world))[0]!, "Failed");
  const { againAfter } = await world.setUp(pod, "v");
  expect(againAfter).toBeLessThanOrEqual(90_000);
  expect(world.read(pod, "v", "bundle.pem")).toBe(text);
});

test("a certificate that cannot be asked for is asked for again after pauses, while the one that is there is good", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await sign(world, (await pending(world))[0]!, 2);
  await world.setUp(pod, "v");
  await world.advance(HOUR);
  await world.admin.resource(ServiceAccount).delete({ namespace: "default", name: "robot" });
  const pauses: number[] = [];
  world.requests.length = 0;
  for (let minutes = 0; minutes < 10 * 60_000; minutes += pauses.at(-1)!) {
    const { againAfter } = await world.setUp(pod, "v");
    pauses.push(againAfter!);
    // A reconcile meanwhile sends no request.
    await world.setUp(pod, "v");
    await world.advance(againAfter!);
  }
  const tries = world.requests.filter((request) => request.startsWith("GET") && request.endsWith("/robot"));
  expect(tries).toHaveLength(pauses.length);
  expect(pauses.length).toBeLessThan(30);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
  await world.admin.resource(ServiceAccount).create({ metadata: { namespace: "default", name: "robot" } });
  await world.setUp(pod, "v");
  await sign(world, (await pending(world))[0]!);
});

test("a certificate that is to be renewed at once, as the signer says, is asked for once in a minute at most", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  // The machine has slept until long after the time to renew it.
  await sign(world, (await pending(world))[0]!);
  await world.advance(13 * HOUR);
  await world.setUp(pod, "v");
  await sign(world, (await pending(world))[0]!, 2);
  await world.setUp(pod, "v");
  const all = async () => (await world.admin.resource(PodCertificateRequest).list()).items.length;
  const before = await all();
  world.wall.ahead += HOUR;
  const { againAfter } = await world.setUp(pod, "v");
  expect(againAfter).toBe(60_000);
  expect(await all()).toBe(before);
  await world.advance(60_000);
  await world.setUp(pod, "v");
  expect(await all()).toBe(before + 1);
});

test("a request that is removed again and again is made again after pauses that grow", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await sign(world, (await pending(world))[0]!);
  await world.setUp(pod, "v");
  await world.advance(12 * HOUR);
  const pauses: number[] = [];
  for (let round = 0; round < 8; round++) {
    await world.setUp(pod, "v");
    await world.settled();
    await world.admin.resource(PodCertificateRequest).delete((await pending(world))[0]!);
    await world.settled();
    const { againAfter } = await world.setUp(pod, "v");
    expect(await pending(world)).toEqual([]);
    pauses.push(againAfter!);
    await world.advance(againAfter!);
  }
  pauses.forEach((pause, failure) => {
    const most = Math.min(60_000, 1000 * 2 ** failure);
    expect(pause).toBeGreaterThanOrEqual(most / 2);
    expect(pause).toBeLessThanOrEqual(most);
  });
});

test("a request that was removed before it was seen is made again after ten minutes", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  world.isDeaf = true;
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await world.admin.resource(PodCertificateRequest).delete((await pending(world))[0]!);
  world.isDeaf = false;
  await world.advance(9 * 60_000);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  expect(await pending(world)).toEqual([]);
  await world.advance(60_000);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  expect(await pending(world)).toHaveLength(1);
});

test("a request that is removed without an answer is made again", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await world.settled();
  const [lost] = await pending(world);
  await world.admin.resource(PodCertificateRequest).delete(lost!);
  await world.settled();
  expect(world.looks).toEqual(["p"]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  const [next] = await pending(world);
  expect(next!.metadata.name).not.toBe(lost!.metadata.name);
});

test("PROJ-58: the keys of a Pod that is gone are forgotten, and its requests followed no more", async () => {
  await using world = await WrittenWorld.create();
  const pod = await world.pod("p", [volume()]);
  await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
  await world.settled();
  world.plugin.forget(pod.metadata.uid);
  await sign(world, (await pending(world))[0]!);
  expect(world.looks).toEqual([]);
});

test.each(["RSA3072", "ECDSAP384", "ECDSAP521", "ED25519"])(
  "PROJ-27: a server takes the proof of a key of %s",
  async (keyType) => {
    await using world = await WrittenWorld.create();
    const pod = await world.pod("p", [volume({ keyType })]);
    await expect(world.setUp(pod, "v")).rejects.toThrow("issued yet");
    expect(await pending(world)).toHaveLength(1);
  },
);
