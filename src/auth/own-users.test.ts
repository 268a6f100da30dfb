import { expect, test } from "vitest";
import { type OwnUser, OwnUsers, unexpired, ownUsersText, readOwnUsers, withoutUser } from "./own-users.ts";

const NOW = Date.UTC(2026, 0, 1);
const of = (name: string, kind: OwnUser["kind"], mark: string): OwnUser => ({
  name,
  groups: ["team"],
  kind,
  mark,
  made: "2025-12-01T00:00:00Z",
  ends: "2026-02-01T00:00:00Z",
});
const ALL = [of("kim", "token", "digest"), of("kim", "certificate", "ab12"), of("pat", "token", "other")];

test("a user file is read as it was written", () => {
  expect(readOwnUsers(ownUsersText(ALL))).toEqual(ALL);
});

test.each(["{}", "[]", '{"users":[1]}', '{"users":[{"name":"a"}]}', "{", '{"users":[null]}'])(
  "%s holds none",
  (text) => {
    expect(() => readOwnUsers(text)).toThrow(/expected users|JSON/);
  },
);

test("a token is accepted until it expires", () => {
  const users = new OwnUsers(ALL);
  expect(users.find("digest", NOW)).toEqual({ user: "kim", groups: ["team"] });
  expect(users.find("ab12", NOW)).toBeUndefined();
  expect(users.find("digest", Date.parse("2026-02-01T00:00:00Z"))).toBeUndefined();
});

test("a revoked user has no token any more, and a certificate that is refused until it expires", () => {
  const left = withoutUser(ALL, "kim", NOW);
  expect(left.map(({ mark, revoked }) => [mark, revoked])).toEqual([
    ["ab12", "2026-01-01T00:00:00.000Z"],
    ["other", undefined],
  ]);
  const users = new OwnUsers(left);
  expect([users.isRevoked("ab12"), new OwnUsers(ALL).isRevoked("ab12")]).toEqual([true, false]);
  expect(unexpired(left, Date.parse("2026-03-01T00:00:00Z"))).toEqual([]);
});
