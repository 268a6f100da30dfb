/** Which provisioner creates a volume for a claim that no volume fits (CTL-PROV-1..8). */
import type { PersistentVolumeClaim, StorageClass } from "../client/kinds/index.ts";
import { isDefaultClass } from "../meta/default-class.ts";
import { classOf } from "./fit.ts";
import type { Migration } from "./plugin-migration.ts";
import type { BinderNames } from "./annotations.ts";

/** The provisioner, or why there is none; `note` is the message. */
export type ProvisionerChoice =
  | { readonly is: "none" | "class is absent" | "built in"; readonly note: string }
  | { readonly is: "external"; readonly provisioner: string; readonly note: string };

/** Returns the provisioner for a claim of a class, which need not exist. */
export function provisionerOf(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  { names, migration }: { readonly names: BinderNames; readonly migration: Migration },
): ProvisionerChoice {
  const className = classOf(claim, names);
  if (className === "")
    return { is: "none", note: "no persistent volumes available for this claim and no storage class is set" };
  if (!storageClass)
    return { is: "class is absent", note: `storageclass.${names.storageGroup} ${JSON.stringify(className)} not found` };
  const provisioner = migration.driverOf(storageClass.provisioner) ?? storageClass.provisioner;
  if (provisioner.startsWith(names.builtIn)) {
    return { is: "built in", note: `no volume plugin matched name: ${provisioner}` };
  }
  return { is: "external", provisioner, note: externalProvisioningText(provisioner) };
}

const externalProvisioningText = (provisioner: string): string =>
  `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
  "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";

/** Returns the default class: the newest, then the first by name (CTL-DEF-1). */
export function defaultClassOf(classes: readonly StorageClass[], labelDomain: string): StorageClass | undefined {
  const all = classes.filter((one) => isDefaultClass(one, labelDomain));
  return all.toSorted((a, b) => {
    const [x, y] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
    return x === y ? (a.metadata.name < b.metadata.name ? -1 : 1) : x < y ? 1 : -1;
  })[0];
}
