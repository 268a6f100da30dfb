/**
 * The subject of a call to a storage driver: its object, and the part of its request in a trace.
 *
 * @module
 */
import { HIDDEN } from "../../../csi/secrets.ts";
import type { DriverObject } from "../../../explore/contract/state.ts";
import type { ObjectRef } from "../../../explore/contract/trace.ts";

/** A request with the names of the generated code: `volumeId`. */
export type CallRequest = Readonly<Record<string, unknown>>;

/** The known objects of a driver from earlier calls. */
export interface KnownNames {
  /** The name with which a volume or a snapshot was requested, by its ID. */
  nameOf(id: string): string | undefined;
}

/** Methods that read, of all services. */
const READS = /^(Probe$|Get|List|ValidateVolume|Controller(Get|ListSnapshots)|NodeGet|GroupControllerGet)/;

/** Whether a method may change something at the driver. An unknown one may. */
export const mayChange = (method: string): boolean => !READS.test(method);

/**
 * The object of a call: the volume, snapshot, node or plugin.
 * The name is the one that was requested, since drivers choose IDs freely: a call with an ID is for the object that was created with that
 * name. The ID is used where the name is not known.
 *
 * @param service the last part of its full name, such as `Controller`
 */
export function objectOf(service: string, method: string, request: CallRequest, known: KnownNames): ObjectRef {
  const text = (key: string): string | undefined => {
    const value = request[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const named = (kind: string, name: string | undefined): ObjectRef => ({
    group: "csi",
    kind,
    ...(name === undefined ? {} : { name }),
  });
  const byId = (kind: string, id: string | undefined): ObjectRef =>
    named(kind, id === undefined ? undefined : (known.nameOf(id) ?? id));
  if (method.includes("Snapshot") && method !== "GetSnapshotMetadata") {
    const id = text("snapshotId") ?? text("groupSnapshotId");
    return id === undefined ? named("Snapshot", text("name")) : byId("Snapshot", id);
  }
  if (method.includes("Volume") || method === "GetCapacity") {
    const id = text("volumeId");
    return id === undefined ? named("Volume", text("name")) : byId("Volume", id);
  }
  return named(service === "Node" ? "Node" : "Plugin", undefined);
}

/** A request as plain JSON for a trace: without members that its library has added, and without the values of secrets. */
export function shownRequest(request: object): unknown {
  const shown = plain(request) as Record<string, unknown>;
  const { secrets } = shown;
  if (typeof secrets !== "object" || secrets === null) return shown;
  return { ...shown, secrets: Object.fromEntries(Object.keys(secrets).map((key) => [key, HIDDEN])) };
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "$typeName" && key !== "$unknown");
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner)]));
}

interface Requested {
  readonly kind: DriverObject["kind"];
  readonly name: string;
  isThere: boolean;
}

/** The known objects of a driver from its responses, whether the caller has received them or not. */
export class ReturnedObjects implements KnownNames {
  readonly #objects = new Map<string, Requested>();

  nameOf(id: string): string | undefined {
    return this.#objects.get(id)?.name;
  }

  /**
   * Records a call to which the driver has responded with success.
   *
   * @returns whether it changed something, as far as is known
   */
  learn(method: string, request: CallRequest, response: object): boolean {
    if (method === "CreateVolume" || method === "CreateSnapshot") return this.#created(method, request, response);
    if (method !== "DeleteVolume" && method !== "DeleteSnapshot") return mayChange(method);
    const found = this.#objects.get(String(request[method === "DeleteVolume" ? "volumeId" : "snapshotId"]));
    const wasThere = found?.isThere ?? true;
    if (found) found.isThere = false;
    return wasThere;
  }

  /** The objects that were created and not deleted since. */
  present(): readonly DriverObject[] {
    return [...this.#objects].filter(([, { isThere }]) => isThere).map(([id, { kind, name }]) => ({ kind, id, name }));
  }

  #created(method: string, { name }: CallRequest, response: object): boolean {
    const { volume, snapshot } = response as {
      readonly volume?: { readonly volumeId?: string };
      readonly snapshot?: { readonly snapshotId?: string };
    };
    const id = method === "CreateVolume" ? volume?.volumeId : snapshot?.snapshotId;
    if (id === undefined || typeof name !== "string") return true;
    const wasThere = this.#objects.get(id)?.isThere === true;
    this.#objects.set(id, { kind: method === "CreateVolume" ? "Volume" : "Snapshot", name, isThere: true });
    return !wasThere;
  }
}
