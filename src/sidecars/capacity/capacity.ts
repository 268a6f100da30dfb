/**
 * Reports the capacity of a driver in each topology, for each class: CSIStorageCapacity objects (CAP-2, CAP-6).
 *
 * The capacity is requested periodically, and as soon as a volume was created or could not be. Objects for classes and topologies
 * that no longer exist are deleted. Keys are the names of the objects.
 *
 * @module
 */
import { attempt } from "../../client/index.ts";
import type { CSIStorageCapacity } from "../../client/kinds/index.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import {
  type Controller,
  type SourceParts,
  type InformerSpec,
  type KeyContext,
  type Result,
  defineKeyController,
  sharedInformer,
} from "../../runtime/index.ts";
import { quantityOf } from "../bytes.ts";
import { nameFor } from "../own-node.ts";
import { forDriver } from "../parameters.ts";
import { type CapacitySettings, type Sidecar, callDriver, changesOf } from "../sidecar.ts";
import { type CapacityItem, capacityItems } from "./items.ts";

/** The process that manages the objects, as their labels have it. */
const managerOf = ({ settings }: Sidecar): string => nameFor("external-provisioner", settings.node);

type Objects = InformerSpec<CSIStorageCapacity, "Namespaced", never>;

/** The controller named `keelson-capacity`. */
export function capacity(sidecar: Sidecar, settings: CapacitySettings): Controller {
  const { specs, kinds, names, driver, pace } = sidecar;
  const objects: Objects = sharedInformer(kinds.capacity, {
    namespace: settings.namespace,
    labelSelector: `${names.capacityOf}=${driver.name},${names.managedBy}=${managerOf(sidecar)}`,
  });
  return defineKeyController({
    name: "keelson-capacity",
    uses: [specs.classes, specs.nodes, specs.csiNodes, objects],
    ...pace,
    concurrency: 4,
    begin: (ground, add) => new CapacityState({ sidecar, settings, objects, ground }, add),
    reconcile: (ctx) => reconcile({ ctx, sidecar }, settings),
  });
}

interface CapacityParts {
  readonly sidecar: Sidecar;
  readonly settings: CapacitySettings;
  readonly objects: Objects;
  readonly ground: SourceParts;
}

/** The desired items and the stored objects; adds the keys of those that change. */
class CapacityState implements Disposable {
  readonly #parts: CapacityParts;
  readonly #add: (key: string) => void;
  readonly #observers = new DisposableStack();
  #items: ReadonlyMap<string, CapacityItem> | undefined;

  constructor(parts: CapacityParts, add: (key: string) => void) {
    const { sidecar, ground, objects } = parts;
    const { specs, capacityChanges } = sidecar;
    this.#parts = parts;
    this.#add = add;
    const changesLabels = changesOf<{ readonly metadata: { readonly labels?: object } }>(
      ({ metadata }) => metadata.labels ?? {},
    );
    const disposables = [
      ground.own(specs.classes).on(() => this.#changed()),
      ground.own(specs.csiNodes).on(() => this.#changed()),
      ground.own(specs.nodes).on((event) => {
        if (changesLabels(event)) this.#changed();
      }),
      // Changes of objects are those of this controller.
      ground.own(objects).on(({ object, type }) => {
        if (type !== "changed") add(object.metadata.name);
      }),
      capacityChanges.onChange((storageClass) => this.#addAll((item) => item.storageClass === storageClass)),
    ];
    for (const one of disposables) this.#observers.use(one);
    this.#addAll(() => true);
  }

  [Symbol.dispose](): void {
    this.#observers.dispose();
  }

  /** The desired items. */
  get items(): ReadonlyMap<string, CapacityItem> {
    const { ground, settings, sidecar } = this.#parts;
    const { specs, driver } = sidecar;
    return (this.#items ??= capacityItems({
      driver: driver.name,
      hasTopology: driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS"),
      forImmediateBinding: settings.forImmediateBinding === true,
      node: sidecar.settings.node,
      classes: ground.own(specs.classes).list(),
      nodes: ground.own(specs.nodes).list(),
      csiNodes: ground.own(specs.csiNodes).list(),
    }));
  }

  object(name: string): CSIStorageCapacity | undefined {
    const { ground, objects, settings } = this.#parts;
    return ground.own(objects).get({ namespace: settings.namespace, name });
  }

  /** Adds the keys of new items, and of those that are not desired any more. */
  #changed(): void {
    const before = this.#items ?? new Map<string, CapacityItem>();
    this.#items = undefined;
    const { items } = this;
    for (const name of items.keys()) if (!before.has(name)) this.#add(name);
    for (const name of before.keys()) if (!items.has(name)) this.#add(name);
  }

  #addAll(isIt: (item: CapacityItem) => boolean): void {
    for (const item of this.items.values()) if (isIt(item)) this.#add(item.name);
  }
}

interface CapacityContext {
  readonly ctx: KeyContext<CapacityState>;
  readonly sidecar: Sidecar;
}

async function reconcile(
  context: CapacityContext,
  { namespace, pollInterval = "1m" }: CapacitySettings,
): Promise<Result> {
  const { memory, client, key: name } = context.ctx;
  const { kinds, names, driver } = context.sidecar;
  const item = memory.items.get(name);
  const known = memory.object(name);
  const objects = client.resource(kinds.capacity);
  if (!item) {
    if (known) await attempt(objects.delete(known), "NotFound", "Conflict");
    return undefined;
  }
  const reported = await reportedFor(context, item);
  if (!known) {
    const labels = { [names.capacityOf]: driver.name, [names.managedBy]: managerOf(context.sidecar) };
    const object = { metadata: { name, namespace, labels }, ...subjectOf(item), ...reported };
    await attempt(objects.create(object), "AlreadyExists");
  } else if (!isSame(known, reported)) {
    const { maximumVolumeSize: _, ...rest } = known;
    await attempt(objects.update({ ...rest, ...reported }), "NotFound", "Conflict");
  }
  return { requeueAfter: pollInterval };
}

const subjectOf = ({ storageClass, segments }: CapacityItem) => ({
  storageClassName: storageClass,
  nodeTopology: Object.keys(segments).length > 0 ? { matchLabels: { ...segments } } : {},
});

interface Reported {
  readonly capacity: string;
  readonly maximumVolumeSize?: string;
}

async function reportedFor(context: CapacityContext, { storageClass, segments }: CapacityItem): Promise<Reported> {
  const { ctx, sidecar } = context;
  const found = ctx.informer(sidecar.specs.classes).get({ name: storageClass })?.parameters ?? {};
  const parameters = forDriver(found, sidecar.names.parameters, "storage");
  const hasTopology = Object.keys(segments).length > 0;
  const request = { parameters, ...(hasTopology ? { accessibleTopology: { segments } } : {}) };
  const { availableCapacity, maximumVolumeSize: max } = await callDriver(context, "getCapacity", request);
  return {
    capacity: quantityOf(availableCapacity),
    ...(max === undefined ? {} : { maximumVolumeSize: quantityOf(max) }),
  };
}

const isSame = (known: CSIStorageCapacity, reported: Reported): boolean =>
  compareQuantities(known.capacity ?? "-1", reported.capacity) === 0 &&
  (known.maximumVolumeSize === undefined) === (reported.maximumVolumeSize === undefined) &&
  compareQuantities(known.maximumVolumeSize ?? "0", reported.maximumVolumeSize ?? "0") === 0;
