/**
 * Stories of the controllers of the cluster itself: owners, namespaces, accounts, certificates, quotas, roles, policies, elections.
 *
 * @module
 */
import { ClusterTrustBundle, Pod } from "../../../src/client/kinds/index.ts";
import { authority } from "../../../src/pki/certificate.ts";
import { newKey, requestBase64 } from "../../../src/pki/testing/requests.ts";
import { podKeyOf } from "../../../src/pki/testing/pod-keys.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import type { OwnStory } from "./story.ts";

const COLLECTED = ["garbage-collector"];
const core = (kind: string, name: string) => ({ apiVersion: "v1", kind, name });

const configMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more },
});

const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "web:1", resources: { requests: { cpu: "100m" } } }] },
});

const CERTIFICATES = "certificates.k8s.io/v1";
const POLICIES = "admissionregistration.k8s.io/v1";
const COORDINATION = "coordination.k8s.io";
const MIGRATIONS = "storagemigration.k8s.io/v1alpha1";

/** Of the server: names are made of it, which must be the same in each process. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIB0jCCAXigAwIBAgIQYiOBejdlLhDH7nRdfiSBVjAKBggqhkjOPQQDAjA2MTQw
MgYDVQQDDCtrZWVsc29uLWNhLTYyMjM4MTdhMzc2NTJlMTBjN2VlNzQ1ZDdlMjQ4
MTU2MCAXDTI1MTIzMTIzNTUwMFoYDzIxMjUxMjA4MDAwMDAwWjA2MTQwMgYDVQQD
DCtrZWVsc29uLWNhLTYyMjM4MTdhMzc2NTJlMTBjN2VlNzQ1ZDdlMjQ4MTU2MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEonQjg5/6MeCnaNzTrXirUvO6qYllyIQ+
3fmY7IUC/M4NQxrPXhoWpBlc2TmZOOPeOBKVROXTCwFpCdPv1804QKNmMGQwEgYD
VR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8EBAMCAYYwHQYDVR0OBBYEFPPCN5x3
1IL979bgQLHypnXPvLhzMB8GA1UdIwQYMBaAFPPCN5x31IL979bgQLHypnXPvLhz
MAoGCCqGSM49BAMCA0gAMEUCIFilQ3lPNEjsVQCZInML+3d/0I+vzH1ZWTktybY1
0ZswAiEAtqpjLBCqgTlO+fUVuv5nhTNtUtxqveAjuZ4GR9Pd7to=
-----END CERTIFICATE-----
`;

/** The begin of the clock of a cluster. */
const START = Date.parse("2026-01-01T00:00:00Z");
const ca = authority({ now: START, days: 3650 });
const NODE = { commonName: "system:node:n", organizations: ["system:nodes"] };

/** A request for a certificate of a client or a node. */
const request = (name: string, signer: string, usages: readonly string[]) => ({
  apiVersion: CERTIFICATES,
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: { request: requestBase64(NODE), signerName: `kubernetes.io/${signer}`, usages },
});

/** Decides on a request. */
const decide = (name: string, type: "Approved" | "Denied") => ({
  name: `${name} is ${type.toLowerCase()}`,
  patch: {
    apiVersion: CERTIFICATES,
    kind: "CertificateSigningRequest",
    name,
    subresource: "approval",
    with: { status: { conditions: [{ type, status: "True", reason: "Asked" }] } },
  },
});

/** A Pod asks for a certificate. */
async function askForPod(cluster: Cluster): Promise<void> {
  const made = await cluster.client().resource(Pod).get({ name: "p", namespace: "default" });
  await cluster.apply({
    apiVersion: "certificates.k8s.io/v1beta1",
    kind: "PodCertificateRequest",
    metadata: { name: "r" },
    spec: {
      signerName: "example.com/signer",
      podName: "p",
      podUID: made.metadata.uid,
      serviceAccountName: "default",
      serviceAccountUID: "u",
      nodeName: "n",
      nodeUID: "u",
      ...podKeyOf(newKey(), made.metadata.uid),
    },
  });
}

const bundles = (cluster: Cluster) => cluster.client().resource(ClusterTrustBundle);

/** A definition that serves two versions of widgets, one of which is stored. */
const widgets = (stored: "v1" | "v2") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === stored,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
        },
      },
    })),
  },
});

const widget = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec: { size: 1 },
});

const migration = (name: string, resource: string) => ({
  apiVersion: MIGRATIONS,
  kind: "StorageVersionMigration",
  metadata: { name },
  spec: { resource: { group: "example.com", version: "v2", resource } },
});

