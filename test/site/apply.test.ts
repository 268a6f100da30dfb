/**
 * The client-side apply of the small kubectl compared with that of the real one: a manifest, a change by another client, and the next manifest
 * make the same object, and print the same. Where no kubectl is found, the tests are left out.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubectl } from "../../site/src/kubectl/kubectl.ts";
import type { Files } from "../../site/src/shell/shell.ts";
import { type Transport, nodeTransport } from "../../src/client/index.ts";
import { type Cluster, type Endpoint, createCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { Kubectl, findKubectls } from "../kubectl/kubectl.ts";

const binary = findKubectls().at(-1);

type Json = Record<string, unknown>;

/** A story: an object is applied, perhaps changed by another client, and applied again. */
interface Story {
  readonly what: string;
  readonly first: Json;
  /** A merge patch of another client between the two. */
  readonly other?: Json;
  readonly next: Json;
}

const labels = { app: "a" };
const deploymentWith = (spec: Json, pod: Json, metadata: Json = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", ...metadata },
  spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod }, ...spec },
});
const withPod = (pod: Json): Json => deploymentWith({}, { containers: [{ name: "main", image: "i" }], ...pod });
const withContainer = (container: Json): Json => withPod({ containers: [{ name: "main", image: "i", ...container }] });
const withTwo = (...names: string[]): Json => withPod({ containers: names.map((name) => ({ name, image: "i" })) });
const podPatch = (pod: Json): Json => ({ spec: { template: { spec: pod } } });
const serviceWith = (...ports: Json[]): Json => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a" },
  spec: { selector: labels, ports },
});
const configMap = (metadata: Json, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  ...more,
});
const thing = (spec: Json): Json => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec });
const mount = (mountPath: string, more: Json = {}): Json => ({ name: "v", mountPath, ...more });
const volumes = [{ name: "v", emptyDir: {} }];
const mounts = (...volumeMounts: Json[]): Json =>
  withPod({ volumes, containers: [{ name: "main", image: "i", volumeMounts }] });
const owner = (name: string): Json => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: `uid-${name}` });

