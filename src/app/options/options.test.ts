import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { envName } from "./table.ts";
import {
  type OptionSource,
  type RawOptions,
  environmentSource,
  fileSource,
  flagSource,
  fromEnvironment,
  fromFile,
} from "./sources.ts";
import { OptionError, isLoopback, resolveOptions, resolveSources } from "./options.ts";

describe("resolveOptions", () => {
  test("has a default for every option", () => {
    const { dataDir, ...rest } = resolveOptions();
    expect(dataDir).toMatch(/keelson$/);
    expect(rest).toMatchObject({
      port: 6443,
      bind: "127.0.0.1",
      dialect: undefined,
      featureGates: {},
      store: "sqlite",
      controllers: ["*"],
      eventTtlMillis: 3_600_000,
      forceDetach: true,
      endedPods: 12_500,
      historyMillis: 86_400_000,
      graceMillis: 30_000,
      fairness: true,
      maxReads: 400,
      maxWrites: 200,
      dev: false,
      insecureHttp: false,
      logLevel: "info",
      tlsSans: [],
    });
  });

  test("a node has its volumes in the data directory by default, and images only in a given directory", () => {
    const node = { node: "n1", "data-dir": "/data" };
    expect(resolveOptions(node).node).toEqual({ name: "n1", directory: "/data/node", pods: "hold" });
    const more = { "node-dir": "/n1", "node-pods": "exec", "node-image-dir": "/images" };
    const said = { name: "n1", directory: "/n1", pods: "exec", imageDirectory: "/images" };
    expect(resolveOptions({ ...node, ...more }).node).toEqual(said);
    expect(resolveOptions({ "node-dir": "/n1" }).node).toBe(undefined);
  });

  test("APF-22: fairness may be disabled; only then may both limits be 0", () => {
    const none = { "max-requests-inflight": "0", "max-mutating-requests-inflight": "0" };
    expect(resolveOptions({ ...none, "enable-priority-and-fairness": "false" })).toMatchObject({
      fairness: false,
      maxReads: 0,
      maxWrites: 0,
    });
    expect(() => resolveOptions(none)).toThrow("expected --max-requests-inflight to be more than 0");
    expect(resolveOptions({ "max-requests-inflight": "0" })).toMatchObject({ maxReads: 0, maxWrites: 200 });
  });

  test("the first source with a key wins", () => {
    expect(
      resolveOptions({ port: "1" }, { port: "2", bind: "::1" }, { bind: "::", dialect: "kubernetes" }),
    ).toMatchObject({
      port: 1,
      bind: "::1",
      dialect: { name: "kubernetes" },
    });
  });

  test("admission plugins are in one of both lists at most", () => {
    expect(
      resolveOptions({ "enable-admission-plugins": "Priority,NodeRestriction", "disable-admission-plugins": ["A"] }),
    ).toMatchObject({ plugins: { enable: ["Priority", "NodeRestriction"], disable: ["A"] } });
    expect(() => resolveOptions({ "enable-admission-plugins": "ImagePolicyWebhook" })).toThrow(
      "expected --enable-admission-plugins to be only plugins that are available, got",
    );
    expect(resolveOptions().plugins).toEqual({ enable: [], disable: [], controllers: ["serviceaccount"] });
    expect(() => resolveOptions({ "enable-admission-plugins": "A", "disable-admission-plugins": "A" })).toThrow(
      OptionError,
    );
  });

  test("the result cannot be changed, and its directory is absolute", () => {
    const options = resolveOptions({ "data-dir": "here" });
    expect(Object.isFrozen(options)).toBe(true);
    expect(options.dataDir).toBe(resolve("here"));
  });

  test("accepts numbers, booleans, lists and maps, and ignores undefined", () => {
    expect(
      resolveOptions(
        {
          dev: true,
          port: 0,
          bind: undefined,
          controllers: ["namespace", "-root-ca"],
          "feature-gates": { ImageVolume: false },
        },
        { bind: "::1" },
      ),
    ).toMatchObject({
      dev: true,
      port: 0,
      bind: "::1",
      controllers: ["namespace", "-root-ca"],
      featureGates: { ImageVolume: false },
    });
  });

  test("accepts the names of kube-apiserver, but not both names at once", () => {
    const raw = JSON.parse('{ "secure-port": 1, "bind-address": "::1" }') as RawOptions;
    expect(resolveOptions(raw)).toMatchObject({ port: 1, bind: "::1" });
    expect(fromEnvironment({ KEELSON_SECURE_PORT: "2" })).toEqual({ port: "2" });
    expect(() => resolveOptions({ ...raw, port: 1 })).toThrow("expected one of port and secure-port among the options");
  });

  test("an unknown key is refused with a suggestion", () => {
    const typo = JSON.parse('{ "prot": 0 }') as RawOptions;
    expect(() => resolveOptions(typo)).toThrow('unknown key "prot" among the options; did you mean "port"?');
    // @ts-expect-error The compiler notices it as well.
    expect(() => resolveOptions({ prot: 0 })).toThrow(OptionError);
  });

  test.each([
    ["controllers", "-namespace, root-ca,,* ", "controllers", ["-namespace", "root-ca", "*"]],
    ["controllers", "none", "controllers", ["none"]],
    ["controllers", "*,-deployment-controller", "controllers", ["*", "-deployment"]],
    ["tls-san", "a.example,10.0.0.1", "tlsSans", ["a.example", "10.0.0.1"]],
    [
      "feature-gates",
      "ImageVolume=true,VolumeAttributesClass=false",
      "featureGates",
      { ImageVolume: true, VolumeAttributesClass: false },
    ],
    ["port", "0", "port", 0],
    ["port", "65535", "port", 65_535],
    ["disable-force-detach-on-timeout", "true", "forceDetach", false],
    ["terminated-pod-gc-threshold", "0", "endedPods", 0],
    ["event-ttl", "90m", "eventTtlMillis", 5_400_000],
    ["event-ttl", "1h30m", "eventTtlMillis", 5_400_000],
    ["event-ttl", "1.5s", "eventTtlMillis", 1500],
    ["history", "2d", "historyMillis", 172_800_000],
    ["shutdown-grace", "250ms", "graceMillis", 250],
    ["shutdown-grace", "0s", "graceMillis", 0],
    ["log-level", "debug", "logLevel", "debug"],
    ["store", "memory", "store", "memory"],
    ["dev", "true", "store", "memory"],
    ["insecure-http", "true", "insecureHttp", true],
  ])("%s: %j is read", (key, text, member, expected) => {
    expect(resolveOptions({ [key]: text })[member as "port"]).toEqual(expected);
  });

  test.each([
    ["port", "-1", 'expected --port to be a number from 0 to 65535, got "-1"'],
    ["port", "1e3", 'got "1e3"'],
    ["port", "", 'got ""'],
    ["port", " 80", 'got " 80"'],
    ["dialect", "Neutral", "expected --dialect to be neutral or kubernetes"],
    ["store", "disk", "expected --store to be sqlite or memory"],
    [
      "terminated-pod-gc-threshold",
      "-1",
      "expected --terminated-pod-gc-threshold to be a whole number, 0 for no limit",
    ],
    ["event-ttl", "90", "expected --event-ttl to be a duration"],
    ["event-ttl", "-1h", "expected --event-ttl to be a duration"],
    ["event-ttl", "1h 30m", "expected --event-ttl to be a duration"],
    ["event-ttl", "", "expected --event-ttl to be a duration"],
    ["dev", "yes", 'expected --dev to be true or false, got "yes"'],
    ["log-level", "trace", "expected --log-level to be error or warn or info or debug"],
    ["feature-gates", "Nonsense=true", /to name some of AllowUnsafeMalformedObjectDeletion, .*, got "Nonsense"$/],
    ["feature-gates", "ImageVolumes=true", 'got "ImageVolumes"; did you mean "ImageVolume"?'],
    ["data-dir", "", 'expected --data-dir to be a path, got ""'],
    ["dialect", "", 'expected --dialect to be neutral or kubernetes, got ""'],
    ["max-connections", "0", "expected --max-connections to be a whole number of 1 or more"],
    ["feature-gates", "ImageVolume", "expected --feature-gates ImageVolume to be true or false"],
    ["controllers", "-namespaces", /some of .*, got "namespaces"; did you mean "namespace"\?$/],
    ["store", "etcd", "etcd-servers"],
  ])("%s: %j is refused", (key, text, message) => {
    expect(() => resolveOptions({ [key]: text })).toThrow(OptionError);
    expect(() => resolveOptions({ [key]: text })).toThrow(message);
  });

  test.each([
    [{ "tls-cert-file": "/c" }, 'expected --tls-cert-file to be given with --tls-private-key-file, got "/c"'],
    [{ "tls-private-key-file": "/k" }, 'expected --tls-private-key-file to be given with --tls-cert-file, got "/k"'],
    [{ "etcd-cert": "/c" }, 'expected --etcd-cert to be given with --etcd-key, got "/c"'],
    [
      { "encryption-provider-config-automatic-reload": true },
      'expected --encryption-provider-config-automatic-reload to be given with --encryption-provider-config, got "true"',
    ],
    [
      { "authorization-config": "/a", "authorization-mode": "AlwaysAllow" },
      'expected --authorization-config to be given without --authorization-mode, got "/a"',
    ],
  ])("%j is refused: an option is missing or excluded", (given, message) => {
    expect(() => resolveOptions(given)).toThrow(message);
  });

  test("an option with its default value needs no other option", () => {
    expect(() =>
      resolveOptions({
        "encryption-provider-config-automatic-reload": false,
        "authorization-config": "/a",
        "authorization-mode": "RBAC",
      }),
    ).not.toThrow();
  });

  test("paths become absolute, except an empty one and standard output", () => {
    expect(resolveOptions({ "client-ca-file": "ca.crt", "access-log": "-" })).toMatchObject({
      clientCaFile: resolve("ca.crt"),
      authentication: { clientCaFile: resolve("ca.crt") },
      accessLog: "-",
      kubeconfigOut: "",
    });
  });

  test.each(["0.0.0.0", "::", "10.0.0.1", "example.com", "127.0.0.1.example.com", "1.127.0.0.1"])(
    "--insecure-http is refused on %s",
    (bind) => {
      expect(() => resolveOptions({ "insecure-http": "true", bind })).toThrow("expected a loopback address");
      expect(() => resolveOptions({ bind })).not.toThrow();
    },
  );

  test("recognises loopback addresses only", () => {
    expect(["127.0.0.1", "127.8.9.10", "::1", "localhost"].every(isLoopback)).toBe(true);
    expect(["0.0.0.0", "", "127.0.0", "::", "128.0.0.1"].some(isLoopback)).toBe(false);
  });
});

