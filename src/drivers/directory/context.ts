/**
 * What the agent of a node says of the Pod beside what belongs to the volume: entries of the context whose keys begin with
 * `csi.storage.` and the domain of the dialect. Keys that are not known are passed over, there may be more (CSID-39).
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";

/** What is said of a Pod. */
export interface PodContext {
  /** The volume belongs to the Pod alone. */
  readonly ephemeral: boolean;
  /** Undefined where the driver is not told (`podInfoOnMount` of its CSIDriver). */
  readonly pod:
    | { readonly name: string; readonly namespace: string; readonly uid: string; readonly account: string }
    | undefined;
  /** Tokens of the Pod's account by their audience, as JSON. */
  readonly tokens: string | undefined;
}

const KEY = /^csi\.storage\.[^/]+\/(.+)$/;

/** Whether a key is the agent's or a sidecar's, and not the volume's. */
export const isReserved = (key: string): boolean => KEY.test(key);

type Entries = Readonly<Record<string, string>>;

/** Reads and judges it (CSID-15). Throws `InvalidArgument` for what cannot be. */
export function podContextOf(context: Entries, secrets: Entries): PodContext {
  const said = new Map<string, string>();
  for (const [key, value] of [...Object.entries(context), ...Object.entries(secrets)]) {
    const [, name] = KEY.exec(key) ?? [];
    if (name !== undefined) said.set(name, value);
  }
  const ephemeral = said.get("ephemeral") ?? "false";
  if (ephemeral !== "true" && ephemeral !== "false") {
    throw new DriverError("InvalidArgument", `expected ephemeral to be true or false, got ${ephemeral}`);
  }
  return { ephemeral: ephemeral === "true", pod: podOf(said), tokens: tokensOf(said.get("serviceAccount.tokens")) };
}

function podOf(said: ReadonlyMap<string, string>): PodContext["pod"] {
  const [name, namespace, uid] = ["pod.name", "pod.namespace", "pod.uid"].map((key) => said.get(key));
  if (name === undefined && namespace === undefined && uid === undefined) return undefined;
  if (name && namespace && uid) return { name, namespace, uid, account: said.get("serviceAccount.name") ?? "" };
  throw new DriverError("InvalidArgument", "expected name, namespace and uid of the Pod, or nothing of it");
}

function tokensOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const tokens: unknown = JSON.parse(text);
    if (typeof tokens === "object" && tokens !== null) return text;
  } catch {
    // Said below, without the text.
  }
  throw new DriverError("InvalidArgument", "expected the tokens of the Pod to be an object in JSON");
}
