/**
 * What it costs to know who sends a request: a token of a service account that was seen before and one that was not, and a
 * token of a list.
 *
 *     node bench/auth.ts [requests]
 *
 * @module
 */
import { generateKeyPairSync } from "node:crypto";
import { accountTokens } from "../src/auth/account-authenticator.ts";
import { adminToken } from "../src/auth/admin.ts";
import { authenticatorChain } from "../src/auth/chain.ts";
import type { Authenticator, Connection, Credentials } from "../src/auth/contract.ts";
import { tokenSigner } from "../src/auth/service-account-tokens.ts";
import { tokenKeys } from "../src/auth/token-keys.ts";
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { systemClock, systemRandom } from "../src/util/clock.ts";
import { kitPlugins } from "../src/testing/plugins.ts";

const REQUESTS = Number(process.argv[2] ?? 200_000);
const COLD = 300;
const ISSUER = "https://kubernetes.default.svc";

function keysOf(kind: "ec" | "rsa") {
  const { privateKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return tokenKeys(privateKey.export({ type: "pkcs8", format: "pem" }).toString(), []);
}

const connection = (): Connection => ({ certificate: undefined, address: "", encrypted: true });
const shown = (token: string, over: Connection): Credentials => ({
  header: (name) => (name === "authorization" ? `Bearer ${token}` : ""),
  lines: () => [],
  names: () => [],
  path: "/api",
  connection: over,
});

/** Microseconds that each of some calls takes. */
async function timed(count: number, call: (i: number) => unknown): Promise<number> {
  const begin = performance.now();
  for (let i = 0; i < count; i++) {
    const answer = call(i);
    if (answer instanceof Promise) await answer;
  }
  return ((performance.now() - begin) * 1000) / count;
}

const tell = (what: string, micros: number): void =>
  console.log(`${what.padEnd(56)} ${micros.toFixed(2).padStart(8)} µs`);

for (const kind of ["ec", "rsa"] as const) {
  const keys = keysOf(kind);
  let chain!: Authenticator;
  await using store = { store: await openMemoryStore(), [Symbol.asyncDispose]: () => store.store.close() };
  await using cluster = await createCluster({
    store: store.store,
    dialect: kubernetes,
    plugins: kitPlugins(),
    authenticator: (ground) =>
      (chain = authenticatorChain({
        clock: systemClock,
        random: systemRandom,
        tokens: [
          adminToken("secret", [ISSUER]),
          accountTokens({ keys: () => keys, issuers: [ISSUER], audiences: [ISSUER] }, ground),
        ],
        anonymous: () => true,
      })),
  });
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const made = await cluster
    .client("bench")
    .json<{ metadata: { uid: string } }>("POST", accounts, { body: { metadata: { name: "a" } } });
  const issuance = { issuer: ISSUER, audiences: [ISSUER], extendsExpiration: true };
  const signer = tokenSigner(() => keys, issuance, { dialect: kubernetes, clock: systemClock, random: systemRandom });
  const claims = { namespace: "default", serviceAccount: { name: "a", uid: made.metadata.uid }, audiences: [ISSUER] };
  const tokens: string[] = [];
  for (let i = 0; i < COLD; i++) tokens.push((await signer.sign({ ...claims, seconds: 3600 })).token);

  await chain.authenticate(shown(tokens[0]!, connection()));
  tell(
    `${kind}: token of an account, never seen`,
    await timed(COLD - 1, (i) => chain.authenticate(shown(tokens[i + 1]!, connection()))),
  );
  const one = shown(tokens[0]!, connection());
  await chain.authenticate(one);
  await timed(REQUESTS / 10, () => chain.authenticate(one));
  tell(`${kind}: the same token on the same connection`, await timed(REQUESTS, () => chain.authenticate(one)));
  const other = Array.from({ length: 1000 }, () => shown(tokens[0]!, connection()));
  const seen = (): Promise<number> =>
    timed(1000, (i) => chain.authenticate(shown(tokens[0]!, { ...other[i]!.connection })));
  await seen();
  tell(`${kind}: the same token on a connection that is new`, await seen());
  const admin = shown("secret", connection());
  await chain.authenticate(admin);
  tell("the admin's token on the same connection", await timed(REQUESTS, () => chain.authenticate(admin)));
}
