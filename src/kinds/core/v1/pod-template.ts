/**
 * PodTemplate: a template of Pods that stands alone (KIND-PodTemplate-1).
 *
 * @module
 */
import { always } from "../../../meta/types.ts";
import { textColumn } from "../../../schema/columns.ts";
import {
  type ApiContext,
  type ApiObject,
  defineResource,
  type ResourceDefinition,
} from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import { containerColumns, shownLabels } from "../../rules/template-columns.ts";
import { type PodTemplate, PodTemplates } from "./pod/template.ts";

const templateOf = (object: ApiObject): PodTemplate => (object as ApiObject & { template: PodTemplate }).template;

/** The definition of PodTemplate. */
export function podTemplate(ctx: ApiContext): ResourceDefinition {
  const templates = PodTemplates.of(ctx);
  return defineResource(objectSchema("A template of Pods that stands alone.", { template: always(templates.schema) }), {
    group: "",
    version: "v1",
    kind: "PodTemplate",
    plural: "podtemplates",
    scope: "Namespaced",
    deleteAnswers: "object",
    generation: "fromOne",
    counts: (object, old) => !sameMeaning(templates.schema, templateOf(object), templateOf(old)),
    defaults: (object, write) => templates.setDefaults(templateOf(object), write),
    prepareForCreate: (object, write) => templates.dropGated(templateOf(object), undefined, write),
    prepareForUpdate: (object, old, write) => templates.dropGated(templateOf(object), templateOf(old), write),
    validate: (object, errors, write) => templates.validate(templateOf(object), "template", errors, write),
    validateUpdate: (object, _old, errors, write) => templates.validate(templateOf(object), "template", errors, write),
    *warnings(object, old, write) {
      if (old && object.metadata.generation === old.metadata.generation) return;
      yield* templates.warnings(templateOf(object), "template", write);
    },
    columns: [
      ...containerColumns(templateOf, false),
      textColumn("Pod Labels", "The labels of the Pods.", (object) =>
        shownLabels(templateOf(object)?.metadata?.labels),
      ),
    ],
  });
}
