import { NO_ISSUER } from "../../auth/oidc/flags.ts";
import { describe, expect, test } from "vitest";
import { isServed, planApiServer } from "./apiserver-flags.ts";
import { readFlags } from "./go-flags.ts";

const ETCD = "--etcd-servers=http://127.0.0.1:40001";
const plan = (...args: string[]) => planApiServer(readFlags([ETCD, ...args]));

test("the flags of envtest", () => {
  const dir = "/tmp/k8s_test_framework_2";
  expect(
    plan(
      "--allow-privileged=true",
      "--authorization-mode=RBAC",
      "--bind-address=127.0.0.1",
      `--cert-dir=${dir}`,
      `--client-ca-file=${dir}/client-cert-auth-ca.crt`,
      "--disable-admission-plugins=ServiceAccount",
      "--secure-port=40003",
      "--service-account-issuer=https://127.0.0.1:40003/",
      `--service-account-key-file=${dir}/sa-signer.crt`,
      `--service-account-signing-key-file=${dir}/sa-signer.key`,
      "--service-cluster-ip-range=10.0.0.0/24",
    ),
  ).toMatchObject({
    options: {
      bind: "127.0.0.1",
      port: 40003,
      tls: undefined,
      authentication: {
        clientCaFile: `${dir}/client-cert-auth-ca.crt`,
        proxy: {
          caFile: "",
          allowedNames: [],
          userHeaders: ["X-Remote-User"],
          uidHeaders: ["X-Remote-Uid"],
          groupHeaders: ["X-Remote-Group"],
          extraPrefixes: ["X-Remote-Extra-"],
        },
        tokenFile: "",
        webhook: { configFile: "", cacheMillis: 120_000, version: "v1" },
        bootstrapTokens: false,
        anonymous: undefined,
        oidc: { ...NO_ISSUER, configFile: "", caFile: "" },
        accounts: {
          issuers: ["https://127.0.0.1:40003/"],
          audiences: [],
          keyFiles: [`${dir}/sa-signer.crt`],
          signingKeyFile: `${dir}/sa-signer.key`,
          maxSeconds: undefined,
          extendsExpiration: true,
          jwksUri: "",
        },
      },
      encryption: undefined,
      fairness: true,
      maxReads: 400,
      maxWrites: 200,
      requestMillis: 60_000,
      watchMillis: 1_800_000,
      allowsPrivileged: true,
      audit: { policyFile: "", file: undefined, webhook: undefined },
    },
    etcd: { servers: ["http://127.0.0.1:40001"], prefix: "/registry", caFile: "", certFile: "", keyFile: "" },
    certificateDirectory: dir,
    authorization: ["RBAC"],
    gates: {},
    versions: new Map(),
    plugins: { enable: [], disable: ["ServiceAccount"] },
    isVerbose: false,
    ignored: ["service-cluster-ip-range"],
  });
});

test("flags that test suites add", () => {
  expect(
    plan(
      "--anonymous-auth=false",
      "--api-audiences=a,b",
      "--authorization-mode=Node,AlwaysAllow",
      "--disable-admission-plugins=Priority,RuntimeClass",
      "--enable-admission-plugins=RuntimeClass",
      "--etcd-prefix=/other",
      "--feature-gates=ImageVolume=false,Unheard=true",
      "--feature-gates=kube:AnyVolumeDataSource=true",
      "--requestheader-client-ca-file=/x",
      "--requestheader-allowed-names=front,other",
      "--requestheader-username-headers=X-User",
      "--service-account-max-token-expiration=2h",
      "--enable-priority-and-fairness=false",
      "--max-requests-inflight=0",
      "--max-mutating-requests-inflight=7",
      "--request-timeout=5m",
      "--runtime-config=apps/v1=false,api/beta",
      "--service-account-issuer=https://a",
      "--service-account-issuer=https://b",
      "--tls-cert-file=/c",
      "--tls-private-key-file=/k",
      "--token-auth-file=/t",
      "-v=6",
    ),
  ).toMatchObject({
    options: {
      bind: "0.0.0.0",
      port: 6443,
      tls: { certFile: "/c", keyFile: "/k" },
      authentication: {
        tokenFile: "/t",
        anonymous: false,
        oidc: { ...NO_ISSUER, configFile: "", caFile: "" },
        proxy: { caFile: "/x", allowedNames: ["front", "other"], userHeaders: ["X-User"] },
        accounts: { issuers: ["https://a", "https://b"], audiences: ["a", "b"], maxSeconds: 7200 },
      },
      fairness: false,
      maxReads: 0,
      maxWrites: 7,
      requestMillis: 300_000,
    },
    certificateDirectory: "",
    authorization: ["Node", "AlwaysAllow"],
    etcd: { prefix: "/other" },
    gates: { ImageVolume: false, AnyVolumeDataSource: true },
    versions: new Map([
      ["apps/v1", false],
      ["api/beta", true],
    ]),
    plugins: {
      enable: ["RuntimeClass"],
      disable: ["Priority", "RuntimeClass"],
    },
    isVerbose: true,
    ignored: ["feature-gates Unheard"],
  });
});