describe("resolveSources", () => {
  const sourcesOf = (flags: RawOptions, env: Record<string, string>, content: unknown): readonly OptionSource[] => [
    flagSource(flags),
    environmentSource(fromEnvironment(env), env),
    fileSource(content, "keelson.yaml"),
  ];
  const alias = JSON.parse('{ "secure-port": "x" }') as RawOptions;

  test.each([
    ["a flag", { port: "x" }, {}, {}, 'expected --port to be a number from 0 to 65535, got "x"'],
    ["the second name of a flag", alias, {}, {}, "expected --secure-port to be a number"],
    ["a variable", {}, { KEELSON_PORT: "x" }, {}, 'expected KEELSON_PORT to be a number from 0 to 65535, got "x"'],
    ["the second name of a variable", {}, { KEELSON_SECURE_PORT: "x" }, {}, "expected KEELSON_SECURE_PORT to be a"],
    [
      "a key of the file",
      {},
      {},
      { port: "x" },
      'expected port in keelson.yaml to be a number from 0 to 65535, got "x"',
    ],
    ["the second name of a key", {}, {}, alias, "expected secure-port in keelson.yaml to be a number"],
    [
      "a part of a value",
      {},
      { KEELSON_CONTROLLERS: "nam" },
      {},
      /^expected KEELSON_CONTROLLERS to name some of .*"nam"/,
    ],
    [
      "the first source that says it",
      { port: "y" },
      { KEELSON_PORT: "x" },
      {},
      'expected --port to be a number from 0 to 65535, got "y"',
    ],
    [
      "what lacks another option",
      {},
      {},
      { "etcd-key": "k" },
      'expected etcd-key in keelson.yaml to be given with --etcd-cert, got "k"',
    ],
    [
      "what is missing",
      {},
      { KEELSON_STORE: "etcd" },
      {},
      'expected --etcd-servers to be set with --store etcd, got ""',
    ],
  ])("an error has the name of the option in its source: %s", (_, flags, env, content, message) => {
    expect(() => resolveSources(sourcesOf(flags, env as Record<string, string>, content))).toThrow(message);
  });

  test("flags win over variables, variables over the file; an empty file is ignored", () => {
    expect(resolveSources(sourcesOf({}, { KEELSON_PORT: "2" }, { port: 3 })).port).toBe(2);
    expect(resolveSources(sourcesOf({ port: "1" }, { KEELSON_PORT: "2" }, { port: 3 })).port).toBe(1);
    expect(resolveSources(sourcesOf({}, {}, null)).port).toBe(6443);
  });
});

