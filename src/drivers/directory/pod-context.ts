/**
 * What the agent of a node tells a driver about the Pod: entries of the volume context whose keys begin with `csi.storage.`
 * and the domain of the dialect. Unknown keys are ignored (CSID-39).
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";

/** The information about a Pod. */
export interface PodContext {
  /** Whether the volume is an ephemeral one of the Pod. */
  readonly ephemeral: boolean;
  /** Undefined where the agent does not send it (`podInfoOnMount` of the CSIDriver). */
  readonly pod:
    | { readonly name: string; readonly namespace: string; readonly uid: string; readonly account: string }
    | undefined;
  /** Tokens of the Pod's service account by their audience, as JSON. */
  readonly tokens: string | undefined;
}

const KEY = /^csi\.storage\.[^/]+\/(.+)$/;

/** Whether a key is one of the agent or of a sidecar, and not of the volume. */
export const isReserved = (key: string): boolean => KEY.test(key);

type Entries = Readonly<Record<string, string>>;

/** The information about the Pod (CSID-15). Throws `InvalidArgument` where it is invalid. */
export function podContextOf(volumeContext: Entries, secrets: Entries): PodContext {
  const entries = new Map<string, string>();
  for (const [key, value] of [...Object.entries(volumeContext), ...Object.entries(secrets)]) {
    const [, name] = KEY.exec(key) ?? [];
    if (name !== undefined) entries.set(name, value);
  }
  const ephemeral = entries.get("ephemeral") ?? "false";
  if (ephemeral !== "true" && ephemeral !== "false") {
    throw new DriverError("InvalidArgument", `expected ephemeral to be true or false, got ${ephemeral}`);
  }
  const tokens = tokensOf(entries.get("serviceAccount.tokens"));
  return { ephemeral: ephemeral === "true", pod: podOf(entries), tokens };
}

function podOf(entries: ReadonlyMap<string, string>): PodContext["pod"] {
  const [name, namespace, uid] = ["pod.name", "pod.namespace", "pod.uid"].map((key) => entries.get(key));
  if (name === undefined && namespace === undefined && uid === undefined) return undefined;
  if (name && namespace && uid) return { name, namespace, uid, account: entries.get("serviceAccount.name") ?? "" };
  throw new DriverError("InvalidArgument", "expected name, namespace and uid of the Pod, or none of them");
}

function tokensOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const tokens: unknown = JSON.parse(text);
    if (typeof tokens === "object" && tokens !== null) return text;
  } catch {
    // The error below does not show the text: it may have tokens.
  }
  throw new DriverError("InvalidArgument", "expected the tokens of the Pod to be a JSON object");
}
