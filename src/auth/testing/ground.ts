/**
 * What authenticators are made on in tests: objects in a list that a test changes, a clock that it moves.
 *
 * @module
 */
import { type Dialect, kubernetes } from "../../meta/dialect.ts";
import { gatesOf } from "../../meta/gates.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import type { ClientCertificate, Connection, Credentials, TrustGround } from "../contract.ts";

/** When tests begin. */
export const NOW = Date.UTC(2026, 0, 1);

/** A ground whose objects and clock a test may change. */
export interface TestGround extends TrustGround {
  readonly clock: ManualClock;
  /** Objects by `resource/namespace/name`. */
  readonly objects: Map<string, ApiObject>;
  /** Puts an object there, or another in its place. */
  put(resource: string, namespace: string, name: string, more?: object): void;
}

/** A ground without objects. */
export function groundOf(dialect: Dialect = kubernetes): TestGround {
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

/** A certificate of an authority for clients that has not ended. */
export const certificateOf = (more: Partial<ClientCertificate> = {}): ClientCertificate => ({
  commonName: "kim",
  organizations: ["team"],
  fingerprint: "ab12",
  signedBy: ["client"],
  notAfter: NOW + 1,
  ...more,
});

/** What a request shows. */
export interface Shown {
  /** Values by lower-case name, several for a header that is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly certificate?: ClientCertificate | undefined;
  readonly path?: string;
  readonly connection?: Connection;
}

/** The credentials of a request. */
export function credentialsOf({ headers = {}, certificate, path = "/api", connection }: Shown = {}): Credentials {
  const lines = (name: string): readonly string[] => [headers[name] ?? []].flat();
  return {
    header: (name) => lines(name).join(", "),
    lines,
    names: () => Object.keys(headers),
    path,
    connection: connection ?? { certificate, address: "::1", encrypted: true },
  };
}
