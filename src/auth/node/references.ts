/**
 * The objects that Pods and volumes refer to, as far as the agent of a node reads them.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { ObjectName } from "../../schema/lookup.ts";
import { textOf } from "../../value/value.ts";

/** The key of a referenced object: `secrets/NAMESPACE/NAME`. */
export const keyOf = (plural: string, namespace: string, name: string): string => `${plural}/${namespace}/${name}`;

/** A Pod on a node, and the keys of the objects that it refers to. */
export interface PodReferences extends ObjectName {
  readonly node: string;
  readonly keys: readonly string[];
}

/** A volume of a claim, and the Secrets that it refers to. */
export interface VolumeReferences {
  readonly name: string;
  /** The key of the claim. */
  readonly claim: string;
  readonly secrets: readonly string[];
}

type Form = Readonly<Record<string, unknown>>;

const formOf = (value: unknown): Form => (typeof value === "object" && value !== null ? (value as Form) : {});
const listOf = (value: unknown): readonly Form[] => (Array.isArray(value) ? (value as Form[]) : []);
const nameIn = (reference: unknown): string => textOf(formOf(reference)["name"]);

/** A static Pod of the node; its references grant nothing, since the node has written them itself. */
const MIRROR = "kubernetes.io/config.mirror";

/** Reads a Pod; undefined where it is on no node. */
export function readPod({ metadata, spec: specified, status }: ApiObject): PodReferences | undefined {
  const spec = formOf(specified);
  const node = textOf(spec["nodeName"]);
  if (node === "") return undefined;
  const { namespace = "", name = "", annotations } = metadata;
  const references = annotations?.[MIRROR] === undefined ? referencesOf(spec, formOf(status), name) : [];
  const keys = references.filter(([, to]) => to !== "").map(([plural, to]) => keyOf(plural, namespace, to));
  return { namespace, name, node, keys: [...new Set([...keys, keyOf("pods", namespace, name)])] };
}

type Reference = readonly [plural: string, name: string];

const referencesOf = (spec: Form, status: Form, pod: string): Reference[] => [
  ["serviceaccounts", textOf(spec["serviceAccountName"])],
  ...listOf(spec["imagePullSecrets"]).map((secret): Reference => ["secrets", nameIn(secret)]),
  ...["initContainers", "containers", "ephemeralContainers"].flatMap((member) =>
    listOf(spec[member]).flatMap(ofContainer),
  ),
  ...listOf(spec["volumes"]).flatMap((volume) => ofVolume(volume, pod)),
  ...claimsOfResources(spec, status),
];

const ofContainer = (container: Form): Reference[] => [
  ...listOf(container["envFrom"]).flatMap((from): Reference[] => [
    ["secrets", nameIn(from["secretRef"])],
    ["configmaps", nameIn(from["configMapRef"])],
  ]),
  ...listOf(container["env"]).flatMap((variable): Reference[] => {
    const from = formOf(variable["valueFrom"]);
    return [
      ["secrets", nameIn(from["secretKeyRef"])],
      ["configmaps", nameIn(from["configMapKeyRef"])],
    ];
  }),
];

function ofVolume(volume: Form, pod: string): Reference[] {
  const secrets = [textOf(formOf(volume["secret"])["secretName"]), ...secretsOfSource(volume).map(({ name }) => name)];
  const claim = volume["ephemeral"]
    ? `${pod}-${textOf(volume["name"])}`
    : textOf(formOf(volume["persistentVolumeClaim"])["claimName"]);
  return [
    ...secrets.map((name): Reference => ["secrets", name]),
    ["configmaps", nameIn(volume["configMap"])],
    ["persistentvolumeclaims", claim],
    ...listOf(formOf(volume["projected"])["sources"]).flatMap((source): Reference[] => [
      ["secrets", nameIn(source["secret"])],
      ["configmaps", nameIn(source["configMap"])],
    ]),
  ];
}

/** Resource claims: by name, or those of a template, which the status lists. */
const claimsOfResources = (spec: Form, status: Form): Reference[] =>
  [
    ...listOf(spec["resourceClaims"]).map((claim) => claim["resourceClaimName"]),
    ...listOf(status["resourceClaimStatuses"]).map((claim) => claim["resourceClaimName"]),
    formOf(status["extendedResourceClaimStatus"])["resourceClaimName"],
  ].map((name): Reference => ["resourceclaims", textOf(name)]);

/** Volume sources with a `secretRef`. */
const WITH_SECRET = ["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"];
/** The Secrets of a CSI volume that nodes read; controllers read the others. */
const OF_CSI = ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"];

/** The Secrets of a volume source; the namespace is empty where the source has none. */
function secretsOfSource(source: Form): ObjectName[] {
  const azure = formOf(source["azureFile"]);
  const csi = formOf(source["csi"]);
  const references = [
    ...WITH_SECRET.map((member) => formOf(source[member])["secretRef"]),
    ...OF_CSI.map((member) => csi[member]),
  ];
  return [
    { namespace: textOf(azure["secretNamespace"]), name: textOf(azure["secretName"]) },
    ...references.map((reference) => ({ namespace: textOf(formOf(reference)["namespace"]), name: nameIn(reference) })),
  ].filter(({ name }) => name !== "");
}

/** Reads a volume; undefined where it has no claim. A Secret without a namespace is in that of the claim. */
export function readVolume({ metadata, spec: specified }: ApiObject): VolumeReferences | undefined {
  const spec = formOf(specified);
  const claim = formOf(spec["claimRef"]);
  const [namespace, name] = [textOf(claim["namespace"]), textOf(claim["name"])];
  if (name === "") return undefined;
  const secrets = secretsOfSource(spec).map((secret) => keyOf("secrets", secret.namespace || namespace, secret.name));
  return { name: metadata.name ?? "", claim: keyOf("persistentvolumeclaims", namespace, name), secrets };
}
