/**
 * The environment variables and the command of a container, with the objects that they refer to.
 *
 * @module
 */
import type { Client } from "../../../client/index.ts";
import { ConfigMap, type Pod, Secret } from "../../../client/kinds/index.ts";
import { containerResource } from "../../../volumes/container-resources.ts";
import { podField } from "../../../volumes/pod-fields.ts";
import { expandVariables } from "../../variables.ts";
import type { Container } from "../contract.ts";

type Variable = NonNullable<Container["env"]>[number];
type From = NonNullable<Variable["valueFrom"]>;
type Texts = ReadonlyMap<string, string>;

/** What reads an environment. */
export interface EnvironmentContext {
  readonly client: Client;
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A valid name; `envFrom` leaves out keys with other names. */
const NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** The variables of a container, those of `envFrom` first. @throws for a missing reference */
export async function environmentOf(context: EnvironmentContext, pod: Pod, container: Container): Promise<Texts> {
  const all = new Map<string, string>();
  let size = 0;
  const add = (name: string, text: string): void => {
    size += name.length + text.length;
    if (size > MAX_SIZE) throw new Error(`expected variables of at most ${MAX_SIZE} characters`);
    all.set(name, text);
  };
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    const texts = ref && (await textsOf(context, pod, configMapRef ? "ConfigMap" : "Secret", ref));
    for (const [key, text] of texts ?? []) if (NAME.test(prefix + key)) add(prefix + key, text);
  }
  for (const { name, value = "", valueFrom } of container.env ?? []) {
    const text = valueFrom ? await textFrom(context, pod, container, valueFrom) : expanded(value, all);
    if (text !== undefined) add(name, text);
  }
  return all;
}

/** The limit of Linux for arguments and variables of a program, in bytes: a quarter of its stack. */
const MAX_SIZE = 2 * 1024 * 1024;

/** A command with its variables expanded. @throws where it is too long */
export function expandedWords(words: readonly string[], variables: Texts): string[] {
  let size = 0;
  return words.map((word) => {
    const whole = expanded(word, variables);
    size += whole.length;
    if (size > MAX_SIZE) throw new Error(`expected a command of at most ${MAX_SIZE} characters`);
    return whole;
  });
}

/** `$(NAME)` is the value of an earlier variable, `$$` is a dollar sign; unknown references stay. */
const expanded = (text: string, variables: Texts): string =>
  expandVariables(text, (name, reference) => variables.get(name) ?? reference);

async function textFrom(
  context: EnvironmentContext,
  pod: Pod,
  container: Container,
  from: From,
): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = from;
  if (fieldRef) return ofPod(pod, fieldRef.fieldPath);
  if (resourceFieldRef) {
    const selector = { ...resourceFieldRef, containerName: resourceFieldRef.containerName || container.name };
    return containerResource(pod, selector, context.allocatable());
  }
  const ref = configMapKeyRef ?? secretKeyRef;
  if (!ref) throw new Error("expected a source of a variable that this node knows");
  const kind = configMapKeyRef ? "ConfigMap" : "Secret";
  const texts = await textsOf(context, pod, kind, ref);
  const text = texts?.get(ref.key);
  if (text === undefined && ref.optional !== true) {
    throw new Error(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace}/${ref.name}`);
  }
  return text;
}

/** A field of the Pod: those of variables only, and those of volumes. */
function ofPod(pod: Pod, path: string): string {
  const { spec, status } = pod;
  const more: Readonly<Record<string, string | undefined>> = {
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.hostIP": status.hostIP,
    "status.hostIPs": status.hostIPs?.map(({ ip }) => ip).join(","),
    "status.podIP": status.podIP,
    "status.podIPs": status.podIPs?.map(({ ip }) => ip).join(","),
  };
  return Object.hasOwn(more, path) ? (more[path] ?? "") : podField(pod, path);
}

/** The data of an object; undefined where it is optional and does not exist. */
async function textsOf(
  { client, signal }: EnvironmentContext,
  pod: Pod,
  kind: "ConfigMap" | "Secret",
  { name = "", optional }: { readonly name?: string; readonly optional?: boolean },
): Promise<Texts | undefined> {
  const key = { namespace: pod.metadata.namespace ?? "", name };
  const found =
    kind === "ConfigMap"
      ? await client.resource(ConfigMap).find(key, { signal })
      : await client.resource(Secret).find(key, { signal });
  if (!found && optional !== true) throw new Error(`${kind.toLowerCase()} "${name}" not found`);
  if (!found) return undefined;
  const entries = Object.entries(found.data ?? {});
  return new Map(kind === "ConfigMap" ? entries : entries.map(([one, text]) => [one, textIn(text)]));
}

const textIn = (base64: string): string => Buffer.from(base64, "base64").toString();
