/**
 * A mounter for tests, which records mounts and creates none.
 *
 * @module
 */
import type { Mounter } from "../../contract.ts";
import { type Mount, isAtOrBelow } from "../../../util/mount-table.ts";

/** See the head of this file. */
export class ManualMounter implements Mounter {
  readonly canMount: boolean;
  /** Its calls, each as a line: `bind FROM TO ro`, `mount TYPE SOURCE PATH OPTIONS`, `unmount PATH`. */
  readonly calls: string[] = [];
  readonly #mounts: Mount[] = [];
  readonly #failures: { readonly what: RegExp; readonly error: Error; left: number }[] = [];

  constructor({ canMount = true }: { readonly canMount?: boolean } = {}) {
    this.canMount = canMount;
  }

  /** Makes the next calls fail that match. */
  fail(what: RegExp, message: string, times = 1): void {
    this.#failures.push({ what, error: new Error(message), left: times });
  }

  /** Adds a mount of another process to the table. */
  put(mount: Partial<Mount> & Pick<Mount, "path">): void {
    this.#mounts.push({ type: "none", source: "none", options: [], ...mount });
  }

  mounts(below: string): Promise<readonly Mount[]> {
    return Promise.resolve(this.#mounts.filter(({ path }) => isAtOrBelow(path, below)));
  }

  isMountPoint(path: string): Promise<boolean> {
    return Promise.resolve(this.#mounts.some((mount) => mount.path === path));
  }

  async bind(from: string, to: string, { readOnly = false }: { readonly readOnly?: boolean } = {}): Promise<void> {
    await this.#called(`bind ${from} ${to}${readOnly ? " ro" : ""}`);
    this.put({ path: to, source: from, options: readOnly ? ["ro"] : [] });
  }

  async mount({ type, source, path, options = [] }: Parameters<Mounter["mount"]>[0]): Promise<void> {
    await this.#called(["mount", type, source, path, options.join(",")].join(" ").trimEnd());
    if (!options.includes("remount")) this.put({ path, type, source, options });
  }

  async unmount(path: string): Promise<void> {
    await this.#called(`unmount ${path}`);
    for (let at = this.#mounts.length - 1; at >= 0; at--)
      if (this.#mounts[at]!.path === path) this.#mounts.splice(at, 1);
  }

  /** Completes in a later pass of the event loop, as a machine does. */
  async #called(call: string): Promise<void> {
    this.calls.push(call);
    await new Promise((resolve) => setImmediate(resolve));
    const failure = this.#failures.find(({ what, left }) => left > 0 && what.test(call));
    if (!failure) return;
    failure.left--;
    throw failure.error;
  }
}
