import type { FieldErrors } from "../../meta/field-errors.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { validateAnnotations, validateLabels } from "../../meta/object-meta-rules.ts";
import type { ApiContext, WriteContext } from "../../schema/definition.ts";

const LISTS = ["ownerReferences", "finalizers", "managedFields"];

/** Validates the metadata of a template: labels and annotations only (VOL-29, VOL-30). */
export function validateTemplateMetadata(
  { labels, annotations, ...rest }: Partial<ObjectMeta>,
  at: string,
  errors: FieldErrors,
  { dialect, sentEmpty = [] }: Pick<ApiContext, "dialect"> & Pick<WriteContext, "sentEmpty">,
): void {
  if (annotations) validateAnnotations(annotations, `${at}.annotations`, errors);
  if (labels) validateLabels(labels, `${at}.labels`, errors);
  const why = "expected labels and annotations only";
  for (const member of Object.keys(rest)) {
    // Kubernetes derives the name of the field from its own.
    const name = member === "uid" && dialect.rules.recordedCauseNames ? "uID" : member;
    errors.forbidden(`${at}.${name}`, why);
  }
  if (!dialect.rules.enforceUndocumented) return;
  for (const member of LISTS) if (sentEmpty.includes(`${at}.${member}`)) errors.forbidden(`${at}.${member}`, why);
}
