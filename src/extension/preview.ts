/**
 * Previews a changed definition: a dry run returns warnings about stored objects that the new schema would refuse.
 *
 * A user who may not list the objects gets none. At most a thousand objects are validated.
 */
import { type AdmissionRequest, type AdmissionStep, concerns } from "../admission/contract.ts";
import type { Authorizer } from "../auth/contract.ts";
import type { Version } from "../kinds/apiextensions/v1/definition.ts";
import type { Dialect } from "../meta/dialect.ts";
import { FieldErrors } from "../meta/field-errors.ts";
import { NO_REQUEST } from "../meta/request-info.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { ObjectName } from "../schema/lookup.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { structuralWalker } from "../schema/structural/walker.ts";
import { type Steps, inSlices } from "../util/steps.ts";
import { clone, equal } from "../value/value.ts";
import { objectValidatorOf } from "./object-validator.ts";
import { type CustomResourceDefinition, DEFINITIONS, isDefinition } from "./object.ts";
import type { Clock } from "../util/clock.ts";

/** The parts of the admission step. */
export interface PreviewParts {
  readonly authorizer: Authorizer;
  readonly clock: Pick<Clock, "loop">;
  readonly dialect: Dialect;
}

/** The maximum number of validations: of objects by all changed versions. */
const MAX_VALIDATED = 999;
const MAX_NAMED = 10;

/** Returns the admission step of the preview. */
export const definitionPreview = (parts: PreviewParts): AdmissionStep => ({
  name: "DefinitionPreview",
  validate(request) {
    const { operation, subresource, options } = request;
    if (!options.dryRun || operation !== "UPDATE" || subresource !== "") return undefined;
    return concerns(request, DEFINITIONS) ? preview(parts, request) : undefined;
  },
});

async function preview({ authorizer, clock, dialect }: PreviewParts, request: AdmissionRequest): Promise<void> {
  const { object: definition, old } = request;
  if (!isDefinition(definition) || !isDefinition(old)) return;
  const changed = changedVersions(definition, old);
  if (changed.length === 0) return;
  const { lookup } = request;
  const { group } = definition.spec;
  const plural = old.status?.acceptedNames?.plural ?? old.spec.names.plural;
  const info = { ...NO_REQUEST, isResource: true, verb: "list", group, version: "*", resource: plural };
  if (!(await authorizer.authorize(request.identity, info)).allowed) return;
  const most = Math.max(1, Math.floor(MAX_VALIDATED / changed.length));
  const names = lookup.first(`${plural}.${group}`, most + 1);
  const read = ({ namespace, name }: ObjectName) => lookup.get(`${plural}.${group}`, namespace, name);
  const change = { read, changed, definition, dialect };
  const refused = await inSlices(refusedOf(names.slice(0, most), change), clock.loop.slice());
  if (refused.length === 0) return;
  const of = names.length > most ? `the first ${most} stored objects` : `${names.length} stored objects`;
  request.warnings.push(`${refused.length} of ${of} would be invalid with this change`);
  for (const text of refused.slice(0, MAX_NAMED)) request.warnings.push(text);
}

function changedVersions(now: CustomResourceDefinition, old: CustomResourceDefinition): readonly Version[] {
  const before = new Map(old.spec.versions.map(({ name, schema }) => [name, schema]));
  return now.spec.versions.filter(
    ({ name, served, schema }) =>
      served && schema?.openAPIV3Schema !== undefined && !equal(schema, before.get(name) ?? null),
  );
}

interface Change {
  readonly read: (name: ObjectName) => ApiObject | undefined;
  readonly changed: readonly Version[];
  readonly definition: CustomResourceDefinition;
  readonly dialect: Dialect;
}

/** Returns a warning with the first error for each object that a changed version refuses. */
function* refusedOf(
  names: readonly ObjectName[],
  { read, changed, definition, dialect }: Change,
): Steps<readonly string[]> {
  const refused: string[] = [];
  const { group, conversion } = definition.spec;
  for (const place of names) {
    const object = read(place);
    if (!object) continue;
    for (const { name, schema } of changed) {
      const apiVersion = `${group}/${name}`;
      // The result of a conversion webhook is unknown.
      if (conversion?.strategy === "Webhook" && object.apiVersion !== apiVersion) continue;
      const structural = schema!.openAPIV3Schema as Structural;
      const copy = { ...clone(object), apiVersion };
      const walker = structuralWalker(structural, dialect);
      walker.prune?.(copy);
      walker.applyDefaults(copy);
      const errors = new FieldErrors();
      yield* objectValidatorOf(structural, dialect)(copy, undefined, errors);
      yield;
      const [first] = errors.causes;
      if (!first) continue;
      const shown = place.namespace === "" ? place.name : `${place.namespace}/${place.name}`;
      refused.push(`${shown} would be invalid in ${name}: ${first.field ?? ""}: ${first.message}`);
      break;
    }
  }
  return refused;
}
