import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../../../meta/dialect.ts";
import { Bench, benches, wrong } from "../testing/volumes.ts";

const CERTIFICATE = { signerName: "example.com/s", keyType: "ED25519", credentialBundlePath: "b.pem" };
const BUNDLE = { path: "ca.pem", name: "b" };
const AT = "spec.volumes[0].projected.";

const one = (source: object) => ({ projected: { sources: [source] } });
const file = (path: string) => ({ key: "k", path });

describe.each(benches.map((bench) => [bench.dialect.name, bench] as const))("projections, %s", (name, bench: Bench) => {
  const strict = name === "kubernetes";
  const read = (source: object) => (bench.readInline(one(source)) as { sources: readonly object[] }).sources[0];

  test("VOL-16, AMB-12: the default mode is materialized, and sources may be missing", () => {
    const expected = strict ? { defaultMode: 420, sources: null } : { defaultMode: 420 };
    expect(bench.readInline({ projected: {} })).toEqual(expected);
  });

  test("VOL-17: an entry sets exactly one member", () => {
    const two = bench.inline(one({ configMap: { name: "c" }, secret: { name: "s" } }));
    expect(wrong(two, AT)).toEqual(["Forbidden sources[0]"]);
    const none = bench.inline(one({}));
    expect(wrong(none, AT)).toEqual(strict ? [] : ["Required sources[0]"]);
    expect(none.warnings).toHaveLength(1);
  });

  test("two bundles without a path share one", () => {
    const sources = [{ clusterTrustBundle: { name: "b" } }, { clusterTrustBundle: { name: "c" } }];
    expect(wrong(bench.inline({ projected: { sources } }), "spec.volumes[0].")).toContain("Invalid projected");
  });

  test("PROJ-17: a configMap projection has no default mode", () => {
    const outcome = bench.inline(one({ configMap: { name: "c", optional: true, defaultMode: 1 } }));
    expect(outcome.unknown.join()).toContain("defaultMode");
    expect(read({ configMap: { name: "c", optional: true, items: [file("p")] } })).toEqual({
      configMap: { name: "c", optional: true, items: [file("p")] },
    });
  });

  test("PROJ-30, DEC-51: a secret projection has a name, which the documents do not ask for", () => {
    expect(wrong(bench.inline(one({ secret: { optional: true } })), AT)).toEqual(
      strict ? ["Required sources[0].secret.name"] : [],
    );
  });

  test("PROJ-18: a downwardAPI projection has files", () => {
    const source = { downwardAPI: { items: [{ path: "../x", fieldRef: { fieldPath: "metadata.name" } }] } };
    const at = strict ? "sources[0].downwardAPI.path" : "sources[0].downwardAPI.items[0].path";
    expect(wrong(bench.inline(one(source)), AT)).toEqual([`Invalid ${at}`]);
  });

  test.each([
    ["two sources", [{ configMap: { name: "c", items: [file("x")] } }, { secret: { name: "s", items: [file("x")] } }]],
    ["one source", [{ secret: { name: "s", items: [file("x"), file("x")] } }]],
    [
      "a bundle and a certificate",
      [{ clusterTrustBundle: { ...BUNDLE, path: "b.pem" } }, { podCertificate: CERTIFICATE }],
    ],
  ])("DEC-53: %s may not write one path twice", (_case, sources) => {
    expect(wrong(bench.inline({ projected: { sources } }), "spec.volumes[0].")).toEqual(["Invalid projected"]);
  });

  test("a token may share its path, and a Warning tells so", () => {
    const sources = [{ secret: { name: "s", items: [file("t")] } }, { serviceAccountToken: { path: "t" } }];
    expect(bench.inline({ projected: { sources } })).toMatchObject({ causes: [], warnings: [expect.any(String)] });
  });

  describe("serviceAccountToken", () => {
    const field = strict ? "path" : "sources[0].serviceAccountToken.path";

    test("PROJ-32, PROJ-34, LIM-11: an hour is the default, no audience is none", () => {
      expect(read({ serviceAccountToken: { path: "a/b", audience: "" } })).toEqual({
        serviceAccountToken: { path: "a/b", expirationSeconds: 3600 },
      });
    });

    test.each([
      [599, false],
      [600, true],
      [2 ** 32, true],
      [2 ** 32 + 1, false],
    ])("LIM-11: %d seconds", (expirationSeconds, fine) => {
      const outcome = bench.inline(one({ serviceAccountToken: { path: "t", expirationSeconds } }));
      expect(wrong(outcome, AT)).toEqual(fine ? [] : ["Invalid sources[0].serviceAccountToken.expirationSeconds"]);
    });

    test.each([
      ["/a", "Invalid"],
      ["..a", "Invalid"],
      ["", "Required"],
    ])("PROJ-31: the path '%s'", (path, cause) => {
      expect(wrong(bench.inline(one({ serviceAccountToken: { path } })), AT)).toEqual([`${cause} ${field}`]);
    });

    test("DEC-39: Kubernetes wants the service account named", () => {
      const volumes = [{ name: "v", ...one({ serviceAccountToken: { path: "t" } }) }];
      const outcome = bench.pod.create({ spec: { containers: [{ name: "c", image: "i" }], volumes } });
      expect(wrong(outcome, AT)).toEqual(strict ? ["Forbidden sources[0].serviceAccountToken"] : []);
    });
  });

  describe("clusterTrustBundle", () => {
    test.each([
      ["PROJ-12: by name", BUNDLE, []],
      ["PROJ-12: by the name of a signer's bundle", { ...BUNDLE, name: "example.com:s:b" }, []],
      [
        "PROJ-13, PROJ-14: by signer and labels",
        { path: "p", signerName: "example.com/s", labelSelector: {}, optional: true },
        [],
      ],
      ["PROJ-12: name and signer", { ...BUNDLE, signerName: "example.com/s" }, ["Invalid "]],
      ["PROJ-12: name and labels", { ...BUNDLE, labelSelector: {} }, ["Invalid .labelSelector"]],
      ["PROJ-14: labels without signer", { path: "p", labelSelector: {} }, ["Required "]],
      ["PROJ-12: a bad name", { ...BUNDLE, name: "B_" }, ["Invalid .name"]],
      ["PROJ-13: a bad signer", { path: "p", signerName: "x" }, ["Invalid .signerName"]],
      ["PROJ-13: an empty signer", { path: "p", signerName: "" }, ["Required .signerName"]],
      [
        "PROJ-14: bad labels",
        { path: "p", signerName: "example.com/s", labelSelector: { matchLabels: { "a b": "c" } } },
        ["Invalid .labelSelector.matchLabels"],
      ],
      ["PROJ-11: no path", { name: "b" }, ["Required .path"]],
      ["PROJ-11: an absolute path", { name: "b", path: "/a" }, ["Invalid .path"]],
    ])("%s", (_rule, clusterTrustBundle, expected) => {
      expect(wrong(bench.inline(one({ clusterTrustBundle })), `${AT}sources[0].clusterTrustBundle`)).toEqual(expected);
    });
  });

  describe("podCertificate", () => {
    const causes = (changes: object) =>
      wrong(bench.inline(one({ podCertificate: { ...CERTIFICATE, ...changes } })), `${AT}sources[0].podCertificate`);

    test("PROJ-21, PROJ-22, PROJ-24, LIM-7: it reads back as it was sent", () => {
      const podCertificate = {
        ...CERTIFICATE,
        keyPath: "k",
        certificateChainPath: "c",
        userAnnotations: { "a.b/c": "d" },
      };
      expect(read({ podCertificate })).toEqual({ podCertificate });
    });

    test.each([
      ["PROJ-19: no key type", { keyType: "" }, ["NotSupported .keyType"]],
      ["PROJ-19: another key type", { keyType: "RSA2048" }, ["NotSupported .keyType"]],
      ["PROJ-20: no signer", { signerName: "" }, ["Required .signerName"]],
      ["DEC-53: a signer without domain", { signerName: "x" }, ["Invalid .signerName"]],
      ["DEC-53: no file", { credentialBundlePath: "" }, ["Required "]],
      [
        "DEC-53: paths",
        { keyPath: "/k", certificateChainPath: ".." },
        ["Invalid .certificateChainPath", "Invalid .keyPath"],
      ],
      ["LIM-8: a short life", { maxExpirationSeconds: 3599 }, ["Invalid .maxExpirationSeconds"]],
      ["LIM-8: the shortest life", { maxExpirationSeconds: 3600 }, []],
      ["LIM-9: the longest life", { maxExpirationSeconds: 7_862_400 }, []],
      ["LIM-9: a long life", { maxExpirationSeconds: 7_862_401 }, ["Invalid .maxExpirationSeconds"]],
      ["PROJ-25: annotations without domain", { userAnnotations: { foo: "x" } }, ["Invalid .userAnnotations"]],
      ["PROJ-26: annotations up to the limit", { userAnnotations: { "a.b/c": "x".repeat(262_139) } }, []],
      [
        "PROJ-26: annotations above the limit",
        { userAnnotations: { "a.b/c": "x".repeat(262_140) } },
        ["TooLong .userAnnotations"],
      ],
    ])("%s", (_rule, changes, expected) => {
      expect(causes(changes)).toEqual(expected);
    });
  });
});

