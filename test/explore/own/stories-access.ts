/**
 * Stories of the controllers of accounts, certificates and roles.
 *
 * @module
 */
import { ClusterTrustBundle, Pod } from "../../../src/client/kinds/index.ts";
import { authority } from "../../../src/pki/certificate.ts";
import { newKey, requestBase64 } from "../../../src/pki/testing/requests.ts";
import { podKeyOf } from "../../../src/pki/testing/pod-keys.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import { CERTIFICATE } from "./certificate.ts";
import { core, pod } from "./objects.ts";
import { type OwnStory, beginsAnew } from "./story.ts";

const COLLECTED = ["garbage-collector"];
const CERTIFICATES = "certificates.k8s.io/v1";

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

/** The stories by their names. */
export const ACCESS_STORIES: Readonly<Record<string, OwnStory>> = {
  tokens: {
    explored: ["serviceaccount-token"],
    beside: ["garbage-collector", "namespace"],
    settings: { caCertificate: CERTIFICATE },
    accepted: [
      {
        key: "differs ServiceAccount default/robot .secrets[name=b].name",
        when: beginsAnew,
        why: "a reference goes when its Secret is seen to go: syncSecret of kube-controller-manager looks only at Secrets in its queue, and syncServiceAccount at no reference, so that nobody removes one whose Secret went before the program began",
      },
    ],
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
};
