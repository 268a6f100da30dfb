/** The environment of a container, as a kubelet makes it. */
import type { Pod } from "../../client/kinds/index.ts";
import type { Container } from "../life/contract.ts";
import { type Addresses, fieldOf, resourceOf } from "./fields.ts";

/** Reads the texts of a ConfigMap or Secret of the namespace of a Pod; undefined where it is absent. */
export type ReadTexts = (
  kind: "ConfigMap" | "Secret",
  name: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** The most characters of an environment, names and values: that of a kernel is bounded, too. */
const MAX_CHARACTERS = 2 << 20;

/** An environment, or why there is none. */
export type Environment = { readonly env: Readonly<Record<string, string>> } | { readonly problem: string };

/** Whether the environment of a container needs other objects. */
export const needsObjects = ({ env = [], envFrom = [] }: Container): boolean =>
  envFrom.length > 0 || env.some(({ valueFrom }) => valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef);

/** Makes the environment of a container. */
export async function environmentOf(
  pod: Pod,
  container: Container,
  addresses: Addresses,
  read: ReadTexts,
): Promise<Environment> {
  const env: Record<string, string> = {};
  let left = MAX_CHARACTERS;
  /** Whether there is room for a variable. */
  const add = (name: string, value: string): boolean => {
    left -= name.length + value.length;
    if (left >= 0) env[name] = value;
    return left >= 0;
  };
  const tooLarge = { problem: `the environment of container ${container.name} is larger than 2 MiB` };
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const kind = configMapRef ? "ConfigMap" : "Secret";
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    // oxlint-disable-next-line no-await-in-loop -- later ones win
    const texts = await read(kind, name);
    if (!texts && !optional) return { problem: `${kind.toLowerCase()} "${name}" not found` };
    for (const [key, value] of Object.entries(texts ?? {})) if (!add(`${prefix}${key}`, value)) return tooLarge;
  }
  for (const { name, value = "", valueFrom } of container.env ?? []) {
    if (!valueFrom) {
      const expanded = expand(value, env, left);
      if (expanded === undefined || !add(name, expanded)) return tooLarge;
      continue;
    }
    const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
    if (fieldRef && !add(name, fieldOf(pod, fieldRef.fieldPath, addresses))) return tooLarge;
    if (resourceFieldRef) add(name, resourceOf(container, resourceFieldRef.resource, resourceFieldRef.divisor));
    const ref = configMapKeyRef ?? secretKeyRef;
    if (!ref) continue;
    const kind = configMapKeyRef ? "ConfigMap" : "Secret";
    const { name: from = "", key, optional = false } = ref;
    // oxlint-disable-next-line no-await-in-loop -- in the order of the spec
    const texts = await read(kind, from);
    if (!texts && !optional) return { problem: `${kind.toLowerCase()} "${from}" not found` };
    if (texts && Object.hasOwn(texts, key)) {
      if (!add(name, texts[key]!)) return tooLarge;
    } else if (!optional) {
      return { problem: `couldn't find key ${key} in ${kind} ${pod.metadata.namespace ?? ""}/${from}` };
    }
  }
  return { env };
}

/**
 * Replaces `$(NAME)` of known variables, others are kept; `$$` is a dollar sign. Undefined where that is longer than
 * `most` characters: a few lines could double a text again and again.
 */
function expand(text: string, env: Readonly<Record<string, string>>, most: number): string | undefined {
  let out = "";
  let at = 0;
  for (let dollar = text.indexOf("$"); dollar >= 0; dollar = text.indexOf("$", at)) {
    out += text.slice(at, dollar);
    if (out.length > most) return undefined;
    const end = text[dollar + 1] === "(" ? text.indexOf(")", dollar) : -1;
    const name = end > 0 ? text.slice(dollar + 2, end) : undefined;
    if (name !== undefined) {
      out += Object.hasOwn(env, name) ? env[name]! : text.slice(dollar, end + 1);
      at = end + 1;
    } else {
      out += "$";
      at = dollar + (text[dollar + 1] === "$" ? 2 : 1);
      // Without a closing bracket nothing follows that could be one.
      if (end < 0 && text[dollar + 1] === "(") return out + text.slice(at);
    }
  }
  return out + text.slice(at);
}
