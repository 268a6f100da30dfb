/**
 * Admission of Pods as programs that act under a ServiceAccount: each has one, and the volume with its token.
 * It checks creates, and ephemeral containers that are added; the account of a Pod never changes. A namespace may be a moment older than
 * its account `default`. Where the controller `serviceaccount` runs in this process, a Pod does not wait for it; else the request waits
 * some time, since another program may create it.
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
import { pauseCount } from "../util/activity.ts";
import type { Clock, Random } from "../util/clock.ts";
import { isObject } from "../value/value.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "./contract.ts";
import { isPod } from "./pods.ts";

const PODS = { group: "", plural: "pods" };
const DEFAULT = "default";
/** The interval in which the account `default` is looked for, and the shortest interval; random jitter makes it at most twice as long. */
const MAX_LOOKUPS = 10;
const MIN_PAUSE_MS = 100;
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

/** The parts that the step needs. */
export interface ServiceAccountParts {
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "after">;
  readonly random: Random;
  /** Whether the controller that creates the account `default` of each namespace runs in this process. */
  readonly hasController: boolean;
}

/** Gives Pods a ServiceAccount, its token and its image pull secrets, and refuses those whose account does not exist. */
export function serviceAccount(parts: ServiceAccountParts): AdmissionStep {
  const { dialect, random, hasController } = parts;
  const enforced = `${dialect.labelDomain}/enforce-mountable-secrets`;

  /** The account that a Pod names; undefined for the default one that does not exist yet. */
  const accountOf = (request: AdmissionRequest, name: string): ServiceAccount | undefined => {
    const found = find(request, name);
    if (found || (name === DEFAULT && hasController)) return found;
    const account = `${request.namespace}/${name}`;
    throw refusal(request, `error looking up service account ${account}: serviceaccount "${name}" not found`);
  };

  /** Refuses Secrets that an account does not name, where it restricts them. */
  const checkSecrets = (request: AdmissionRequest, { spec }: Pod, use: SecretUse): void => {
    const { serviceAccountName: name = "" } = spec;
    if (name === "") throw refusal(request, "no service account specified for the Pod");
    const account = accountOf(request, name);
    if (account?.metadata.annotations?.[enforced] !== "true") return;
    const wrong = wrongSecret(use, account);
    if (wrong !== undefined) throw refusal(request, wrong);
  };

  const fill = (request: AdmissionRequest, spec: PodSpec, name: string): void => {
    const account = accountOf(request, name);
    if (spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true) mountToken(spec, random);
    if (!spec.imagePullSecrets?.length && account?.imagePullSecrets?.length) {
      spec.imagePullSecrets = account.imagePullSecrets.map(({ name: secret = "" }) => ({ name: secret }));
    }
  };

  return {
    name: "ServiceAccount",
    resources: [PODS],
    mutate(request) {
      const pod = podOf(request);
      if (!pod || isMirror(pod, dialect)) return undefined;
      const { spec } = pod;
      const name = spec.serviceAccountName || DEFAULT;
      spec.serviceAccountName = name;
      spec.serviceAccount = name;
      // In a plan no controller adds an account.
      const waits = name === DEFAULT && !hasController && !request.isPlanned && !find(request, name);
      return waits ? appeared(request, name, parts).then(() => fill(request, spec, name)) : fill(request, spec, name);
    },
    validate(request) {
      const changed = withEphemeralContainers(request);
      if (changed) return checkSecrets(request, changed, ephemeralUse(changed.spec));
      const pod = podOf(request);
      if (!pod) return undefined;
      if (!isMirror(pod, dialect)) return checkSecrets(request, pod, useOf(pod.spec));
      const wrong = wrongOfMirror(pod.spec);
      if (wrong !== undefined) throw refusal(request, wrong);
      return undefined;
    },
  };
}

function find({ lookup, namespace }: AdmissionRequest, name: string): ServiceAccount | undefined {
  const found = lookup.get("serviceaccounts", namespace, name);
  return isServiceAccount(found) ? found : undefined;
}

