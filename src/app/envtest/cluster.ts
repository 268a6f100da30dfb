/**
 * The cluster that an API server of the directory answers for. Most of the program is behind this file: it is read while
 * the store opens in its thread.
 *
 * @module
 */
import { type KeyObject, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { alwaysAllow } from "../../auth/admin.ts";
import { accountTokens } from "../../auth/account-identities.ts";
import { type SignerContext, tokenSigner } from "../../auth/service-account-tokens.ts";
import { StatusError } from "../../client/errors.ts";
import { type Cluster, type ClusterParts, createCluster } from "../../cluster/index.ts";
import { builtInDefinitions } from "../../kinds/index.ts";
import { kubernetes as dialect } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import { DEFAULT_FILTERS, accessLog, withFilter } from "../../server/index.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { bodyMemory, memoryOfProcess } from "../body-memory.ts";
import { OptionError } from "../option-types.ts";
import { VERSION } from "../version.ts";
import { type ApiServerPlan, isServed } from "./apiserver-flags.ts";
import { authenticator } from "./authentication.ts";
import { readNamed } from "./named-file.ts";
import { firstRoles } from "./rights.ts";
import { type TokenUsers, readTokens } from "./token-file.ts";

/** What the program stands on. */
export interface Ground {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Puts the cluster of a plan together; it answers when this resolves. */
export async function openCluster(plan: ApiServerPlan, ground: Ground & { readonly store: Store }): Promise<Cluster> {
  const cluster: Cluster = await createCluster(partsOf(plan, { ...ground, cluster: () => cluster }));
  return cluster;
}

/** What the parts of a cluster are made from. */
interface Made extends Ground {
  readonly store: Store;
  /** Asked when requests come. */
  readonly cluster: () => Cluster;
}

function partsOf(plan: ApiServerPlan, { store, cluster, ...around }: Made): ClusterParts {
  const { accounts, allowsAll, versions, plugins } = plan;
  const gates = gatesOf(dialect, plan.gates);
  const api: SignerContext = { dialect, ...around };
  const pem = signingKey(plan);
  return {
    store,
    dialect,
    gates,
    ...around,
    definitions: builtInDefinitions({ ...api, gates }).map((definition) =>
      isServed(versions, definition) ? definition : { ...definition, served: false },
    ),
    authenticator: () =>
      authenticator({
        tokens: tokensOf(plan),
        accounts: accountTokens(
          { ...accounts, keys: keysOf(plan, pem), uidOf: (...named) => uidIn(cluster(), ...named) },
          api,
        ),
        anonymous: plan.anonymous,
        now: () => around.clock.now(),
      }),
    authorizer: () => (allowsAll ? alwaysAllow : firstRoles),
    plugins,
    signer: () => tokenSigner(pem, accounts.issuers[0]!, api, accounts.audiences[0]),
    server: {
      version: VERSION,
      limits: { requestMillis: plan.requestMillis, bodyMemoryBytes: bodyMemory(memoryOfProcess()) },
      filters: plan.isVerbose
        ? withFilter(
            accessLog((entry) => around.log.debug("a request is over", { ...entry })),
            { after: "audit id" },
          )
        : DEFAULT_FILTERS,
    },
  };
}

/** The uid of a service account that is there. */
async function uidIn(cluster: Cluster, namespace: string, name: string): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}`;
  try {
    const { metadata } = await cluster
      .client("keelson-authentication")
      .json<{ metadata: { uid: string } }>("GET", path);
    return metadata.uid;
  } catch (error) {
    if (error instanceof StatusError && error.status.reason === "NotFound") return undefined;
    throw error;
  }
}

const tokensOf = ({ tokenFile }: ApiServerPlan): TokenUsers =>
  tokenFile === "" ? new Map() : readTokens(readNamed("token-auth-file", tokenFile), tokenFile);

/** The keys that tokens of service accounts may be signed with: those that are named, and the own one. */
function keysOf({ accounts: { keyFiles } }: ApiServerPlan, own: string): readonly KeyObject[] {
  const named = keyFiles.map((file) => {
    try {
      return createPublicKey(readNamed("service-account-key-file", file));
    } catch (error) {
      if (error instanceof OptionError) throw error;
      throw new OptionError(`expected --service-account-key-file ${file} to hold a key: ${String(error)}`);
    }
  });
  return [...named, createPublicKey(own)];
}

/** The key that tokens are signed with; one that is forgotten where none is named. */
function signingKey({ accounts: { signingKeyFile } }: ApiServerPlan): string {
  if (signingKeyFile !== "") {
    const pem = readNamed("service-account-signing-key-file", signingKeyFile);
    try {
      void createPrivateKey(pem);
      return pem;
    } catch (error) {
      throw new OptionError(`expected --service-account-signing-key-file to hold a private key: ${String(error)}`);
    }
  }
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
