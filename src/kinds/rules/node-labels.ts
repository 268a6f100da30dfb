import type { Dialect } from "../../meta/dialect.ts";

/** Old keys of node labels, without their domain, and their replacements. */
const OLD: ReadonlyMap<string, string> = new Map([
  ["beta.DOMAIN/arch", "DOMAIN/arch"],
  ["beta.DOMAIN/os", "DOMAIN/os"],
  ["failure-domain.beta.DOMAIN/region", "topology.DOMAIN/region"],
  ["failure-domain.beta.DOMAIN/zone", "topology.DOMAIN/zone"],
  ["beta.DOMAIN/instance-type", "node.DOMAIN/instance-type"],
]);

/** The text of a Warning when `key` is an old key of a node label, else undefined. */
export function oldNodeLabel(key: string, dialect: Dialect): string | undefined {
  if (!key.includes("beta.")) return undefined;
  const current = OLD.get(key.replace(dialect.labelDomain, "DOMAIN"));
  return current && `the label ${key} is deprecated, use ${current.replace("DOMAIN", dialect.labelDomain)}`;
}
