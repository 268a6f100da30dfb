/**
 * The environment of a container: what its Pod says, with what that refers to.
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

/** What an environment is read with. */
export interface EnvironmentGround {
  readonly client: Client;
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A name that a shell takes; keys of other names are left out of `envFrom`. */
const NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** The variables of a container, those of its `envFrom` first. @throws an error that names what is missing */
export async function environmentOf(ground: EnvironmentGround, pod: Pod, container: Container): Promise<Texts> {
  const all = new Map<string, string>();
  let size = 0;
  const add = (name: string, text: string): void => {
    size += name.length + text.length;
    if (size > MOST_WORDS) throw new Error(`expected variables of at most ${MOST_WORDS} characters`);
    all.set(name, text);
  };
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    const texts = ref && (await textsOf(ground, pod, configMapRef ? "ConfigMap" : "Secret", ref));
    for (const [key, text] of texts ?? []) if (NAME.test(prefix + key)) add(prefix + key, text);
  }
  for (const { name, value = "", valueFrom } of container.env ?? []) {
    const text = valueFrom ? await textFrom(ground, pod, container, valueFrom) : expanded(value, all);
    if (text !== undefined) add(name, text);
  }
  return all;
}

/** Linux gives a program no more words and variables than this by default, in bytes (a quarter of its stack). */
const MOST_WORDS = 2 * 1024 * 1024;

/** The words of a command with their variables. @throws an error where they are too long, each or all together */
export function expandedWords(words: readonly string[], variables: Texts): string[] {
  let size = 0;
  return words.map((word) => {
    const whole = expanded(word, variables);
    size += whole.length;
    if (size > MOST_WORDS) throw new Error(`expected a command of at most ${MOST_WORDS} characters`);
    return whole;
  });
}

/** `$(NAME)` is the value of a variable that stands before, `$$` is a dollar sign; what is not known stays. */
const expanded = (text: string, variables: Texts): string =>
  expandVariables(text, (name, reference) => variables.get(name) ?? reference);

async function textFrom(
  ground: EnvironmentGround,
  pod: Pod,
  container: Container,
  from: From,
): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = from;
  if (fieldRef) return ofPod(pod, fieldRef.fieldPath);
  if (resourceFieldRef) {
    const asked = { ...resourceFieldRef, containerName: resourceFieldRef.containerName || container.name };
    return containerResource(pod, asked, ground.allocatable());
  }
  const ref = configMapKeyRef ?? secretKeyRef;
  if (!ref) throw new Error("a variable has a source that this node does not know");
  const kind = configMapKeyRef ? "ConfigMap" : "Secret";
  const texts = await textsOf(ground, pod, kind, ref);
  const text = texts?.get(ref.key);
  if (text === undefined && ref.optional !== true) throw new Error(`the ${kind} ${ref.name} has no key ${ref.key}`);
  return text;
}

/** Fields that volumes do not have, and the others. */
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

/** The keys of an object with their texts; undefined where it is missing and may be. */
async function textsOf(
  { client, signal }: EnvironmentGround,
  pod: Pod,
  kind: "ConfigMap" | "Secret",
  { name = "", optional }: { readonly name?: string; readonly optional?: boolean },
): Promise<Texts | undefined> {
  const key = { namespace: pod.metadata.namespace ?? "", name };
  const found =
    kind === "ConfigMap"
      ? await client.resource(ConfigMap).find(key, { signal })
      : await client.resource(Secret).find(key, { signal });
  if (!found && optional !== true) throw new Error(`the ${kind} ${name} does not exist`);
  if (!found) return undefined;
  const entries = Object.entries(found.data ?? {});
  return new Map(kind === "ConfigMap" ? entries : entries.map(([one, text]) => [one, textIn(text)]));
}

const textIn = (base64: string): string => Buffer.from(base64, "base64").toString();
