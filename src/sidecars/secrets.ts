/**
 * Secrets of a driver: which ones the parameters of a class name, and what is in them (PVS-14).
 *
 * A name in a parameter may have places for the names of the claim and its volume, such as `${pvc.name}`.
 *
 * @module
 */
import { type Client, isStatus } from "../client/index.ts";
import { Secret } from "../client/kinds/index.ts";
import { type TextCheck, dnsLabel, dnsSubdomain } from "../meta/names.ts";
import type { Texts } from "./contract.ts";

/** A Secret in a namespace. */
export interface SecretRef {
  readonly name: string;
  readonly namespace: string;
}

/** What the places in a template stand for. */
export interface TemplateValues {
  /** Those that may stand in the name of a Secret. */
  readonly inName: Texts;
  /** Those that may stand in the name of its namespace: none that a user chooses freely. */
  readonly inNamespace: Texts;
}

/** Parameters that cannot be right; the message says why. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}

/**
 * The Secret that parameters name for a purpose, such as `provisioner`; else the one that they name for all.
 *
 * @param prefix how the names of parameters begin
 * @param older parameters that said the same once, name and namespace
 * @throws ParameterError
 */
export function secretFor(
  purpose: string,
  parameters: Texts,
  values: TemplateValues,
  { prefix, older }: { readonly prefix: string; readonly older?: readonly [string, string] },
): SecretRef | undefined {
  const stem = purpose === "" ? `${prefix}secret` : `${prefix}${purpose}-secret`;
  const name = templateOf(parameters, `${stem}-name`, older?.[0]);
  const namespace = templateOf(parameters, `${stem}-namespace`, older?.[1]);
  if (name === undefined && namespace === undefined) {
    return purpose === "" ? undefined : secretFor("", parameters, values, { prefix });
  }
  if (!name || !namespace) {
    throw new ParameterError(`expected ${stem}-name and ${stem}-namespace to be there together, neither of them empty`);
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
    const place = template.slice(begin + 2, end);
    if (!Object.hasOwn(values, place)) {
      throw new ParameterError(
        `expected one of ${Object.keys(values).join(", ")} in ${JSON.stringify(template)}, got ${JSON.stringify(place)}`,
      );
    }
    out += template.slice(at, begin) + values[place]!;
    at = end + 1;
  }
  return out + template.slice(at);
}

function valid(check: TextCheck, name: string, parameter: string): string {
  const expected = check(name);
  if (expected === undefined) return name;
  throw new ParameterError(`${expected} by the parameter ${parameter}, got ${JSON.stringify(name)}`);
}

/** What is in a Secret, as a driver is given it; nothing where there is none to read. @throws StatusError */
export async function credentials(client: Client, ref: SecretRef | undefined): Promise<Texts> {
  if (!ref) return {};
  const { data = {} } = await client.resource(Secret).get(ref);
  const entries = Object.entries(data).map(([key, value]) => [key, textOf(value)] as const);
  return Object.fromEntries(entries);
}

/** As {@link credentials}, where a Secret that is gone is no reason not to go on. */
export async function credentialsIfAny(client: Client, ref: SecretRef | undefined): Promise<Texts> {
  try {
    return await credentials(client, ref);
  } catch (error) {
    if (isStatus(error, "NotFound")) return {};
    throw error;
  }
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
