import {
  applyTo,
  excludeFilter,
  parseFields,
  paths,
  pathToString,
  toFieldsV1,
  typeOf,
  updateTo,
  validate,
} from "../../../src/apply/index.ts";
import type { Converter, Filter, JsonSchema, Managers, Write } from "../../../src/apply/index.ts";
import { atOnce } from "../../../src/util/steps.ts";
import { setMember } from "../../../src/value/value.ts";
import type { Value, ValueObject } from "../../../src/value/value.ts";
import type { Step, StepResult, Story } from "./stories.ts";

/** Plays a story with our library. */
export function play(story: Story): StepResult[] {
  const neverOwned = parseFields(story.strip);
  const filters = new Map<string, Filter>();
  for (const [version, tree] of Object.entries(story.exclude)) filters.set(version, excludeFilter(parseFields(tree)));
  const converters = story.schemas.map((schemas) => versions(schemas, story.renames));
  let live: Value = {};
  let liveVersion = "v1";
  let managers: Managers = new Map();
  return story.steps.map((step) => {
    const converter = converters[step.schema]!;
    if (liveVersion !== step.version) live = rename(live, story.renames, liveVersion);
    liveVersion = step.version;
    const type = converter.typeAt(step.version)!;
    const write = {
      converter,
      apiVersion: step.version,
      type,
      live,
      managers,
      manager: step.manager,
      filters,
      neverOwned,
      isLarge: false,
    };
    const result = playStep(write, step);
    if (typeof result === "string") return { error: result };
    if ("conflicts" in result) return result;
    ({ live, managers } = result);
    return { object: live, managers: describe(managers) };
  });
}

function playStep(
  write: Write,
  step: Step,
): string | (StepResult & { conflicts: object }) | { live: Value; managers: Managers } {
  const faults = validate(write.type, step.object, { allowDuplicates: step.op === "update" });
  if (faults.length > 0) return JSON.stringify(faults);
  if (step.op === "update")
    return { live: step.object, managers: atOnce(updateTo({ ...write, updated: step.object })) };
  const result = atOnce(applyTo({ ...write, intent: step.object, force: step.op === "force" }));
  if (!("lost" in result)) return { live: result.object, managers: result.managers };
  const conflicts = result.lost.flatMap(({ manager, set }) =>
    paths(set).map((path) => [manager, pathToString(path)] as const),
  );
  return { conflicts };
}

const describe = (managers: Managers): NonNullable<StepResult["managers"]> =>
  Object.fromEntries(
    [...managers].map(([name, { set, apiVersion, applied }]) => [
      name,
      { version: apiVersion, applied, set: toFieldsV1(set) as unknown as Value },
    ]),
  );

const versions = (schemas: Readonly<Record<string, JsonSchema>>, renames: Story["renames"]): Converter => ({
  typeAt: (version) => (schemas[version] === undefined ? undefined : typeOf(schemas[version])),
  convert: (value, from) => rename(value, renames, from),
});

function rename(value: Value, renames: Story["renames"], from: string): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = from === "v1" ? renames : Object.fromEntries(Object.entries(renames).map(([a, b]) => [b, a]));
  const out: ValueObject = {};
  for (const key of Object.keys(value)) setMember(out, names[key] ?? key, value[key]);
  return out;
}
