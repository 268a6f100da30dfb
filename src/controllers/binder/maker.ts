/**
 * Who is to make a volume for a claim that none fits (CTL-PROV-1..8).
 *
 * @module
 */
import type { PersistentVolumeClaim, StorageClass } from "../../client/kinds/index.ts";
import { isDefaultClass } from "../../meta/default-class.ts";
import { classOf } from "./fit.ts";
import type { Migration } from "./migration.ts";
import type { BinderNames } from "./names.ts";

/** Who makes a volume, or why nobody does; `note` says it. */
export type Maker =
  | { readonly is: "nobody" | "class is absent" | "built in"; readonly note: string }
  | { readonly is: "outside"; readonly provisioner: string; readonly note: string };

/** Who makes a volume for a claim of a class, which may not be there. */
export function makerOf(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  { names, migration }: { readonly names: BinderNames; readonly migration: Migration },
): Maker {
  const className = classOf(claim, names);
  if (className === "") return { is: "nobody", note: "no volume fits it, and it has no class that would make one" };
  if (!storageClass) return { is: "class is absent", note: `expected the StorageClass ${className} to be there` };
  const provisioner = migration.driverOf(storageClass.provisioner) ?? storageClass.provisioner;
  if (provisioner.startsWith(names.builtIn)) {
    return { is: "built in", note: `nothing here makes volumes as ${provisioner}, which its class names` };
  }
  const note = `it waits for ${provisioner} to make a volume, or for an administrator`;
  return { is: "outside", provisioner, note };
}

/** The default class: of several the newest, then the first by name (CTL-DEF-1). */
export function defaultClassOf(classes: readonly StorageClass[], labelDomain: string): StorageClass | undefined {
  const all = classes.filter((one) => isDefaultClass(one, labelDomain));
  return all.toSorted((a, b) => {
    const [x, y] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
    return x === y ? (a.metadata.name < b.metadata.name ? -1 : 1) : x < y ? 1 : -1;
  })[0];
}
