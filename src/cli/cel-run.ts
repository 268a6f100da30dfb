import { CelError, type Finding, type Schema, checkSchema, compile, validateObject } from "../cel/index.ts";
import { type Value, type ValueObject, isObject } from "../value/value.ts";
import { decodeYaml } from "../value/yaml.ts";
import type { Actions } from "./actions.ts";
import { type Path, parsePath, schemaAt, valueAt } from "./cel-path.ts";
import { CliError } from "./cli-error.ts";
import { printReport } from "./print-report.ts";
import { readText } from "./read-text.ts";

/** The expression and its input. */
export interface CelRequest {
  readonly expression: string | undefined;
  readonly self?: string;
  readonly old?: string;
  readonly schema?: string;
  readonly version?: string;
  readonly at?: string;
  readonly output: "text" | "json";
}

/** A schema, and whether it is the schema of a whole object. */
interface SchemaInput {
  readonly schema: Schema;
  readonly isObject: boolean;
}

/** Evaluates and prints; the exit code is 1 for an error or a finding. */
export async function runCel(actions: Actions, request: CelRequest): Promise<void> {
  const { input } = actions.terminal;
  const read = async (file: string | undefined): Promise<Value | undefined> =>
    file === undefined ? undefined : decode(await readText(file, input), file);
  const definition = await read(request.schema);
  const known = definition === undefined ? undefined : schemaOf(definition, request);
  const [self, old] = [await read(request.self), await read(request.old)];
  if (request.expression === undefined) {
    printFindings(actions, request, { known, self, old });
    return;
  }
  const path = parsePath(request.at ?? "");
  evaluate(actions, request, {
    known: known && within(known, path),
    self: self && valueAt(self, path),
    old: old && valueAt(old, path),
  });
}

interface CelInput {
  readonly known: SchemaInput | undefined;
  readonly self: Value | undefined;
  readonly old: Value | undefined;
}

function evaluate(actions: Actions, request: CelRequest, { known, self, old }: CelInput): void {
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
      throw new CliError(`expected ${flag} FILE: the expression uses ${name}`, { usage: true });
    }
  }
  const result = expression.run({ self, oldSelf: old });
  const { type, cost } = expression;
  if (result.error !== undefined) actions.exit.done = actions.exit.failed;
  if (request.output === "json") {
    const [least, most] = [String(cost.min), String(cost.max)];
    const { error, value } = result;
    const shown = error === undefined ? { value, text: result.text } : { error };
    actions.print(JSON.stringify({ ...shown, type, cost: result.cost, estimate: { least, most } }, asJson, 2));
    return;
  }
  const estimate = known ? ` (estimated ${cost.min} to ${cost.max})` : "";
  const head = result.error === undefined ? `value  ${result.text}` : `error  ${result.error}`;
  actions.print([head, `type   ${type}`, `cost   ${result.cost}${estimate}`].join("\n"));
}

/** Converts integers that JSON numbers cannot represent, and bytes, to texts. */
function asJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

function printFindings(actions: Actions, request: CelRequest, { known, self, old }: CelInput): void {
  if (!known?.isObject || self === undefined || request.at !== undefined) {
    throw new CliError("expected an expression, or --schema with a definition and --self with an object of it", {
      usage: true,
    });
  }
  const wrong = checkSchema(known.schema);
  const findings = wrong.length > 0 ? wrong : validateObject(known.schema, self, old);
  if (findings.length > 0) actions.exit.done = actions.exit.failed;
  printReport(actions, request.output, findings, () => linesOf(findings));
}

const linesOf = (findings: readonly Finding[]): string[] =>
  findings.length === 0
    ? ["all rules accept it"]
    : findings.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));

function decode(text: string, file: string): Value {
  try {
    return decodeYaml(text).value;
  } catch (cause) {
    throw new CliError(`expected ${file} to be YAML or JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Returns the schema of a version of a definition; any other object is a schema itself. */
function schemaOf(file: Value, { schema: name = "", version }: CelRequest): SchemaInput {
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

function within({ schema, isObject: isWhole }: SchemaInput, path: Path): SchemaInput {
  const at = schemaAt(schema, path);
  return { schema: at, isObject: path.length === 0 ? isWhole : at["x-kubernetes-embedded-resource"] === true };
}