test("gates are set by stage; a gate with a name wins", () => {
  const { gates, ignored } = plan("--feature-gates=AllAlpha=true,AllBeta=false,ImageVolume=true");
  expect(gates).toMatchObject({ MutablePVNodeAffinity: true, StorageVersionMigrator: false, ImageVolume: true });
  expect(gates).not.toHaveProperty("CSIMigration");
  expect(ignored).toEqual([]);
});

test.each([
  ["--secure-port=x", 'expected --secure-port to be a number from 0 to 65535, got "x"'],
  ["--anonymous-auth=perhaps", 'expected --anonymous-auth to be true or false, got "perhaps"'],
  ["--request-timeout=soon", 'expected --request-timeout to be a duration such as 30s, 90m or 1h30m, got "soon"'],
  ["--feature-gates=A=b", 'expected --feature-gates A to be true or false, got "b"'],
  ["--runtime-config=apps/v1=b", 'expected --runtime-config apps/v1 to be true or false, got "b"'],
  ["--tls-cert-file=/c", 'expected --tls-cert-file to be given with --tls-private-key-file, got "/c"'],
  [
    "--etcd-servers=here",
    'expected --etcd-servers to be addresses such as https://10.0.0.1:2379, got "http://127.0.0.1:40001,here"',
  ],
])("%s is refused", (flag, message) => {
  expect(() => plan(flag)).toThrow(message);
});

test("--etcd-servers is required", () => {
  expect(() => planApiServer(new Map())).toThrow("expected --etcd-servers to be given");
});

describe("isServed", () => {
  const served = (group: string, version: string, plural: string, ...switches: [string, boolean][]): boolean =>
    isServed(new Map(switches), { group, version, plural });

  test("every resource is served unless it is disabled", () => {
    expect(served("apps", "v1", "deployments")).toBe(true);
    expect(served("apps", "v1", "deployments", ["batch/v1", false])).toBe(true);
    expect(served("apps", "v1", "deployments", ["apps/v1", false])).toBe(false);
    expect(served("", "v1", "pods", ["v1", false])).toBe(false);
    expect(served("", "v1", "pods", ["api/v1", false])).toBe(false);
  });

  test("the most specific switch wins", () => {
    const all: [string, boolean] = ["api/all", false];
    expect(served("apps", "v1", "deployments", all)).toBe(false);
    expect(served("apps", "v1", "deployments", all, ["apps/v1", true])).toBe(true);
    expect(served("apps", "v1", "deployments", ["apps/v1", true], ["apps/v1/deployments", false])).toBe(false);
    expect(served("apps", "v1", "deployments", all, ["api/ga", true])).toBe(true);
    expect(served("x", "v1beta1", "things", ["api/beta", false])).toBe(false);
    expect(served("x", "v1alpha1", "things", ["api/beta", false])).toBe(true);
    expect(served("x", "v1alpha1", "things", ["api/alpha", false])).toBe(false);
  });
});

test("AUDIT-24: flags of audit are read, and an invalid value is reported with its flag", () => {
  const flags = (...more: string[]) => readFlags(["--etcd-servers=http://127.0.0.1:1", ...more]);
  const { options } = planApiServer(
    flags("--audit-policy-file=/p.yaml", "--audit-log-path=/a.log", "--audit-log-maxsize=7"),
  );
  expect(options.audit).toMatchObject({
    policyFile: "/p.yaml",
    file: { path: "/a.log", mode: "blocking", rotation: { maxBytes: 7 << 20 } },
  });
  expect(() => planApiServer(flags("--audit-log-mode=sometimes"))).toThrow(/audit-log-mode/);
});

test("plugins are enabled and disabled by name, and one that needs a configuration file is refused", () => {
  const { plugins } = plan("--enable-admission-plugins=NodeRestriction", "--disable-admission-plugins=Priority");
  expect(plugins).toEqual({ enable: ["NodeRestriction"], disable: ["Priority"] });
  expect(() => plan("--enable-admission-plugins=EventRateLimit")).toThrow(
    "EventRateLimit: it needs a configuration file",
  );
});

test("--allow-privileged and --min-request-timeout are read", () => {
  expect(plan("--allow-privileged=false", "--min-request-timeout=300")).toMatchObject({
    options: { allowsPrivileged: false, watchMillis: 300_000 },
  });
  expect(plan("--min-request-timeout=0").options.watchMillis).toBe(0);
  expect(() => plan("--min-request-timeout=5m")).toThrow("--min-request-timeout");
});