test("PROJ-10, DEC-38: a gated projection is dropped from a new Pod and kept in one that has it", () => {
  const closed = new Bench(neutral, { ClusterTrustBundleProjection: false });
  const open = new Bench(neutral, { ClusterTrustBundleProjection: true });
  const source = { projected: { sources: [{ clusterTrustBundle: BUNDLE }, { secret: { name: "s" } }] } };
  const dropped = closed.inline(source);
  expect(dropped.causes).toEqual([]);
  expect(dropped.warnings).toEqual([expect.stringContaining("ClusterTrustBundleProjection")]);
  expect(dropped.object["spec"]).toMatchObject({ volumes: [{ projected: { sources: [{ secret: { name: "s" } }] } }] });
  const stored = open.inline(source).object;
  expect(closed.pod.change(stored, {})).toMatchObject({ causes: [], object: { spec: stored["spec"] } });
});

test("PROJ-10: the kubernetes dialect drops in silence and leaves the entry", () => {
  const closed = new Bench(kubernetes);
  const dropped = new Bench(kubernetes, { PodCertificateRequest: false }).inline(one({ podCertificate: CERTIFICATE }));
  expect(dropped.object["spec"]).toMatchObject({ volumes: [{ projected: { sources: [{}] } }] });
  expect(dropped.warnings).toHaveLength(1);
  expect(closed.inline(one({ podCertificate: CERTIFICATE })).warnings).toEqual([]);
});
