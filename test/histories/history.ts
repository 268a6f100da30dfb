/**
 * What a run records and the checker reads: every request with its answer, every watch with its frames, in values that
 * JSON can hold.
 *
 * Objects are named by keys such as `configmaps/default/n3`; a scope is the beginning of a key: `configmaps/` is all of
 * one resource, `configmaps/default/` one namespace of it. Times are milliseconds of one steady clock. Every write of a
 * run carries an id of its own, so that a value tells which write it is of.
 *
 * @module
 */

/** An object in a response or an event. */
export interface Seen {
  readonly key: string;
  /** Its resourceVersion. */
  readonly revision: number;
  readonly uid: string;
  /** The id of the write that made this value. */
  readonly id: string;
  /** The label that watches and lists select by. */
  readonly colour: string;
}

/** How new the answer to a read must be. */
export type Freshness =
  | { readonly is: "newest" }
  | { readonly is: "any" }
  | { readonly is: "notOlder"; readonly than: number }
  | { readonly is: "exact"; readonly at: number };

/** A write of a value. */
export interface Put {
  readonly verb: "create" | "update" | "patch" | "apply";
  readonly key: string;
  readonly id: string;
  readonly colour: string;
  /** The version that the write was conditioned on. */
  readonly expected?: number;
  /** The value is that of version `expected`, so that there is nothing to write. */
  readonly same?: boolean;
}

/** A request for the removal of an object. */
export interface Delete {
  readonly verb: "delete";
  readonly key: string;
  readonly expected?: number;
  readonly uid?: string;
}

/** A read of one object. */
export interface Get {
  readonly verb: "get";
  readonly key: string;
  readonly fresh: Freshness;
}

/** A read of many objects. */
export interface List {
  readonly verb: "list";
  readonly scope: string;
  /** Only objects of this colour. */
  readonly colour?: string;
  readonly fresh: Freshness;
  /** Objects on each page; all on one by default. */
  readonly limit?: number;
}

export type Request = Put | Delete | Get | List;

/** What became of a request. */
export type Outcome =
  | { readonly is: "object"; readonly status: number; readonly object: Seen }
  | { readonly is: "deleted"; readonly uid: string }
  /** One for each page. */
  | { readonly is: "list"; readonly pages: readonly Page[] }
  /** Told by the server that nothing was done. */
  | { readonly is: "refused"; readonly code: number; readonly reason: string }
  /** No answer, half an answer, or one that does not say: it may have happened, and may still. */
  | { readonly is: "unknown"; readonly why: string };

/** A page of a list. */
export interface Page {
  readonly revision: number;
  readonly objects: readonly Seen[];
}

/** A request that was made. */
export interface Operation {
  readonly client: string;
  readonly server: number;
  /** When it was sent, and when its answer was there or was given up. */
  readonly call: number;
  readonly return: number;
  readonly request: Request;
  readonly outcome: Outcome;
}

/** One line of a watch. */
export type Frame =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Seen; readonly at: number }
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly initialEnd: boolean; readonly at: number }
  | { readonly type: "ERROR"; readonly code: number; readonly at: number };

/** One watch from its request to its end. */
export interface Stream {
  readonly client: string;
  /** -1: not a watch of a server, but the log of the store itself. */
  readonly server: number;
  readonly scope: string;
  readonly colour?: string;
  /** The resourceVersion that it began after; `initial` for the present state first. */
  readonly from: number | "initial";
  readonly call: number;
  readonly frames: readonly Frame[];
  readonly end: "open" | "ended" | "broken";
  /** The revision that it had to reach, where the run waited for that. */
  readonly due?: number;
}

/** The objects of a resource when the recording began. */
export interface Beginning {
  readonly scope: string;
  readonly revision: number;
  readonly objects: readonly Seen[];
}

/** A compaction that the run itself has requested. */
export interface Compaction {
  readonly revision: number;
  readonly at: number;
}

/** All that was recorded. */
export interface History {
  readonly beginnings: readonly Beginning[];
  readonly operations: readonly Operation[];
  readonly streams: readonly Stream[];
  /** For how long the servers promised to keep the past, in ms; undefined when they promised nothing. */
  readonly keptMillis?: number;
  readonly compactions?: readonly Compaction[];
}

/** A promise that a history breaks. */
export interface Violation {
  /** Which promise, in one word or two. */
  readonly property: string;
  readonly message: string;
}

/** Whether a request asks for a value to be written. */
export const isPut = (request: Request): request is Put =>
  request.verb === "create" || request.verb === "update" || request.verb === "patch" || request.verb === "apply";

/** The resource of a key or scope: `configmaps/`. */
export const resourceOf = (key: string): string => key.slice(0, key.indexOf("/") + 1);
