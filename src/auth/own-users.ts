/**
 * Users that a server knows by itself, with the tokens and certificates that were made for them.
 *
 * Of a token only the digest is kept: it is of 32 random bytes, which nobody finds by trying. A certificate is kept by its
 * fingerprint, for it is known by its signature; what is kept says whether it was taken back.
 *
 * @module
 */
import type { Identity } from "./contract.ts";

/** One credential of a user. Times are RFC 3339. */
export interface OwnUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly kind: "token" | "certificate";
  /** The digest of the token, or the fingerprint of the certificate. */
  readonly mark: string;
  readonly made: string;
  readonly ends: string;
  /** When it was taken back. */
  readonly revoked?: string;
}

/** The credentials in the text of a file. @throws Error for a text that is no such list */
export function readOwnUsers(text: string): readonly OwnUser[] {
  const { users } = JSON.parse(text) as { users?: unknown };
  if (Array.isArray(users) && users.every(isOwnUser)) return users;
  throw new Error("expected users, each with name, groups, kind, mark, made and ends");
}

/** The text of a file of credentials. */
export const ownUsersText = (users: readonly OwnUser[]): string => `${JSON.stringify({ users }, undefined, 2)}\n`;

function isOwnUser(value: unknown): value is OwnUser {
  const { name, groups, kind, mark, made, ends } = (value ?? {}) as Partial<Record<keyof OwnUser, unknown>>;
  const isListed = Array.isArray(groups) && groups.every((group) => typeof group === "string");
  const isDated = [made, ends].every((time) => typeof time === "string" && !Number.isNaN(Date.parse(time)));
  return typeof name === "string" && typeof mark === "string" && isListed && isDated && KINDS.includes(kind);
}

const KINDS: readonly unknown[] = ["token", "certificate"];

/** Credentials without those of a user that are tokens; those that are certificates are marked until they end. */
export const withoutUser = (users: readonly OwnUser[], name: string, now: number): readonly OwnUser[] =>
  users.flatMap((user) => {
    if (user.name !== name) return [user];
    const revoked = user.revoked ?? new Date(now).toISOString();
    return user.kind === "certificate" ? [{ ...user, revoked }] : [];
  });

/** Credentials that have not ended. */
export const lasting = (users: readonly OwnUser[], now: number): readonly OwnUser[] =>
  users.filter(({ ends }) => Date.parse(ends) > now);

/** Credentials, to be looked for. */
export class OwnUsers {
  readonly #tokens = new Map<string, { readonly identity: Identity; readonly ends: number }>();
  readonly #revoked = new Set<string>();

  constructor(users: readonly OwnUser[]) {
    for (const { kind, mark, name, groups, ends, revoked } of users) {
      if (kind === "token") this.#tokens.set(mark, { identity: { user: name, groups }, ends: Date.parse(ends) });
      else if (revoked !== undefined) this.#revoked.add(mark);
    }
  }

  /** The owner of the token with a digest, unless it has ended. */
  find(digest: string, now: number): Identity | undefined {
    const found = this.#tokens.get(digest);
    return found && found.ends > now ? found.identity : undefined;
  }

  /** Whether the certificate with a fingerprint was taken back. */
  isRevoked(fingerprint: string): boolean {
    return this.#revoked.has(fingerprint);
  }
}
