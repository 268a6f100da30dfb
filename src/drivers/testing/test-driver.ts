/**
 * The driver of directories in the process of a test, over its real socket, with a record of its calls and with faults; its
 * files outlive it, so a test may end it and start it again.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordedDriver, serveRecorded } from "../../csi/testing/recording.ts";
import { systemClock } from "../../util/clock.ts";
import { type DirectoryDriverSettings, directoryDriver } from "../directory-driver.ts";

/** A driver that runs. */
export interface TestDriver {
  /** `unix:///path`. */
  readonly endpoint: string;
  readonly socket: string;
  /** Where its volumes are. */
  readonly dir: string;
  readonly calls: RecordedDriver;
  /** Ends it and starts it again on its files; the record begins anew. */
  restart(): Promise<void>;
  /** Ends it and removes its files. */
  close(): Promise<void>;
}

/** What a test may say of its driver. */
export type TestDriverOptions = Partial<DirectoryDriverSettings> & {
  /** Where it listens; in its directory by default. */
  readonly socket?: string;
  /** Whether the record shows the values of secrets. Default false. */
  readonly secrets?: boolean;
};

/**
 * Starts a driver in a directory of its own, or in the one that is given, which then stays when it ends. It links volumes and
 * mounts none unless told so (`links: false`), which is for tests in a mount namespace of their own.
 */
export async function startTestDriver({ secrets = false, ...options }: TestDriverOptions = {}): Promise<TestDriver> {
  const home = mkdtempSync(join(tmpdir(), "keelson-driver-"));
  const { dir = join(home, "dir"), socket = join(home, "csi.sock"), clock = systemClock } = options;
  const start = async () =>
    serveRecorded(socket, await directoryDriver({ links: true, ...options, dir, clock }), { clock, secrets });
  let server = await start();
  return {
    endpoint: `unix://${socket}`,
    socket,
    dir,
    get calls() {
      return server.driver;
    },
    async restart() {
      await server.close();
      server = await start();
    },
    async close() {
      await server.close();
      rmSync(home, { recursive: true });
    },
  };
}
