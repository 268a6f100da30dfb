/**
 * An {@link AuthContext} for tests, whose objects and clock the test changes.
 *
 * @module
 */
import { type Dialect, kubernetes } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import type { ClientCertificate, Connection, Credentials, AuthContext } from "../contract.ts";

/** The time at which tests begin. */
export const NOW = Date.UTC(2026, 0, 1);

/** A context whose objects and clock a test may change. */
export interface TestAuthContext extends AuthContext {
  readonly clock: ManualClock;
  /** Objects by `resource/namespace/name`. */
  readonly objects: Map<string, ApiObject>;
  /** Creates or replaces an object. */
  put(resource: string, namespace: string, name: string, more?: object): void;
}

/** Returns a context without objects. */
export function authContextOf(dialect: Dialect = kubernetes): TestAuthContext {
  const clock = new ManualClock(NOW);
  const objects = new Map<string, ApiObject>();
  const api = { dialect, clock, random: seededRandom(1), gates: gatesOf(dialect) };
  return {
    clock,
    objects,
    api,
    lookup: {
      get: (resource, namespace, name) => objects.get(`${resource}/${namespace}/${name}`),
      collect: async () => [],
      first: () => [],
      follow: () => ({ mark: 0, changedSince: () => [] }),
    },
    put(resource, namespace, name, more = {}) {
      const { metadata, ...rest } = more as { metadata?: object };
      const object = { apiVersion: "v1", kind: resource, metadata: { name, uid: `uid-${name}`, ...metadata }, ...rest };
      objects.set(`${resource}/${namespace}/${name}`, object as unknown as ApiObject);
    },
  };
}

/** A valid client certificate. */
export const certificateOf = (more: Partial<ClientCertificate> = {}): ClientCertificate => ({
  commonName: "kim",
  organizations: ["team"],
  fingerprint: "ab12",
  signedBy: ["client"],
  notAfter: NOW + 1,
  ...more,
});

/** The credentials of a test. */
export interface TestCredentials {
  /** Values by lower-case name, several for a header that is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly certificate?: ClientCertificate | undefined;
  readonly path?: string;
  readonly connection?: Connection;
}

/** The credentials of a request. */
export function credentialsOf({
  headers = {},
  certificate,
  path = "/api",
  connection,
}: TestCredentials = {}): Credentials {
  const lines = (name: string): readonly string[] => [headers[name] ?? []].flat();
  return {
    header: (name) => lines(name).join(", "),
    lines,
    names: () => Object.keys(headers),
    path,
    connection: connection ?? { certificate, address: "::1", encrypted: true },
  };
}
