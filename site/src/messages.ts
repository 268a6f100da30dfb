/**
 * The messages between a page and the worker with its cluster.
 *
 * @module
 */

/** What a page sends. */
export type ToWorker =
  | {
      readonly type: "start";
      readonly version: string;
      readonly nodes: number;
      readonly files: Readonly<Record<string, string>>;
    }
  | { readonly type: "run"; readonly id: number; readonly text: string }
  /** Ctrl-C. */
  | { readonly type: "stop"; readonly id: number }
  /** The editor was closed; without a text nothing was saved. */
  | { readonly type: "edited"; readonly text: string | undefined };

/** What the worker sends. */
export type FromWorker =
  /** The cluster is ready; how long that took since the worker had its modules, in ms. */
  | { readonly type: "ready"; readonly millis: number }
  | { readonly type: "complete"; readonly millis: number }
  | { readonly type: "print"; readonly id: number; readonly text: string }
  | { readonly type: "end"; readonly id: number; readonly code: number }
  /** A command opens the editor; there is one at a time, since commands run one after the other. */
  | { readonly type: "edit"; readonly name: string; readonly text: string }
  | { readonly type: "warn"; readonly text: string }
  | { readonly type: "failed"; readonly text: string };
