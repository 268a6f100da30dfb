import { describe, expect, test } from "vitest";
import type { ClusterTrustBundle, Pod } from "../client/kinds/index.ts";
import { ContentError } from "./content-error.ts";
import { contentOf } from "./content.ts";
import type { ContentOwner, ContentSource, PodVolume, TokenOptions } from "./contract.ts";
import { ownerOf } from "./pod-owner.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const objectOf = (more: object) => ({ metadata: { name: "m" }, ...more });
const configMap = objectOf({ data: { a: "A", b: "B" }, binaryData: { bin: "AP+A" } });
const secret = objectOf({ data: { a: base64("SA"), c: base64("SC") } });

interface World {
  readonly configMaps?: Readonly<Record<string, object>>;
  readonly secrets?: Readonly<Record<string, object>>;
  readonly bundles?: readonly object[];
  readonly certificate?: { readonly key: string; readonly chain: string };
  readonly tokens?: TokenOptions[];
}

const sourceOf = ({
  configMaps = { m: configMap },
  secrets = { s: secret },
  bundles = [],
  ...rest
}: World): ContentSource => ({
  configMap: ({ name }) => Promise.resolve(configMaps[name] as never),
  secret: ({ name }) =>
    name === "forbidden" ? Promise.reject(new Error("may not be read")) : Promise.resolve(secrets[name] as never),
  trustBundles: () => Promise.resolve(bundles as ClusterTrustBundle[]),
  token(_pod, wish) {
    rest.tokens?.push(wish);
    return Promise.resolve("TOKEN");
  },
  certificate: () => Promise.resolve(rest.certificate),
  allocatable: () => ({ cpu: "3500m", memory: "8Gi" }),
});

const podOf = (spec: object = {}, metadata: object = {}): Pod =>
  ({
    metadata: { name: "p", namespace: "ns", uid: "u", ...metadata },
    spec: { containers: [{ name: "c" }], ...spec },
  }) as unknown as Pod;

/** The files of a volume as texts with their modes. */
async function filesOf(
  volume: object,
  world: World = {},
  pod = podOf(),
  owner: ContentOwner = {},
): Promise<Record<string, string>> {
  const payload = await contentOf(pod, { name: "v", ...volume } as PodVolume, sourceOf(world), owner);
  return Object.fromEntries(
    [...payload].map(([path, { bytes, mode, uid }]) => {
      const user = uid === undefined ? "" : ` ${uid}`;
      return [path, `${mode.toString(8)}${user} ${Buffer.from(bytes).toString("latin1")}`];
    }),
  );
}

const projected = (...sources: object[]) => ({ projected: { sources } });