/** Resolves when an account exists, or was not created in time. */
async function appeared(
  request: AdmissionRequest,
  name: string,
  { clock, random }: Pick<ServiceAccountParts, "clock" | "random">,
): Promise<void> {
  using _parked = pauseCount();
  const pause = MIN_PAUSE_MS * (1 + random.next());
  for (let i = 1; i < MAX_LOOKUPS && !find(request, name); i++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.after(pause, resolve);
    await promise;
  }
}

/** A Pod that gets ephemeral containers; undefined for other requests. */
function withEphemeralContainers(request: AdmissionRequest): Pod | undefined {
  const { operation, subresource, object } = request;
  if (operation !== "UPDATE" || subresource !== "ephemeralcontainers" || !concerns(request, PODS)) return undefined;
  return isPod(object) ? object : undefined;
}

/** A new Pod; undefined for other requests. */
function podOf(request: AdmissionRequest): Pod | undefined {
  const { operation, subresource, object } = request;
  if (operation !== "CREATE" || subresource !== "" || !concerns(request, PODS)) return undefined;
  return isPod(object) ? object : undefined;
}

/** Mounts a volume with the token at the default path, in each container that has no mount there. */
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

/** A static Pod gets only what its node can read anyway. */
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

/** A container with the name of its list in messages. */
interface ListedContainer {
  readonly what: string;
  readonly container: Pick<Container, "name" | "env" | "envFrom">;
}

/** Where Secrets may be used. */
interface SecretUse {
  readonly volumes: readonly PodVolume[];
  readonly containers: readonly ListedContainer[];
  readonly pullSecrets: readonly { readonly name?: string }[];
}

const useOf = (spec: PodSpec): SecretUse => ({
  volumes: spec.volumes ?? [],
  containers: containersOf(spec),
  pullSecrets: spec.imagePullSecrets ?? [],
});

/** The Secrets that ephemeral containers use: the rest of the Pod does not change. */
const ephemeralUse = ({ ephemeralContainers = [] }: PodSpec): SecretUse => ({
  volumes: [],
  containers: ephemeralContainers.map((container) => ({ what: "ephemeral container", container })),
  pullSecrets: [],
});

/** The first Secret that a Pod uses and that its account, which restricts Secrets, does not name. */
function wrongSecret(
  { volumes, containers, pullSecrets }: SecretUse,
  { metadata, secrets = [], imagePullSecrets = [] }: ServiceAccount,
): string | undefined {
  const mountable = new Set(secrets.map(({ name }) => name));
  const why = `is not allowed because service account ${metadata.name} does not reference that`;
  for (const { secret } of volumes) {
    const name = isObject(secret) ? secret["secretName"] : undefined;
    if (typeof name === "string" && !mountable.has(name))
      return `volume with secret.secretName="${name}" ${why} secret`;
  }
  for (const { what, container } of containers) {
    for (const { variable, secret } of secretsOf(container)) {
      if (mountable.has(secret)) continue;
      const where = variable === undefined ? "with envFrom" : `with envVar ${variable}`;
      return `${what} ${container.name} ${where} referencing secret.secretName="${secret}" ${why} secret`;
    }
  }
  const pulled = new Set(imagePullSecrets.map(({ name }) => name));
  for (const [i, { name }] of pullSecrets.entries()) {
    if (!pulled.has(name)) return `imagePullSecrets[${i}].name="${name}" ${why} imagePullSecret`;
  }
  return undefined;
}

const containersOf = (spec: PodSpec): readonly ListedContainer[] => [
  ...(spec.initContainers ?? []).map((container) => ({ what: "init container", container })),
  ...(spec.containers ?? []).map((container) => ({ what: "container", container })),
];

/** The Secrets of the environment of a container, each with its variable where it has one. */
const secretsOf = ({
  env = [],
  envFrom = [],
}: Pick<Container, "env" | "envFrom">): { readonly variable?: string; readonly secret: string }[] => [
  ...env.flatMap(({ name, valueFrom }) => {
    const secret = valueFrom?.secretKeyRef?.name;
    return secret === undefined ? [] : [{ variable: name, secret }];
  }),
  ...envFrom.flatMap(({ secretRef }) => (secretRef?.name === undefined ? [] : [{ secret: secretRef.name }])),
];
