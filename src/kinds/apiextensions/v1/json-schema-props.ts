/**
 * A schema inside of a definition: JSON Schema as OpenAPI v3 has it, with the marks of this field (MARK-1..17).
 *
 * All keywords are known, even those that no definition may use, so that they are refused by name and not dropped.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";

const Rule = t.struct("A rule that values must obey, written in CEL.", {
  rule: t.required(t.text("The expression; `self` is the value, `oldSelf` the old one. It must be true.")),
  message: t.optional(t.text("The message of a violation.")),
  messageExpression: t.optional(t.text("An expression that returns the message; `message` is used where it fails.")),
  reason: t.pointer(t.text("The reason of the cause: FieldValueInvalid unless another one is given.")),
  fieldPath: t.optional(t.text("Which member below the value the cause names.")),
  optionalOldSelf: t.pointer(
    t.bool("Whether `oldSelf` is an optional value, so that the rule applies to new values too."),
  ),
});

// Members are added below, because a schema contains schemas.
const members: Record<string, t.TSchema> = {};

/** Its component name in OpenAPI documents, because schemas contain schemas. */
const COMPONENT = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** A schema, at any depth. */
export const JsonSchemaProps: t.TSchema = Object.assign(t.struct("A schema of values.", members), {
  "x-keelson-component": COMPONENT,
});

const schemas = (description: string): t.TSchema => t.optional(t.atomicList(JsonSchemaProps, description));
const named = (description: string): t.TSchema => t.optional(t.map(JsonSchemaProps, description));
const schemaOrList = (description: string): t.TSchema =>
  t.pointer(t.either(description, JsonSchemaProps, t.atomicList(JsonSchemaProps)));
const schemaOrBool = (description: string): t.TSchema => t.pointer(t.either(description, JsonSchemaProps, t.bool()));

Object.assign(members, {
  id: t.optional(t.text("Not supported.")),
  $schema: t.optional(t.text("The dialect of the schema; it is not used.")),
  $ref: t.pointer(t.text("Not supported.")),
  description: t.optional(t.text("The description of the value, for `kubectl explain`.")),
  type: t.optional(t.text("object, array, string, integer, number or boolean.")),
  format: t.optional(t.text("The form of a text or the size of a number: date-time, int64, byte and others.")),
  title: t.optional(t.text("A name of the value, for people.")),
  default: t.pointer(t.anything("The value of a member that is missing.")),
  maximum: t.pointer(t.double("The greatest value that is allowed.")),
  exclusiveMaximum: t.optional(t.bool("Whether the maximum itself is not allowed.")),
  minimum: t.pointer(t.double("The least value that is allowed.")),
  exclusiveMinimum: t.optional(t.bool("Whether the minimum itself is not allowed.")),
  maxLength: t.pointer(t.int64("How many characters a text may have.")),
  minLength: t.pointer(t.int64("How many characters a text must have.")),
  pattern: t.optional(t.text("A regular expression that is found in the text.")),
  maxItems: t.pointer(t.int64("How many elements a list may have.")),
  minItems: t.pointer(t.int64("How many elements a list must have.")),
  uniqueItems: t.optional(t.bool("Not supported; see x-kubernetes-list-type.")),
  multipleOf: t.pointer(t.double("The number must be a multiple of this one.")),
  enum: t.optional(t.atomicList(t.anything(), "The values that are allowed.")),
  maxProperties: t.pointer(t.int64("How many members an object may have.")),
  minProperties: t.pointer(t.int64("How many members an object must have.")),
  required: t.optional(t.atomicList(t.text(), "The members that must be there.")),
  items: schemaOrList("The schema of the elements of a list."),
  allOf: schemas("The value must fit all of these."),
  oneOf: schemas("The value must fit exactly one of these."),
  anyOf: schemas("The value must fit at least one of these."),
  not: t.pointer(JsonSchemaProps),
  properties: named("The members of an object."),
  additionalProperties: schemaOrBool("The schema of the values of a map."),
  patternProperties: named("Not supported."),
  dependencies: t.pointer(t.map(t.either("Not supported.", JsonSchemaProps, t.atomicList(t.text())), "Not supported.")),
  additionalItems: schemaOrBool("Not supported."),
  definitions: named("Not supported."),
  externalDocs: t.pointer(
    t.struct("External documentation.", {
      description: t.optional(t.text("The description of that documentation.")),
      url: t.optional(t.text("The address.")),
    }),
  ),
  example: t.pointer(t.anything("An example of a valid value; it is not used.")),
  nullable: t.optional(t.bool("Whether null is allowed.")),
  "x-kubernetes-preserve-unknown-fields": t.pointer(t.bool("Keeps members that the schema does not name.")),
  "x-kubernetes-embedded-resource": t.optional(
    t.bool("The value is an object of a kind: with apiVersion, kind and metadata."),
  ),
  "x-kubernetes-int-or-string": t.optional(t.bool("The value is an integer or a text.")),
  "x-kubernetes-list-map-keys": t.optional(
    t.atomicList(t.text(), "The members that tell the elements of a list apart."),
  ),
  "x-kubernetes-list-type": t.pointer(t.text("How writers share a list: atomic, set or map.")),
  "x-kubernetes-map-type": t.pointer(t.text("How writers share an object: granular or atomic.")),
  "x-kubernetes-validations": t.optional(t.keyedList(Rule, ["rule"], "Rules in CEL that the value must obey.")),
});
