/**
 * `keelson`: the server as a library, for tests and for programs that bring their own.
 *
 *     const server = await startServer({ dev: true, port: 0 });
 *
 * @module
 */
// Who has loaded the library has loaded all of it; the executable reads most while its store opens (`server.ts`).
import "../cluster/index.ts";

export { OptionError } from "./options/types.ts";
export type { RunningServer, Surroundings } from "./start/server.ts";
export { type StartOptions, startServer } from "./start/start.ts";
export { ManualClock, seededRandom, systemClock, systemRandom } from "../util/clock.ts";
export { type Log, type LogFacts, type LogLevel, type LogMethod, silentLog } from "../util/log.ts";
