/**
 * StorageVersionMigration in `v1beta1`, the version that Kubernetes 1.35 serves (DEC-55).
 * It is a view: `../v1alpha1/` is the stored form. A view has neither the version of the resource nor the continue token, so a write of one
 * keeps those of the object that it replaces.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { migrationRules } from "../rules.ts";
import type { StorageVersionMigration } from "../v1alpha1/storageversionmigration.ts";

const Condition = t.struct("The last observed state of one aspect of the migration.", {
  type: t.required(t.text("The aspect: `Running`, `Succeeded`, `Failed` or a qualified name.")),
  status: t.required(t.text("`True`, `False` or `Unknown`.")),
  observedGeneration: t.optional(t.int64("The generation of the object that the condition was seen for.")),
  lastTransitionTime: t.required(t.time("When the condition last changed.")),
  reason: t.required(t.text("Why the condition last changed, in one word.")),
  message: t.required(t.text("Details of the last change, for people.")),
});

const Spec = t.struct("The resource to migrate; it is immutable.", {
  resource: t.required(
    t.struct("The resource that is migrated.", {
      group: t.required(t.text("The API group, empty for the core group.")),
      resource: t.required(t.text("The plural name of the resource.")),
    }),
  ),
});

const MigrationStatus = t.struct("How far the migration is; written by its controller.", {
  conditions: t.optional(
    t.keyedList(Condition, ["type"], "The latest observations; at most one of Succeeded and Failed is true, for good."),
  ),
  resourceVersion: t.optional(t.text("The version of the resource when the migration was first seen; it is set once.")),
});

/** A StorageVersionMigration as v1beta1 shows it. */
export type StorageVersionMigrationView = ApiObject & {
  spec: t.Static<typeof Spec>;
  status: t.Static<typeof MigrationStatus>;
};

type Stored = StorageVersionMigration;
type View = StorageVersionMigrationView;
type StoredCondition = NonNullable<Stored["status"]["conditions"]>[number];
type ViewCondition = NonNullable<View["status"]["conditions"]>[number];

/** Leaves out members that are unset or empty, as the stored form does. */
function compact<T extends object>(members: { [K in keyof T]: T[K] | null | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null && value !== "")) as T;
}

const storedCondition = ({ type, status, lastTransitionTime, ...rest }: ViewCondition): StoredCondition => ({
  type,
  status,
  ...compact({ lastUpdateTime: lastTransitionTime, ...rest }),
});

const viewCondition = (condition: StoredCondition, noTime: null | undefined): ViewCondition => {
  const { type, status, lastUpdateTime = noTime, reason = "", message = "", observedGeneration } = condition;
  return {
    type,
    status,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(lastUpdateTime === undefined ? {} : { lastTransitionTime: lastUpdateTime }),
    reason,
    message,
  } as ViewCondition;
};

/** Whether the stored object is for the same resource that the view names. */
const sameResource = (view: Partial<View>, stored: Stored): boolean =>
  (view.spec?.resource?.group ?? "") === (stored.spec.resource.group ?? "") &&
  view.spec?.resource?.resource === stored.spec.resource.resource;

/**
 * Converts a view to the stored form; members that views lack are copied from `before`, the stored object that it replaces. Partial objects
 * are converted as well (the intent of an applier), so an absent member stays absent.
 */
function toStored(object: ApiObject, apiVersion: string, before?: ApiObject): ApiObject {
  const { spec, status, ...rest } = object as ApiObject & Partial<View>;
  const kept = before && sameResource(object as Partial<View>, before as Stored) ? (before as Stored).spec : undefined;
  const stored: ApiObject = { ...rest, apiVersion };
  if (spec) {
    const { resource } = spec as Partial<View["spec"]>;
    stored["spec"] = {
      ...(resource && { resource: compact({ version: kept?.resource.version, ...resource }) }),
      ...compact({ continueToken: kept?.continueToken }),
    };
  }
  if (status) stored["status"] = withConditions(status, status.conditions?.map(storedCondition));
  return stored;
}

function fromStored(object: ApiObject, apiVersion: string, noTime: null | undefined): ApiObject {
  const { spec, status, ...rest } = object as ApiObject & Partial<Stored>;
  const view: ApiObject = { ...rest, apiVersion };
  if (spec) {
    const { resource } = spec as Partial<Stored["spec"]>;
    view["spec"] = {
      ...(resource && { resource: { group: resource.group ?? "", resource: resource.resource ?? "" } }),
    };
  }
  if (status)
    view["status"] = withConditions(
      status,
      status.conditions?.map((c) => viewCondition(c, noTime)),
    );
  return view;
}

/** A status with other conditions; none when there are none. */
const withConditions = (status: object, conditions: readonly object[] | undefined): object => {
  const { conditions: _, ...rest } = status as { conditions?: unknown };
  return conditions?.length ? { ...rest, conditions } : rest;
};

/** The definition of StorageVersionMigration in v1beta1. */
export function storageVersionMigrationV1beta1(ctx: ApiContext): ResourceDefinition {
  const common = migrationRules(ctx, { versioned: false, time: "lastTransitionTime" });
  const { group, plural } = common;
  const noTime = ctx.dialect.rules.printUnsetAsNull ? null : undefined;
  return {
    ...common,
    version: "v1beta1",
    // The documents know one version only (VER-3, DEC-37).
    served: common.served === true && ctx.dialect.name === "kubernetes",
    deprecated: `${group}/v1beta1 StorageVersionMigration is deprecated: it is a beta version and will go`,
    removedRelease: "1.41",
    schema: objectSchema("A migration of stored objects to the latest storage version.", {
      spec: t.always(Spec),
      status: t.always(MigrationStatus),
    }),
    storedAs: {
      definition: `${plural}.${group}/v1alpha1`,
      toStored: (object: ApiObject, before?: ApiObject) => toStored(object, `${group}/v1alpha1`, before),
      fromStored: (object) => fromStored(object, `${group}/v1beta1`, noTime),
    },
  };
}
