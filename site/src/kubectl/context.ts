/**
 * What the commands of the small kubectl share: which objects a command names, and where its manifests come from.
 *
 * @module
 */
import type { ServedKind } from "../../../src/client/kind.ts";
import { documentsOf, objectsOf } from "../../../src/value/documents.ts";
import type { Streams } from "../shell/shell.ts";
import { type Api, type ApiJson, ApiFailure, Failure, conflictText, failureText, pathOf } from "./api.ts";
import type { Flags } from "./flags.ts";
import type { ContainerTarget, ExecRequest, ExecResult } from "../../../src/simulation/contract.ts";

/** Runs a command in a container; a word says why it does not run. */
export type Exec = (target: ContainerTarget, request: ExecRequest) => Promise<ExecResult | string>;

/** A command with what it was given. */
export interface Command {
  readonly flags: Flags;
  readonly streams: Streams;
  readonly api: Api;
  /** Undefined where the containers of the cluster cannot be reached. */
  readonly exec?: Exec | undefined;
}

/** The variable of the shell with the namespace that `kubectl config set-context --current --namespace` has set. */
export const NAMESPACE_VARIABLE = "NAMESPACE_OF_CONTEXT";

/** The namespace of a command. */
export const namespaceOf = ({ flags, streams }: Command): string =>
  flags.get("namespace") ?? streams.shell.variables.get(NAMESPACE_VARIABLE) ?? "default";

