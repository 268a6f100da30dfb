/**
 * The controllers that are built in. Each is a client: it reads through informers, acts through the API, and never
 * touches registry or storage.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";
import type { Controller } from "../runtime/index.ts";
import { eventExpiry } from "./event-expiry.ts";
import { defaultServiceAccount, rootCaPublisher } from "./namespace-defaults.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";

/** What is set for the controllers. */
export interface ControllerSettings {
  readonly dialect: Dialect;
  readonly eventTtlMillis: number;
  /** PEM of the CA that signed the serving certificate; empty without TLS. */
  readonly caCertificate: string;
}

/** Every controller of a dialect; those that only clusters with pods need run only in the kubernetes one. */
export function builtInControllers({
  dialect,
  eventTtlMillis,
  caCertificate,
}: ControllerSettings): readonly Controller[] {
  return [
    namespaceLifecycle,
    eventExpiry(eventTtlMillis),
    ...(dialect.rules.namespaceObjects ? [defaultServiceAccount, rootCaPublisher(caCertificate)] : []),
  ];
}

/** The name of a controller in `--controllers`; its own has the name of the program before it. */
const shortName = ({ name }: Controller): string => name.replace(/^keelson-/, "");

/**
 * The controllers that a list of names chooses: `*` for all, `name` for that one, `-name` for all others, `none`.
 * Throws for a name that no controller has.
 */
export function chooseControllers(all: readonly Controller[], names: readonly string[]): readonly Controller[] {
  const known = all.map(shortName);
  for (const name of names) {
    const bare = name.replace(/^-/, "");
    if (bare !== "*" && bare !== "none" && !known.includes(bare)) {
      throw new Error(`expected --controllers to name some of ${known.join(", ")}, got "${name}"`);
    }
  }
  const onlyWithout = names.length > 0 && names.every((name) => name.startsWith("-"));
  const isChosen = (name: string): boolean => onlyWithout || names.includes("*") || names.includes(name);
  return all.filter((one) => !names.includes(`-${shortName(one)}`) && isChosen(shortName(one)));
}
