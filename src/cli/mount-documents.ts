import type { ClusterTrustBundle, ConfigMap, Pod, Secret } from "../client/kinds/index.ts";
import { dnsLabel } from "../meta/names.ts";
import { DecodeError } from "../value/decode-error.ts";
import { documentsOf } from "../value/documents.ts";
import { type Value, isObject } from "../value/value.ts";
import { withRequests } from "../volumes/pod-defaults.ts";
import { CliError } from "./cli-error.ts";

/** An object of a file with kind and name. */
interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

/** The Pod of the files, and other objects. */
export interface MountDocuments {
  readonly pod: Pod;
  /** Finds objects in the namespace of the Pod. */
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
  readonly bundles: readonly ClusterTrustBundle[];
}

/** The name of the Pod, and the default namespace. */
export interface PodChoice {
  readonly pod?: string | undefined;
  readonly namespace: string;
}

/** Reads texts by file names. @throws CliError if they have no Pod, or several and none is chosen */
export function readDocuments(texts: ReadonlyMap<string, string>, choice: PodChoice): MountDocuments {
  const all = [...texts].flatMap(([file, text]) => objectsIn(text, file));
  const found = onlyPod(all, choice);
  const namespace = found.metadata.namespace ?? choice.namespace;
  const find = (kind: string, name: string): Document | undefined =>
    // The last one wins, as if all were applied in order.
    all.findLast(
      (one) =>
        one.kind === kind && one.metadata.name === name && (one.metadata.namespace ?? choice.namespace) === namespace,
    );
  return {
    pod: podOf(found, namespace),
    configMap: (name) => find("ConfigMap", name) as ConfigMap | undefined,
    secret(name) {
      const secret = find("Secret", name) as Secret | undefined;
      return secret && withStringData(secret);
    },
    bundles: all.filter(({ kind }) => kind === "ClusterTrustBundle") as unknown as ClusterTrustBundle[],
  };
}

function objectsIn(text: string, file: string): Document[] {
  try {
    return documentsOf(text, file).flatMap(({ value, from }) => itemsOf(value, from));
  } catch (cause) {
    throw cause instanceof DecodeError ? new CliError(cause.message, { cause }) : cause;
  }
}

/** Returns the object of a document, or the objects of a list; none for an empty document. */
function itemsOf(value: Value, from: string): Document[] {
  if (value === null) return [];
  if (!isObject(value)) throw new CliError(`expected an object in ${from}`);
  const { kind, metadata, items } = value;
  if (Array.isArray(items) && typeof kind === "string" && kind.endsWith("List")) {
    return items.flatMap((item) => itemsOf(item, from));
  }
  const name = isObject(metadata ?? null) ? (metadata as { readonly name?: Value }).name : undefined;
  if (typeof kind !== "string" || typeof name !== "string" || name === "") {
    throw new CliError(`expected an object with kind and metadata.name in ${from}`);
  }
  return [value as unknown as Document];
}

function onlyPod(all: readonly Document[], { pod: name }: PodChoice): Document {
  const pods = all.filter(({ kind, metadata }) => kind === "Pod" && (name === undefined || metadata.name === name));
  const [pod, ...others] = pods;
  if (!pod) throw new CliError(`expected a Pod${name === undefined ? "" : ` ${name}`} in the files`);
  if (others.length > 0) {
    const names = pods.map(({ metadata }) => metadata.name).join(", ");
    throw new CliError(`expected one Pod in the files, found ${names}: choose one with --pod`);
  }
  return pod;
}

/** Returns the Pod with defaults of a server. @throws CliError if the name of a volume cannot be that of a directory */
function podOf({ metadata, spec, ...rest }: Document, namespace: string): Pod {
  const own = isObject((spec ?? null) as Value) ? (spec as Partial<Pod["spec"]>) : {};
  const pod = {
    ...rest,
    metadata: { uid: "", ...metadata, namespace },
    spec: { serviceAccountName: "default", containers: [], ...own },
  } as unknown as Pod;
  for (const { name } of pod.spec.volumes ?? []) {
    const wrong = dnsLabel(name);
    if (wrong !== undefined) throw new CliError(`expected the name of a volume, got ${JSON.stringify(name)}: ${wrong}`);
  }
  return withRequests(pod);
}

/** Moves `stringData` of a Secret into its data, as a server does. */
function withStringData(secret: Secret): Secret {
  const texts = Object.entries(secret.stringData ?? {}).map(([key, text]) => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(texts) } };
}
