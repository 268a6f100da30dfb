/**
 * A test server that listens, and what cleans up after it.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../http/listeners.ts";
import type { KeyPair } from "../../pki/index.ts";
import { type TestAuthority, testAuthority } from "./certificates.ts";
import { type TestServer, testServer } from "./test-server.ts";

/** Servers on free ports, all closed by {@link Listening.clean}. */
export class Listening {
  readonly authority: TestAuthority;
  readonly #pair: KeyPair;
  readonly #cleanups: (() => unknown)[] = [];

  private constructor(authority: TestAuthority, pair: KeyPair) {
    this.authority = authority;
    this.#pair = pair;
  }

  static async prepare(): Promise<Listening> {
    const authority = testAuthority();
    return new Listening(authority, authority.server());
  }

  /** Starts a server; clients over sockets run on the same event loop, so slices are not measured. */
  async start(
    tls: boolean,
    options: Parameters<typeof testServer>[0] = {},
  ): Promise<TestServer & { listener: Listener }> {
    const made = await testServer({ ...options, unmetered: true });
    const where = { host: "127.0.0.1", port: 0 };
    const listener = await made.server.listen(
      tls ? { ...where, tls: { ...this.#pair, clientCa: this.authority.cert } } : where,
    );
    this.onClean(() => made.server.close(0));
    return { ...made, listener };
  }

  onClean(work: () => unknown): void {
    this.#cleanups.push(work);
  }

  async clean(): Promise<void> {
    for (const work of this.#cleanups.splice(0).toReversed()) await work();
  }
}

/** Waits until a condition holds, at most two seconds by default. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, millis = 2_000): Promise<void> {
  for (let i = 0; i < millis / 10; i++) {
    if (await condition()) return;
    await sleep(10);
  }
  throw new Error(`Expected ${what} within ${millis / 1000} seconds`);
}
