/**
 * VolumeAttachment: the request to attach a volume to a node, and its progress (VA-1..19).
 *
 * The attach/detach controller makes and deletes it; the external attacher of the driver writes its status.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, nameColumn, textColumn } from "../../../schema/columns.ts";
import { persistentVolumeSpecSchema, validateInlineVolumeSpec } from "../../core/v1/persistent-volume-spec.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateDriverName } from "../../rules/driver-name.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { bytesOf } from "./parameters.ts";
import { keepAllButStatus } from "../../rules/status.ts";
import { same } from "../../rules/same.ts";

const errorSchema = (description: string) =>
  t.struct(description, {
    time: t.nullable(t.time("When the error happened.")),
    message: t.optional(t.text("The error. It may be logged, so it must contain no sensitive data.")),
    errorCode: t.pointer(t.int32("The gRPC code of the failed call.")),
  });

const specSchema = (ctx: ApiContext) =>
  t.struct("The volume, the node and the attacher; it is immutable.", {
    attacher: t.required(t.text("The name of the CSI driver that attaches (GetPluginName).")),
    source: t.required(
      t.struct("The volume; exactly one member is set.", {
        persistentVolumeName: t.pointer(t.text("The name of the PersistentVolume.")),
        inlineVolumeSpec: t.pointer(persistentVolumeSpecSchema(ctx)),
      }),
    ),
    nodeName: t.required(t.text("The node to attach to.")),
  });

const VolumeStatus = t.struct("How far the attachment is; written by the attacher.", {
  attached: t.required(t.bool("Whether the volume was attached successfully.")),
  attachmentMetadata: t.optional(
    t.map(
      t.text(),
      "The result of a successful attach; it is passed to the calls that wait for it or mount the volume.",
    ),
  ),
  attachError: t.pointer(errorSchema("The last error of attaching.")),
  detachError: t.pointer(errorSchema("The last error of detaching.")),
});

/** `spec` of a VolumeAttachment. */
export type VolumeAttachmentSpec = t.Static<ReturnType<typeof specSchema>>;

/** `status` of a VolumeAttachment. */
export type VolumeAttachmentStatus = t.Static<typeof VolumeStatus>;

/** A VolumeAttachment. */
export type VolumeAttachment = ApiObject & { spec: VolumeAttachmentSpec; status: VolumeAttachmentStatus };

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_LENGTH = 1024;

function validateSource(source: VolumeAttachmentSpec["source"], errors: FieldErrors, ctx: WriteContext): void {
  const field = "spec.source";
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  if (name == null && inline == null) {
    errors.required(field, "expected persistentVolumeName or inlineVolumeSpec");
  } else if (name != null && inline != null) {
    errors.forbidden(field, "expected either persistentVolumeName or inlineVolumeSpec, got both");
  } else if (name === "") {
    errors.required(`${field}.persistentVolumeName`, "expected the name of a PersistentVolume");
  } else if (inline != null) {
    validateInlineVolumeSpec(inline, `${field}.inlineVolumeSpec`, errors, ctx);
  }
}

function validateSpec(object: VolumeAttachment, errors: FieldErrors, ctx: WriteContext): void {
  const { attacher, nodeName, source } = object.spec;
  if (attacher === "") errors.required("spec.attacher", "expected the name of a CSI driver");
  validateSource(source, errors, ctx);
  const expected = dnsSubdomain(nodeName);
  if (expected !== undefined) errors.invalid("spec.nodeName", nodeName, expected);
}

/** Forms of names that only new objects must have; stored ones stay valid. */
function validateNewNames(object: VolumeAttachment, errors: FieldErrors): void {
  const { attacher, source } = object.spec;
  if (attacher !== "") validateDriverName(attacher, "spec.attacher", errors);
  const name = source.persistentVolumeName;
  const expected = name == null ? undefined : dnsSubdomain(name);
  if (expected !== undefined) errors.invalid("spec.source.persistentVolumeName", name, expected);
}

