/**
 * What the picture of storage has of objects, and of what connects them.
 *
 * @module
 */
import type { Wait } from "./waits.ts";

/** The columns, from left to right. */
export const COLUMNS = ["drivers", "classes", "claims", "volumes", "attachments", "nodes"] as const;

/** The name of a column. */
export type Column = (typeof COLUMNS)[number];

/**
 * The state of an object: complete, something is missing, it waits until a user or a program acts, it is being deleted, unused, or
 * known only from what others say.
 */
export type BoxState = "ok" | "waits" | "stuck" | "deleting" | "free" | "unknown";

/** An object in the picture. */
export interface Item {
  /** `claims/team/disk`; unique. */
  readonly id: string;
  readonly column: Column;
  readonly namespace?: string;
  readonly name: string;
  /** What else is said of it: size, phase, class. */
  readonly detail: string;
  readonly state: BoxState;
  /** What it waits for. */
  readonly wait?: Wait;
  /** Bytes that are used or asked for; 0 where it has none. */
  readonly bytes: number;
  /** Alike objects are put together by this text. */
  readonly group: string;
  /** The class of a claim or volume. */
  readonly storageClass?: string;
  /** The name and the resourceVersion of the object; absent where others name it, and it does not exist or may not be read. */
  readonly object?: { readonly name: string; readonly version: string };
}

const NOUNS: Readonly<Record<Column, string>> = {
  drivers: "Driver",
  classes: "Class",
  claims: "Claim",
  volumes: "Volume",
  attachments: "Attachment",
  nodes: "Node",
};

/** What an item is, and its name: `Claim team/disk`. */
export const titleOf = ({ column, namespace, name }: Pick<Item, "column" | "namespace" | "name">): string =>
  `${NOUNS[column]} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

/** What connects two objects. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** Whether the connection is there, or is waited for. */
  readonly isReady: boolean;
}

/** All that is shown, one by one. */
export interface Storage {
  readonly items: readonly Item[];
  readonly links: readonly Link[];
  /** The items by ID, and the links of each. */
  readonly byId: ReadonlyMap<string, Item>;
  readonly near: ReadonlyMap<string, readonly Link[]>;
  /** How many items wait for something. */
  readonly waiting: number;
  /** Namespaces, classes and nodes that the filter may choose. */
  readonly namespaces: readonly string[];
  readonly classes: readonly string[];
  readonly nodes: readonly string[];
}