describe("fromEnvironment", () => {
  test("reads variables with the prefix KEELSON_ by the keys of the flags", () => {
    const env = {
      KEELSON_DATA_DIR: "/x",
      KEELSON_CONFIG: "f",
      KEELSON_DEV: "true",
      HOME: "/h",
      KEELSON_PORT: undefined,
    };
    expect(fromEnvironment(env)).toEqual({ "data-dir": "/x", config: "f", dev: "true" });
    expect(envName("event-ttl")).toBe("KEELSON_EVENT_TTL");
  });

  test("ignores an empty variable", () => {
    expect(fromEnvironment({ KEELSON_PORT: "" })).toEqual({});
  });

  test("ignores the variables that `keelson run` and nodes set", () => {
    const unknown: string[] = [];
    const env = { KEELSON_URL: "https://127.0.0.1:1", KEELSON_TOKEN: "secret", KEELSON_ROOT: "/" };
    expect(fromEnvironment(env, (name) => void unknown.push(name))).toEqual({});
    expect(unknown).toEqual([]);
  });

  test("ignores the variables of a Service named keelson, and still reads the port", () => {
    const links = {
      KEELSON_SERVICE_HOST: "10.0.0.1",
      KEELSON_SERVICE_PORT: "443",
      KEELSON_SERVICE_PORT_HTTPS: "443",
      KEELSON_PORT: "tcp://10.0.0.1:443",
      KEELSON_PORT_443_TCP: "tcp://10.0.0.1:443",
      KEELSON_PORT_443_TCP_PROTO: "tcp",
      KEELSON_PORT_443_TCP_PORT: "443",
      KEELSON_PORT_443_TCP_ADDR: "10.0.0.1",
      KEELSON_WEB_SERVICE_HOST: "10.0.0.2",
      KEELSON_WEB_PORT: "udp://10.0.0.2:53",
    };
    expect(fromEnvironment(links)).toEqual({});
    expect(fromEnvironment({ ...links, KEELSON_PORT: "6444" })).toEqual({ port: "6444" });
  });

  test("reports an unknown variable with a suggestion", () => {
    const unknown: string[] = [];
    const env = { KEELSON_PROT: "1", KEELSON_PORT: "6444", KEELSON_UI_COLOUR: "" };
    expect(fromEnvironment(env, (name, nearest) => void unknown.push(name + nearest))).toEqual({ port: "6444" });
    expect(unknown).toEqual(['KEELSON_PROT; did you mean "KEELSON_PORT"?', "KEELSON_UI_COLOUR"]);
  });
});

