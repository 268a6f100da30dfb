/**
 * Compares the volumes and snapshots of a driver with the objects of the cluster.
 * A volume counts as known when a PersistentVolume names it, a snapshot when a VolumeSnapshotContent does. Users may keep them: those whose
 * object was deleted with the policy Retain are no fault.
 *
 * @module
 */
import type { Complaint } from "../../../explore/contract/laboratory.ts";
import type { DriverObject, StoredObject } from "../../../explore/contract/state.ts";
import type { ObjectRef } from "../../../explore/contract/trace.ts";

/** An object that names something of the driver. */
interface Naming {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly kind: DriverObject["kind"];
  readonly id: string;
  readonly retains: boolean;
  /** Whether it is in use: neither it nor its claim is being deleted. */
  readonly isUsed: boolean;
}

interface VolumeSpec {
  readonly csi?: { readonly driver?: string; readonly volumeHandle?: string };
  readonly persistentVolumeReclaimPolicy?: string;
  readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
}

interface ContentSpec {
  readonly driver?: string;
  readonly deletionPolicy?: string;
  readonly source?: { readonly snapshotHandle?: string };
  readonly volumeSnapshotRef?: { readonly namespace?: string; readonly name?: string };
}

interface ClaimSpec {
  readonly volumeName?: string;
  readonly dataSource?: { readonly kind?: string; readonly name?: string };
  readonly dataSourceRef?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

/** The known data of a volume. */
interface Data {
  readonly text: string;
  /** From where: `written by default/a`. */
  readonly origin: string;
}

type Loss = Extract<Complaint, { readonly object: ObjectRef }>;

/** Follows one run. */
export class DriverJudge {
  readonly #driver: string;
  /** The volumes and snapshots that objects name or named, by kind and ID. */
  readonly #retained = new Set<string>();
  readonly #data = new Map<string, Data>();
  readonly #complaints = new Map<string, Loss>();

  /** @param driver its name */
  constructor(driver: string) {
    this.#driver = driver;
  }

  /** The faults so far. */
  get complaints(): readonly Complaint[] {
    return [...this.#complaints.values()];
  }

  /** Records the data that was written into a volume. */
  wrote(id: string, text: string): void {
    this.#data.set(`Volume ${id}`, { text, origin: text });
  }

  /** Remembers an object that was deleted. */
  deleted(object: StoredObject): void {
    const naming = this.#namingOf(object, []);
    if (naming?.retains) this.#retained.add(keyOf(naming));
  }

  /**
   * Looks at everything when all is at rest.
   *
   * @param stored all volumes, claims, snapshots and contents of the cluster; more does no harm
   */
  look(stored: readonly StoredObject[], has: readonly DriverObject[]): void {
    const byId = new Map(has.map((one) => [keyOf(one), one]));
    const namings = stored.flatMap((object) => this.#namingOf(object, stored) ?? []);
    for (const naming of namings) this.#lookAtUsed(naming, byId);
    this.#lookForTwins(has);
    for (const [key, { data }] of byId) this.#lookAtData(key, data);
    this.#forgetDeleted(byId);
    this.#inherit(stored, namings, byId);
  }

  /** Finds volumes and snapshots at the end that no object names. */
  end(stored: readonly StoredObject[], has: readonly DriverObject[]): void {
    const known = new Set(stored.flatMap((object) => this.#namingOf(object, stored) ?? []).map(keyOf));
    for (const one of has) {
      const key = keyOf(one);
      if (known.has(key) || this.#retained.has(key)) continue;
      const object = one.kind === "Volume" ? "PersistentVolume" : "VolumeSnapshotContent";
      this.#complain(`leaked ${key}`, {
        type: "leaked",
        object: refOf(one),
        detail: `the driver has ${one.kind.toLowerCase()} ${one.name ?? one.id}, and no ${object} names it`,
      });
    }
  }

  #lookAtUsed(naming: Naming, byId: ReadonlyMap<string, DriverObject>): void {
    if (!naming.isUsed || byId.has(keyOf(naming))) return;
    this.#complain(`deleted-in-use ${naming.uid}`, {
      type: "deleted-in-use",
      object: naming.ref,
      detail: `the driver has no ${naming.kind.toLowerCase()} ${naming.id}, which ${naming.ref.kind} ${naming.ref.name} names`,
    });
  }

