import type { Dialect } from "../meta/dialect.ts";
import { HISTORY_PATH } from "../meta/history-report.ts";
import { type Endpoints, historyEndpoint } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import type { Clock } from "../util/clock.ts";
import { backupEndpoint } from "./backup-endpoint.ts";

/** What the endpoints of this program's own read. */
export interface EndpointSources {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly clock: Clock;
}

/** The paths beside the API, all below `/keelson/v1/`. */
export const endpointsOf = ({ store, dialect, clock }: EndpointSources): Endpoints =>
  new Map([
    ["/keelson/v1/backup", backupEndpoint(store, dialect, clock)],
    [HISTORY_PATH, historyEndpoint],
  ]);