describe("fromFile", () => {
  test("accepts numbers, booleans, lists and maps", () => {
    const content = {
      port: 1,
      dev: true,
      controllers: ["namespace", "-root-ca"],
      "feature-gates": { ImageVolume: true },
      bind: null,
    };
    expect(fromFile(content, "f")).toEqual({
      port: "1",
      dev: "true",
      controllers: "namespace,-root-ca",
      "feature-gates": "ImageVolume=true",
    });
  });

  test.each([null, undefined, {}])("ignores an empty file (%j)", (content) => {
    expect(fromFile(content, "f")).toEqual({});
  });

  test.each([
    ["a list", [1]],
    ["a text", "port"],
    ["a number", 1],
  ])("%s in place of keys is refused", (_, content) => {
    expect(() => fromFile(content, "f.yaml")).toThrow("expected f.yaml to hold keys and values");
  });

  test.each([
    ["prot", 'unknown key "prot" in f.yaml; did you mean "port"?'],
    ["dataDir", 'did you mean "data-dir"?'],
    ["config", 'unknown key "config"'],
    ["__proto__", 'unknown key "__proto__" in f.yaml'],
    ["constructor", 'unknown key "constructor" in f.yaml'],
  ])("the key %s is refused", (key, message) => {
    expect(() => fromFile(JSON.parse(`{"${key}": "x"}`), "f.yaml")).toThrow(message);
  });
});

describe("simulated nodes", () => {
  const nodes = (text: string) => resolveOptions({ nodes: text }).simulatedNodes;

  test("a number, with zones, capacity and names", () => {
    expect(nodes("")).toBe(undefined);
    expect(nodes("3")).toEqual({ count: 3, options: {} });
    expect(nodes("10000,zone=a,zone=b,cpu=16,memory=64Gi,prefix=n-,region=r")).toEqual({
      count: 10_000,
      options: { zone: ["a", "b"], capacity: { cpu: "16", memory: "64Gi" }, prefix: "n-", region: "r" },
    });
  });

  test.each([
    [{ nodes: "0" }, /--nodes to be a number from 1 to 10000/],
    [{ nodes: "10001" }, /got "10001"/],
    [{ nodes: "3,zone" }, /members KEY=VALUE with zone, .*, got "zone"/],
    [{ nodes: "3,cpu=many" }, /a quantity as cpu, got "many"/],
    [{ nodes: "3", dialect: "neutral" }, /--dialect kubernetes/],
    [{ nodes: "3", kinds: "documents" }, /--kinds all/],
    [{ speed: "0.5" }, /--speed to be a number from 1 to 10000/],
    [{ speed: "60", store: "etcd", "etcd-servers": "http://127.0.0.1:2379" }, /1 with --store etcd/],
    [{ speed: "60", node: "n1" }, /1 with --node/],
  ])("%j is refused", (options, message) => {
    expect(() => resolveSources([flagSource(options)])).toThrow(message);
  });
});
