import { writeFileSync } from "node:fs";
import { DecodeError } from "../value/decode-error.ts";
import { type FoundValue, documentsOf, objectsOf } from "../value/documents.ts";
import { type ValueObject, getMember, isObject } from "../value/value.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { readText } from "./read-text.ts";
import { type Definition, type TypedKind, moduleOf } from "./types-module.ts";

/** The files of definitions, and where to write the module. */
export interface TypesRequest {
  readonly files: readonly string[];
  /** The only version to use. */
  readonly version?: string;
  /** The file of the module; it is printed by default. */
  readonly output?: string;
}

/** A definition of a file. */
interface Found {
  readonly value: ValueObject;
  readonly from: string;
}

const API_VERSION = "apiextensions.k8s.io/v1";
const KIND = "CustomResourceDefinition";

/** Reads files, validates their definitions, and writes the module. @throws CliError with each file and field that is not valid */
export async function runTypes(actions: Actions, { files, version, output }: TypesRequest): Promise<void> {
  const found: FoundValue[] = [];
  for (const file of files) found.push(...valuesIn(await readText(file, actions.terminal.input), file));
  const chosen = definitionsIn(found, actions.terminal.tell);
  if (chosen.length === 0) throw new CliError(`expected a ${KIND} in ${files.map(nameOf).join(", ")}, found none`);
  const text = moduleOf(kindsOf(await validated(actions, chosen), version));
  if (output === undefined) actions.print(text.trimEnd());
  else writeFileSync(output, text);
}

/** Returns the name of a file for messages. */
const nameOf = (file: string): string => (file === "-" ? "standard input" : file);

function valuesIn(text: string, file: string): readonly FoundValue[] {
  try {
    return documentsOf(text, nameOf(file)).flatMap(({ value, from }) => objectsOf(value, from));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new CliError(error.message, { cause: error });
  }
}

/** Returns the definitions among the objects; the others are reported on standard error. */
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

/** Returns the definitions as a server would store them. */
async function validated(actions: Actions, found: readonly Found[]): Promise<readonly Definition[]> {
  const results = await actions.validateDefinitions(found.map(({ value }) => asWritten(value)));
  const all = results.map((result, i) => ({ ...result, from: found[i]?.from ?? "" }));
  const errors = all.flatMap(({ error, from }) => (error === undefined ? [] : [`${from}: ${error}`]));
  if (errors.length > 0) throw new CliError(errors.join("\n"));
  const files = new Map<string, string>();
  return all.map(({ definition, from }) => {
    const one = definition as Definition;
    const { name } = one.metadata;
    const before = files.get(name);
    if (before !== undefined) throw new CliError(`expected each definition once, got ${name} in ${before} and ${from}`);
    files.set(name, from);
    return one;
  });
}

/** Returns a definition without members that a server sets: its resourceVersion, its owners, its status. */
function asWritten({ apiVersion, kind, metadata = {}, spec }: ValueObject): ValueObject {
  const written = ["name", "annotations"].flatMap((member) => {
    const value = isObject(metadata) ? getMember(metadata, member) : undefined;
    return value === undefined ? [] : [[member, value] as const];
  });
  return { apiVersion: apiVersion!, kind: kind!, metadata: Object.fromEntries(written), ...(spec ? { spec } : {}) };
}

/** Returns the served versions, or the one that is chosen. */
function kindsOf(definitions: readonly Definition[], chosen: string | undefined): readonly TypedKind[] {
  const served = definitions.flatMap((definition) =>
    definition.spec.versions.filter((one) => one.served).map((version) => ({ definition, version })),
  );
  const names = [...new Set(served.map(({ version }) => version.name))].join(", ") || "none";
  const kinds = chosen === undefined ? served : served.filter(({ version }) => version.name === chosen);
  if (kinds.length > 0) return kinds;
  throw new CliError(`expected a served version${chosen === undefined ? "" : ` ${chosen}`}, served are: ${names}`);
}
