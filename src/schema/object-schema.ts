import { ObjectMetaSchema, TemplateMetaSchema } from "../meta/object-meta.ts";
import { type TSchema, always, optional, struct, text } from "../meta/types.ts";

const head = {
  apiVersion: optional(text("Group and version of this form of the object, the version alone for the core group.")),
  kind: optional(text("The kind of the object.")),
  metadata: always(ObjectMetaSchema),
};

/** The schema of a kind: the common members of objects (META-1, META-2, META-4) and its own. */
export const objectSchema = <P extends Record<string, TSchema>>(
  description: string,
  members: P,
): ReturnType<typeof struct<typeof head & P>> => struct(description, { ...head, ...members });

/** The schema of a template: an object in another one. */
export const embeddedSchema = <P extends Record<string, TSchema>>(
  description: string,
  members: P,
): ReturnType<typeof struct<typeof head & P>> =>
  struct(description, { ...head, metadata: always(TemplateMetaSchema), ...members });
