/**
 * Plays requests at the limits against a server with a meter inside, as each of those who send.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_SLICE_MS, isLongSlice } from "../../../src/util/testing/slices.ts";
import { type Http2Client, type Scratch, until } from "../../serve/keelson.ts";
import { TOKEN, Target, type TargetOptions } from "../target.ts";
import { CUSTOM_OBJECTS, DEFINITION, DEFINITIONS, GROUP } from "./definitions.ts";
import { type LimitRequest, type LimitRow, NAMESPACE, type Who } from "./request.ts";
import { LimitSender } from "./sender.ts";

const TOKENS: Readonly<Record<Who, string>> = {
  stranger: "",
  nobody: "the-token-of-an-account-without-rights",
  tenant: "the-token-of-the-admin-of-a-namespace",
  author: "the-token-of-one-who-writes-definitions",
  admin: TOKEN,
};

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const ROLE_KIND = "rbac.authorization.k8s.io";
const rule = (group: string): object => ({ apiGroups: [group], resources: ["*"], verbs: ["*"] });
const binding = (user: string, role: string): object => ({
  metadata: { name: user },
  roleRef: { apiGroup: ROLE_KIND, kind: "ClusterRole", name: role },
  subjects: [{ apiGroup: ROLE_KIND, kind: "User", name: user }],
});

/** What the admin makes before anything is sent. */
const PREPARED: readonly (readonly [path: string, body: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: NAMESPACE } }],
  [`${RBAC}/clusterroles`, { metadata: { name: "author" }, rules: [rule("apiextensions.k8s.io"), rule(GROUP)] }],
  [`${RBAC}/clusterrolebindings`, binding("author", "author")],
  [`${RBAC}/namespaces/${NAMESPACE}/rolebindings`, binding("tenant", "admin")],
];

const TRIES = 3;
const MOST_LOOKS = 20;
const LOOK_MILLIS = 50;

/** What came of a row. */
export interface Played {
  /** The longest turn, in ms of CPU. */
  readonly turnMillis: number;
  /** The request that made it, as `POST /api/v1/namespaces`. */
  readonly by: string;
  /** Codes that no request may be answered with, with the request. */
  readonly failures: readonly string[];
}

/** A server, and one client for each of those who send. */
export class LimitPlayer {
  readonly target: Target;
  readonly #sender: LimitSender;

  private constructor(target: Target) {
    this.target = target;
    this.#sender = new LimitSender(target, TOKENS);
  }

  /** Starts a server that knows all who send. */
  static async start(scratch: Scratch, { args = [], ...options }: TargetOptions = {}): Promise<LimitPlayer> {
    const users = join(scratch.path, "users.csv");
    writeFileSync(
      users,
      (["nobody", "tenant", "author"] as const).map((who) => `${TOKENS[who]},${who},${who}\n`).join(""),
    );
    const target = await Target.start(scratch.fresh(), {
      ...options,
      args: ["--dialect=kubernetes", "--history=1s", `--token-auth-file=${users}`, ...args],
    });
    const admin = await target.connect();
    for (const [path, body] of PREPARED) await prepare(admin, path, body);
    admin.session.destroy();
    // What is compiled and made once is there.
    await (await target.healthy(0, 50)).stop();
    return new LimitPlayer(target);
  }

  async stop(): Promise<void> {
    this.#sender.close();
    await this.target.stop();
  }

  /** Plays a row; again where it made a long turn, since a collection of garbage falls into some turn of most. */
  async play(row: LimitRow): Promise<Played> {
    let played = await this.once(row);
    for (let i = 1; i < TRIES && isLongSlice(played.turnMillis, MAX_SLICE_MS); i++) {
      const again = await this.once(row);
      if (again.turnMillis < played.turnMillis)
        played = { ...again, failures: [...played.failures, ...again.failures] };
    }
    return played;
  }

  /** Plays a row once. */
  async once(row: LimitRow): Promise<Played> {
    const beside = row.beside && (await this.#begin(row.beside()));
    const requests = row.requests();
    await this.target.turn();
    const failures: string[] = [];
    let [turnMillis, by] = [0, ""];
    for (const request of requests) {
      const code = await this.#sender.send(request);
      if (code < 300 && request.path.startsWith(DEFINITIONS)) await this.#settle(request);
      const millis = await this.target.turn();
      if (isFailure(code)) failures.push(`${code} for ${nameOf(request)}`);
      if (millis > turnMillis) [turnMillis, by] = [millis, nameOf(request)];
    }
    // Watches that go on beside end with the connections of those who send.
    if (beside) this.#sender.close();
    await beside?.ended;
    return { turnMillis, by, failures };
  }

  /** Waits until the server serves what a definition says, or has taken it away with its objects. */
  async #settle({ method }: LimitRequest): Promise<void> {
    const path = method === "DELETE" ? DEFINITION : CUSTOM_OBJECTS;
    const expected = method === "DELETE" ? 404 : 200;
    if (method === "GET") return;
    const isSo = async (): Promise<boolean> =>
      (await this.#sender.send({ who: "admin", method: "GET", path: `${path}?limit=1` })) === expected;
    // Versions of a definition may have other names.
    for (let i = 0; i < MOST_LOOKS && !(await isSo()); i++) await sleep(LOOK_MILLIS);
  }

  /** Begins watches; resolves when the server has them, or has refused some. */
  async #begin(watches: readonly LimitRequest[]): Promise<{ readonly ended: Promise<unknown> }> {
    const before = await this.#watches();
    let over = 0;
    const ended = watches.map((watch) => this.#sender.watch(watch).then(() => over++));
    await until(async () => (await this.#watches()) + over >= before + watches.length);
    return { ended: Promise.all(ended) };
  }

  #watches(): Promise<number> {
    return this.target.metric("keelson_cache_watches");
  }
}

/** A server with too many requests at once responds 429 or 503; nothing else counts as its fault. */
const isFailure = (code: number): boolean => code >= 500 && code !== 503;

function nameOf({ method, path, headers = [], body = "" }: LimitRequest): string {
  const some = headers.slice(0, 3).map(([name, value]) => `${name}: ${value.slice(0, 60)}`);
  return `${method} ${path.slice(0, 120)} ${some.join()} (${body.length} bytes)`;
}

async function prepare(admin: Http2Client, path: string, body: object): Promise<void> {
  const { status, text } = await admin.send("POST", path, body);
  if (status !== 201) throw new Error(`Expected POST ${path} to be answered with 201, got ${status}: ${text}`);
}
