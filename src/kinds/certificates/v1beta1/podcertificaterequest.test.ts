import { type KeyObject, generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { formatTime } from "../../../meta/time.ts";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { issue, readRequest } from "../../../pki/index.ts";
import { authority } from "../../../pki/certificate.ts";
import { podKeyOf } from "../../../pki/testing/pod-keys.ts";
import { newKey, requestPem } from "../../../pki/testing/requests.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { certificatesGroup } from "../index.ts";

const podUID = "00000000-0000-4000-8000-000000000001";
const key = newKey();

const keyOf = (own: KeyObject, text = podUID): object => podKeyOf(own, text);

const spec = {
  signerName: "example.com/signer",
  podName: "p",
  podUID,
  serviceAccountName: "a",
  serviceAccountUID: "sa",
  nodeName: "n",
  nodeUID: "node",
  ...keyOf(key),
};

describe.each([neutral, kubernetes])("a PodCertificateRequest in the $name dialect", (dialect) => {
  const ctx = contextOf(dialect, { PodCertificateRequest: true });
  const kind = KindUnderTest.of(certificatesGroup, "podcertificaterequests", ctx);
  const create = (changes: object): readonly string[] => kind.create({ spec: { ...spec, ...changes } }).causes;

  test("CERT-15: lasts a day unless it says otherwise, and has no status yet", () => {
    const { object, causes } = kind.create({ spec, status: { certificateChain: "x" } });
    expect(causes).toEqual([]);
    expect(object["spec"]).toEqual({ ...spec, maxExpirationSeconds: 86_400 });
    expect(object["status"]).toEqual({});
    expect(kind.definition.served).toBe(true);
  });

  test.each([
    ["signerName", "x"],
    ["podName", "A"],
    ["podUID", ""],
    ["serviceAccountName", ""],
    ["serviceAccountUID", ""],
    ["nodeName", "a b"],
    ["nodeUID", ""],
    ["maxExpirationSeconds", 3599],
    ["maxExpirationSeconds", 7_862_401],
    ["unverifiedUserAnnotations", { plain: "x" }],
    ["pkixPublicKey", ""],
    ["pkixPublicKey", "bm8="],
    ["proofOfPossession", "bm8="],
  ])("CERT-15: %s may not be %j", (member, value) => {
    expect(create({ [member]: value })).toContain(`FieldValueInvalid spec.${member}`);
  });

  test("CERT-15: a text that is too long is reported as such", () => {
    const long = Buffer.alloc(10 * 1024 + 1).toString("base64");
    expect(create({ pkixPublicKey: long })).toEqual(["FieldValueTooLong spec.pkixPublicKey"]);
    expect(create({ proofOfPossession: long })).toEqual(["FieldValueTooLong spec.proofOfPossession"]);
    expect(create({ nodeUID: "x".repeat(129) })).toEqual(["FieldValueTooLong spec.nodeUID"]);
  });

  test("CERT-15: signers of kubernetes.io give a day at most", () => {
    const signerName = "kubernetes.io/x";
    expect(create({ signerName, maxExpirationSeconds: 86_400 })).toEqual([]);
    expect(create({ signerName, maxExpirationSeconds: 86_401 })).toEqual([
      "FieldValueInvalid spec.maxExpirationSeconds",
    ]);
    expect(create({ maxExpirationSeconds: 7_862_400, unverifiedUserAnnotations: { "a.b/C": "x" } })).toEqual([]);
  });

  test.each([
    ["Ed25519", generateKeyPairSync("ed25519")],
    ["P-384", generateKeyPairSync("ec", { namedCurve: "P-384" })],
    ["P-521", generateKeyPairSync("ec", { namedCurve: "P-521" })],
    ["RSA 3072", generateKeyPairSync("rsa", { modulusLength: 3072 })],
  ])("CERT-15: a key may be for %s; its proof is the signature of the Pod's UID", (_, { privateKey }) => {
    expect(create(keyOf(privateKey))).toEqual([]);
    expect(create(keyOf(privateKey, "other"))).toEqual(["FieldValueInvalid spec.proofOfPossession"]);
  });

  test.each([
    ["P-224", generateKeyPairSync("ec", { namedCurve: "secp224r1" })],
    ["RSA 2048", generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ])("CERT-15: a key may not be for %s", (_, { privateKey }) => {
    expect(create(keyOf(privateKey))).toEqual(["FieldValueInvalid spec.pkixPublicKey"]);
  });

  test("CERT-15: the spec never changes", () => {
    const { object } = kind.create({ spec });
    expect(kind.change(object, { spec: { ...spec, podName: "q" } }).causes).toEqual(["FieldValueInvalid spec"]);
  });

  describe("its outcome", () => {
    const now = ctx.clock.now();
    const hour = 3_600_000;
    const minute = 60_000;
    const ca = authority({ now, days: 3 });
    const chainOf = (begins: number, ends: number, own = key): string =>
      issue(ca, readRequest(requestPem({ commonName: "p", key: own })), { begins, ends, usages: ["client auth"] });
    const condition = (type: string, more: object = {}): object => ({
      type,
      status: "True",
      reason: "R",
      message: "",
      lastTransitionTime: formatTime(now),
      ...more,
    });
    const issued = (begins: number, ends: number, more: object = {}): object => ({
      conditions: [condition("Issued")],
      certificateChain: chainOf(begins, ends),
      notBefore: formatTime(begins),
      notAfter: formatTime(ends),
      beginRefreshAt: formatTime(begins + 10 * minute),
      ...more,
    });
    const pending = (): ApiObject => kind.create({ spec }).object;
    const wrong = (status: object, old = pending()): readonly string[] =>
      kind.update(old, { spec, status }, "status").causes;
    const dot = dialect.rules.recordedCauseNames ? "." : "";

    test("CERT-16: is one of three, true, with a reason and a time", () => {
      for (const type of ["Denied", "Failed"]) expect(wrong({ conditions: [condition(type)] })).toEqual([]);
      expect(wrong({ conditions: [condition("Other")] })).toEqual([
        `FieldValueNotSupported status.conditions${dot}[0].type`,
      ]);
      expect(wrong({ conditions: [condition("Denied", { status: "False" })] })).toEqual([
        `FieldValueNotSupported status.conditions${dot}[0].status`,
      ]);
      expect(wrong({ conditions: [condition("Denied"), condition("Failed")] })).toEqual([
        `FieldValueInvalid status.conditions${dot}[1].type`,
      ]);
      expect(wrong({ conditions: [condition("Denied", { reason: "" })] })).toEqual([
        "FieldValueRequired status.conditions[0].reason",
      ]);
      expect(wrong({ conditions: [condition("Denied", { lastTransitionTime: null })] })).toEqual([
        "FieldValueRequired status.conditions[0].lastTransitionTime",
      ]);
    });

    test("CERT-16: nothing is said without an outcome, and nothing beside a refusal", () => {
      expect(wrong({ certificateChain: ca.cert })).toEqual(["FieldValueInvalid status"]);
      expect(wrong({ conditions: [condition("Denied")], certificateChain: ca.cert })).toEqual([
        "FieldValueInvalid status",
      ]);
    });

    test("CERT-16: after it nothing changes any more", () => {
      const old = kind.update(pending(), { spec, status: { conditions: [condition("Denied")] } }, "status").object;
      expect(wrong({ conditions: [condition("Denied")] }, old)).toEqual([]);
      for (const reason of ["S", "T"])
        expect(wrong({ conditions: [condition("Failed", { reason })] }, old)).toEqual(["FieldValueInvalid status"]);
    });

    test("CERT-16: a certificate is issued for the key, with its times", () => {
      expect(wrong(issued(now, now + hour))).toEqual([]);
      const chain = chainOf(now, now + hour) + ca.cert;
      expect(wrong(issued(now, now + hour, { certificateChain: chain }))).toEqual([]);
    });

    test.each([
      ["nothing", ""],
      ["no PEM", "no"],
      ["a key", ca.key],
      ["a certificate and a key", chainOf(now, now + hour) + ca.key],
      ["another key", chainOf(now, now + hour, newKey())],
    ])("CERT-16: a chain of %s is none", (_, certificateChain) => {
      expect(wrong(issued(now, now + hour, { certificateChain }))).toEqual([
        "FieldValueInvalid status.certificateChain",
      ]);
    });

    test.each([
      ["notBefore", issued(now, now + hour, { notBefore: formatTime(now + 1000) })],
      ["notBefore", issued(now - 5 * minute, now + hour)],
      ["notAfter", issued(now, now + hour, { notAfter: formatTime(now) })],
      ["certificateChain", issued(now, now + hour - 1000)],
      ["certificateChain", issued(now, now + 24 * hour + 1000)],
      ["beginRefreshAt", issued(now, now + hour, { beginRefreshAt: formatTime(now + 10 * minute - 1000) })],
      ["beginRefreshAt", issued(now, now + hour, { beginRefreshAt: formatTime(now + 50 * minute + 1000) })],
    ])("CERT-16, LIM-10, SUP-12: %s is within its bounds, case %#", (member, status) => {
      expect(wrong(status)).toEqual([`FieldValueInvalid status.${member}`]);
    });

    test("CERT-16: all times must be there", () => {
      const { conditions, certificateChain } = issued(now, now + hour) as Record<string, unknown>;
      const times = ["beginRefreshAt", "notAfter", "notBefore"].map((time) => `FieldValueRequired status.${time}`);
      expect(wrong({ conditions, certificateChain })).toEqual(times);
    });

    test("a table shows it", () => {
      const { object } = kind.update(pending(), { spec, status: issued(now, now + hour) }, "status");
      expect(kind.cells(object)).toEqual(["p", "a", "n", "example.com/signer", "Issued", "<none>"]);
      expect(kind.cells(pending())[4]).toBe("Pending");
    });
  });
});
