/**
 * One request for each of many objects.
 *
 * @module
 */
import { ApiFailure, PATCH, type RequestOptions } from "../../api/http.ts";
import { FIELD_MANAGER, objectPath, type KindPath } from "../../api/kube.ts";
import type { Selected } from "./selection.ts";

/** What is done with every object. */
export type BulkAction =
  | { readonly type: "delete"; readonly propagation: "Background" | "Foreground" | "Orphan" }
  | {
      readonly type: "label" | "annotate";
      readonly key: string;
      /** Null removes it. */
      readonly value: string | null;
    };

/** How far a run is. */
export interface BulkProgress {
  readonly done: number;
  readonly of: number;
  readonly failures: readonly BulkFailure[];
}

/** An object with which it could not be done, and why. */
export interface BulkFailure {
  readonly object: Selected;
  readonly message: string;
}

/** How a run has ended. */
export interface BulkResult extends BulkProgress {
  readonly succeeded: readonly Selected[];
}

/** Requests that run at once. */
const AT_ONCE = 6;

/** The request of an action for an object. */
export function bulkRequest(
  kind: KindPath,
  action: BulkAction,
  { uid, namespace, name }: Selected,
): { readonly path: string; readonly options: RequestOptions } {
  const path = objectPath(kind, namespace, name);
  if (action.type === "delete")
    return {
      path,
      options: {
        method: "DELETE",
        // Another object of the same name, made meanwhile, is not the one that was selected.
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          propagationPolicy: action.propagation,
          preconditions: { uid },
        },
      },
    };
  const member = action.type === "label" ? "labels" : "annotations";
  return {
    path,
    options: {
      method: "PATCH",
      type: PATCH.merge,
      query: { fieldManager: FIELD_MANAGER },
      body: { metadata: { uid, [member]: { [action.key]: action.value } } },
    },
  };
}

/** Does it with every object, some at once; `onProgress` gets every step. An object that is gone counts as deleted. */
export async function runBulk(
  objects: readonly Selected[],
  perform: (object: Selected) => Promise<unknown>,
  onProgress: (progress: BulkProgress) => void,
  options: { readonly isDelete: boolean; readonly signal: AbortSignal },
): Promise<BulkResult> {
  let failures: readonly BulkFailure[] = [];
  const succeeded: Selected[] = [];
  let next = 0;
  const state = (): BulkProgress => ({
    done: failures.length + succeeded.length,
    of: objects.length,
    failures,
  });
  const worker = async (): Promise<void> => {
    for (let object = objects[next++]; object && !options.signal.aborted; object = objects[next++]) {
      try {
        await perform(object);
        succeeded.push(object);
      } catch (error) {
        if (options.isDelete && error instanceof ApiFailure && error.code === 404) succeeded.push(object);
        else failures = [...failures, { object, message: error instanceof Error ? error.message : String(error) }];
      }
      onProgress(state());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { ...state(), succeeded };
}
