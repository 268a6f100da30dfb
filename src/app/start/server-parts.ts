/**
 * What everything of a server is built on: options, data directory, certificates, users, and what is written down of requests.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { RunningAgent } from "../../node/agent.ts";
import type { Pki } from "../../pki/index.ts";
import type { Auditing } from "../../server/index.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Faults } from "../../util/faults.ts";
import type { Log } from "../../util/log.ts";
import type { AccessFile } from "../logs/access-log.ts";
import type { Authentication } from "../authentication/authentication.ts";
import type { Authorization } from "../authorization/open-authorization.ts";
import type { DataDirectory } from "../storage/data-directory.ts";
import type { ServeOptions } from "../options/options.ts";
import type { Renewal } from "../certificates/renewal.ts";
import type { LiveUsers } from "../authentication/user-file.ts";

/** What a server is made of beside its options; the machine's by default. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Nothing is logged by default. Each cause is told at once, then at most once a minute. */
  readonly log?: Log;
}

/** Options with the dialect that was given, or found in the data directory. */
export type ChosenOptions = ServeOptions & { readonly dialect: Dialect };

/** See the head of this file. */
export interface ServerParts {
  readonly options: ChosenOptions;
  /** Undefined when nothing is kept. */
  readonly directory: DataDirectory | undefined;
  readonly pki: Pki;
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  /** The users that the server knows by itself; undefined when nothing is kept. */
  readonly users: LiveUsers | undefined;
  /** Where the server is reached; empty until its port is open. */
  readonly address: { url: string };
  /** Undefined for plain HTTP. */
  readonly renewal: Renewal | undefined;
  /** Where requests are written down; undefined for nowhere. */
  readonly access: AccessFile | undefined;
  /** Who did what, for a file or a webhook; undefined where nobody wants to know. */
  readonly auditing: Auditing | undefined;
  readonly around: Required<Surroundings>;
  readonly faults: Faults;
  /** The agent of the node in this process, once it runs. */
  readonly node: { agent?: RunningAgent };
  /** What was opened; the last is closed first. */
  readonly opened: AsyncDisposableStack;
}