/** An object that a command names. */
export interface Target {
  readonly kind: ServedKind;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Objects or collections that words name. */
export interface Named {
  readonly kind: ServedKind;
  /** Empty for all of the kind. */
  readonly names: readonly string[];
}

/** Reads words: `pod web other`, `pod/web service/db`, `pods,services`. @throws Failure */
export async function namedBy({ api }: Command, words: readonly string[], what: string): Promise<readonly Named[]> {
  const [first, ...names] = words;
  if (first === undefined) {
    throw new Failure(
      `error: You must specify the type of resource to ${what}. Use "kubectl api-resources" for a complete list of supported resources.`,
    );
  }
  if (words.some((word) => word.includes("/"))) {
    const found: Named[] = [];
    for (const word of words) {
      const at = word.indexOf("/");
      if (at < 0)
        throw new Failure(
          `error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'`,
        );
      // oxlint-disable-next-line no-await-in-loop -- discovery is read once
      found.push({ kind: await api.findKind(word.slice(0, at)), names: [word.slice(at + 1)] });
    }
    return found;
  }
  const kinds = first.split(",").flatMap((type) => (type === "all" ? ALL : [type]));
  return Promise.all(kinds.map(async (type) => ({ kind: await api.findKind(type), names })));
}

/** The kinds of the category `all`, in the order of kubectl. */
const ALL = [
  "pods",
  "replicationcontrollers",
  "services",
  "daemonsets",
  "deployments",
  "replicasets",
  "statefulsets",
  "horizontalpodautoscalers",
  "cronjobs",
  "jobs",
];

/** The objects that words, files or a selector name. @throws Failure, ApiFailure */
export async function targetsOf(command: Command, words: readonly string[], what: string): Promise<readonly Target[]> {
  const { flags, api } = command;
  if (flags.has("filename")) {
    const manifests = await manifestsOf(command);
    return manifests.map(({ object, kind, namespace }) => ({ kind, name: object.metadata.name, namespace }));
  }
  const targets: Target[] = [];
  for (const { kind, names } of await namedBy(command, words, what)) {
    const namespace = kind.scope === "Namespaced" ? namespaceOf(command) : undefined;
    targets.push(...names.map((name) => ({ kind, name, namespace })));
    if (names.length > 0) continue;
    const selector = flags.get("selector");
    if (selector === undefined && !flags.on("all")) {
      throw new Failure(`error: resource(s) were provided, but no name was specified`);
    }
    const path = pathOf(kind, flags.on("all-namespaces") ? undefined : namespace);
    // oxlint-disable-next-line no-await-in-loop -- in the order of the words
    const { items } = await api.json<{ items: readonly ApiJson[] }>("GET", path, {
      query: { labelSelector: selector },
    });
    targets.push(...items.map(({ metadata }) => ({ kind, name: metadata.name, namespace: metadata.namespace })));
  }
  return targets;
}

/** An object of a file. */
export interface ManifestObject {
  readonly object: ApiJson;
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly source: string;
}

/** The objects of `-f`. @throws Failure */
export async function manifestsOf(command: Command): Promise<readonly ManifestObject[]> {
  const found: ManifestObject[] = [];
  for (const { object, source } of objectsIn(command)) {
    // oxlint-disable-next-line no-await-in-loop -- discovery is read once
    const kind = await command.api.kindOf(object, source);
    const isIn = kind.scope === "Namespaced";
    const asked = command.flags.get("namespace");
    const own = object.metadata.namespace;
    if (isIn && asked !== undefined && own !== undefined && own !== asked) {
      throw new Failure(
        `error: the namespace from the provided object "${own}" does not match the namespace "${asked}". You must pass '--namespace=${own}' to perform this operation.`,
      );
    }
    const namespace = isIn ? (own ?? namespaceOf(command)) : undefined;
    const metadata = namespace === undefined ? object.metadata : { ...object.metadata, namespace };
    found.push({ object: { ...object, metadata }, kind, namespace, source });
  }
  if (found.length === 0) throw new Failure("error: no objects passed to this command");
  return found;
}

/** The objects of `-f` as they are written. */
export function objectsIn({
  flags,
  streams,
}: Command): readonly { readonly object: ApiJson; readonly source: string }[] {
  const names = flags.all("filename").flatMap((list) => list.split(","));
  if (names.length === 0) throw new Failure("error: must specify one of -f and -k");
  return names
    .flatMap((name) => textsOf(name, streams))
    .flatMap(({ text, source }) => {
      try {
        return documentsOf(text, source)
          .flatMap(({ value, from }) => objectsOf(value, from))
          .map(({ value }) => ({ object: plain(value), source }));
      } catch (error) {
        throw new Failure(`error: error parsing ${source}: ${(error as Error).message}`);
      }
    });
}

/** Numbers that JavaScript does not keep are texts of their own while they are read. */
const plain = (value: unknown): ApiJson => {
  const object = JSON.parse(JSON.stringify(value)) as ApiJson;
  if (typeof object.apiVersion !== "string" || typeof object.kind !== "string") {
    throw new Error("Object 'Kind' is missing");
  }
  return { ...object, metadata: object.metadata ?? { name: "" } };
};

function textsOf(
  name: string,
  { input, shell }: Streams,
): readonly { readonly text: string; readonly source: string }[] {
  if (name === "-") return [{ text: input, source: "STDIN" }];
  const text = shell.files.read(name);
  if (text !== undefined) return [{ text, source: name }];
  const folder = `/${name.replace(/^\.?\//, "").replace(/\/$/, "")}/`.replace("//", "/");
  const within = shell.files.list().filter((path) => path.startsWith(folder) && /\.(?:ya?ml|json)$/.test(path));
  if (within.length === 0) throw new Failure(`error: the path "${name}" does not exist`);
  return within.map((path) => ({ text: shell.files.read(path)!, source: path.slice(1) }));
}

/** Runs one thing after the other; what fails is printed, and the others run. */
export async function eachOf<T>(
  { streams }: Command,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<number> {
  let code = 0;
  for (const item of items) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- in the order of the files
      await work(item);
    } catch (error) {
      if (error instanceof ApiFailure) streams.err(`${conflictText(error) ?? failureText(error)}\n`);
      else if (error instanceof Failure) streams.err(`${error.message}\n`);
      else throw error;
      code = 1;
    }
  }
  return code;
}
