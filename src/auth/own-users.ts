/**
 * The users of a server's own user file, with their tokens and certificates.
 *
 * The file has the digest of a token, which is made of 32 random bytes, so that a search for the token is hopeless. It has the
 * fingerprint of a certificate, and whether the certificate was revoked.
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
  /** When it was revoked. */
  readonly revoked?: string;
}

/** Parses a file of credentials. @throws Error for an invalid file */
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

/** Revokes the credentials of a user: tokens are removed, certificates are marked until they expire. */
export const withoutUser = (users: readonly OwnUser[], name: string, now: number): readonly OwnUser[] =>
  users.flatMap((user) => {
    if (user.name !== name) return [user];
    const revoked = user.revoked ?? new Date(now).toISOString();
    return user.kind === "certificate" ? [{ ...user, revoked }] : [];
  });

/** The credentials that have not expired. */
export const unexpired = (users: readonly OwnUser[], now: number): readonly OwnUser[] =>
  users.filter(({ ends }) => Date.parse(ends) > now);

/** An index of credentials. */
export class OwnUsers {
  readonly #tokens = new Map<string, { readonly identity: Identity; readonly ends: number }>();
  readonly #revoked = new Set<string>();

  constructor(users: readonly OwnUser[]) {
    for (const { kind, mark, name, groups, ends, revoked } of users) {
      if (kind === "token") this.#tokens.set(mark, { identity: { user: name, groups }, ends: Date.parse(ends) });
      else if (revoked !== undefined) this.#revoked.add(mark);
    }
  }

  /** The owner of the token with a digest; undefined where there is none, or it has expired. */
  find(digest: string, now: number): Identity | undefined {
    const found = this.#tokens.get(digest);
    return found && found.ends > now ? found.identity : undefined;
  }

  /** Whether the certificate with a fingerprint was revoked. */
  isRevoked(fingerprint: string): boolean {
    return this.#revoked.has(fingerprint);
  }
}
