/**
 * Admission of Pods as programs that act under a ServiceAccount: each has one, and the volume with its token.
 *
 * Only creates are looked at; what a Pod runs as never changes. The account `default` need not be there yet: the controller
 * `serviceaccount` makes it in every namespace, and a namespace may be a moment older than it.
 *
 * @module
 */
import { isMirror } from "../kinds/core/v1/pod/mirror.ts";
import type { Pod } from "../kinds/core/v1/pod/defaults.ts";
import type { PodSpec, PodVolume } from "../kinds/core/v1/pod/spec-schema.ts";
import type { Dialect } from "../meta/dialect.ts";
import { generatedName } from "../schema/generated-name.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Random } from "../util/clock.ts";
import { isObject } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";

const PODS = { group: "", plural: "pods" };
const DEFAULT = "default";
const VOLUME_PREFIX = "kube-api-access-";
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour and seven seconds: the lifetime by which the tokens of all Pods are recognised. */
const TOKEN_SECONDS = 3607;
const FILE_MODE = 0o644;

interface ServiceAccount extends ApiObject {
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly secrets?: readonly { readonly name?: string }[];
}

const isServiceAccount = guardOf<ServiceAccount>("ServiceAccount");

type Container = NonNullable<PodSpec["containers"]>[number];

/** What the step is made of. */
export interface ServiceAccountParts {
  readonly dialect: Dialect;
  readonly random: Random;
}

/** Gives Pods a ServiceAccount, its token and its image pull secrets, and refuses those whose account is not there. */
export function serviceAccount({ dialect, random }: ServiceAccountParts): AdmissionStep {
  const enforced = `${dialect.labelDomain}/enforce-mountable-secrets`;

  /** The account that a Pod names; undefined for the default one that is not there yet. */
  const accountOf = (request: AdmissionRequest, name: string): ServiceAccount | undefined => {
    const found = request.lookup.get("serviceaccounts", request.namespace, name);
    if (isServiceAccount(found)) return found;
    if (name === DEFAULT) return undefined;
    const account = `${request.namespace}/${name}`;
    throw refusal(request, `error looking up service account ${account}: serviceaccount "${name}" not found`);
  };

  return {
    name: "ServiceAccount",
    resources: [PODS],
    mutate(request) {
      const pod = podOf(request);
      if (!pod || isMirror(pod, dialect)) return;
      const { spec } = pod;
      const name = spec.serviceAccountName || DEFAULT;
      spec.serviceAccountName = name;
      spec.serviceAccount = name;
      const account = accountOf(request, name);
      if (spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true) mountToken(spec, random);
      if (!spec.imagePullSecrets?.length && account?.imagePullSecrets?.length) {
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name: secret = "" }) => ({ name: secret }));
      }
    },
    validate(request) {
      const pod = podOf(request);
      if (!pod) return;
      const { spec } = pod;
      if (isMirror(pod, dialect)) {
        const wrong = wrongOfMirror(spec);
        if (wrong !== undefined) throw refusal(request, wrong);
        return;
      }
      const { serviceAccountName: name = "" } = spec;
      if (name === "") throw refusal(request, "no service account specified for the Pod");
      const account = accountOf(request, name);
      if (account?.metadata.annotations?.[enforced] !== "true") return;
      const wrong = wrongSecret(spec, account);
      if (wrong !== undefined) throw refusal(request, wrong);
    },
  };
}

/** A new Pod; undefined for other requests. */
function podOf(request: AdmissionRequest): Pod | undefined {
  const { operation, subresource, object } = request;
  if (operation !== "CREATE" || subresource !== "" || !concerns(request, PODS)) return undefined;
  return isPod(object) ? object : undefined;
}

/** Mounts a volume with the token where other programs look for it, in each container that has nothing mounted there. */
function mountToken(spec: PodSpec, random: Random): void {
  const own = spec.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX));
  const volume = own ?? tokenVolume(generatedName(VOLUME_PREFIX, random));
  const lacking = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts }) => !volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH),
  );
  const mount = { name: volume.name, readOnly: true, mountPath: MOUNT_PATH };
  for (const container of lacking) container.volumeMounts = [...(container.volumeMounts ?? []), { ...mount }];
  if (!own && lacking.length > 0) spec.volumes = [...(spec.volumes ?? []), volume];
}

/** A volume with a token, the certificate of the server and the namespace. */
const tokenVolume = (name: string): PodVolume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: FILE_MODE,
  },
});

const sourcesOf = ({ projected }: PodVolume): readonly unknown[] => {
  const sources = isObject(projected) ? projected["sources"] : undefined;
  return Array.isArray(sources) ? sources : [];
};

/** Whether a source of a projected volume has a member. */
const has = (source: unknown, member: string): boolean => isObject(source) && Boolean(source[member]);

/** A Pod that a node runs by itself gets nothing that its node could not read otherwise. */
function wrongOfMirror(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return "a mirror pod may not reference service accounts";
  const { volumes = [] } = spec;
  const inVolumes = volumes.some(
    (volume) => volume["secret"] || sourcesOf(volume).some((source) => has(source, "secret")),
  );
  const inContainers = containersOf(spec).some(({ container }) => secretsOf(container).length > 0);
  if (inVolumes || inContainers || spec.imagePullSecrets?.length) return "a mirror pod may not reference secrets";
  const hasToken = volumes.some((volume) => sourcesOf(volume).some((source) => has(source, "serviceAccountToken")));
  return hasToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

/** The first Secret that a Pod uses and that its account, which says which ones it may, does not name. */
function wrongSecret(
  spec: PodSpec,
  { metadata, secrets = [], imagePullSecrets = [] }: ServiceAccount,
): string | undefined {
  const mountable = new Set(secrets.map(({ name }) => name));
  const why = `is not allowed because service account ${metadata.name} does not reference that`;
  for (const { secret } of spec.volumes ?? []) {
    const name = isObject(secret) ? secret["secretName"] : undefined;
    if (typeof name === "string" && !mountable.has(name))
      return `volume with secret.secretName="${name}" ${why} secret`;
  }
  for (const { what, container } of containersOf(spec)) {
    for (const { variable, secret } of secretsOf(container)) {
      if (mountable.has(secret)) continue;
      const where = variable === undefined ? "with envFrom" : `with envVar ${variable}`;
      return `${what} ${container.name} ${where} referencing secret.secretName="${secret}" ${why} secret`;
    }
  }
  const pulled = new Set(imagePullSecrets.map(({ name }) => name));
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pulled.has(name)) return `imagePullSecrets[${i}].name="${name}" ${why} imagePullSecret`;
  }
  return undefined;
}

const containersOf = (spec: PodSpec): readonly { readonly what: string; readonly container: Container }[] => [
  ...(spec.initContainers ?? []).map((container) => ({ what: "init container", container })),
  ...(spec.containers ?? []).map((container) => ({ what: "container", container })),
];

/** The Secrets of the environment of a container, with the variable where it is one. */
const secretsOf = ({
  env = [],
  envFrom = [],
}: Container): { readonly variable?: string; readonly secret: string }[] => [
  ...env.flatMap(({ name, valueFrom }) => {
    const secret = valueFrom?.secretKeyRef?.name;
    return secret === undefined ? [] : [{ variable: name, secret }];
  }),
  ...envFrom.flatMap(({ secretRef }) => (secretRef?.name === undefined ? [] : [{ secret: secretRef.name }])),
];
