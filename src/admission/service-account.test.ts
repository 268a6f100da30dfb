import { describe, expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import type { AdmissionRequest } from "./contract.ts";
import { serviceAccount } from "./service-account.ts";
import { atOnce, lookupOf, objectOf, reading, requestOf } from "./testing/requests.ts";

const PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const account = (name: string, more: object = {}, metadata: object = {}): ApiObject =>
  objectOf({ name, namespace: "team", ...metadata }, more);

const parts = { dialect: kubernetes, clock: new ManualClock(), random: seededRandom(1), hasController: true };

const stepOf = (...accounts: readonly ApiObject[]) =>
  reading(lookupOf({ serviceaccounts: accounts }), serviceAccount(parts));

type Spec = Record<string, unknown>;

/** What becomes of the spec of a new Pod, or why it is refused. */
function admit(
  step: ReturnType<typeof stepOf>,
  spec: Spec,
  metadata: object = {},
  more: Partial<AdmissionRequest> = {},
): Spec | string {
  const object = objectOf({ name: "p", namespace: "team", ...metadata }, { spec: structuredClone(spec) });
  const request = requestOf({ ref: { group: "", plural: "pods", kind: "Pod" }, name: "p", object, ...more });
  try {
    atOnce(step.mutate!(request));
    atOnce(step.validate!(request));
  } catch (error) {
    return (error as Error).message;
  }
  return object["spec"] as Spec;
}

const mount = (name: string) => ({ name, readOnly: true, mountPath: PATH });
const volume = (name: string) => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: 420,
  },
});

test("a Pod without an account runs as default, with the volume in each container that has nothing there", () => {
  const own = { name: "own", mountPath: PATH };
  const spec = {
    volumes: [{ name: "data", emptyDir: {} }],
    initContainers: [{ name: "i" }],
    containers: [
      { name: "a", volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { name: "b", volumeMounts: [own] },
    ],
  };
  const found = admit(stepOf(account("default")), spec) as Spec & { volumes: { name: string }[] };
  const { name } = found.volumes[1]!;
  expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
  expect(found).toEqual({
    serviceAccountName: "default",
    serviceAccount: "default",
    volumes: [{ name: "data", emptyDir: {} }, volume(name)],
    initContainers: [{ name: "i", volumeMounts: [mount(name)] }],
    containers: [
      { name: "a", volumeMounts: [{ name: "data", mountPath: "/data" }, mount(name)] },
      { name: "b", volumeMounts: [own] },
    ],
  });
});

test("a volume of that name that is there already is the one that is mounted", () => {
  const volumes = [volume("kube-api-access-x")];
  expect(admit(stepOf(account("default")), { volumes, containers: [{ name: "a" }] })).toMatchObject({
    volumes,
    containers: [{ name: "a", volumeMounts: [mount("kube-api-access-x")] }],
  });
});

test("no token is mounted where the Pod, or else its account, says so", () => {
  const off = account("quiet", { automountServiceAccountToken: false });
  const spec = { serviceAccountName: "quiet", containers: [{ name: "a" }] };
  expect(admit(stepOf(off), spec)).not.toHaveProperty("volumes");
  expect(admit(stepOf(off), { ...spec, automountServiceAccountToken: true })).toHaveProperty("volumes");
  const refuses = { ...spec, serviceAccountName: "", automountServiceAccountToken: false };
  expect(admit(stepOf(account("default")), refuses)).not.toHaveProperty("volumes");
});

test("a Pod has the image pull secrets of its account unless it names some", () => {
  const step = stepOf(account("default", { imagePullSecrets: [{ name: "pull" }] }));
  expect(admit(step, {})).toMatchObject({ imagePullSecrets: [{ name: "pull" }] });
  expect(admit(step, { imagePullSecrets: [{ name: "own" }] })).toMatchObject({ imagePullSecrets: [{ name: "own" }] });
});

test("an account that is not there refuses the Pod, but for default, which comes with its namespace", () => {
  expect(admit(stepOf(), { serviceAccountName: "gone" })).toContain(
    'error looking up service account team/gone: serviceaccount "gone" not found',
  );
  expect(admit(stepOf(), {})).toMatchObject({ serviceAccountName: "default" });
});

test("a mirror of a Pod of a node is left as it is, and may refer to nothing", () => {
  const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } };
  const judge = (spec: Spec): Spec | string => admit(stepOf(account("default")), spec, mirror);
  expect(judge({ containers: [{ name: "a" }] })).toEqual({ containers: [{ name: "a" }] });
  expect(judge({ serviceAccountName: "default" })).toContain("a mirror pod may not reference service accounts");
  const secretKeyRef = { name: "s", key: "k" };
  for (const spec of [
    { volumes: [{ name: "v", secret: { secretName: "s" } }] },
    { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "s" } }] } }] },
    { containers: [{ name: "a", env: [{ name: "E", valueFrom: { secretKeyRef } }] }] },
    { imagePullSecrets: [{ name: "s" }] },
  ]) {
    expect(judge(spec)).toContain("a mirror pod may not reference secrets");
  }
  const token = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } };
  expect(judge({ volumes: [token] })).toContain("a mirror pod may not use ServiceAccountToken volume projections");
});

