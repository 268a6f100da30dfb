import { expect, test } from "vitest";
import { ANONYMOUS, type Authenticator, type Connection, type Identity } from "../../auth/contract.ts";
import { endRevoked, ownerOf } from "./ongoing.ts";
import { systemClock } from "../../util/clock.ts";

const connection: Connection = { certificate: undefined, address: "", encrypted: true };
const kim: Identity = { user: "kim", groups: [] };
const lou: Identity = { user: "lou", groups: [] };
const never = (error: unknown): never => {
  throw error;
};

test("what was begun with a credential that was taken back ends, and nothing else", async () => {
  const ended: string[] = [];
  const ongoing = [kim, lou, kim, ANONYMOUS].map((owner, i) => ({
    owner,
    connection,
    revoke: () => void ended.push(`${owner.user} ${i}`),
  }));
  const authenticator: Authenticator = { authenticate: () => kim, isRevoked: (identity) => identity === kim };
  await endRevoked(ongoing, authenticator, systemClock.loop, never);
  expect(ended).toEqual(["kim 0", "kim 2"]);
  await endRevoked(ongoing, { authenticate: () => kim }, systemClock.loop, never);
  expect(ended).toHaveLength(2);
});

test("one that cannot be ended is reported, and the others end", async () => {
  const failure = new Error("cannot");
  const [ended, faults]: [string[], unknown[]] = [[], []];
  const fail = (): never => {
    throw failure;
  };
  const ongoing = [fail, () => void ended.push("second")].map((revoke) => ({ owner: kim, connection, revoke }));
  const authenticator: Authenticator = { authenticate: () => kim, isRevoked: () => true };
  await endRevoked(ongoing, authenticator, systemClock.loop, (error) => void faults.push(error));
  expect([ended, faults]).toEqual([["second"], [failure]]);
});

test("an impersonated request belongs to the user of the credential", () => {
  expect(ownerOf({ sender: undefined, identity: kim })).toBe(kim);
  expect(ownerOf({ sender: lou, identity: kim })).toBe(lou);
});