  #lookForTwins(has: readonly DriverObject[]): void {
    const first = new Map<string, DriverObject>();
    for (const one of has) {
      if (one.name === undefined) continue;
      const key = `${one.kind} ${one.name}`;
      const twin = first.get(key);
      if (!twin) first.set(key, one);
      else
        this.#complain(`made-twice ${key}`, {
          type: "made-twice",
          object: refOf(one),
          detail: `the driver has two of the name ${one.name}: ${twin.id} and ${one.id}`,
        });
    }
  }

  #lookAtData(key: string, data: string | undefined): void {
    const known = this.#data.get(key);
    if (data === undefined || !known || known.text === data) return;
    this.#complain(`data-lost ${key}`, {
      type: "data-lost",
      object: { group: "csi", kind: key.slice(0, key.indexOf(" ")), name: key.slice(key.indexOf(" ") + 1) },
      detail: `expected the data that was ${known.origin}, found ${data === "" ? "nothing" : data}`,
    });
    this.#data.set(key, { text: data, origin: data });
  }

  /** IDs may be used again. */
  #forgetDeleted(byId: ReadonlyMap<string, DriverObject>): void {
    for (const key of this.#data.keys()) if (!byId.has(key)) this.#data.delete(key);
  }

  /** The required content of new volumes and snapshots: the data of their source. */
  #inherit(stored: readonly StoredObject[], namings: readonly Naming[], byId: ReadonlyMap<string, DriverObject>): void {
    for (const naming of namings) {
      const key = keyOf(naming);
      const found = byId.get(key);
      if (this.#data.has(key) || found?.data === undefined) continue;
      if (naming.kind === "Snapshot") {
        this.#data.set(key, { text: found.data, origin: found.data });
        continue;
      }
      const claim = claimOf(stored, naming);
      const source = claim && this.#sourceOf(stored, namings, claim);
      if (!source) continue;
      this.#data.set(key, source);
      this.#lookAtData(key, found.data);
    }
  }

  /** The data of the source of a claim; undefined without one, and where it is deleted. */
  #sourceOf(stored: readonly StoredObject[], namings: readonly Naming[], claim: StoredObject): Data | undefined {
    const { dataSource, dataSourceRef } = claim["spec"] as ClaimSpec;
    const source = dataSourceRef ?? dataSource;
    if (!source?.name) return undefined;
    const namespace = dataSourceRef?.namespace ?? claim.metadata.namespace;
    const target = stored.find(
      ({ kind, metadata }) => kind === source.kind && metadata.name === source.name && metadata.namespace === namespace,
    );
    const naming =
      source.kind === "PersistentVolumeClaim"
        ? namings.find(
            ({ ref }) =>
              ref.kind === "PersistentVolume" && ref.name === (target?.["spec"] as ClaimSpec | undefined)?.volumeName,
          )
        : namings.find(({ ref }) => ref.kind === "VolumeSnapshotContent" && ref.name === contentNameOf(target));
    return naming && this.#data.get(keyOf(naming));
  }

  #namingOf(object: StoredObject, stored: readonly StoredObject[]): Naming | undefined {
    const { kind, metadata } = object;
    if (kind === "PersistentVolume") {
      const { csi, persistentVolumeReclaimPolicy, claimRef } = object["spec"] as VolumeSpec;
      if (csi?.driver !== this.#driver || !csi.volumeHandle) return undefined;
      const claim = stored.find(
        ({ kind: of, metadata: { uid } }) => of === "PersistentVolumeClaim" && uid === claimRef?.uid,
      );
      return {
        ref: { group: "", kind, name: metadata.name },
        uid: metadata.uid,
        kind: "Volume",
        id: csi.volumeHandle,
        retains: persistentVolumeReclaimPolicy !== "Delete",
        isUsed:
          metadata.deletionTimestamp === undefined &&
          claim !== undefined &&
          claim.metadata.deletionTimestamp === undefined,
      };
    }
    if (kind !== "VolumeSnapshotContent") return undefined;
    const { driver, deletionPolicy, source, volumeSnapshotRef } = object["spec"] as ContentSpec;
    const { snapshotHandle } = (object["status"] ?? {}) as { readonly snapshotHandle?: string };
    const id = snapshotHandle ?? source?.snapshotHandle;
    if (driver !== this.#driver || !id) return undefined;
    const snapshot = stored.find(
      (one) =>
        one.kind === "VolumeSnapshot" &&
        one.metadata.name === volumeSnapshotRef?.name &&
        one.metadata.namespace === volumeSnapshotRef?.namespace,
    );
    return {
      ref: { group: object.apiVersion.slice(0, object.apiVersion.indexOf("/")), kind, name: metadata.name },
      uid: metadata.uid,
      kind: "Snapshot",
      id,
      retains: deletionPolicy !== "Delete",
      isUsed:
        metadata.deletionTimestamp === undefined &&
        snapshot !== undefined &&
        snapshot.metadata.deletionTimestamp === undefined,
    };
  }

  #complain(key: string, complaint: Loss): void {
    if (!this.#complaints.has(key)) this.#complaints.set(key, complaint);
  }
}

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind} ${id}`;

const refOf = ({ kind, id, name }: DriverObject): ObjectRef => ({ group: "csi", kind, name: name ?? id });

const contentNameOf = (snapshot: StoredObject | undefined): string | undefined =>
  (snapshot?.["status"] as { readonly boundVolumeSnapshotContentName?: string } | undefined)
    ?.boundVolumeSnapshotContentName;

/** The claim that is bound to a volume. */
const claimOf = (stored: readonly StoredObject[], { ref }: Naming): StoredObject | undefined =>
  stored.find(
    ({ kind, spec, status }) =>
      kind === "PersistentVolumeClaim" &&
      (spec as ClaimSpec).volumeName === ref.name &&
      (status as { readonly phase?: string } | undefined)?.phase === "Bound",
  );