describe("keys of objects", () => {
  test("PROJ-35, PROJ-36, VOL-8: all keys become files, of data and of binaryData, with their bytes", async () => {
    const files = { bin: "644 \u0000\u00ff\u0080", a: "644 A", b: "644 B" };
    expect(await filesOf({ configMap: { name: "m" } })).toEqual(files);
    expect(await filesOf({ secret: { secretName: "s" } })).toEqual({ a: "644 SA", c: "644 SC" });
  });

  test("PROJ-35, VOL-9, PROJ-39: only listed keys, each at its path, the later one of a path, with the mode of the item or the default", async () => {
    const items = [
      { key: "a", path: "x" },
      { key: "b", path: "./x", mode: 0o400 },
      { key: "a", path: "d//e/", mode: 0 },
    ];
    expect(await filesOf({ configMap: { name: "m", defaultMode: 0o600, items } })).toEqual({
      x: "400 B",
      "d/e": "0 A",
    });
  });

  test("PROJ-37, VOL-10, VOL-13: a missing object fails, or counts as empty where it is optional", async () => {
    await expect(filesOf({ configMap: { name: "x" } })).rejects.toThrow('configMap "x": not found');
    await expect(filesOf({ secret: { secretName: "x" } })).rejects.toThrow('secret "x": not found');
    await expect(filesOf({ configMap: {} })).rejects.toThrow('configMap "": not found');
    const items = [{ key: "a", path: "a" }];
    expect(await filesOf({ configMap: { name: "x", optional: true, items } })).toEqual({});
    expect(await filesOf({ configMap: { optional: true } })).toEqual({});
  });

  test("PROJ-38, VOL-5: a missing key fails, or is passed over where the source is optional", async () => {
    const items = [
      { key: "none", path: "n" },
      { key: "a", path: "a" },
    ];
    await expect(filesOf({ configMap: { name: "m", items } })).rejects.toThrow('non-existent key "none"');
    expect(await filesOf({ configMap: { name: "m", items, optional: true } })).toEqual({ a: "644 A" });
  });

  test("keys that are names of members of every object are keys like others", async () => {
    const configMaps = { m: JSON.parse('{"data":{"__proto__":"P","constructor":"C"}}') as object };
    const payload = await contentOf(
      podOf(),
      { name: "v", configMap: { name: "m" } } as PodVolume,
      sourceOf({ configMaps }),
      {},
    );
    expect([...payload.keys()]).toEqual(["__proto__", "constructor"]);
    const items = [{ key: "toString", path: "t" }];
    await expect(filesOf({ configMap: { name: "m", items } })).rejects.toThrow("non-existent key");
  });
});

describe("PROJ-40: paths", () => {
  test.each([
    "",
    "/x",
    "..",
    "../x",
    "d/../x",
    "..x",
    "..data/x",
    "./..x",
    ".",
    "./",
    `${"x".repeat(256)}`,
    `${"é".repeat(128)}/x`,
    "x/".repeat(2100),
    "a\0b",
  ])("%j is refused", async (path) => {
    await expect(filesOf({ configMap: { name: "m", items: [{ key: "a", path }] } })).rejects.toThrow(/path/);
  });

  test.each([
    ["./a//b", "a/b"],
    ["a/..b", "a/..b"],
    ["a..b", "a..b"],
    [".hidden", ".hidden"],
    ["a/.../b/", "a/.../b"],
    ["x".repeat(255), "x".repeat(255)],
  ])("%j is %j", async (path, cleaned) => {
    expect(Object.keys(await filesOf({ configMap: { name: "m", items: [{ key: "a", path }] } }))).toEqual([cleaned]);
  });
});

describe("downward fields", () => {
  const pod = podOf(
    {},
    {
      labels: { zone: "eu", app: "web" },
      annotations: {
        "example.com/b": 'a "b" \\\n',
        Upper: "x",
        uni: "é ☃ \u0007\u0085\u00a0\u200b\u{1f600}\u{e0001}\u007f",
      },
    },
  );
  const field = async (fieldPath: string): Promise<string> =>
    (await filesOf({ downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath } }] } }, {}, pod))["x"]!.slice(4);

  test("PROJ-41: name, namespace and uid as they are", async () => {
    expect(await Promise.all(["name", "namespace", "uid"].map((name) => field(`metadata.${name}`)))).toEqual([
      "p",
      "ns",
      "u",
    ]);
  });

  test("PROJ-41: labels and annotations as lines, sorted, their values quoted, without a newline at the end", async () => {
    expect(await field("metadata.labels")).toBe('app="web"\nzone="eu"');
    const lines = Buffer.from(await field("metadata.annotations"), "latin1").toString();
    expect(lines).toBe(
      'Upper="x"\nexample.com/b="a \\"b\\" \\\\\\n"\nuni="é ☃ \\a\\u0085\\u00a0\\u200b\u{1f600}\\U000e0001\\x7f"',
    );
  });

  test("PROJ-42: one label or annotation is its value alone, empty where there is none", async () => {
    expect(await field("metadata.labels['app']")).toBe("web");
    expect(await field("metadata.annotations['example.com/b']")).toBe('a "b" \\\n');
    expect(await field("metadata.annotations['Upper']")).toBe("x");
    expect(await field("metadata.labels['none']")).toBe("");
    expect(await field("metadata.labels['constructor']")).toBe("");
  });

  test.each([
    "status.podIP",
    "spec.nodeName",
    "metadata",
    "toString",
    "metadata.name['x']",
    "metadata.labels['-']",
    "metadata.labels['']",
    "metadata.labels[app]",
  ])("PROJ-45: %s is an error", async (fieldPath) => {
    await expect(field(fieldPath)).rejects.toThrow(ContentError);
  });
});

