/**
 * `keelson`: the server as a library, for tests and for programs that embed it.
 *
 *     const server = await startServer({ dev: true, port: 0 });
 *
 * @module
 */
// The library loads the whole program at once; the executable loads most of it while its store opens (`server.ts`).
import "../cluster/index.ts";

export { OptionError } from "./options/types.ts";
export type { SystemParts } from "./process/system-parts.ts";
export type { RunningServer } from "./start/server.ts";
export { type StartOptions, startServer } from "./start/start.ts";
export { ManualClock, seededRandom, systemClock, systemRandom } from "../util/clock.ts";
export { type Log, type LogFacts, type LogLevel, type LogMethod, silentLog } from "../util/log.ts";
