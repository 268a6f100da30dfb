/**
 * CSIDriver: the properties of a CSI volume driver (CSID-1..42).
 *
 * The object has no effect by itself; the attach/detach controller, the scheduler and the node agents read it.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { equal } from "../../../value/value.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { same } from "../../rules/same.ts";

const TokenRequest = t.struct("A service account token of the mounting pod that the driver needs.", {
  audience: t.required(t.text("The audience of the token; empty means the API server.")),
  expirationSeconds: t.pointer(t.int64("How long the token is valid, by default as for token requests (3600).")),
});

const specSchema = (ctx: ApiContext) =>
  t.struct("The requirements and abilities of the driver.", {
    attachRequired: t.pointer(
      t.bool("Whether volumes must be attached to a node before they are mounted; it cannot change.", {
        default: true,
      }),
    ),
    podInfoOnMount: t.pointer(
      t.bool("Whether the driver gets information about the pod when it mounts a volume.", { default: false }),
    ),
    volumeLifecycleModes: t.optional(
      t.setList(t.text(), "`Persistent`, `Ephemeral` or both; `Persistent` when empty; it cannot change."),
    ),
    storageCapacity: t.pointer(
      t.bool("Whether pods are scheduled by the capacity that the driver reports (CSIStorageCapacity).", {
        default: false,
      }),
    ),
    fsGroupPolicy: t.pointer(
      t.text(
        "When ownership and permissions of a volume are changed before it is mounted: `ReadWriteOnceWithFSType`, `File` (always) or `None`.",
        { default: "ReadWriteOnceWithFSType" },
      ),
    ),
    tokenRequests: t.optional(
      t.atomicList(TokenRequest, "The tokens that the driver needs, each for an audience of its own."),
    ),
    requiresRepublish: t.pointer(
      t.bool("Whether the driver is called again from time to time to bring mounted volumes up to date.", {
        default: false,
      }),
    ),
    seLinuxMount: t.pointer(
      t.bool(
        "Whether every volume can be mounted with an SELinux context of its own.",
        ctx.gates.SELinuxMountReadWriteOncePod ? { default: false } : {},
      ),
    ),
    nodeAllocatableUpdatePeriodSeconds: t.pointer(
      t.int64("Seconds between updates of the allocatable count in CSINode, at least 10; never updated when unset."),
    ),
    serviceAccountTokenInSecrets: t.pointer(
      t.bool("Whether tokens are passed as secrets only, instead of in the volume context."),
    ),
  });

/** `spec` of a CSIDriver. */
export type CSIDriverSpec = t.Static<ReturnType<typeof specSchema>>;

/** A CSIDriver; after defaults `spec` is always there. */
export type CSIDriver = ApiObject & { spec: CSIDriverSpec };

const POLICIES = ["File", "None", "ReadWriteOnceWithFSType"];
const MODES = ["Persistent", "Ephemeral"];
const MIN_PERIOD = 10;
const MIN_EXPIRATION = 600;
const MAX_EXPIRATION = 2 ** 32;

function validateTokenRequests({ tokenRequests }: CSIDriverSpec, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { audience, expirationSeconds: seconds }] of (tokenRequests ?? []).entries()) {
    const field = `spec.tokenRequests[${i}]`;
    if (seen.has(audience)) {
      errors.duplicate(`${field}.audience`, audience);
      continue;
    }
    seen.add(audience);
    if (seconds == null) continue;
    if (seconds < MIN_EXPIRATION || seconds > MAX_EXPIRATION) {
      errors.invalid(`${field}.expirationSeconds`, seconds, `expected ${MIN_EXPIRATION} to ${MAX_EXPIRATION} seconds`);
    }
  }
}

function validateSpec(spec: CSIDriverSpec, errors: FieldErrors): void {
  const { fsGroupPolicy, nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (fsGroupPolicy != null && !POLICIES.includes(fsGroupPolicy)) {
    errors.notSupported("spec.fsGroupPolicy", fsGroupPolicy, POLICIES);
  }
  validateTokenRequests(spec, errors);
  for (const mode of new Set(spec.volumeLifecycleModes)) {
    if (!MODES.includes(mode)) errors.notSupported("spec.volumeLifecycleModes", mode, MODES);
  }
  if (period != null && period < MIN_PERIOD) {
    errors.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, `expected at least ${MIN_PERIOD} seconds`);
  }
  if (inSecrets != null && !spec.tokenRequests?.length) {
    errors.invalid(
      "spec.serviceAccountTokenInSecrets",
      inSecrets,
      "expected to be unset, as there are no tokenRequests",
    );
  }
}