describe("downward resources", () => {
  const container = {
    name: "c",
    resources: {
      limits: { cpu: "1500m", memory: "64Mi", "hugepages-2Mi": "4Mi" },
      requests: { cpu: "1n", memory: "100", "ephemeral-storage": "1500m" },
    },
  };
  const pod = podOf({
    containers: [container, { name: "bare" }, { name: "zero", resources: { limits: { cpu: "0" } } }],
    initContainers: [{ ...container, name: "init" }],
  });
  const resource = async (name: string, divisor?: string, containerName = "c"): Promise<string> =>
    (
      await filesOf(
        { downwardAPI: { items: [{ path: "x", resourceFieldRef: { containerName, resource: name, divisor } }] } },
        {},
        pod,
      )
    )["x"]!.slice(4);

  test.each([
    ["limits.cpu", undefined, "2"],
    ["limits.cpu", "0", "2"],
    ["limits.cpu", "1m", "1500"],
    ["limits.cpu", "400m", "4"],
    ["requests.cpu", "1m", "1"],
    ["limits.memory", undefined, "67108864"],
    ["limits.memory", "1Mi", "64"],
    ["limits.memory", "1M", "68"],
    ["limits.memory", "1500m", "33554432"],
    ["requests.memory", "1Gi", "1"],
    ["requests.ephemeral-storage", undefined, "2"],
    ["limits.hugepages-2Mi", "1Mi", "4"],
    ["requests.hugepages-2Mi", undefined, "0"],
  ])("PROJ-43: %s with the divisor %s is %s", async (name, divisor, value) => {
    expect(await resource(name, divisor)).toBe(value);
  });

  test("PROJ-43: containers that only begin the Pod count, too", async () => {
    expect(await resource("limits.cpu", "1m", "init")).toBe("1500");
  });

  test("PROJ-44: limits that a container lacks are what the node can give, requests 0", async () => {
    expect(await resource("limits.cpu", "1m", "bare")).toBe("3500");
    expect(await resource("limits.cpu", undefined, "zero")).toBe("4");
    expect(await resource("limits.memory", "1Gi", "bare")).toBe("8");
    expect(await resource("limits.ephemeral-storage", undefined, "bare")).toBe("0");
    expect(await resource("limits.hugepages-1Gi", undefined, "bare")).toBe("0");
    expect(await resource("requests.cpu", undefined, "zero")).toBe("0");
  });

  test.each([
    ["limits.gpu", "c"],
    ["memory", "c"],
    ["limits.cpu", "none"],
  ])("PROJ-45: %s of the container %s is an error", async (name, containerName) => {
    await expect(resource(name, undefined, containerName)).rejects.toThrow(ContentError);
  });
});

