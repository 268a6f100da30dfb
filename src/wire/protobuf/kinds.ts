/**
 * The kinds with a protobuf form: those of definitions, and a few of bodies and responses that are never served.
 *
 * @module
 */
import { type JsonSchema, structOf } from "../../apply/schema/schema.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { DeleteOptionsSchema } from "../../meta/delete-options.ts";
import { ObjectMetaSchema } from "../../meta/object-meta.ts";
import {
  type TSchema,
  always,
  atomicList,
  int32,
  int64,
  optional,
  pointer,
  required,
  struct,
  text,
} from "../../meta/types.ts";
import { type MessageCodec, messageCodec } from "./message.ts";
import { messageOf } from "./numbers/index.ts";

/** A kind in one group and version, such as a definition. */
export interface ProtobufKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: TSchema;
}

/** Whether a kind has a protobuf form. */
export const hasProtobuf = (kind: ProtobufKind): boolean =>
  messageOf(apiVersionOf(kind.group, kind.version), kind.kind) !== undefined;

/** The codec of a kind that has a protobuf form. */
export function codecOf(kind: ProtobufKind): MessageCodec {
  const message = messageOf(apiVersionOf(kind.group, kind.version), kind.kind);
  if (message === undefined)
    throw new Error(`Expected ${kind.kind} of ${apiVersionOf(kind.group, kind.version)} to have a protobuf form`);
  return messageCodec(structOf(kind.schema as JsonSchema), message);
}

const listMeta = struct("The metadata of a list.", {
  resourceVersion: optional(text("The version that was read.")),
  continue: optional(text("The token of the next page.")),
  remainingItemCount: pointer(int64("The number of objects on later pages.")),
});

/** The codec of the `metadata` of a list. */
export const listMetaCodec = (): MessageCodec =>
  messageCodec(structOf(listMeta as TSchema as JsonSchema), "meta.ListMeta");

const cause = struct("One error.", {
  reason: optional(text("The reason, for programs.")),
  message: optional(text("The reason, for people.")),
  field: optional(text("The path of the field.")),
});

/** The response to a failed request, and to some deletions (DEC-19). */
export const STATUS: ProtobufKind = {
  group: "",
  version: "v1",
  kind: "Status",
  schema: struct("A response without an object.", {
    metadata: always(listMeta),
    status: optional(text("Success or Failure.")),
    message: optional(text("What happened, for people.")),
    reason: optional(text("Why, for programs.")),
    details: optional(
      struct("What it is about.", {
        name: optional(text("The name of the object.")),
        group: optional(text("Its group.")),
        kind: optional(text("Its resource or kind.")),
        uid: optional(text("Its UID.")),
        causes: optional(atomicList(cause, "All that is wrong.")),
        retryAfterSeconds: optional(int32("When to try again.")),
      }),
    ),
    code: optional(int32("The HTTP code.")),
  }),
};

/** The body of a deletion (DEC-26). */
export const DELETE_OPTIONS: ProtobufKind = {
  group: "",
  version: "v1",
  kind: "DeleteOptions",
  schema: DeleteOptionsSchema,
};

/** The metadata of an object alone; returns the same kind for the same version. */
export function partialObjectMetadata(version: string): ProtobufKind {
  let kind = partials.get(version);
  if (!kind) {
    partials.set(version, (kind = { group: "meta.k8s.io", version, kind: "PartialObjectMetadata", schema: PARTIAL }));
  }
  return kind;
}

const PARTIAL = struct("The metadata of an object.", { metadata: required(ObjectMetaSchema) });
const partials = new Map<string, ProtobufKind>();
