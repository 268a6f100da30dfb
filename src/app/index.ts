/**
 * `keelson`: the server as a library, for tests and for programs that bring their own.
 *
 *     const server = await startServer(resolveOptions({ dev: true, port: 0 }));
 *
 * @module
 */
// Who has loaded the library has loaded all of it; the executable reads most while its store opens (`server.ts`).
import "../cluster/index.ts";

export {
  OptionError,
  type OptionKey,
  type OptionValue,
  type RawOptions,
  type ServeOptions,
  resolveOptions,
} from "./options.ts";
export { type RunningServer, type Surroundings, startServer } from "./server.ts";
export { ManualClock, seededRandom, systemClock, systemRandom } from "../util/clock.ts";
export { type Log, silentLog } from "../util/log.ts";