const policy = (expression: string) => ({
  matchConstraints: {
    resourceRules: [
      { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["widgets"] },
    ],
  },
  validations: [{ expression }],
});

/** Candidates stand for a Lease, and have just said that they live. */
const stand =
  (versions: Readonly<Record<string, string>>) =>
  (cluster: Cluster): Promise<unknown> => {
    const renewTime = new Date(cluster.clock.now()).toISOString().replace("Z", "000Z");
    return cluster.apply(
      ...Object.entries(versions).map(([name, emulationVersion]) => ({
        apiVersion: `${COORDINATION}/v1beta1`,
        kind: "LeaseCandidate",
        metadata: { name },
        spec: {
          leaseName: "l",
          binaryVersion: "1.35.0",
          emulationVersion,
          strategy: "OldestEmulationVersion",
          renewTime,
        },
      })),
    );
  };

const event = (name: string) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name },
  involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "default" },
  reason: "Told",
  message: "something happened",
});

export const CLUSTER_STORIES: Readonly<Record<string, OwnStory>> = {
  owners: {
    explored: ["garbage-collector"],
    beside: ["namespace-controller"],
    scenario: {
      name: "owners are deleted in each way, and made again by the same name",
      steps: [
        {
          name: "create owners with dependents",
          do: async (cluster) => {
            for (const owner of ["back", "fore", "orphan"]) {
              // oxlint-disable-next-line no-await-in-loop -- each dependent names the uid of its owner
              const [made] = await cluster.apply(configMap(owner));
              const ownerReferences = [
                { apiVersion: "v1", kind: "ConfigMap", name: owner, uid: made!.metadata.uid, blockOwnerDeletion: true },
              ];
              // oxlint-disable-next-line no-await-in-loop
              await cluster.apply(...[1, 2].map((n) => configMap(`${owner}-${n}`, { ownerReferences })));
            }
          },
        },
        { name: "delete in the background", delete: { ...core("ConfigMap", "back"), propagationPolicy: "Background" } },
        { name: "make it again", create: configMap("back") },
        { name: "delete in the foreground", delete: { ...core("ConfigMap", "fore"), propagationPolicy: "Foreground" } },
        { name: "delete and leave orphans", delete: { ...core("ConfigMap", "orphan"), propagationPolicy: "Orphan" } },
      ],
    },
  },
  "owners of another kind": {
    explored: ["garbage-collector"],
    beside: ["namespace-controller"],
    scenario: {
      name: "an owner whose dependents are of another kind is deleted",
      steps: [
        {
          name: "create an owner with a dependent",
          do: async (cluster) => {
            const [made] = await cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "back" } });
            const { uid } = made!.metadata;
            const ownerReferences = [{ apiVersion: "v1", kind: "Secret", name: "back", uid }];
            await cluster.apply(configMap("back-1", { ownerReferences }));
          },
        },
        { name: "delete the owner", delete: core("Secret", "back") },
      ],
    },
  },
  namespaces: {
    explored: ["namespace", "serviceaccount", "root-ca"],
    beside: ["garbage-collector"],
    settings: { caCertificate: CERTIFICATE },
    scenario: {
      name: "a namespace with content is deleted and made again",
      // A namespace that does not go is tried again every 10 s: each time asks for all kinds.
      pause: "1m",
      quiet: "30m",
      steps: [
        {
          name: "create",
          apply: [
            { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } },
            { ...configMap("a"), metadata: { name: "a", namespace: "team" } },
            { ...configMap("b"), metadata: { name: "b", namespace: "team", finalizers: ["example.com/held"] } },
          ],
        },
        { name: "delete", delete: core("Namespace", "team") },
        {
          name: "let go",
          patch: { ...core("ConfigMap", "b"), namespace: "team", with: { metadata: { finalizers: null } } },
        },
        { name: "make it again", create: { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } } },
      ],
    },
  },
  "system namespaces": {
    explored: ["system-namespaces", "serviceaccount", "root-ca"],
    beside: ["garbage-collector", "namespace"],
    settings: { caCertificate: CERTIFICATE },
    scenario: {
      name: "what every namespace has is deleted, changed, and comes again",
      pause: "1m",
      steps: [
        { name: "delete a namespace of the system", delete: core("Namespace", "kube-node-lease") },
        { name: "delete the account", delete: core("ServiceAccount", "default") },
        {
          name: "change the certificate",
          patch: { ...core("ConfigMap", "kube-root-ca.crt"), with: { data: { "ca.crt": "x" } } },
        },
        { name: "delete it", delete: core("ConfigMap", "kube-root-ca.crt") },
      ],
    },
  },
  tokens: {
    explored: ["serviceaccount-token"],
    beside: ["garbage-collector", "namespace"],
    settings: { caCertificate: CERTIFICATE },
    scenario: {
      name: "a Secret gets the token of an account, and goes with it",
      start: [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" }, secrets: [{ name: "b" }] }],
      steps: [
        {
          name: "create",
          create: ["a", "b", "c"].map((name) => ({
            apiVersion: "v1",
            kind: "Secret",
            type: "kubernetes.io/service-account-token",
            metadata: { name, annotations: { "kubernetes.io/service-account.name": name === "c" ? "none" : "robot" } },
          })),
        },
        { name: "take the token away", patch: { ...core("Secret", "a"), with: { data: { token: null } } } },
        { name: "delete a Secret that the account names", delete: core("Secret", "b") },
        { name: "delete the account", delete: core("ServiceAccount", "robot") },
        { name: "make it again", create: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } } },
      ],
    },
  },
  certificates: {
    explored: ["csrapproving", "csrsigning", "csrcleaner"],
    beside: COLLECTED,
    settings: { signingCa: () => ca },
    scenario: {
      name: "requests for certificates are approved, signed, and removed when they are old",
      steps: [
        {
          name: "a node and a client ask",
          create: [
            request("node", "kube-apiserver-client-kubelet", ["digital signature", "client auth"]),
            request("client", "kube-apiserver-client", ["client auth"]),
            request("denied", "kube-apiserver-client", ["client auth"]),
            request("odd", "kube-apiserver-client", ["server auth"]),
          ],
        },
        decide("client", "Approved"),
        decide("denied", "Denied"),
        decide("odd", "Approved"),
        { name: "an hour passes", wait: "1h" },
        {
          name: "a node asks again",
          create: request("node", "kube-apiserver-client-kubelet", ["digital signature", "client auth"]),
        },
      ],
    },
  },
  "certificates of Pods": {
    explored: ["podcertificaterequestcleaner"],
    beside: COLLECTED,
    cluster: { featureGates: { PodCertificateRequest: true } },
    scenario: {
      name: "a request of a Pod is removed after a while, and comes again",
      start: [pod("p")],
      pause: "10m",
      steps: [
        { name: "ask", do: askForPod },
        {
          name: "somebody else deletes it",
          delete: { apiVersion: "certificates.k8s.io/v1beta1", kind: "PodCertificateRequest", name: "r" },
        },
        { name: "ask again", do: askForPod },
      ],
    },
  },
  "bundle of trust": {
    explored: ["trust-bundle-publisher"],
    beside: COLLECTED,
    settings: { caCertificate: CERTIFICATE },
    cluster: { featureGates: { ClusterTrustBundle: true } },
    scenario: {
      name: "the bundle of the server is changed, deleted, and has another beside it",
      steps: [
        {
          name: "another one",
          create: {
            apiVersion: "certificates.k8s.io/v1beta1",
            kind: "ClusterTrustBundle",
            metadata: { name: "kubernetes.io:kube-apiserver-serving:old" },
            spec: { signerName: "kubernetes.io/kube-apiserver-serving", trustBundle: CERTIFICATE },
          },
        },
        {
          name: "delete it",
          do: async (cluster) => {
            for (const { metadata } of (await bundles(cluster).list()).items) {
              // oxlint-disable-next-line no-await-in-loop -- there is one
              await bundles(cluster).delete({ name: metadata.name });
            }
          },
        },
      ],
    },
  },
  quota: {
    explored: ["resourcequota"],
    beside: ["garbage-collector", "namespace-controller"],
    scenario: {
      name: "a quota counts what comes and goes",
      // It counts anew every five minutes.
      quiet: "30m",
      steps: [
        {
          name: "create",
          create: [
            {
              apiVersion: "v1",
              kind: "ResourceQuota",
              metadata: { name: "some" },
              spec: { hard: { "count/configmaps": "5", pods: "2" } },
            },
            configMap("a"),
            configMap("b"),
            pod("p"),
          ],
        },
        { name: "delete one", delete: core("ConfigMap", "a") },
        { name: "allow more", patch: { ...core("ResourceQuota", "some"), with: { spec: { hard: { pods: "4" } } } } },
        { name: "delete a Pod", delete: core("Pod", "p") },
        { name: "delete the quota", delete: core("ResourceQuota", "some") },
        {
          name: "make it again",
          create: {
            apiVersion: "v1",
            kind: "ResourceQuota",
            metadata: { name: "some" },
            spec: { hard: { "count/configmaps": "9" } },
          },
        },
      ],
    },
  },
  roles: {
    explored: ["clusterrole-aggregation-controller"],
    beside: ["garbage-collector"],
    scenario: {
      name: "a role gathers the rules of others",
      steps: [
        {
          name: "create",
          create: [
            {
              apiVersion: "rbac.authorization.k8s.io/v1",
              kind: "ClusterRole",
              metadata: { name: "all-of-it" },
              aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] },
            },
            ...["one", "two"].map((name) => ({
              apiVersion: "rbac.authorization.k8s.io/v1",
              kind: "ClusterRole",
              metadata: { name, labels: { part: "yes" } },
              rules: [{ apiGroups: [""], resources: [name === "one" ? "pods" : "secrets"], verbs: ["get"] }],
            })),
          ],
        },
        {
          name: "change one",
          patch: {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRole",
            name: "one",
            with: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }] },
          },
        },
        {
          name: "delete one",
          delete: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "two" },
        },
      ],
    },
  },
  migrations: {
    explored: ["storage-version-migrator"],
    beside: COLLECTED,
    cluster: { featureGates: { StorageVersionMigrator: true } },
    accepted: [
      {
        key: "differs Widget.example.com default/",
        why: "A conflict says that somebody has written the object, in the new version: kube-controller-manager goes on, too.",
      },
    ],
    scenario: {
      name: "objects are written anew in another version",
      // A revision of the store when it began, which is another one when it begins later.
      ignore: [
        {
          kind: { group: "storagemigration.k8s.io", kind: "StorageVersionMigration" },
          path: ".status.resourceVersion",
        },
      ],
      start: [widgets("v1")],
      steps: [
        { name: "create", create: ["a", "b", "c"].map(widget) },
        { name: "store another version", apply: widgets("v2") },
        { name: "write them anew", create: migration("m", "widgets") },
        { name: "of a kind that there is not", create: migration("none", "gadgets") },
        { name: "delete", delete: { apiVersion: MIGRATIONS, kind: "StorageVersionMigration", name: "m" } },
        { name: "once more", create: migration("m", "widgets") },
      ],
    },
  },
  policies: {
    explored: ["validatingadmissionpolicy-status-controller"],
    beside: COLLECTED,
    scenario: {
      name: "expressions of a policy are checked, also when their types come later",
      steps: [
        {
          name: "create",
          create: {
            apiVersion: POLICIES,
            kind: "ValidatingAdmissionPolicy",
            metadata: { name: "p" },
            spec: policy("object.spec.size == 'x'"),
          },
        },
        { name: "their types come", create: widgets("v1") },
        {
          name: "mend",
          patch: {
            apiVersion: POLICIES,
            kind: "ValidatingAdmissionPolicy",
            name: "p",
            with: { spec: policy("object.spec.size > 1") },
          },
        },
        {
          name: "break",
          patch: {
            apiVersion: POLICIES,
            kind: "ValidatingAdmissionPolicy",
            name: "p",
            with: { spec: policy("object.spec.size == true") },
          },
        },
        { name: "delete", delete: { apiVersion: POLICIES, kind: "ValidatingAdmissionPolicy", name: "p" } },
      ],
    },
  },
  elections: {
    explored: ["leader-election"],
    beside: COLLECTED,
    cluster: { featureGates: { CoordinatedLeaderElection: true } },
    scenario: {
      name: "one of several candidates leads, and another one is preferred later",
      pause: "3s",
      steps: [
        { name: "one stands", do: stand({ a: "1.34.0" }) },
        {
          name: "it leads",
          patch: {
            apiVersion: `${COORDINATION}/v1`,
            kind: "Lease",
            name: "l",
            with: { spec: { leaseDurationSeconds: 600 } },
          },
        },
        { name: "others stand", do: stand({ b: "1.33.0", c: "1.35.0" }) },
        { name: "it goes", delete: { apiVersion: `${COORDINATION}/v1`, kind: "Lease", name: "l" } },
        {
          name: "a candidate goes",
          delete: { apiVersion: `${COORDINATION}/v1beta1`, kind: "LeaseCandidate", name: "b" },
        },
      ],
    },
  },
  events: {
    explored: ["event-expiry"],
    beside: COLLECTED,
    settings: { eventTtlMillis: 600_000 },
    scenario: {
      name: "Events are deleted some time after their last write",
      pause: "1m",
      steps: [
        { name: "create", create: ["a", "b"].map(event) },
        { name: "write one again", patch: { ...core("Event", "a"), with: { count: 2 } } },
        { name: "delete one", delete: core("Event", "b") },
      ],
      eventually: [
        {
          name: "no Event is kept for longer than ten minutes, and none goes earlier",
          holds: (state) => state.all({ group: "", kind: "Event" }).length <= 2,
        },
      ],
    },
  },
};
