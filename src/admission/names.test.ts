import { expect, test } from "vitest";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { builtInAdmission } from "./index.ts";
import { type PluginChoice, idleNames } from "./names.ts";
import { lookupOf } from "./testing/requests.ts";

const chain = (dialect: typeof neutral, plugins?: PluginChoice): string[] =>
  builtInAdmission({
    lookup: lookupOf({}),
    dialect,
    provision: () => Promise.resolve(),
    ...(plugins ? { plugins } : {}),
  }).map(({ name }) => name);

test("the chain of each dialect runs in order, with the steps that its documents ask for", () => {
  expect(chain(neutral)).toEqual(["NamespaceAutoProvision", "DefaultStorageClass", "DefaultIngressClass"]);
  expect(chain(kubernetes)).toEqual([
    "NamespaceLifecycle",
    "DefaultStorageClass",
    "StorageObjectInUseProtection",
    "PersistentVolumeClaimResize",
    "DefaultIngressClass",
  ]);
});

test("steps are switched on and off by name, and run in the order of kube-apiserver", () => {
  const enable = ["RuntimeClass", "DefaultTolerationSeconds", "Priority", "TaintNodesByCondition"];
  expect(chain(kubernetes, { enable, disable: ["DefaultIngressClass", "StorageObjectInUseProtection"] })).toEqual([
    "NamespaceLifecycle",
    "TaintNodesByCondition",
    "Priority",
    "DefaultTolerationSeconds",
    "DefaultStorageClass",
    "PersistentVolumeClaimResize",
    "RuntimeClass",
  ]);
  expect(chain(neutral, { enable: ["StorageObjectInUseProtection"] })).toContain("StorageObjectInUseProtection");
});

test("what a choice names in vain is told, and the namespaces are looked after whatever it says", () => {
  const choice = { enable: ["Priority", "NodeRestriction"], disable: ["NamespaceLifecycle", "NodeRestriction"] };
  expect(idleNames(choice)).toEqual({ unknown: ["NodeRestriction"], always: ["NamespaceLifecycle"] });
  expect(chain(kubernetes, choice)).toContain("NamespaceLifecycle");
});