const STORIES: readonly Story[] = [
  { what: "nothing changes", first: configMap({}, { data: { a: "1" } }), next: configMap({}, { data: { a: "1" } }) },
  {
    what: "a key changes, one goes, one of another client stays",
    first: configMap({}, { data: { a: "1", b: "2" } }),
    other: { data: { c: "3" } },
    next: configMap({}, { data: { a: "9" } }),
  },
  {
    what: "a key that another client has changed comes back",
    first: configMap({}, { data: { a: "1" } }),
    other: { data: { a: "other" } },
    next: configMap({}, { data: { a: "1" } }),
  },
  { what: "null", first: configMap({}, { data: { a: "1" } }), next: configMap({}, { data: { a: null } }) },
  {
    what: "null at the first time",
    first: configMap({ labels: null }, { data: { a: null, b: "2" } }),
    next: configMap({}),
  },
  { what: "all data goes", first: configMap({}, { data: { a: "1" } }), next: configMap({}) },
  {
    what: "labels and annotations",
    first: configMap({ labels: { a: "1", b: "2" }, annotations: { x: "1", y: "2" } }),
    other: { metadata: { labels: { c: "3" }, annotations: { z: "3" } } },
    next: configMap({ labels: { a: "2" }, annotations: { y: "3" } }),
  },
  {
    what: "finalizers are a set",
    first: configMap({ finalizers: ["example.com/a", "example.com/b"] }),
    other: { metadata: { finalizers: ["example.com/z", "example.com/a", "example.com/b"] } },
    next: configMap({ finalizers: ["example.com/c", "example.com/a"] }),
  },
  {
    what: "owners by uid",
    first: configMap({ ownerReferences: [owner("x"), owner("y")] }),
    next: configMap({ ownerReferences: [{ ...owner("y"), controller: true }] }),
  },
  {
    what: "ports of a container by containerPort",
    first: withContainer({ ports: [{ containerPort: 80 }, { containerPort: 81, name: "b" }] }),
    next: withContainer({ ports: [{ containerPort: 81, name: "c" }, { containerPort: 82 }] }),
  },
  {
    what: "a port of TCP and of UDP",
    first: withContainer({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }] }),
    next: withContainer({
      ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }, { containerPort: 9 }],
    }),
  },
  {
    what: "ports of a Service by port",
    first: serviceWith({ port: 80, name: "web" }, { port: 81, name: "more" }),
    other: {
      spec: {
        ports: [
          { port: 80, name: "web" },
          { port: 81, name: "more" },
          { port: 90, name: "other" },
        ],
      },
    },
    next: serviceWith({ port: 82, name: "new" }, { port: 80, name: "web", targetPort: 8080 }),
  },
  {
    what: "a port of a Service of TCP and of UDP",
    first: serviceWith({ port: 53, name: "tcp" }, { port: 53, name: "udp", protocol: "UDP" }),
    next: serviceWith({ port: 53, name: "tcp" }, { port: 53, name: "udp", protocol: "UDP" }),
  },
  {
    what: "volumeMounts by mountPath",
    first: mounts(mount("/a"), mount("/b", { readOnly: true })),
    next: mounts(mount("/b"), mount("/c")),
  },
  {
    what: "volumes by name, of another type",
    first: withPod({
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "w", configMap: { name: "c" } },
      ],
    }),
    next: withPod({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
  },
  {
    what: "tolerations are one value",
    first: withPod({
      tolerations: [
        { key: "a", operator: "Exists" },
        { key: "b", operator: "Exists" },
      ],
    }),
    other: podPatch({ tolerations: [{ key: "z", operator: "Exists" }] }),
    next: withPod({ tolerations: [{ key: "b", operator: "Exists" }] }),
  },
  {
    what: "variables by name",
    first: withContainer({
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
    }),
    other: podPatch({
      containers: [
        {
          name: "main",
          image: "i",
          env: [
            { name: "Z", value: "9" },
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        },
      ],
    }),
    next: withContainer({
      env: [
        { name: "B", value: "3" },
        { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ],
    }),
  },
  {
    what: "a variable gets a value in place of a source",
    first: withContainer({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
    next: withContainer({ env: [{ name: "A", value: "1" }] }),
  },
  { what: "args are one value", first: withContainer({ args: ["a", "b"] }), next: withContainer({ args: ["b", "c"] }) },
  {
    what: "envFrom is one value",
    first: withContainer({ envFrom: [{ configMapRef: { name: "x" } }] }),
    next: withContainer({}),
  },
  {
    what: "a container that another client has added stays",
    first: withTwo("main", "second"),
    other: podPatch({ containers: ["extra", "main", "second"].map((name) => ({ name, image: "i" })) }),
    next: withTwo("second", "third"),
  },
  {
    what: "containers in another order",
    first: withTwo("main", "second", "third"),
    next: withTwo("third", "main", "second"),
  },
  {
    what: "an image, while another client scales",
    first: withPod({}),
    other: { spec: { replicas: 0, paused: true } },
    next: withContainer({ image: "j" }),
  },
  {
    what: "a member that another client has added to a container stays",
    first: withContainer({ resources: { limits: { cpu: "1" } } }),
    other: podPatch({
      containers: [
        { name: "main", image: "i", tty: true, resources: { limits: { cpu: "2" }, requests: { memory: "1Mi" } } },
      ],
    }),
    next: withContainer({ resources: { limits: { cpu: "3", memory: "2Mi" } } }),
  },
  { what: "initContainers go", first: withPod({ initContainers: [{ name: "x", image: "i" }] }), next: withPod({}) },
  {
    what: "the strategy retains its keys",
    first: deploymentWith(
      { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      { containers: [{ name: "main", image: "i" }] },
    ),
    next: deploymentWith({ strategy: { type: "Recreate" } }, { containers: [{ name: "main", image: "i" }] }),
  },
  {
    what: "imagePullSecrets by name",
    first: withPod({ imagePullSecrets: [{ name: "a" }, { name: "b" }] }),
    next: withPod({ imagePullSecrets: [{ name: "b" }, { name: "c" }] }),
  },
  {
    what: "hostAliases by ip",
    first: withPod({ hostAliases: [{ ip: "1.1.1.1", hostnames: ["a", "b"] }] }),
    next: withPod({
      hostAliases: [
        { ip: "1.1.1.1", hostnames: ["c"] },
        { ip: "2.2.2.2", hostnames: ["d"] },
      ],
    }),
  },
  {
    what: "topologySpreadConstraints by topologyKey",
    first: withPod({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } },
      ],
    }),
    next: withPod({
      topologySpreadConstraints: [
        { maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" },
        { maxSkew: 1, topologyKey: "host", whenUnsatisfiable: "ScheduleAnyway" },
      ],
    }),
  },
  {
    what: "a nodeSelector of a claim is a map",
    first: withPod({ nodeSelector: { a: "1", b: "2" } }),
    other: podPatch({ nodeSelector: { c: "3" } }),
    next: withPod({ nodeSelector: { a: "2" } }),
  },
  {
    what: "rules of a Role are one value",
    first: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "a" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }],
    },
    next: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "a" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    },
  },
  {
    what: "secrets of a ServiceAccount by name",
    first: {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "a" },
      secrets: [{ name: "x" }, { name: "y" }],
    },
    other: { secrets: [{ name: "z" }, { name: "x" }, { name: "y" }] },
    next: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" }, secrets: [{ name: "y" }] },
  },
  {
    what: "data of a Secret",
    first: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { a: "1" } },
    next: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { b: "2" } },
  },
  {
    what: "a custom resource: lists are one value",
    first: thing({ list: [{ name: "a" }, { name: "b" }], map: { a: "1", b: "2" } }),
    other: { spec: { map: { c: "3" } } },
    next: thing({ list: [{ name: "b" }], map: { a: "2" } }),
  },
  { what: "a custom resource: nothing changes", first: thing({ map: { a: "1" } }), next: thing({ map: { a: "1" } }) },
];

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};