describe("projected", () => {
  test("PROJ-46: later sources win over earlier ones of the same path", async () => {
    const sources = [{ configMap: { name: "m", items: [{ key: "a", path: "a" }] } }, { secret: { name: "s" } }, {}];
    expect(await filesOf(projected(...sources))).toEqual({ a: "644 SA", c: "644 SC" });
    expect(await filesOf(projected(...sources.toReversed()))).toEqual({ a: "644 A", c: "644 SC" });
  });

  test("PROJ-46: a file and a directory of one name fail", async () => {
    const at = (path: string) => ({ configMap: { name: "m", items: [{ key: "a", path }] } });
    for (const paths of [
      ["x", "x/y"],
      ["x/y", "x"],
      ["d/x/y/z", "d/x"],
    ]) {
      await expect(filesOf(projected(...paths.map(at)))).rejects.toThrow("to be a file or a directory");
    }
    expect(Object.keys(await filesOf(projected(at("x"), at("x-y/z"))))).toEqual(["x", "x-y/z"]);
  });

  test("PROJ-46: every source that failed is named", async () => {
    const sources = [
      { configMap: { name: "none" } },
      { secret: { name: "forbidden" } },
      {
        downwardAPI: {
          items: [
            { path: "x", fieldRef: { fieldPath: "spec.x" } },
            { path: "/y", fieldRef: { fieldPath: "metadata.name" } },
          ],
        },
      },
      { configMap: { name: "m" } },
      { podCertificate: { signerName: "example.com/s", keyType: "ED25519", keyPath: "k" } },
      { clusterTrustBundle: { path: "ca", name: "none" } },
    ];
    const error = await filesOf(projected(...sources)).then(
      () => undefined,
      (thrown: unknown) => thrown as ContentError,
    );
    expect(error).toBeInstanceOf(ContentError);
    expect(error?.failed.map(({ source }) => source)).toEqual([
      'configMap "none"',
      'secret "forbidden"',
      "downwardAPI",
      "podCertificate of example.com/s",
      'clusterTrustBundle "none"',
    ]);
    expect(error?.message).toContain('secret "forbidden": may not be read; downwardAPI: ');
    expect(error?.message).toContain('"spec.x"');
    expect(error?.message).toContain('"/y"');
  });

  test("PROJ-47, PROJ-32: a token for an audience and a time; its mode is stricter where the Pod has a group or one user", async () => {
    const tokens: TokenOptions[] = [];
    const source = projected(
      { serviceAccountToken: { path: "t", audience: "vault", expirationSeconds: 700 } },
      { serviceAccountToken: { path: "u", audience: "" } },
    );
    expect(await filesOf(source, { tokens })).toEqual({ t: "644 TOKEN", u: "644 TOKEN" });
    expect(tokens).toEqual([{ audience: "vault", expirationSeconds: 700 }, { expirationSeconds: 3600 }]);
    expect(await filesOf(source, {}, podOf(), { fsGroup: 0 })).toEqual({ t: "600 TOKEN", u: "600 TOKEN" });
    expect(await filesOf(source, {}, podOf(), { fsUser: 1000 })).toEqual({ t: "600 1000 TOKEN", u: "600 1000 TOKEN" });
  });

  test("PROJ-21, PROJ-22, PROJ-47: a certificate in one file, key first, or in two", async () => {
    const certificate = { key: "KEY\n", chain: "LEAF\nCA\n" };
    const wish = { signerName: "example.com/s", keyType: "ED25519" };
    const all = { ...wish, credentialBundlePath: "b", keyPath: "k", certificateChainPath: "c" };
    expect(await filesOf(projected({ podCertificate: all }), { certificate })).toEqual({
      b: "644 KEY\nLEAF\nCA\n",
      k: "644 KEY\n",
      c: "644 LEAF\nCA\n",
    });
    expect(
      await filesOf(projected({ podCertificate: { ...wish, keyPath: "k" } }), { certificate }, podOf(), { fsUser: 7 }),
    ).toEqual({ k: "600 7 KEY\n" });
    await expect(filesOf(projected({ podCertificate: all }))).rejects.toThrow(
      "no certificate of example.com/s is issued yet",
    );
  });
});