test("an account that names the Secrets of its Pods holds them to it", () => {
  const metadata = { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } };
  const held = { secrets: [{ name: "mine" }], imagePullSecrets: [{ name: "pull" }] };
  const judge = (spec: Spec): Spec | string => admit(stepOf(account("default", held, metadata)), spec);
  const variable = (name: string) => ({ name: "E", valueFrom: { secretKeyRef: { name, key: "k" } } });
  expect(judge({ volumes: [{ name: "v", secret: { secretName: "mine" } }] })).toBeTypeOf("object");
  expect(judge({ volumes: [{ name: "v", secret: { secretName: "other" } }] })).toContain(
    'volume with secret.secretName="other" is not allowed because service account default does not reference that secret',
  );
  expect(judge({ containers: [{ name: "a", env: [variable("mine")] }] })).toBeTypeOf("object");
  expect(judge({ initContainers: [{ name: "a", env: [variable("other")] }] })).toContain(
    'init container a with envVar E referencing secret.secretName="other" is not allowed',
  );
  const withoutPulls = account("default", { secrets: held.secrets }, metadata);
  expect(admit(stepOf(withoutPulls), {})).toBeTypeOf("object");
  expect(judge({ imagePullSecrets: [{ name: "other" }] })).toContain('imagePullSecrets[0].name="other" is not allowed');
});

test("other requests are left alone", () => {
  const step = stepOf();
  expect(admit(step, {}, {}, { operation: "UPDATE" })).toEqual({});
  expect(admit(step, {}, {}, { subresource: "status" })).toEqual({});
  expect(admit(step, {}, {}, { ref: { group: "x.io", plural: "pods", kind: "Pod" } })).toEqual({});
});

describe("where no controller of this process creates the account default", () => {
  const POD = { group: "", plural: "pods", kind: "Pod" };
  const settle = (): Promise<void> => Promise.resolve();
  const podOf = (spec: object) => objectOf({ name: "p", namespace: "team" }, { spec });

  /** A create of a Pod, with accounts that may appear. */
  function waiting(accounts: ApiObject[], spec: object = { containers: [{ name: "a" }] }) {
    const clock = new ManualClock();
    const step = serviceAccount({ ...parts, clock, hasController: false });
    const object = podOf(spec);
    const lookup = {
      ...lookupOf({}),
      get: (...args: [string, string, string]) => lookupOf({ serviceaccounts: accounts }).get(...args),
    };
    const request = requestOf({ ref: POD, name: "p", object, lookup });
    return { clock, object, mutate: () => step.mutate!(request), validate: () => step.validate!(request) };
  }

  test("a Pod waits for it, and has its volume when it is there", async () => {
    const accounts: ApiObject[] = [];
    const { clock, object, mutate, validate } = waiting(accounts);
    const pending = mutate();
    expect(pending).toBeInstanceOf(Promise);
    await clock.advanceSettled(200, settle);
    accounts.push(account("default", { imagePullSecrets: [{ name: "pull" }] }));
    await clock.advanceSettled(200, settle);
    await pending;
    atOnce(validate());
    expect(object["spec"]).toMatchObject({
      serviceAccountName: "default",
      imagePullSecrets: [{ name: "pull" }],
      volumes: [{ name: expect.stringMatching(/^kube-api-access-/) }],
    });
  });

  test("a Pod is refused where it does not appear within two seconds", async () => {
    const { clock, mutate } = waiting([]);
    const refused = Promise.resolve(mutate()).then(
      () => "accepted",
      (error: unknown) => (error as Error).message,
    );
    await clock.advanceSettled(2000, settle);
    expect(await refused).toBe(
      'pods "p" is forbidden: error looking up service account team/default: serviceaccount "default" not found',
    );
  });

  test("no Pod waits for an account that is there, nor for another one", () => {
    const { object, mutate } = waiting([account("default")]);
    atOnce(mutate());
    expect(object["spec"]).toMatchObject({ serviceAccountName: "default" });
    const other = waiting([], { serviceAccountName: "robot", containers: [] });
    expect(other.mutate).toThrow('error looking up service account team/robot: serviceaccount "robot" not found');
  });
});

test("ephemeral containers use only Secrets that an account names which restricts them", () => {
  const enforced = account(
    "robot",
    { secrets: [{ name: "known" }] },
    { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
  );
  const secret = (name: string) => [
    { name: "e", env: [{ name: "K", valueFrom: { secretKeyRef: { name, key: "k" } } }] },
  ];
  const validate = (ephemeralContainers: object[], of: ApiObject): void => {
    const spec = { serviceAccountName: "robot", containers: [{ name: "a" }], ephemeralContainers };
    const object = objectOf({ name: "p", namespace: "team" }, { spec });
    const ref = { group: "", plural: "pods", kind: "Pod" };
    const request = requestOf({ ref, name: "p", operation: "UPDATE", subresource: "ephemeralcontainers", object });
    atOnce(stepOf(of).validate!(request));
  };
  validate(secret("known"), enforced);
  validate(secret("other"), account("robot"));
  expect(() => validate(secret("other"), enforced)).toThrow(
    'ephemeral container e with envVar K referencing secret.secretName="other" is not allowed because service account robot does not reference that secret',
  );
  expect(() => validate([], account("another"))).toThrow('serviceaccount "robot" not found');
});
