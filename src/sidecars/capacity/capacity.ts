/**
 * Tells schedulers how much room a driver has in each place, for each class: CSIStorageCapacity objects (CAP-2, CAP-6).
 *
 * The driver is asked from time to time, and as soon as a volume was made or could not be. Objects that are about what is gone are
 * deleted. Keys are the names of the objects.
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
import type { CapacitySettings, Sidecar } from "../sidecar.ts";
import { callOf } from "../sidecar.ts";
import { type CapacityItem, capacityItems } from "./segments.ts";

/** Who looks after the objects, as their labels say. */
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
    begin: (ground, add) => new CapacityMemory(sidecar, { settings, objects, ground }, add),
    reconcile: (ctx) => reconcile(ctx, sidecar, settings),
  });
}

interface Followed {
  readonly settings: CapacitySettings;
  readonly objects: Objects;
  readonly ground: SourceParts;
}

/** What there is and should be, and who has to be looked at when something changes. */
class CapacityMemory implements Disposable {
  readonly #sidecar: Sidecar;
  readonly #followed: Followed;
  readonly #add: (key: string) => void;
  readonly #heard = new DisposableStack();
  #items: ReadonlyMap<string, CapacityItem> | undefined;

  constructor(sidecar: Sidecar, followed: Followed, add: (key: string) => void) {
    const { specs, capacityNews } = sidecar;
    const { ground, objects } = followed;
    this.#sidecar = sidecar;
    this.#followed = followed;
    this.#add = add;
    this.#heard.use(ground.own(specs.classes).on(() => this.#changed()));
    this.#heard.use(ground.own(specs.csiNodes).on(() => this.#changed()));
    this.#heard.use(
      ground.own(specs.nodes).on((event) => {
        const isSame = event.type === "changed" && labelsOf(event.object) === labelsOf(event.old);
        if (!isSame) this.#changed();
      }),
    );
    this.#heard.use(
      ground.own(objects).on(({ object, type }) => {
        // What was written here needs no second look.
        if (type !== "changed") add(object.metadata.name);
      }),
    );
    this.#heard.use(capacityNews.on((storageClass) => this.#addAll((item) => item.storageClass === storageClass)));
    this.#addAll(() => true);
  }

  [Symbol.dispose](): void {
    this.#heard.dispose();
  }

  /** The items that there should be. */
  get items(): ReadonlyMap<string, CapacityItem> {
    const { ground, settings } = this.#followed;
    const { specs, driver, settings: all } = this.#sidecar;
    return (this.#items ??= capacityItems({
      driver: driver.name,
      knowsPlaces: driver.abilities.has("PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS"),
      forImmediateBinding: settings.forImmediateBinding === true,
      node: all.node,
      classes: ground.own(specs.classes).list(),
      nodes: ground.own(specs.nodes).list(),
      csiNodes: ground.own(specs.csiNodes).list(),
    }));
  }

  object(name: string): CSIStorageCapacity | undefined {
    const { ground, objects, settings } = this.#followed;
    return ground.own(objects).get({ namespace: settings.namespace, name });
  }

  /** Items that came or went are looked at. */
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

const labelsOf = ({ metadata }: { readonly metadata: { readonly labels?: object } }): string =>
  JSON.stringify(metadata.labels ?? {});

async function reconcile(
  ctx: KeyContext<CapacityMemory>,
  sidecar: Sidecar,
  { namespace, pollInterval = "1m" }: CapacitySettings,
): Promise<Result> {
  const { memory, client, key: name } = ctx;
  const item = memory.items.get(name);
  const known = memory.object(name);
  const objects = client.resource(sidecar.kinds.capacity);
  if (!item) {
    if (known) await attempt(objects.delete(known), "NotFound", "Conflict");
    return undefined;
  }
  const said = await ask(ctx, sidecar, item);
  if (!known) {
    const object = { metadata: { name, namespace, labels: labels(sidecar) }, ...placeOf(item), ...said };
    await attempt(objects.create(object), "AlreadyExists");
  } else if (isOther(known, said)) {
    const { maximumVolumeSize: _, ...rest } = known;
    await attempt(objects.update({ ...rest, ...said }), "NotFound", "Conflict");
  }
  return { requeueAfter: pollInterval };
}

const labels = (sidecar: Sidecar): Record<string, string> => ({
  [sidecar.names.capacityOf]: sidecar.driver.name,
  [sidecar.names.managedBy]: managerOf(sidecar),
});

const placeOf = ({
  storageClass,
  segments,
}: CapacityItem): Pick<CSIStorageCapacity, "storageClassName" | "nodeTopology"> => ({
  storageClassName: storageClass,
  nodeTopology: Object.keys(segments).length > 0 ? { matchLabels: { ...segments } } : {},
});

interface Said {
  readonly capacity: string;
  readonly maximumVolumeSize?: string;
}

async function ask(ctx: KeyContext<CapacityMemory>, sidecar: Sidecar, item: CapacityItem): Promise<Said> {
  const found = ctx.informer(sidecar.specs.classes).get({ name: item.storageClass })?.parameters ?? {};
  const parameters = forDriver(found, sidecar.names.parameters, "storage");
  const hasPlace = Object.keys(item.segments).length > 0;
  const request = { parameters, ...(hasPlace ? { accessibleTopology: { segments: item.segments } } : {}) };
  const answer = await callOf(sidecar, ctx.signal)("GetCapacity", (calls, how) => calls.getCapacity(request, how));
  const { availableCapacity, maximumVolumeSize: most } = answer;
  return {
    capacity: quantityOf(availableCapacity),
    ...(most === undefined ? {} : { maximumVolumeSize: quantityOf(most) }),
  };
}

const isOther = (known: CSIStorageCapacity, said: Said): boolean =>
  compareQuantities(known.capacity ?? "-1", said.capacity) !== 0 ||
  (known.maximumVolumeSize === undefined) !== (said.maximumVolumeSize === undefined) ||
  compareQuantities(known.maximumVolumeSize ?? "0", said.maximumVolumeSize ?? "0") !== 0;
