/**
 * The users that a server knows by itself: a file in its data directory (0600), which commands write and a server reads.
 *
 * A file, and no Secret of the API: whoever may write Secrets in some namespace would be whoever they like. It lies beside the
 * authority whose certificates it takes back, and works while no server runs; servers that share an etcd share `pki/` and this
 * file by copying them.
 *
 * @module
 */
import { X509Certificate, randomBytes } from "node:crypto";
import type { ClientCertificate, Identity } from "../../auth/contract.ts";
import { digestOf } from "../../auth/opaque-tokens.ts";
import { type OwnUser, OwnUsers, unexpired, ownUsersText, readOwnUsers, withoutUser } from "../../auth/own-users.ts";
import type { NewUser, UserInfo } from "../../cli/actions.ts";
import { type KeyPair, client, kubeconfigLike } from "../../pki/index.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { type DataDirectory, replaceFile } from "../storage/data-directory.ts";
import { OptionError } from "../options/types.ts";
import { stampOf } from "../files/watched-file.ts";

const FILE = "users.json";
const DAY = 86_400_000;
/** How long a server goes by what it has read. */
const LOOK_MS = 500;
/** How often it looks although nobody asks. */
const FOLLOW_MS = 1000;

/** The credentials of a data directory. @throws OptionError for a file that holds something else */
export function usersOf(directory: DataDirectory): readonly OwnUser[] {
  const text = directory.read(FILE);
  try {
    return text === undefined ? [] : readOwnUsers(text);
  } catch (error) {
    throw new OptionError(`expected ${directory.file(FILE)} to hold users: ${(error as Error).message}`);
  }
}

/** The credentials of a data directory, without what they are known by. */
export const shownUsers = (directory: DataDirectory): readonly UserInfo[] =>
  usersOf(directory).map(({ name, groups, kind, made, ends, revoked }) => ({
    name,
    groups,
    kind,
    made,
    ends,
    ...(revoked === undefined ? {} : { revoked }),
  }));

const write = (directory: DataDirectory, users: readonly OwnUser[], now: number): void =>
  replaceFile(directory.file(FILE), ownUsersText(unexpired(users, now)), {
    mode: 0o600,
    flush: true,
    place: (file) => directory.own(file),
  });

/** Makes a credential for a user, and gives back a kubeconfig with it, which is not kept. */
export function addUser(directory: DataDirectory, wanted: NewUser, clock: Clock): string {
  const { name, groups, kind, days, server } = wanted;
  const admin = directory.read("admin.kubeconfig");
  if (admin === undefined) {
    throw new OptionError(`expected ${directory.path} to be a data directory; start a server there first`);
  }
  const now = clock.now();
  const token = kind === "token" ? randomBytes(32).toString("base64url") : undefined;
  const pair = token === undefined ? client(authorityOf(directory), name, groups, { now, days }) : undefined;
  const mark = pair ? fingerprintOf(pair.cert) : digestOf(token!);
  const [made, ends] = [now, now + days * DAY].map((time) => new Date(time).toISOString()) as [string, string];
  write(directory, [...usersOf(directory), { name, groups, kind, mark, made, ends }], now);
  return kubeconfigLike(admin, { name, credential: pair ?? { token: token! } }, server);
}

/** The authority of a directory. @throws OptionError where there is none: its server speaks plain HTTP */
function authorityOf({ pki, path }: DataDirectory): KeyPair {
  const [cert, key] = [pki.read("ca.crt"), pki.read("ca.key")];
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new OptionError(`expected an authority in ${path}, found none: make a token`);
}

/** Takes all credentials of a user back, and answers how many there were. */
export function revokeUser(directory: DataDirectory, name: string, clock: Clock): number {
  const users = usersOf(directory);
  const count = unexpired(users, clock.now()).filter((user) => user.name === name && user.revoked === undefined).length;
  if (count > 0) write(directory, withoutUser(users, name, clock.now()), clock.now());
  return count;
}

const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();

/** The users of a directory while a server runs: a change counts within a second. */
export class LiveUsers {
  readonly #directory: DataDirectory;
  readonly #clock: Clock;
  readonly #log: Log;
  #users = new OwnUsers([]);
  #stamp = "";
  #lookedAt = -Infinity;

  constructor(directory: DataDirectory, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#directory = directory;
    this.#clock = clock;
    this.#log = log;
  }

  /** The owner of the token with a digest. */
  find(digest: string): Identity | undefined {
    return this.#current().find(digest, this.#clock.now());
  }

  isRevoked({ fingerprint }: ClientCertificate): boolean {
    return this.#current().isRevoked(fingerprint);
  }

  /** Calls back within two seconds of each change, until it is disposed of: what a credential has begun may have to end. */
  follow(changed: () => void): Disposable {
    let known = this.#current();
    const look = (): void => {
      const now = this.#current();
      if (now !== known) changed();
      known = now;
      timer = again();
    };
    const again = (): Timer => this.#clock.after(FOLLOW_MS, look, { owner: "users", upkeep: true });
    let timer = again();
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  #current(): OwnUsers {
    const now = this.#clock.steady();
    if (now < this.#lookedAt + LOOK_MS) return this.#users;
    this.#lookedAt = now;
    try {
      const stamp = stampOf(this.#directory.file(FILE));
      if (stamp === this.#stamp) return this.#users;
      this.#users = new OwnUsers(usersOf(this.#directory));
      this.#stamp = stamp;
    } catch (error) {
      // What is read again and again stays as it was: nobody is let in or locked out by half a file.
      this.#log.error("users could not be read; those of before count", { error: String(error) }, "users");
    }
    return this.#users;
  }
}
