/**
 * The users of a data directory: the file `users.json` (0600), which `keelson user` writes and a server reads.
 *
 * It is a file and not a Secret of the API: a user who may write Secrets in a namespace could become any user. It works while no
 * server runs. Servers that share an etcd need copies of `pki/` and of this file.
 *
 * @module
 */
import { X509Certificate, randomBytes } from "node:crypto";
import type { HeldCertificate, Identity } from "../../auth/contract.ts";
import { digestOf } from "../../auth/opaque-tokens.ts";
import { type OwnUser, OwnUsers, unexpired, ownUsersText, readOwnUsers, withoutUser } from "../../auth/own-users.ts";
import type { NewUser, UserInfo } from "../../cli/actions.ts";
import { type KeyPair, client, kubeconfigLike } from "../../pki/index.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { type DataDirectory, replaceFile } from "../storage/data-directory.ts";
import { OptionError } from "../options/types.ts";
import { stampOf } from "../files/watched-file.ts";
import { messageOf } from "../../util/error.ts";

const FILE = "users.json";
const DAY_MS = 86_400_000;
/** How long a server uses the file before it checks it again. */
const MAX_AGE_MS = 500;
const POLL_INTERVAL_MS = 1000;

/** Reads the users of a data directory. @throws OptionError for a file that is not valid */
export function usersOf(directory: DataDirectory): readonly OwnUser[] {
  const text = directory.read(FILE);
  try {
    return text === undefined ? [] : readOwnUsers(text);
  } catch (error) {
    throw new OptionError(`expected ${directory.file(FILE)} to hold users: ${messageOf(error)}`);
  }
}

/** Reads the users of a data directory, without their digests. */
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
    prepare: (file) => directory.own(file),
  });

/** Creates a credential for a user; returns a kubeconfig with it, which is not stored. */
export function addUser(directory: DataDirectory, user: NewUser, clock: Clock): string {
  const { name, groups, kind, days, server } = user;
  const admin = directory.read("admin.kubeconfig");
  if (admin === undefined) {
    throw new OptionError(
      `expected ${directory.path} to be a data directory; name another one with --data-dir, or start a server there first`,
    );
  }
  const now = clock.now();
  const { credential, mark } = kind === "token" ? newToken() : newCertificate(directory, user, now);
  const made = new Date(now).toISOString();
  const ends = new Date(now + days * DAY_MS).toISOString();
  write(directory, [...usersOf(directory), { name, groups, kind, mark, made, ends }], now);
  return kubeconfigLike(admin, { name, credential }, server);
}

function newToken() {
  const token = randomBytes(32).toString("base64url");
  return { credential: { token }, mark: digestOf(token) };
}

function newCertificate(directory: DataDirectory, { name, groups, days }: NewUser, now: number) {
  const credential = client(authorityOf(directory), name, groups, { now, days });
  return { credential, mark: fingerprintOf(credential.cert) };
}

/** Reads the CA of a directory. @throws OptionError if there is none, as with plain HTTP */
function authorityOf({ pki, path }: DataDirectory): KeyPair {
  const [cert, key] = [pki.read("ca.crt"), pki.read("ca.key")];
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new OptionError(`expected a CA in ${path}, found none: make a token`);
}

/** Revokes all credentials of a user; returns their number. */
export function revokeUser(directory: DataDirectory, name: string, clock: Clock): number {
  const users = usersOf(directory);
  const count = unexpired(users, clock.now()).filter((user) => user.name === name && user.revoked === undefined).length;
  if (count > 0) write(directory, withoutUser(users, name, clock.now()), clock.now());
  return count;
}

const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();

/** The users of a directory while a server runs: a change takes effect within a second. */
export class LiveUsers {
  readonly #directory: DataDirectory;
  readonly #clock: Clock;
  readonly #log: Log;
  #users = new OwnUsers([]);
  #stamp = "";
  #checkedAt = -Infinity;

  constructor(directory: DataDirectory, { clock, log }: Pick<SystemParts, "clock" | "log">) {
    this.#directory = directory;
    this.#clock = clock;
    this.#log = log;
  }

  /** Finds the user of the token with a digest. */
  find(digest: string): Identity | undefined {
    return this.#current().find(digest, this.#clock.now());
  }

  isRevoked({ fingerprint }: HeldCertificate): boolean {
    return this.#current().isRevoked(fingerprint);
  }

  /** Notifies within two seconds of each change until it is disposed of, so that requests of revoked users are ended. */
  observe(onChange: () => void): Disposable {
    let known = this.#current();
    const check = (): void => {
      const current = this.#current();
      if (current !== known) onChange();
      known = current;
      timer = schedule();
    };
    const schedule = (): Timer => this.#clock.after(POLL_INTERVAL_MS, check, { owner: "users", upkeep: true });
    let timer = schedule();
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  #current(): OwnUsers {
    const now = this.#clock.steady();
    if (now < this.#checkedAt + MAX_AGE_MS) return this.#users;
    this.#checkedAt = now;
    try {
      const stamp = stampOf(this.#directory.file(FILE));
      if (stamp === this.#stamp) return this.#users;
      this.#users = new OwnUsers(usersOf(this.#directory));
      this.#stamp = stamp;
    } catch (error) {
      // The users that were read before stay valid.
      this.#log.error("users could not be read; the previous users are used", { error: String(error) }, "users");
    }
    return this.#users;
  }
}
