/**
 * A registry over a store in memory, with kinds of a test.
 *
 * @module
 */
import type { AdmissionStep } from "../../admission/contract.ts";
import { type Dialect, kubernetes } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import { map, optional, struct, text } from "../../meta/types.ts";
import type { ApiContext, ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import { openMemoryStore } from "../../storage/memory/store.ts";
import type { Store, Write } from "../../storage/contract.ts";
import { type Clock, ManualClock, seededRandom } from "../../util/clock.ts";
import { EventLoop } from "../../util/loop.ts";
import type { Value } from "../../value/value.ts";
import { type BuiltRegistry, type RegistryAccess, buildRegistry } from "../build.ts";
import type { Actions } from "../kind/action.ts";
import type { Kind } from "../kind/kind.ts";
import { SYSTEM } from "../kind/system.ts";
import type { Body, ListOptions, PatchOptions, Resource, WatchOptions, WriteOptions } from "../contract.ts";

/** A user who may do everything. */
export const CALLER = { ...SYSTEM, userAgent: "test/1.0" };

/** A write with default options. */
export const WRITE: WriteOptions = { dryRun: false, fieldManager: "", fieldValidation: "Ignore" };

/** A forced apply. */
export const APPLY: PatchOptions = { ...WRITE, fieldManager: "applier", type: "apply", force: true };

/** A list of all current objects. */
export const LIST: ListOptions = {
  labelSelector: "",
  fieldSelector: "",
  limit: 0,
  continue: "",
  resourceVersion: "",
  resourceVersionMatch: "",
};

/** A watch from now on. */
export const WATCH: WatchOptions = { ...LIST, sendInitialEvents: false, allowWatchBookmarks: false };

/** The object of the cluster that a name names. */
export const named = (name: string, subresource = "") => ({ namespace: "", name, subresource });

/** A body as the server passes it. */
export const bodyOf = (value: object): Body => ({ value: structuredClone(value) as Value, duplicates: [] });

const about = "A kind of the test.";

/** A kind of the cluster with a spec of texts, in a version; a test may add members to the definition. */
export const widget = (version: string, more: Partial<ResourceDefinition> = {}): ResourceDefinition => ({
  group: "example.com",
  version,
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  scope: "Cluster",
  description: about,
  schema: objectSchema(about, {
    spec: optional(map(text(), "What is wanted.")),
    status: optional(struct("What is.", { phase: optional(text("How far it is.")) })),
  }),
  deleteReturns: "object",
  ...more,
});

/** The parts that a test may replace. */
export interface TestParts {
  readonly store?: Store;
  /** The steps of admission; none by default. */
  readonly steps?: readonly AdmissionStep[];
  /** None by default. */
  readonly actions?: (access: RegistryAccess) => Actions;
  readonly clock?: Clock;
  /** The kubernetes one by default. */
  readonly dialect?: Dialect;
}

/** A registry that serves no kind but those of the test. */
export async function registryOf(
  definitions: readonly ResourceDefinition[],
  parts: TestParts = {},
): Promise<BuiltRegistry> {
  const { dialect = kubernetes } = parts;
  const api: ApiContext = {
    dialect,
    gates: gatesOf(dialect),
    clock: parts.clock ?? new ManualClock(undefined, 0, new EventLoop()),
    random: seededRandom(1),
  };
  return buildRegistry({
    api,
    store: parts.store ?? (await openMemoryStore()),
    definitions,
    handlers: (access) => ({ admission: parts.steps ?? [], actions: parts.actions?.(access) ?? new Map() }),
  });
}

/** The writes of another server around the next write of this one; each runs once. */
export interface Meanwhile {
  before?: () => Promise<unknown>;
  after?: () => Promise<unknown>;
}

/**
 * Two registries of a kind over one store, as two servers have them, and a hook between them.
 *
 * @param beside kinds that are served, too
 */
export async function twoServers(
  definition: ResourceDefinition,
  parts: Omit<TestParts, "store"> = {},
  beside: readonly ResourceDefinition[] = [],
) {
  const store = await openMemoryStore();
  const around: Meanwhile = {};
  const meanwhile = async <T>(work: () => Promise<T>): Promise<T> => {
    const { before, after } = around;
    delete around.before;
    delete around.after;
    await before?.();
    const done = await work();
    await after?.();
    return done;
  };
  const write = (wanted: Write): Promise<number> => meanwhile(() => store.write(wanted));
  const transact = (wanted: readonly Write[]): Promise<readonly number[]> => meanwhile(() => store.transact(wanted));
  const raced = new Proxy<Store>(store, {
    get(from, name) {
      const value: unknown = { write, transact }[name as string] ?? Reflect.get(from, name, from);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
  const of = async (on: Store) => {
    const { kinds } = await registryOf([definition, ...beside], { ...parts, store: on });
    const find = ({ group, version, plural }: ResourceDefinition): Resource => kinds.find(group, version, plural)!;
    const kindOf = ({ group, version, plural }: ResourceDefinition): Kind => kinds.kind(group, version, plural)!;
    return { resource: find(definition), find, kindOf };
  };
  const [{ resource: one, kindOf }, { resource: other, find }] = [await of(raced), await of(store)];
  return { one, other, around, otherOf: find, kindOf };
}

/** The object that a resource returns for a name, from the bytes that a client is sent. */
export async function read(resource: Resource, name: string, namespace = ""): Promise<ApiObject> {
  const entry = await resource.get({ namespace, name, subresource: "" }, { resourceVersion: "" });
  return JSON.parse(Buffer.from(resource.view(entry)).toString()) as ApiObject;
}
