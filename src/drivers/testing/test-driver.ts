/**
 * The directory driver in the process of a test, over its real socket, with a record of its calls and with faults. Its
 * files stay when it stops, so a test can start it again.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordedDriver, serveRecorded } from "../../csi/testing/recording.ts";
import { systemClock } from "../../util/clock.ts";
import { type DirectoryDriverSettings, directoryDriver } from "../directory-driver.ts";

/** A running driver. */
export interface TestDriver {
  /** `unix:///path`. */
  readonly endpoint: string;
  readonly socket: string;
  /** The directory with its volumes. */
  readonly dir: string;
  readonly calls: RecordedDriver;
  /** Stops the driver and starts it again on its files, with a new record. */
  restart(): Promise<void>;
  /** Stops the driver and removes its files. */
  close(): Promise<void>;
}

/** Options of a driver for a test. */
export type TestDriverOptions = Partial<DirectoryDriverSettings> & {
  /** The path of its socket; in its directory by default. */
  readonly socket?: string;
  /** Whether the record shows the values of secrets. Default false. */
  readonly secrets?: boolean;
};

/**
 * Starts a driver in a new directory, or in `dir`, which then stays when the driver stops. It links volumes by default. It
 * mounts them with `links: false`, for tests in a mount namespace of their own.
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
