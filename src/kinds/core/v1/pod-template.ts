/**
 * PodTemplate: a template of Pods that stands alone (KIND-PodTemplate-1).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import { textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { containerColumns, shownLabels } from "../../rules/template-columns.ts";
import { PodTemplates } from "./pod/template.ts";

const schemaOf = ({ schema }: PodTemplates) =>
  objectSchema("A template of Pods, as an object of its own.", { template: t.always(schema) });

/** The definition of PodTemplate. */
export function podTemplate(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return defineResource(schemaOf(templates), {
    group: "",
    version: "v1",
    kind: "PodTemplate",
    plural: "podtemplates",
    scope: "Namespaced",
    deleteReturns: "object",
    generation: "fromOne",
    counts: (object, old) => !sameMeaning(templates.schema, object.template, old.template),
    defaults: (object, write) => templates.setDefaults(object.template, write),
    prepareForCreate: (object, write) => templates.dropGated(object.template, undefined, write),
    prepareForUpdate: (object, old, write) => templates.dropGated(object.template, old.template, write),
    validate: (object, errors, write) => templates.validate(object.template, "template", errors, write),
    validateUpdate: (object, _old, errors, write) => templates.validate(object.template, "template", errors, write),
    *warnings(object, old, write) {
      if (old && object.metadata.generation === old.metadata.generation) return;
      yield* templates.warnings(object.template, "template", write);
    },
    columns: [
      ...containerColumns((object: ObjectOf<ReturnType<typeof schemaOf>>) => object.template, false),
      textColumn("Pod Labels", "The labels of the Pods.", (object) => shownLabels(object.template.metadata.labels)),
    ],
  });
}
