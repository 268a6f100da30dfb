/**
 * The events of one run: requests, the changes that they made, the deliveries of watches, and the lives of programs, in one order.
 *
 * @module
 */
import type { StoredObject } from "./state.ts";

/** An object, or all objects of a kind where the name is missing (a list, a watch, a create whose name the server generates). */
export interface ObjectRef {
  /** Empty for the core group; `csi` for objects of a storage driver (kinds: Volume, Snapshot, Node, Plugin). */
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A program under test by its name, `user` for the steps of the scenario, or `cluster` for built-in controllers and nodes. */
export type Actor = string;

/** The verb of a request to the API (`get`, `list`, `watch`, `create`, `update`, `patch`, `apply`, `delete`, `deletecollection`), or the method of a call to a driver (`CreateVolume`). */
export type ActionVerb = string;

interface Moment {
  /** The place in the trace, from 0. */
  readonly seq: number;
  /** Milliseconds of the clock of the cluster since the run began. */
  readonly at: number;
}

/** A request of the API, or a call to a storage driver. Its position is that of its response, or of its loss. */
export interface RequestEntry extends Moment {
  readonly type: "request";
  readonly actor: Actor;
  /** Which start of the program sent it, from 0. */
  readonly life: number;
  readonly protocol: "api" | "csi";
  readonly verb: ActionVerb;
  readonly object: ObjectRef;
  readonly subresource?: string;
  readonly fieldManager?: string;
  /** The prefix of a name that the server generated. */
  readonly generateName?: string;
  /** The body: an object, a patch, delete options; the request of a call. */
  readonly sent?: unknown;
  /** The HTTP code (gRPC: 0 is OK); undefined where there was no response. */
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  /** Whether something was stored by it. */
  readonly changed: boolean;
  /**
   * The revision that the actor knows from the response: of the stored object for a write, of the list for a read. Undefined where the
   * actor got no response, and for calls.
   */
  readonly revision?: number;
  /** The perturbation that it met: its index in the plan. */
  readonly perturbation?: number;
}

/** A change of a stored object. Its position is that of its storage, before the response to its request. */
export interface ChangeEntry extends Moment {
  readonly type: "change";
  /** The actor that made it. */
  readonly actor: Actor;
  readonly revision: number;
  readonly change: "created" | "updated" | "deleted";
  readonly object: ObjectRef & { readonly name: string };
  readonly uid: string;
  /** Undefined for a create. */
  readonly before?: StoredObject;
  /** The last state for a delete. */
  readonly after: StoredObject;
}

/** An event of a watch, or the state in its beginning, that reached a program. */
export interface DeliveryEntry extends Moment {
  readonly type: "delivery";
  readonly actor: Actor;
  readonly life: number;
  readonly change: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ObjectRef & { readonly name: string };
  readonly uid: string;
  /** The resourceVersion of the object. */
  readonly revision: number;
}

/** A program started, was killed by a perturbation, ended by itself, or its leadership changed. */
export interface LifeEntry extends Moment {
  readonly type: "life";
  readonly actor: Actor;
  readonly life: number;
  readonly event: "started" | "killed" | "exited" | "leading" | "not leading";
  /** The exit code or the error, where it ended by itself. */
  readonly detail?: string;
}

/** A step of the scenario began, or everything that followed from it came to rest. */
export interface StepEntry extends Moment {
  readonly type: "step";
  /** The index in the scenario; the number of steps for the long quiet in the end. */
  readonly step: number;
  readonly name: string;
  readonly phase: "begun" | "quiet";
}

/** A perturbation that is no response to a request began or ended: watches held, a node lost, the clock moved. */
export interface PerturbationEntry extends Moment {
  readonly type: "perturbation";
  readonly perturbation: number;
  readonly phase: "begun" | "ended";
  readonly detail: string;
}

/** One thing that happened in a run. */
export type TraceEntry = RequestEntry | ChangeEntry | DeliveryEntry | LifeEntry | StepEntry | PerturbationEntry;

/** All entries of a run in their order; `trace[i].seq === i`. */
export type Trace = readonly TraceEntry[];
