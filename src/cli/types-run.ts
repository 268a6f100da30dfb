/**
 * What `keelson types` does once it is asked to: reads files, has their definitions judged, and writes a module.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { DecodeError } from "../value/decode-error.ts";
import { type FoundValue, documentsOf, objectsOf } from "../value/documents.ts";
import { type ValueObject, getMember, isObject } from "../value/value.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { textOf } from "./text-of.ts";
import { type Definition, type TypedKind, moduleOf } from "./types-module.ts";

/** What types are asked for. */
export interface TypesRequest {
  readonly files: readonly string[];
  /** The one version that is wanted. */
  readonly version?: string;
  /** Where the module goes; it is printed by default. */
  readonly output?: string;
}

/** A definition as it was read. */
interface Found {
  readonly value: ValueObject;
  readonly from: string;
}

const API_VERSION = "apiextensions.k8s.io/v1";
const KIND = "CustomResourceDefinition";

/** Reads, judges and writes. @throws CliError that names each file and field that is wrong */
export async function runTypes(actions: Actions, { files, version, output }: TypesRequest): Promise<void> {
  const found: FoundValue[] = [];
  for (const file of files) found.push(...valuesIn(await textOf(file, actions.terminal.input), file));
  const chosen = definitionsIn(found, actions.terminal.tell);
  if (chosen.length === 0) throw new CliError(`expected a ${KIND} in ${files.map(nameOf).join(", ")}, found none`);
  const text = moduleOf(kindsOf(await judged(actions, chosen), version));
  if (output === undefined) actions.print(text.trimEnd());
  else writeFileSync(output, text);
}

/** What a file is called in messages. */
const nameOf = (file: string): string => (file === "-" ? "standard input" : file);

function valuesIn(text: string, file: string): readonly FoundValue[] {
  try {
    return documentsOf(text, nameOf(file)).flatMap(({ value, from }) => objectsOf(value, from));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new CliError(error.message, { cause: error });
  }
}

/** The definitions among the objects; of the others it is told that they are left out. */
function definitionsIn(found: readonly FoundValue[], tell: (text: string) => void): readonly Found[] {
  return found.flatMap(({ value, from }) => {
    if (!isObject(value)) throw new CliError(`expected ${from} to be an object`);
    const { apiVersion, kind } = value;
    if (kind !== KIND) {
      const what = typeof kind === "string" ? `its kind is ${JSON.stringify(kind)}` : "it has no kind";
      tell(`keelson: ${from} is left out: ${what}\n`);
      return [];
    }
    if (apiVersion === API_VERSION) return [{ value, from }];
    const got = apiVersion === undefined ? "nothing" : JSON.stringify(apiVersion);
    throw new CliError(`expected apiVersion of ${from} to be ${API_VERSION}, got ${got}`);
  });
}

/** The definitions as a server would keep them. */
async function judged(actions: Actions, found: readonly Found[]): Promise<readonly Definition[]> {
  const verdicts = await actions.validateDefinitions(found.map(({ value }) => asWritten(value)));
  const faults = verdicts.flatMap(({ error }, i) => (error === undefined ? [] : [`${found[i]!.from}: ${error}`]));
  if (faults.length > 0) throw new CliError(faults.join("\n"));
  const places = new Map<string, string>();
  return verdicts.map(({ definition }, i) => {
    const one = definition as Definition;
    const { name } = one.metadata;
    const { from } = found[i]!;
    const before = places.get(name);
    if (before !== undefined) throw new CliError(`expected each definition once, got ${name} in ${before} and ${from}`);
    places.set(name, from);
    return one;
  });
}

/** What people write of a definition, without what a server has said of it: its version, its owners, its status. */
function asWritten({ apiVersion, kind, metadata = {}, spec }: ValueObject): ValueObject {
  const said = ["name", "annotations"].flatMap((member) => {
    const value = isObject(metadata) ? getMember(metadata, member) : undefined;
    return value === undefined ? [] : [[member, value] as const];
  });
  return { apiVersion: apiVersion!, kind: kind!, metadata: Object.fromEntries(said), ...(spec ? { spec } : {}) };
}

/** The kinds that are wanted: those that are served, of each version or of one. */
function kindsOf(definitions: readonly Definition[], wanted: string | undefined): readonly TypedKind[] {
  const served = definitions.flatMap((definition) =>
    definition.spec.versions.filter((one) => one.served).map((version) => ({ definition, version })),
  );
  const names = [...new Set(served.map(({ version }) => version.name))].join(", ") || "none";
  const kinds = wanted === undefined ? served : served.filter(({ version }) => version.name === wanted);
  if (kinds.length > 0) return kinds;
  throw new CliError(`expected a served version${wanted === undefined ? "" : ` ${wanted}`}, served are: ${names}`);
}
