import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { client } from "../../../pki/index.ts";
import { authority } from "../../../pki/certificate.ts";
import { requestBase64 } from "../../../pki/testing/requests.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { certificateSigningRequest } from "./certificatesigningrequest.ts";

const request = requestBase64({ commonName: "jane" });
const spec = { request, signerName: "example.com/signer", usages: ["client auth"] };
const NOW = "2026-01-01T00:00:00Z";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const ca = authority({ now: Date.UTC(2026, 0, 1), days: 10 });
const { cert, key } = client(ca, "jane", [], { now: Date.UTC(2026, 0, 1), days: 1 });

describe.each([neutral, kubernetes])("a CertificateSigningRequest in the $name dialect", (dialect) => {
  const kind = new KindUnderTest(certificateSigningRequest, contextOf(dialect));
  const create = (changes: object): readonly string[] => kind.create({ spec: { ...spec, ...changes } }).causes;
  const stored = (status: object = {}): ApiObject => ({ ...kind.create({ spec }).object, status });
  const decided = (type: string, more: object = {}): object => ({ type, status: "True", ...more });

  /** The causes of a status that is written by a way. */
  function wrong(way: "approval" | "status", status: object, before: object = {}): readonly string[] {
    return kind.update(stored(before), { spec, status }, way).causes;
  }

  test("CERT-1: is as it was asked for, and has no status yet", () => {
    const { object, causes } = kind.create({
      spec: { ...spec, expirationSeconds: 600 },
      status: { certificate: "AA==" },
    });
    expect(causes).toEqual([]);
    expect(object["spec"]).toEqual({ ...spec, expirationSeconds: 600 });
    expect(object["status"]).toEqual({});
  });

  test("CERT-1: all missing members are reported", () => {
    const missing = [
      "FieldValueInvalid spec.request",
      "FieldValueRequired spec.signerName",
      "FieldValueRequired spec.usages",
    ];
    expect(kind.create({ spec: {} }).causes).toEqual(missing);
  });

  test.each(["", base64("no"), base64(cert)])("CERT-1: spec.request may not be %j", (text) => {
    expect(create({ request: text })).toEqual(["FieldValueInvalid spec.request"]);
  });

  test.each([599, 0, -1])("CERT-1: expirationSeconds may not be %i", (expirationSeconds) => {
    expect(create({ expirationSeconds })).toEqual(["FieldValueInvalid spec.expirationSeconds"]);
  });

  test("CERT-2: usages are known ones, in lower case, each once", () => {
    expect(create({ usages: ["netscape sgc", "any", "s/mime"] })).toEqual([]);
    expect(create({ usages: ["Client Auth"] })).toEqual(["FieldValueNotSupported spec.usages[0]"]);
    expect(create({ usages: ["any", "any"] })).toEqual(["FieldValueDuplicate spec.usages[1]"]);
    expect(create({ usages: [] })).toEqual(["FieldValueRequired spec.usages"]);
  });

  test.each(["example.com/signer", "a.b/c.d-e", `a.b/${"x".repeat(253)}`])("CERT-3: %s is a signer", (signerName) => {
    expect(create({ signerName })).toEqual([]);
  });

  test.each(["x", "example/x", "a.b/c/d", "a.b/", "/x", "a.b/X", "A.b/x", "kubernetes.io/legacy-unknown"])(
    "CERT-3: %s is none",
    (signerName) => {
      expect(create({ signerName })).toEqual(["FieldValueInvalid spec.signerName"]);
    },
  );

  test("CERT-3: a signer is not too long", () => {
    const domain = Array.from({ length: 64 }, () => "abc").join(".");
    expect(create({ signerName: `${domain}/x` })).toEqual(["FieldValueTooLong spec.signerName"]);
    expect(create({ signerName: `a.b/${"x".repeat(568)}` })).toContain("FieldValueTooLong spec.signerName");
  });

  test("CERT-4: the server writes who asks, and drops what was sent of it", () => {
    const object = {
      ...stored(),
      spec: { ...spec, username: "root", uid: "0", groups: ["system:masters"], extra: { a: ["b"] } },
    };
    const writer = { user: "jane", uid: "7", groups: ["g"], extra: { k: ["v"] } };
    certificateSigningRequest.prepareForCreate!(object, { ...contextOf(dialect), warnings: [], writer });
    expect(object.spec).toEqual({ ...spec, username: "jane", uid: "7", groups: ["g"], extra: { k: ["v"] } });
  });

  test("CERT-4: the spec never changes, a plain update keeps the status, and all subresources may change labels", () => {
    const old = stored({ conditions: [decided("Approved")] });
    const sent = { metadata: { name: "x", labels: { a: "b" } }, spec: { ...spec, usages: ["any"] }, status: {} };
    for (const way of ["", "approval", "status"]) {
      const { object } = kind.update(old, sent, way);
      expect(object["spec"]).toEqual(old["spec"]);
      expect(object.metadata.labels).toEqual({ a: "b" });
    }
    expect(kind.update(old, sent).object["status"]).toEqual(old["status"]);
    expect(kind.update(old, sent).causes).toEqual([]);
  });

  test("CERT-5: approval adds one of two decisions, which stays", () => {
    expect(wrong("approval", { conditions: [decided("Approved")] })).toEqual([]);
    expect(wrong("approval", { conditions: [decided("Denied")] })).toEqual([]);
    const both = { conditions: [decided("Approved"), decided("Denied")] };
    expect(wrong("approval", both)).toEqual(["FieldValueInvalid status.conditions"]);
    const before = { conditions: [decided("Approved")] };
    expect(wrong("approval", {}, before)).toEqual(["FieldValueForbidden status.conditions"]);
    expect(wrong("approval", { conditions: [decided("Approved", { reason: "R" })] }, before)).toEqual([]);
  });

  test("CERT-5: approval keeps the certificate, and says when it decided", () => {
    const old = stored({ certificate: base64(cert) });
    const conditions = [decided("Approved", { lastUpdateTime: null, lastTransitionTime: null })];
    const { object } = kind.update(old, { spec, status: { conditions, certificate: base64(ca.cert) } }, "approval");
    expect(object["status"]).toEqual({
      certificate: base64(cert),
      conditions: [decided("Approved", { lastUpdateTime: NOW, lastTransitionTime: NOW })],
    });
  });

  test("CERT-5: the time of a transition is that of the condition before it", () => {
    const lastTransitionTime = "2020-01-01T00:00:00Z";
    const old = stored({ conditions: [decided("Approved", { lastUpdateTime: NOW, lastTransitionTime })] });
    const { object } = kind.update(
      old,
      { spec, status: { conditions: [decided("Approved", { reason: "R" })] } },
      "approval",
    );
    expect(object["status"]).toMatchObject({ conditions: [{ reason: "R", lastUpdateTime: NOW, lastTransitionTime }] });
  });

  test("CERT-5: the status decides nothing: what it says of decisions is as stored, or forbidden", () => {
    const before = { conditions: [decided("Approved", { reason: "A", lastUpdateTime: NOW, lastTransitionTime: NOW })] };
    expect(wrong("status", { conditions: [decided("Approved")] })).toEqual(["FieldValueForbidden status.conditions"]);
    expect(wrong("status", { conditions: [] }, before)).toEqual(["FieldValueForbidden status.conditions"]);
    const changed = kind.update(
      stored(before),
      { spec, status: { conditions: [decided("Approved", { reason: "B" })] } },
      "status",
    );
    expect(changed.causes).toEqual([]);
    expect(changed.object["status"]).toEqual(before);
    expect(wrong("status", { conditions: [decided("Failed"), decided("Other", { status: "Unknown" })] })).toEqual([]);
  });

  test("CERT-5: conditions have a type each of its own and a status", () => {
    const of = (...conditions: object[]): readonly string[] => wrong("status", { conditions });
    expect(of({ type: "Failed", status: "False" })).toEqual(["FieldValueNotSupported status.conditions[0].status"]);
    expect(of({ type: "Other", status: "" })).toEqual(["FieldValueRequired status.conditions[0].status"]);
    expect(of({ type: "", status: "True" })).toEqual(["FieldValueRequired status.conditions[0].type"]);
    expect(of(decided("Other"), decided("Other"))).toEqual(["FieldValueDuplicate status.conditions[1].type"]);
  });

  test("CERT-5: a certificate is set once, by the status", () => {
    const certificate = base64(cert);
    expect(wrong("status", { certificate })).toEqual([]);
    expect(wrong("status", { certificate: base64(ca.cert) }, { certificate })).toEqual([
      "FieldValueForbidden status.certificate",
    ]);
    expect(wrong("status", { certificate }, { certificate })).toEqual([]);
  });

  test.each([base64("no"), base64(key), base64(cert + key), base64(cert.replace("\n", "\na: b\n\n"))])(
    "CERT-6: it is PEM of certificates alone, which %# is not",
    (certificate) => {
      expect(wrong("status", { certificate })).toEqual(["FieldValueInvalid status.certificate"]);
    },
  );

  test("CERT-6: text around the blocks is fine", () => {
    expect(wrong("status", { certificate: base64(`a\n${cert}b\n${ca.cert}c`) })).toEqual([]);
  });

  test("CERT-9: what a table shows of it, and by what it can be found", () => {
    const old = stored({ conditions: [decided("Approved"), decided("Failed")], certificate: "AA==" });
    expect(kind.cells(old).slice(1)).toEqual(["example.com/signer", "", "<none>", "Approved,Failed,Issued"]);
    expect(kind.cells(stored())[4]).toBe("Pending");
    expect(kind.cells({ ...stored(), spec: { ...spec, username: "u", expirationSeconds: 3600 } }).slice(2, 4)).toEqual([
      "u",
      "60m",
    ]);
    expect(certificateSigningRequest.selectableFields!["spec.signerName"]!(old)).toBe("example.com/signer");
  });
});
