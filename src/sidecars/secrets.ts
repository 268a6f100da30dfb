/**
 * Secrets for a driver: which ones the parameters of a class name, and their content (PVS-14).
 *
 * A name in a parameter may have variables for the names of the claim and its volume, such as `${pvc.name}`.
 *
 * @module
 */
import { type Client, isStatus } from "../client/index.ts";
import { Secret } from "../client/kinds/index.ts";
import { type TextCheck, dnsLabel, dnsSubdomain } from "../meta/names.ts";
import type { Texts } from "./contract.ts";

/** The name of a Secret and its namespace. */
export interface SecretRef {
  readonly name: string;
  readonly namespace: string;
}

/** A reference that may be missing, or half of it. */
export type OptionalSecretRef = { readonly [K in keyof SecretRef]?: string | undefined };

/** The values of the variables in a template. */
export interface TemplateValues {
  /** For the name of a Secret. */
  readonly inName: Texts;
  /** For its namespace: none that a user chooses freely. */
  readonly inNamespace: Texts;
}

/** The error of invalid parameters. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

/**
 * The Secret that parameters name for a purpose, such as `provisioner`; else the one for all purposes.
 *
 * @param prefix of the names of parameters
 * @param older names of the deprecated parameters, for name and namespace
 * @throws ParameterError
 */
export function secretFor(
  purpose: string,
  parameters: Texts,
  values: TemplateValues,
  { prefix, older }: { readonly prefix: string; readonly older?: readonly [string, string] | undefined },
): SecretRef | undefined {
  const stem = purpose === "" ? `${prefix}secret` : `${prefix}${purpose}-secret`;
  const name = templateOf(parameters, `${stem}-name`, older?.[0]);
  const namespace = templateOf(parameters, `${stem}-namespace`, older?.[1]);
  if (name === undefined && namespace === undefined) {
    return purpose === "" ? undefined : secretFor("", parameters, values, { prefix });
  }
  if (!name || !namespace) {
    throw new ParameterError(`expected both ${stem}-name and ${stem}-namespace, neither of them empty`);
  }
  return {
    name: valid(dnsSubdomain, resolved(name, values.inName), `${stem}-name`),
    namespace: valid(dnsLabel, resolved(namespace, values.inNamespace), `${stem}-namespace`),
  };
}

function templateOf(parameters: Texts, key: string, older: string | undefined): string | undefined {
  const isOlder = older !== undefined && Object.hasOwn(parameters, older);
  if (!Object.hasOwn(parameters, key)) return isOlder ? parameters[older] : undefined;
  if (isOlder) throw new ParameterError(`expected one of the parameters ${older} and ${key}, got both`);
  return parameters[key];
}

function resolved(template: string, values: Texts): string {
  let out = "";
  let at = 0;
  for (let begin = template.indexOf("${"); begin >= 0; begin = template.indexOf("${", at)) {
    const end = template.indexOf("}", begin);
    if (end < 0) break;
    const variable = template.slice(begin + 2, end);
    if (!Object.hasOwn(values, variable)) {
      const names = Object.keys(values).join(", ");
      const [found, text] = [JSON.stringify(variable), JSON.stringify(template)];
      throw new ParameterError(`expected one of ${names} in ${text}, got ${found}`);
    }
    out += template.slice(at, begin) + values[variable];
    at = end + 1;
  }
  return out + template.slice(at);
}

function valid(check: TextCheck, name: string, parameter: string): string {
  const expected = check(name);
  if (expected === undefined) return name;
  throw new ParameterError(`${expected} by the parameter ${parameter}, got ${JSON.stringify(name)}`);
}

/** The content of a Secret for a driver; empty where the reference is empty. @throws StatusError */
export async function credentials(client: Client, ref: OptionalSecretRef = {}): Promise<Texts> {
  const { name, namespace } = ref;
  if (!name || !namespace) return {};
  const { data = {} } = await client.resource(Secret).get({ name, namespace });
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, textOf(value)]));
}

/** As {@link credentials}, and empty where the Secret does not exist any more. */
export async function credentialsIfAny(client: Client, ref?: OptionalSecretRef): Promise<Texts> {
  try {
    return await credentials(client, ref);
  } catch (error) {
    if (isStatus(error, "NotFound")) return {};
    throw error;
  }
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

/** The Secret that annotations name; `keys` are the names of the annotations. */
export const annotatedSecret = (annotations: Texts = {}, keys: SecretRef): OptionalSecretRef => ({
  name: annotations[keys.name],
  namespace: annotations[keys.namespace],
});
