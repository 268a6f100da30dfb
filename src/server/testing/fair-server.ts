import type { Identity } from "../../auth/contract.ts";
import { Fairness } from "../../fairness/index.ts";
import type { FlowSchema } from "../../kinds/flowcontrol/v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../../kinds/flowcontrol/v1/priority-level-configuration.ts";
import { providedSchemas } from "../../kinds/flowcontrol/v1/provided.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { unauthorized } from "../../meta/status.ts";
import { ManualClock } from "../../util/clock.ts";
import type { InjectResponse } from "../http/inject.ts";
import { CM, type TestServer, noRights, testServer } from "./test-server.ts";

const level = (name: string, shares: number, limitResponse: object): PriorityLevelConfiguration =>
  ({
    metadata: { name, uid: `level-${name}` },
    spec: { type: "Limited", limited: { nominalConcurrencyShares: shares, limitResponse, borrowingLimitPercent: 0 } },
  }) as PriorityLevelConfiguration;

/** A server with few seats. */
export interface FairServer extends TestServer {
  readonly clock: ManualClock;
  /** Set only where it has no plain limits instead. */
  readonly fairness: Fairness;
  /** Sends a request as a user; for an object that does not exist, by default. */
  readonly as: (user: string, url?: string, method?: string) => Promise<InjectResponse>;
  /** From now on reads of one object wait until they are released. */
  readonly hold: () => void;
  readonly release: () => void;
}

/**
 * A server where all users but masters share two seats, or with plain limits, as many reads and as many writes; the token names the user.
 */
export async function fair(limitResponse: object = { type: "Reject" }, reads?: number): Promise<FairServer> {
  const clock = new ManualClock();
  const fairness = reads === undefined ? new Fairness({ clock, seats: 2 }) : undefined;
  const schemas = providedSchemas({ dialect: kubernetes }).map(
    ({ name, spec }) => ({ metadata: { name, uid: `schema-${name}` }, spec }) as unknown as FlowSchema,
  );
  const levels = [
    level("global-default", 995, limitResponse),
    { metadata: { name: "exempt", uid: "level-exempt" }, spec: { type: "Exempt" } } as PriorityLevelConfiguration,
  ];
  fairness?.configure({ schemas, levels });
  const server = await testServer({
    clock,
    ...(fairness ? { fairness } : { limits: { reads: reads!, writes: reads! } }),
    authenticator: {
      authenticate({ header }): Identity {
        const user = header("authorization").replace("Bearer ", "");
        if (user === "wrong") throw unauthorized();
        return { user, groups: ["system:authenticated", ...(user === "admin" ? ["system:masters"] : [])] };
      },
    },
    authorizer: { authorize: ({ user }) => ({ allowed: user !== "stranger", reason: "" }), rightsOf: noRights },
  });
  const as = (user: string, url = `${CM}/a`, method = "GET") =>
    server.ask(method, url, { headers: { authorization: `Bearer ${user}` } });
  const releases: (() => void)[] = [];
  const hold = (): void => {
    server.resource("configmaps").get = () =>
      new Promise((_resolve, reject) => releases.push(() => reject(new Error("released"))));
  };
  const release = (): void => {
    for (const one of releases.splice(0)) one();
  };
  return { ...server, clock, fairness: fairness!, as, hold, release };
}
