import { type KeyPair, client } from "../../pki/index.ts";
import { authority, serving } from "../../pki/certificate.ts";
import { systemClock } from "../../util/clock.ts";

/** A certificate authority for a test, and what it signs. */
export interface TestAuthority {
  readonly cert: string;
  /** The certificate of a server on 127.0.0.1. */
  server(): KeyPair;
  /** The certificate of a client. */
  client(user: string, ...groups: string[]): KeyPair;
}

/** Makes a certificate authority. */
export function testAuthority(): TestAuthority {
  const term = { now: systemClock.now(), days: 1 };
  const ca = authority(term);
  return {
    cert: ca.cert,
    server: () => serving(ca, ["127.0.0.1"], term),
    client: (user, ...groups) => client(ca, user, groups, term),
  };
}
