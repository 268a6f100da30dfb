/**
 * People log in at a provider as it comes from npm, and use their tokens with the real executable: by a file and by flags.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, CONFIG_MAPS, Http2Client, Keelson, Scratch, configMap, until } from "./keelson.ts";
import { BRIEF, CONSOLE, RunningProvider } from "./provider.ts";

const scratch = new Scratch();
const ACCOUNTS = { jane: ["builders"], joe: [], mallory: ["system:masters"] };
const REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

let provider: RunningProvider;
beforeAll(async () => {
  provider = await RunningProvider.start(ACCOUNTS);
});
afterAll(async () => {
  await provider.close();
  scratch.remove();
});

/** A server, and a client for the owner of a token. */
class World {
  readonly #keelson: Keelson;
  readonly #directory: string;
  readonly admin: Http2Client;

  private constructor(keelson: Keelson, directory: string, admin: Http2Client) {
    this.#keelson = keelson;
    this.#directory = directory;
    this.admin = admin;
  }

  static async start(...options: readonly string[]): Promise<World> {
    const directory = scratch.fresh();
    const keelson = await Keelson.serve(["--dialect=kubernetes", `--data-dir=${directory}`, "--port=0", ...options]);
    const world = new World(keelson, directory, await Http2Client.connect(keelson, directory));
    await world.admin.send("POST", CONFIG_MAPS, configMap("web"));
    return world;
  }

  async as(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}` };
    const client = await Http2Client.connect(this.#keelson, this.#directory, headers);
    try {
      return await client.send(method, path, body);
    } finally {
      client.close();
    }
  }

  /** The name and the groups of the bearer of a token; undefined for an unknown token. */
  async whoami(token: string): Promise<{ username: string; groups: string[] } | undefined> {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const { status, json } = await this.as(token, "POST", REVIEWS, review);
    if (status === 401) return undefined;
    if (status !== 201) throw new Error(`expected the status 201 or 401, got ${status}`);
    const { username, groups } = json.status.userInfo;
    return { username, groups };
  }

  /** Binds a group to a role of everywhere. */
  async bind(group: string, role: string): Promise<void> {
    const apiGroup = "rbac.authorization.k8s.io";
    const subjects = [{ kind: "Group", apiGroup, name: group }];
    const roleRef = { apiGroup, kind: "ClusterRole", name: role };
    const binding = { metadata: { name: role }, subjects, roleRef };
    const { status } = await this.admin.send("POST", BINDINGS, binding);
    if (status !== 201) throw new Error(`expected the status 201, got ${status}`);
  }

  async metrics(): Promise<string> {
    return (await this.admin.send("GET", "/metrics")).text;
  }

  async stop(): Promise<void> {
    this.admin.close();
    await this.#keelson.stop();
  }
}

describe("OIDC: a server with a file", () => {
  let world: World;
  beforeAll(async () => {
    const file = join(scratch.path, "authentication.yaml");
    const issuer = {
      url: provider.url,
      audiences: [CONSOLE, BRIEF],
      audienceMatchPolicy: "MatchAny",
      certificateAuthority: provider.ca.cert,
    };
    const jwt = {
      issuer,
      claimMappings: { username: { claim: "sub", prefix: "login:" }, groups: { claim: "groups", prefix: "login:" } },
    };
    const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration" };
    writeFileSync(file, JSON.stringify({ ...head, jwt: [jwt] }));
    world = await World.start(`--authentication-config=${file}`);
    await world.bind("login:builders", "view");
    const jane = await provider.login("jane");
    await until(async () => (await world.whoami(jane)) !== undefined);
  });
  afterAll(() => world.stop());

  test("OIDC-3, OIDC-12: a user who logs in has a name and groups, with prefixes", async () => {
    expect(await world.whoami(await provider.login("jane"))).toEqual({
      username: "login:jane",
      groups: ["login:builders", "system:authenticated"],
    });
  });

  test("OIDC-12: roles come by groups of the token, and a foreign group makes no one a master", async () => {
    const codes = async (account: string): Promise<number[]> => {
      const token = await provider.login(account);
      const read = await world.as(token, "GET", CONFIG_MAPS);
      const write = await world.as(token, "POST", CONFIG_MAPS, configMap(`of-${account}`));
      return [read.status, write.status];
    };
    expect([await codes("jane"), await codes("joe"), await codes("mallory")]).toEqual([
      [200, 403],
      [403, 403],
      [403, 403],
    ]);
  });

  test("OIDC-9: an expired token is refused", async () => {
    const brief = await provider.login("jane", BRIEF);
    expect(await world.whoami(brief)).toMatchObject({ username: "login:jane" });
    await until(async () => (await world.whoami(brief)) === undefined);
    expect((await world.as(brief, "GET", CONFIG_MAPS)).json).toMatchObject({ code: 401, reason: "Unauthorized" });
  });

  test("OIDC-7: keys that are changed are read when a token is signed by them; known keys last without a provider", async () => {
    await provider.rotate();
    const jane = await provider.login("jane");
    expect(await world.whoami(jane)).toMatchObject({ username: "login:jane" });
    const joe = await provider.login("joe");
    await provider.close();
    try {
      expect(await world.whoami(joe)).toMatchObject({ username: "login:joe" });
    } finally {
      await provider.open();
    }
  });

  test("OIDC-18: the time of judgements is counted by their result, the issuer as a hash", async () => {
    await world.whoami((await provider.login("jane")).replace(/.{8}$/, "AAAAAAAA"));
    const text = await world.metrics();
    for (const result of ["success", "failure"]) {
      expect(text).toMatch(
        new RegExp(
          `^apiserver_authentication_jwt_authenticator_latency_seconds_count\\{[^}]*result="${result}"[^}]*\\} [1-9]`,
          "m",
        ),
      );
    }
    expect(text).toMatch(/jwt_issuer_hash="sha256:[0-9a-f]{64}"/);
    expect(text).toMatch(/^apiserver_authentication_config_controller_automatic_reloads_total\{/m);
    expect(text).not.toContain(provider.url);
  });
});

test("OIDC-7, OIDC-17: by flags, a provider that is down at the start is found when it is back", async () => {
  const jane = await provider.login("jane");
  const joe = await provider.login("joe");
  await provider.close();
  const caFile = join(scratch.path, "provider.crt");
  writeFileSync(caFile, provider.ca.cert);
  const world = await World.start(
    `--oidc-issuer-url=${provider.url}`,
    `--oidc-client-id=${CONSOLE}`,
    `--oidc-ca-file=${caFile}`,
    "--oidc-groups-claim=groups",
    "--oidc-groups-prefix=login:",
  );
  try {
    await world.bind("login:builders", "view");
    expect([await world.whoami(jane), await world.whoami(joe)]).toEqual([undefined, undefined]);
    await provider.open();
    await until(async () => (await world.whoami(jane)) !== undefined, 15_000);
    expect(await world.whoami(jane)).toEqual({
      username: `${provider.url}#jane`,
      groups: ["login:builders", "system:authenticated"],
    });
    const [mine, his] = await Promise.all([jane, joe].map((token) => world.as(token, "GET", CONFIG_MAPS)));
    expect([mine!.status, his!.status]).toEqual([200, 403]);
    // Flags take the tokens of one client alone.
    expect(await world.whoami(await provider.login("jane", BRIEF))).toBeUndefined();
  } finally {
    await world.stop();
  }
}, 30_000);