const NO_FILES: Files = { read: () => undefined, write: () => {}, remove: () => false, list: () => [] };

/** An object without what differs between two namespaces and two runs. */
function alike(text: string): unknown {
  const { metadata, status: _, ...object } = JSON.parse(text) as { metadata: Json; spec?: Json; status?: unknown };
  const { name, labels: own, annotations, finalizers, ownerReferences } = metadata;
  const { clusterIP: __, clusterIPs: ___, ...spec } = object.spec ?? {};
  return { ...object, spec, name, own, annotations, finalizers, ownerReferences };
}

describe.skipIf(binary === undefined)("the small kubectl applies as kubectl does", () => {
  let cluster: Cluster;
  let endpoint: Endpoint;
  let real: Kubectl;
  let transport: Transport;
  beforeAll(async () => {
    cluster = await createCluster({ clock: "system", rbac: true });
    endpoint = await cluster.listen();
    real = new Kubectl(binary!, endpoint.kubeconfig);
    transport = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: endpoint.token });
    await cluster.apply(DEFINITION);
    await real.ok("wait", "--for=condition=Established", "crd/things.example.com");
  });
  afterAll(() => cluster.close());

  const applySmall = async (manifest: Json, namespace: string): Promise<string> => {
    let [out, err] = ["", ""];
    const code = await kubectl(transport, systemClock)(["apply", "-f", "-", `--namespace=${namespace}`], {
      input: JSON.stringify(manifest),
      out: (text) => (out += text),
      err: (text) => (err += text),
      signal: new AbortController().signal,
      shell: { files: NO_FILES, variables: new Map() },
    });
    return `${out}${err}[${code}]`;
  };
  const applyReal = async (manifest: Json, namespace: string): Promise<string> => {
    const stdin = JSON.stringify(manifest);
    const { stdout, stderr, code } = await real.run(["apply", "-f", "-", `--namespace=${namespace}`], { stdin });
    return `${stdout}${stderr}[${code}]`;
  };

  test.each(STORIES.map((story, i) => [story.what, i, story] as const))(
    "%s",
    { timeout: 120_000 },
    async (_, i, story) => {
      const { first, other, next } = story;
      const kind = String(first["kind"]).toLowerCase();
      const run = async (apply: typeof applySmall, who: string): Promise<unknown> => {
        const namespace = `${who}-${i}`;
        await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
        const printed = [await apply(first, namespace)];
        if (other)
          await real.ok("patch", kind, "a", "--type=merge", `--patch=${JSON.stringify(other)}`, "-n", namespace);
        printed.push(await apply(next, namespace));
        const stored = alike(await real.ok("get", kind, "a", "-o", "json", "-n", namespace));
        return { printed, stored: JSON.parse(JSON.stringify(stored).replaceAll(namespace, "NAMESPACE")) as unknown };
      };
      const expected = await run(applyReal, "real");
      expect(await run(applySmall, "small")).toEqual(expected);
    },
  );
});
