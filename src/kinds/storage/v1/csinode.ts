/**
 * CSINode: which CSI drivers are installed on a node (CSIN-1..21).
 *
 * It has the name of its node and is written by the node agent when plugins register.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { qualifiedName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { type Value, equal } from "../../../value/value.ts";
import { ageColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateDriverName } from "../../rules/driver-name.ts";

const VolumeNodeResources = t.struct("How many volumes a driver can use on a node.", {
  count: t.pointer(
    t.int32(
      "Most distinct volumes of the driver on the node, each counted once however it is used; no limit when unset.",
    ),
  ),
});

const Driver = t.struct("A driver on the node.", {
  name: t.required(t.text("The name that the driver itself gives (GetPluginName).")),
  nodeID: t.required(t.text("The name of the node for the driver, which may differ from that of the Node.")),
  topologyKeys: t.always(
    t.atomicList(t.text(), "Keys of the topology that the driver supports; they become labels of the node."),
  ),
  allocatable: t.pointer(VolumeNodeResources),
});

const Spec = t.struct("The drivers on the node.", {
  drivers: t.required(
    t.keyedList(Driver, ["name"], "The drivers on the node, empty when all were uninstalled; names are unique."),
  ),
});

/** `spec` of a CSINode; an empty list reads back as null in the kubernetes dialect. */
export type CSINodeSpec = t.Static<typeof Spec>;

/** A driver on a node. */
export type CSINodeDriver = CSINodeSpec["drivers"][number];

/** A CSINode. */
export type CSINode = ObjectOf<typeof schema>;

const MAX_ID_LENGTH = 256;

const driversOf = (object: CSINode): readonly CSINodeDriver[] => object.spec?.drivers ?? [];

function validateDriver(driver: CSINodeDriver, i: number, errors: FieldErrors, ctx: WriteContext): void {
  const field = `spec.drivers[${i}]`;
  const { nodeID, allocatable } = driver;
  validateDriverName(driver.name, `${field}.name`, errors);
  if (nodeID === "") errors.required(`${field}.nodeID`, "expected what the driver calls the node");
  if (Buffer.byteLength(nodeID) > MAX_ID_LENGTH) {
    errors.invalid(`${field}.nodeID`, nodeID, `expected at most ${MAX_ID_LENGTH} bytes`);
  }
  if (allocatable?.count != null && allocatable.count < 0) {
    errors.invalid(`${field}.allocatable.count`, allocatable.count, "expected a number that is not negative");
  }
  validateTopologyKeys(driver.topologyKeys ?? [], field, errors, ctx);
}

function validateTopologyKeys(keys: readonly string[], driver: string, errors: FieldErrors, ctx: WriteContext): void {
  const seen = new Set<string>();
  for (const [i, key] of keys.entries()) {
    const field = ctx.dialect.rules.recordedCauseNames ? driver : `${driver}.topologyKeys[${i}]`;
    if (key === "") errors.required(field, "expected the key of a label");
    if (seen.has(key)) errors.duplicate(field, key);
    seen.add(key);
    const expected = qualifiedName(key);
    if (expected !== undefined) errors.invalid(field, key, expected);
  }
}

function validate(object: CSINode, errors: FieldErrors, ctx: WriteContext): void {
  const { spec } = object;
  if (ctx.dialect.rules.enforceDocumented && spec?.drivers == null) {
    errors.required("spec.drivers", "expected a list of drivers, which may be empty");
  }
  const names = new Set<string>();
  for (const [i, driver] of driversOf(object).entries()) {
    validateDriver(driver, i, errors, ctx);
    if (names.has(driver.name)) errors.duplicate(`spec.drivers[${i}].name`, driver.name);
    names.add(driver.name);
  }
}

/** The immutable members of a driver, in comparable form: absent and an empty list are the same. */
function frozenPart(driver: CSINodeDriver, ctx: WriteContext): Value {
  const { name, nodeID, topologyKeys, allocatable } = driver;
  const count = ctx.gates.MutableCSINodeAllocatableCount ? null : ((allocatable ?? null) as Value);
  return [name, nodeID, topologyKeys ?? [], count];
}

function validateUpdate(object: CSINode, old: CSINode, errors: FieldErrors, ctx: WriteContext): void {
  validate(object, errors, ctx);
  if (!ctx.dialect.rules.enforceUndocumented) return;
  const before = new Map(driversOf(old).map((driver) => [driver.name, driver]));
  for (const driver of driversOf(object)) {
    const stored = before.get(driver.name);
    if (stored && !equal(frozenPart(driver, ctx), frozenPart(stored, ctx))) {
      errors.invalid(
        "spec.drivers",
        driver,
        "field is immutable: expected the members of a driver to stay while it is listed",
      );
    }
  }
}

const columns: readonly Column<CSINode>[] = [
  {
    name: "Drivers",
    type: "integer",
    description: "How many CSI drivers are registered on the node.",
    cell: (object) => driversOf(object).length,
  },
  ageColumn,
];

const schema = objectSchema("The CSI drivers on one node.", { spec: t.required(Spec) });

/** The definition of CSINode. */
export const csiNode = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: `storage.${ctx.dialect.domain}`,
    version: "v1",
    kind: "CSINode",
    plural: "csinodes",
    scope: "Cluster",
    description:
      "Which CSI drivers are installed on one node. It has the name of the node, is owned by it and is filled by the node agent; without it the node has no CSI drivers.",
    deleteReturns: "object",
    versionedUpdate: true,
    validate,
    validateUpdate,
    columns,
  });