function dropGatedFields(object: CSIDriver, old: CSIDriver | undefined, ctx: WriteContext): void {
  const { spec } = object;
  const stored = old?.spec;
  dropGated(spec, stored, "seLinuxMount", "SELinuxMountReadWriteOncePod", "spec", ctx);
  dropGated(spec, stored, "nodeAllocatableUpdatePeriodSeconds", "MutableCSINodeAllocatableCount", "spec", ctx);
  dropGated(spec, stored, "serviceAccountTokenInSecrets", "CSIServiceAccountTokenSecrets", "spec", ctx);
}

function validateUpdate(object: CSIDriver, old: CSIDriver, errors: FieldErrors, ctx: WriteContext): void {
  const { spec } = object;
  const before = old.spec;
  validateSpec(spec, errors);
  if (spec.attachRequired !== before.attachRequired) {
    const field = ctx.dialect.rules.recordedCauseNames ? "spec.attachedRequired" : "spec.attachRequired";
    errors.invalid(field, spec.attachRequired, "field is immutable");
  }
  const modes = spec.volumeLifecycleModes ?? [];
  if (!equal(modes, before.volumeLifecycleModes ?? [])) {
    errors.invalid("spec.volumeLifecycleModes", modes, "field is immutable");
  }
}

/** Tokens in the volume context may appear in logs; a driver that requests new ones gets a Warning. */
function warnings(object: CSIDriver, old: CSIDriver | undefined, ctx: WriteContext): readonly string[] {
  const { tokenRequests, serviceAccountTokenInSecrets } = object.spec;
  if (!ctx.gates.CSIServiceAccountTokenSecrets || serviceAccountTokenInSecrets != null) return [];
  if (!tokenRequests?.length) return [];
  if (old && same(tokenRequests, old.spec.tokenRequests ?? [])) return [];
  return [
    "spec.tokenRequests: tokens are passed in the volume context, set spec.serviceAccountTokenInSecrets to pass them as secrets",
  ];
}

const flag = (
  name: string,
  member: "attachRequired" | "podInfoOnMount" | "storageCapacity" | "requiresRepublish",
  unset: boolean,
  description: string,
): Column<CSIDriver> => ({
  name,
  type: "boolean",
  description,
  cell: (object) => object.spec[member] ?? unset,
});

const columns: readonly Column<CSIDriver>[] = [
  flag("AttachRequired", "attachRequired", true, "Whether volumes must be attached before they are mounted."),
  flag("PodInfoOnMount", "podInfoOnMount", false, "Whether the driver gets information about the pod."),
  flag("StorageCapacity", "storageCapacity", false, "Whether pods are scheduled by reported capacity."),
  textColumn(
    "TokenRequests",
    "The audiences of the tokens that the driver needs.",
    (object) => object.spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
  ),
  flag("RequiresRepublish", "requiresRepublish", false, "Whether the driver is called again from time to time."),
  textColumn(
    "Modes",
    "The ways in which volumes of the driver live.",
    (object) => object.spec.volumeLifecycleModes?.join(",") || "<none>",
  ),
  ageColumn,
];

/** The definition of CSIDriver. */
export const csiDriver = (ctx: ApiContext): ResourceDefinition =>
  defineResource(
    objectSchema("A CSI volume driver that is deployed in the cluster.", { spec: t.required(specSchema(ctx)) }),
    {
      group: `storage.${ctx.dialect.domain}`,
      version: "v1",
      kind: "CSIDriver",
      plural: "csidrivers",
      scope: "Cluster",
      description:
        "The properties of a CSI volume driver: whether volumes are attached, what it receives on mount and what it needs. The name is the name of the driver.",
      deleteReturns: "object",
      generation: "fromFirstChange",
      versionedUpdate: true,
      defaults(object) {
        const { spec } = object;
        if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
      },
      prepareForCreate: (object, write) => dropGatedFields(object, undefined, write),
      validate: (object, errors) => validateSpec(object.spec, errors),
      prepareForUpdate: dropGatedFields,
      validateUpdate,
      warnings,
      columns,
    },
  );
