import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { client } from "../../../pki/index.ts";
import { authority } from "../../../pki/certificate.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { certificatesGroup } from "../index.ts";

const term = { now: Date.UTC(2026, 0, 1), days: 10 };
const [one, other] = [authority(term), authority(term)];
const leaf = client(one, "jane", [], term);
const signerName = "example.com/signer";
const PEM = "FieldValueInvalid spec.trustBundle";

describe.each([neutral, kubernetes])("a ClusterTrustBundle in the $name dialect", (dialect) => {
  const ctx = contextOf(dialect, { ClusterTrustBundle: true });
  const kind = KindUnderTest.of(certificatesGroup, "clustertrustbundles", ctx, "v1beta1");
  const bundle = (trustBundle: string): readonly string[] => kind.create({ spec: { trustBundle } }).causes;
  const called = (name: string, spec: object = {}): readonly string[] =>
    kind.create({ metadata: { name }, spec: { trustBundle: one.cert, ...spec } }).causes;

  test("CERT-11: has certificates of authorities, with any text between them", () => {
    expect(bundle(one.cert)).toEqual([]);
    expect(bundle(`a\n${one.cert}b\n${other.cert}c`)).toEqual([]);
  });

  test.each([
    ["nothing", ""],
    ["no PEM", "no"],
    ["a key", one.cert + one.key],
    ["a certificate of no authority", leaf.cert],
    ["one twice", one.cert + other.cert + one.cert],
    ["headers", one.cert.replace("\n", "\na: b\n\n")],
    ["what is no certificate", one.cert.replaceAll(/^MII/gm, "AII")],
  ])("CERT-11: %s is no bundle", (_, text) => {
    expect(bundle(text)).toEqual([PEM]);
  });

  test("CERT-11: a bundle is at most a mebibyte", () => {
    expect(bundle(one.cert + "x".repeat(1024 * 1024))).toEqual(["FieldValueTooLong spec.trustBundle"]);
    expect(bundle(one.cert + "x".repeat(1024 * 1024 - one.cert.length))).toEqual([]);
  });

  test("CERT-12: its name begins with its signer, and has no colon without one", () => {
    expect(called("example.com:signer:a", { signerName })).toEqual([]);
    for (const name of [
      "a",
      "example.com:signer",
      "example.com:signer:",
      "example.com:signer:A",
      "example.com:other:a",
    ]) {
      expect(called(name, { signerName })).toEqual(["FieldValueInvalid metadata.name"]);
    }
    expect(called("a.b")).toEqual([]);
    for (const name of ["a:b", "A"]) expect(called(name)).toEqual(["FieldValueInvalid metadata.name"]);
    expect(called("x:y:a", { signerName: "x/y" })).toEqual(["FieldValueInvalid spec.signerName"]);
  });

  test("CERT-12: what its name is generated from begins with it, too", () => {
    const generated = (generateName: string): readonly string[] =>
      kind.create({
        metadata: { name: `${generateName}abc`, generateName },
        spec: { trustBundle: one.cert, signerName },
      }).causes;
    expect(generated("example.com:signer:a-")).toEqual([]);
    expect(generated("a-")).toContain("FieldValueInvalid metadata.generateName");
  });

  test("CERT-12: the signer stays, and PUT needs a version", () => {
    const { object } = kind.create({
      metadata: { name: "example.com:signer:a" },
      spec: { trustBundle: one.cert, signerName },
    });
    const changed = kind.change(object, { spec: { trustBundle: one.cert, signerName: "example.com/other" } });
    expect(changed.causes).toContain("FieldValueInvalid spec.signerName");
    expect(kind.change(object, { spec: { trustBundle: other.cert, signerName } }).causes).toEqual([]);
    expect(kind.change(object, { spec: { trustBundle: leaf.cert, signerName } }).causes).toEqual([PEM]);
    expect(kind.definition.versionedUpdate).toBe(true);
  });

  test("CERT-14: can be found by its signer, which a table shows", () => {
    const { object } = kind.create({ spec: { trustBundle: one.cert } });
    expect(kind.definition.selectableFields!["spec.signerName"]!(object)).toBe("");
    expect(kind.cells(object)).toEqual(["<none>"]);
  });
});

test("CERT-11, CERT-14: is served with its gate, in an alpha version too where Kubernetes has it, and both tell what they are", () => {
  const of = (dialect: typeof neutral, isOn: boolean) =>
    certificatesGroup(contextOf(dialect, { ClusterTrustBundle: isOn })).filter((d) => d.kind === "ClusterTrustBundle");
  expect(of(kubernetes, true).map((d) => [d.version, d.served])).toEqual([
    ["v1beta1", true],
    ["v1alpha1", true],
  ]);
  expect(of(kubernetes, false).map((d) => d.served)).toEqual([false, false]);
  expect(of(neutral, true).map((d) => d.version)).toEqual(["v1beta1"]);
  for (const { deprecated, version } of of(kubernetes, true))
    expect(deprecated).toContain(`certificates.k8s.io/${version}`);
});
