/**
 * What `keelson cel` does once it is asked to.
 *
 * @module
 */
import { CelError, type Finding, type Schema, checkSchema, compile, validateObject } from "../cel/index.ts";
import { type Value, type ValueObject, isObject } from "../value/value.ts";
import { decodeYaml } from "../value/yaml.ts";
import type { Actions } from "./actions.ts";
import { type Place, parsePlace, schemaAt, valueAt } from "./cel-place.ts";
import { CliError } from "./cli-error.ts";
import { textOf } from "./text-of.ts";

/** What to evaluate, and over what. */
export interface CelRequest {
  readonly expression: string | undefined;
  readonly self?: string;
  readonly old?: string;
  readonly schema?: string;
  readonly version?: string;
  readonly at?: string;
  readonly output: "text" | "json";
}

/** A schema, and whether it is that of a whole object. */
interface Known {
  readonly schema: Schema;
  readonly isObject: boolean;
}

/** Evaluates and prints; the program ends with 1 where there is no value, or something to find. */
export async function runCel(actions: Actions, request: CelRequest): Promise<void> {
  const { input } = actions.terminal;
  const read = async (file: string | undefined): Promise<Value | undefined> =>
    file === undefined ? undefined : decoded(await textOf(file, input), file);
  const definition = await read(request.schema);
  const known = definition === undefined ? undefined : schemaOf(definition, request);
  const [self, old] = [await read(request.self), await read(request.old)];
  if (request.expression === undefined) {
    judgeAll(actions, request, { known, self, old });
    return;
  }
  const place = parsePlace(request.at ?? "");
  evaluate(actions, request, {
    known: known && within(known, place),
    self: self && valueAt(self, place),
    old: old && valueAt(old, place),
  });
}

interface Given {
  readonly known: Known | undefined;
  readonly self: Value | undefined;
  readonly old: Value | undefined;
}

function evaluate(actions: Actions, request: CelRequest, { known, self, old }: Given): void {
  let expression;
  try {
    expression = compile(request.expression!, { self: known ?? {}, oldSelf: known ?? {} });
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new CliError(error.message, { cause: error });
  }
  for (const [name, value, flag] of [
    ["self", self, "--self"],
    ["oldSelf", old, "--old"],
  ] as const) {
    if (value === undefined && expression.variables.has(name)) {
      throw new CliError(`expected ${flag} FILE: the expression speaks of ${name}`, { usage: true });
    }
  }
  const answer = expression.run({ self, oldSelf: old });
  const { type, cost } = expression;
  if (answer.error !== undefined) actions.exit.done = actions.exit.failed;
  if (request.output === "json") {
    const [least, most] = [String(cost.min), String(cost.max)];
    const { error, value } = answer;
    const told = error === undefined ? { value, text: answer.text } : { error };
    actions.print(JSON.stringify({ ...told, type, cost: answer.cost, estimate: { least, most } }, asJson, 2));
    return;
  }
  const estimate = known ? ` (estimated ${cost.min} to ${cost.max})` : "";
  const said = answer.error === undefined ? `value  ${answer.text}` : `error  ${answer.error}`;
  actions.print([said, `type   ${type}`, `cost   ${answer.cost}${estimate}`].join("\n"));
}

/** Integers that JSON's numbers cannot hold, and bytes, as texts. */
function asJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

function judgeAll(actions: Actions, request: CelRequest, { known, self, old }: Given): void {
  if (!known?.isObject || self === undefined || request.at !== undefined) {
    throw new CliError("expected an expression, or --schema with a definition and --self with an object of it", {
      usage: true,
    });
  }
  const wrong = checkSchema(known.schema);
  const findings = wrong.length > 0 ? wrong : validateObject(known.schema, self, old);
  if (findings.length > 0) actions.exit.done = actions.exit.failed;
  actions.print(request.output === "json" ? JSON.stringify(findings, undefined, 2) : linesOf(findings));
}

const linesOf = (findings: readonly Finding[]): string =>
  findings.length === 0
    ? "no rule has anything against it"
    : findings.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("\n");

function decoded(text: string, file: string): Value {
  try {
    return decodeYaml(text).value;
  } catch (cause) {
    throw new CliError(`expected ${file} to be YAML or JSON: ${(cause as Error).message}`, { cause });
  }
}

/** The schema of a definition's version; any other file is taken for a schema. */
function schemaOf(file: Value, { schema: name = "", version }: CelRequest): Known {
  if (!isObject(file)) throw new CliError(`expected ${name} to hold a definition or a schema`);
  if (file["kind"] !== "CustomResourceDefinition") return { schema: file as Schema, isObject: false };
  const all = versionsOf(file);
  const found = all.find((one) => (version === undefined ? one["storage"] === true : one["name"] === version));
  const names = all.map(nameOf).join(", ");
  if (!found) throw new CliError(`expected the definition in ${name} to have version ${version}, it has ${names}`);
  const holder = found["schema"];
  const schema = isObject(holder) ? holder["openAPIV3Schema"] : undefined;
  if (!isObject(schema)) throw new CliError(`expected version ${nameOf(found)} in ${name} to have a schema`);
  return { schema: schema as Schema, isObject: true };
}

const nameOf = ({ name }: ValueObject): string => (typeof name === "string" ? name : "without a name");

function versionsOf({ spec }: ValueObject): readonly ValueObject[] {
  const versions = isObject(spec) ? spec["versions"] : undefined;
  return Array.isArray(versions) ? versions.filter(isObject) : [];
}

function within({ schema, isObject: isWhole }: Known, place: Place): Known {
  const at = schemaAt(schema, place);
  return { schema: at, isObject: place.length === 0 ? isWhole : at["x-kubernetes-embedded-resource"] === true };
}