describe("trust bundles", () => {
  const pem = (text: string, more = ""): string =>
    `-----BEGIN CERTIFICATE-----\n${more}${base64(text)}\n-----END CERTIFICATE-----\n`;
  const bundle = (name: string, trustBundle: string, labels: object = {}, signerName?: string) => ({
    metadata: { name, labels },
    spec: { trustBundle, signerName },
  });
  const bundles = [
    bundle("one", `about it\n${pem("one")}`),
    bundle("x:1", pem("b", "Header: x\n\n") + pem("a"), { live: "yes", tier: "1" }, "x"),
    bundle("x:2", pem("a") + pem("c"), { live: "no" }, "x"),
    bundle("y:1", pem("other"), { live: "yes" }, "y"),
  ];
  const chosen = async (wish: object, all: readonly object[] = bundles): Promise<readonly string[]> => {
    const { ca = "" } = await filesOf(projected({ clusterTrustBundle: { path: "ca", ...wish } }), { bundles: all });
    return ca
      .slice(4)
      .split(/(?<=END CERTIFICATE-----\n)/)
      .filter((text) => text !== "")
      .map((text) => Buffer.from(text.split("\n")[1]!, "base64").toString());
  };

  test("PROJ-48: one by its name, without the text around it", async () => {
    expect(await chosen({ name: "one" })).toEqual(["one"]);
    expect((await filesOf(projected({ clusterTrustBundle: { path: "ca", name: "one" } }), { bundles }))["ca"]).toBe(
      `644 ${pem("one")}`,
    );
  });

  test("PROJ-48: lines have 64 characters", async () => {
    const long = "x".repeat(200);
    const found = await filesOf(projected({ clusterTrustBundle: { path: "ca", name: "l" } }), {
      bundles: [bundle("l", pem(long))],
    });
    expect(
      found["ca"]!.split("\n")
        .slice(1, -2)
        .map(({ length }) => length),
    ).toEqual([64, 64, 64, 64, 12]);
  });

  test("PROJ-13, PROJ-16, PROJ-48: all of a signer, each certificate once, in an order that does not depend on that of the bundles", async () => {
    const wish = { signerName: "x", labelSelector: {} };
    expect((await chosen(wish)).toSorted()).toEqual(["a", "b", "c"]);
    expect(await chosen(wish, bundles.toReversed())).toEqual(await chosen(wish));
  });

  test.each([
    [{ matchLabels: { live: "yes" } }, ["a", "b"]],
    [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }, ["a", "b"]],
    [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, ["a", "c"]],
    [{ matchExpressions: [{ key: "live", operator: "In", values: ["no", "x"] }] }, ["a", "c"]],
    [{ matchExpressions: [{ key: "tier", operator: "NotIn", values: ["1"] }] }, ["a", "c"]],
  ])("PROJ-14: the selector %j", async (labelSelector, names) => {
    expect((await chosen({ signerName: "x", labelSelector })).toSorted()).toEqual(names);
  });

  test("PROJ-15, PROJ-48: nothing selected fails, or is an empty file where that is optional", async () => {
    await expect(chosen({ signerName: "x" })).rejects.toThrow("no ClusterTrustBundle was found");
    await expect(chosen({ name: "none" })).rejects.toThrow("no ClusterTrustBundle was found");
    expect(await filesOf(projected({ clusterTrustBundle: { path: "ca", name: "none", optional: true } }))).toEqual({
      ca: "644 ",
    });
  });
});

test("PROJ-47: the user of a Pod's files is the one that all its containers have", () => {
  const user = (runAsUser?: number) => ({ name: "c", securityContext: { runAsUser } });
  const fsUser = (spec: object) => ownerOf(podOf(spec)).fsUser;
  expect(fsUser({ containers: [user(5), user(5)] })).toBe(5);
  expect(fsUser({ containers: [user(5), user(6)] })).toBeUndefined();
  expect(fsUser({ containers: [user(5)], initContainers: [user(6)] })).toBeUndefined();
  expect(fsUser({ containers: [user(5), user()] })).toBeUndefined();
  expect(fsUser({ containers: [user(5), user()], securityContext: { runAsUser: 5 } })).toBe(5);
  expect(fsUser({ containers: [user()] })).toBeUndefined();
  expect(ownerOf(podOf({ securityContext: { fsGroup: 0 } })).fsGroup).toBe(0);
});
