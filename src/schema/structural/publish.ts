/**
 * The OpenAPI schemas of custom objects (CRD-31).
 *
 * @module
 */
import type { PublishedSchemas } from "../definition.ts";
import type { Structural } from "./schema.ts";

type Json = Record<string, unknown>;

/** The published forms of the schema of a definition, computed when they are read. */
export const publishedSchema = (schema: Structural): PublishedSchemas => ({
  v3: () => publish(schema, FORM_V3),
  v2: () => (schema["x-kubernetes-preserve-unknown-fields"] ? undefined : publish(schema, FORM_V2)),
});

interface Form {
  /** Keywords that are left out. */
  readonly without: ReadonlySet<string>;
  /**
   * Whether the form has no keywords for null and for unknown members. Its readers would refuse them, so a schema that allows
   * either is published without type, members and items.
   */
  readonly hidesOpen: boolean;
}

const FORM_V3: Form = { without: new Set(), hidesOpen: false };
const FORM_V2: Form = { without: new Set(["default", "nullable", "allOf", "anyOf", "oneOf", "not"]), hidesOpen: true };

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

/** The common members of embedded objects. */
const EMBEDDED: Json = {
  apiVersion: { type: "string", description: "Group and version of the embedded object." },
  kind: { type: "string", description: "The kind of the embedded object." },
  metadata: {
    description: "What every object has.",
    allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
  },
};

const UNTYPED: ReadonlySet<string> = new Set(["type", "items", "properties"]);

function publish(schema: Structural, form: Form): Json {
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isOpen = form.hidesOpen && (keepsUnknown || schema.nullable === true);
  const out: Json = {};
  for (const [word, value] of Object.entries(schema)) {
    if (form.without.has(word) || (isOpen && UNTYPED.has(word))) continue;
    if (word === "properties") {
      const members = Object.entries(value as Record<string, Structural>);
      out[word] = Object.fromEntries(members.map(([name, member]) => [name, publish(member, form)]));
    } else if (word === "items" || (word === "additionalProperties" && typeof value === "object")) {
      out[word] = publish(value as Structural, form);
    } else out[word] = value;
  }
  if (form.hidesOpen) dropRequiredNulls(schema, out);
  if (form === FORM_V3 && schema["x-kubernetes-int-or-string"] && !schema.anyOf && !schema.allOf) {
    out["anyOf"] = INT_OR_STRING;
  }
  if (schema["x-kubernetes-embedded-resource"] && !(form.hidesOpen && keepsUnknown)) embed(out);
  return out;
}

/** Readers of a form without null treat a null as a missing member. */
function dropRequiredNulls({ properties, additionalProperties }: Structural, out: Json): void {
  const required = out["required"] as readonly string[] | undefined;
  if (!required) return;
  const mayBeNull = (name: string): boolean =>
    properties !== undefined && Object.hasOwn(properties, name) && properties[name]!.nullable === true;
  const areNull = typeof additionalProperties === "object" && additionalProperties.nullable === true;
  const kept = areNull ? [] : required.filter((name) => !mayBeNull(name));
  if (kept.length > 0) out["required"] = kept;
  else delete out["required"];
}

/** Adds the common members to the schema of an embedded object. */
function embed(out: Json): void {
  out["properties"] = { ...(out["properties"] as Json | undefined), ...EMBEDDED };
  const required = (out["required"] as readonly string[] | undefined) ?? [];
  out["required"] = [...new Set([...required, "kind", "apiVersion"])];
}