function validateStatus(object: VolumeAttachment, errors: FieldErrors): void {
  const { attachmentMetadata, ...status } = object.status ?? {};
  if (bytesOf(attachmentMetadata) > MAX_METADATA_BYTES) {
    errors.tooLong("status.attachmentMetadata", MAX_METADATA_BYTES);
  }
  for (const member of ["attachError", "detachError"] as const) {
    const { message = "", errorCode } = status[member] ?? {};
    const field = `status.${member}`;
    if (Buffer.byteLength(message) > MAX_MESSAGE_LENGTH) errors.tooLong(`${field}.message`, MAX_MESSAGE_LENGTH);
    if (errorCode != null && errorCode < 0) {
      errors.invalid(`${field}.errorCode`, errorCode, "expected a code that is not negative");
    }
  }
}

function validateUpdate(object: VolumeAttachment, old: VolumeAttachment, errors: FieldErrors, ctx: WriteContext): void {
  validateSpec(object, errors, ctx);
  validateStatus(object, errors);
  if (!same(object["spec"], old["spec"])) {
    errors.invalid("spec", object["spec"], "field is immutable");
  }
}

function dropGatedSource(object: VolumeAttachment, old: VolumeAttachment | undefined, ctx: WriteContext): void {
  const stored = old?.spec.source;
  const { spec } = object;
  dropGated(spec.source, stored, "inlineVolumeSpec", "CSIMigration", "spec.source", ctx);
}

/** A write of the status changes the status only, and an error code is kept only where the gate is on (VA-13). */
function prepareStatus(object: VolumeAttachment, old: VolumeAttachment, ctx: WriteContext): void {
  keepAllButStatus(object, old);
  const { status } = object;
  const before = old.status;
  for (const member of ["attachError", "detachError"] as const) {
    const path = `status.${member}`;
    dropGated(status?.[member], before?.[member], "errorCode", "MutableCSINodeAllocatableCount", path, ctx);
  }
}

const columns: readonly Column<VolumeAttachment>[] = [
  // Validated here, since the format of the attacher is that of names, too.
  nameColumn,
  {
    name: "Attacher",
    type: "string",
    format: "name",
    description: "The driver that attaches.",
    cell: (object) => object.spec.attacher,
  },
  textColumn("PV", "The name of the PersistentVolume.", (object) => object.spec.source.persistentVolumeName ?? ""),
  textColumn("Node", "The node to attach to.", (object) => object.spec.nodeName),
  {
    name: "Attached",
    type: "boolean",
    description: "Whether the volume was attached successfully.",
    cell: (object) => object.status?.attached ?? false,
  },
  ageColumn,
];

/** The definition of VolumeAttachment. */
export const volumeAttachment = (ctx: ApiContext): ResourceDefinition =>
  defineResource(
    objectSchema("The attachment of a volume to a node.", {
      spec: t.required(specSchema(ctx)),
      status: t.always(VolumeStatus),
    }),
    {
      group: `storage.${ctx.dialect.domain}`,
      version: "v1",
      kind: "VolumeAttachment",
      plural: "volumeattachments",
      scope: "Cluster",
      description: "Requests that a volume is attached to a node; the deletion of the object detaches it.",
      deleteReturns: "object",
      versionedUpdate: true,
      resetFields: ["status"],
      prepareForCreate(object, write) {
        object["status"] = { attached: false };
        dropGatedSource(object, undefined, write);
      },
      validate(object, errors, write) {
        validateSpec(object, errors, write);
        validateNewNames(object, errors);
      },
      prepareForUpdate(object, old, write) {
        object["status"] = old["status"];
        dropGatedSource(object, old, write);
      },
      validateUpdate,
      subresources: {
        status: {
          verbs: ["get", "patch", "update"],
          resetFields: ["metadata", "spec"],
          prepareForUpdate: prepareStatus,
          validateUpdate,
        },
      },
      columns,
    },
  );
