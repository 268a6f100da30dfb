import type { ConsoleDoor } from "../../console/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { RunningAgent } from "../../node/agent.ts";
import type { Pki } from "../../pki/index.ts";
import type { Auditing } from "../../server/index.ts";
import type { Simulation } from "../../simulation/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { Faults } from "../../util/faults.ts";
import type { Progress } from "../../util/progress.ts";
import type { AccessFile } from "../logs/access-log.ts";
import type { Authentication } from "../authentication/authentication.ts";
import type { Authorization } from "../authorization/open-authorization.ts";
import type { DataDirectory } from "../storage/data-directory.ts";
import type { EtcdTimes } from "../storage/etcd-times.ts";
import type { ServeOptions } from "../options/options.ts";
import type { Renewal } from "../certificates/renewal.ts";
import type { LiveUsers } from "../authentication/user-file.ts";
import type { TracedSystemParts } from "../process/system-parts.ts";
import type { Tracing } from "../tracing/open-tracing.ts";

/** The options with the dialect of the server. */
export type ChosenOptions = ServeOptions & { readonly dialect: Dialect };

/** The parts of a server that do not need the store. */
export interface ServerParts {
  readonly options: ChosenOptions;
  /** Undefined with `dev`. */
  readonly directory: DataDirectory | undefined;
  readonly pki: Pki;
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  /** The console; undefined where it is switched off. */
  readonly door: ConsoleDoor | undefined;
  /** The users of the data directory; undefined with `dev`. */
  readonly users: LiveUsers | undefined;
  /** The URL of the server; empty until its port is open. */
  readonly address: { url: string };
  /** Undefined for plain HTTP. */
  readonly renewal: Renewal | undefined;
  /** The access log; undefined for none. */
  readonly access: AccessFile | undefined;
  /** Undefined without audit. */
  readonly auditing: Auditing | undefined;
  /** Undefined without `--tracing-config-file`. */
  readonly tracing: Tracing | undefined;
  /** Undefined for a store that is not etcd. */
  readonly etcdTimes: EtcdTimes | undefined;
  readonly system: TracedSystemParts;
  /** Receives the progress of the start. */
  readonly progress: Progress;
  /** The time of objects and controllers; that of the system, unless it passes faster. */
  readonly clusterClock: Clock;
  /** The simulation of nodes; undefined until there is one. */
  readonly simulated: { simulation?: Simulation };
  readonly faults: Faults;
  /** The agent of the node in this process; undefined until it runs. */
  readonly node: { agent?: RunningAgent };
  /** Closes the parts, the last one first. */
  readonly opened: AsyncDisposableStack;
}
